"""A platform's CSV file, read and changed cell by cell; everything else stays, byte for byte.

Each platform's module identifies the columns.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.people import delimiter
from autograder.records.codec import one_line
from autograder.records.errors import UserError

MAX_BYTES = 50_000_000
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,'\u2019\u00a0\u202f][0-9]+)*%?")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:[.,][0-9]{3})+")
_DECIMALS = re.compile(r"[+-]?[0-9.,]*([.,])[0-9]+%?")
_AGAIN = "export it again, and do not open it in a spreadsheet in between"
_UNICODE = {  # encodings by a file's first bytes
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True)
class Cell:
    """One cell: its text as in the file, including quotes, and the separator after it."""

    raw: str
    end: str

    @property
    def text(self) -> str:
        """Return its text without quotes."""
        quoted = self.raw.startswith('"')
        return self.raw[1:-1].replace('""', '"') if quoted else self.raw

    def saying(self, text: str, delimiter: str) -> "Cell":
        """Return the cell with a new text, in quotes if it had or now needs them."""
        if self.raw.startswith('"') or any(c in text for c in (delimiter, '"', "\r", "\n")):
            text = '"{}"'.format(text.replace('"', '""'))
        return replace(self, raw=text)


@dataclass(frozen=True)
class CsvTable:
    """The cells of a CSV file, and its format.

    Args:
        name: The file's name, for complaints.
        lines: All lines, the header first, each with its own number of cells.
        encoding: The encoding's name in Python.
        delimiter: The separator between cells.
        start: The byte order mark as a character, or "".

    """

    name: str
    lines: tuple[tuple[Cell, ...], ...]
    encoding: str = "utf-8"
    delimiter: str = ","
    start: str = ""

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Return the texts of all cells."""
        return [tuple(cell.text for cell in line) for line in self.lines]

    @property
    def header(self) -> list[str]:
        """Return the columns' titles without surrounding white space."""
        return [cell.text.strip() for cell in self.lines[0]]

    def cell(self, row: int, column: int) -> str:
        """Return a cell's text without surrounding white space; "" if the line is shorter."""
        line = self.lines[row]
        return line[column].text.strip() if column < len(line) else ""

    def decimal_sign(self, columns: Iterable[int]) -> str:
        """Return the decimal sign in columns of numbers: a point or a comma.

        A mark such as 4,125 counts as having three decimals unless some number shows a thousands
        separator. Without any evidence, files separated by semicolons have a comma.
        """
        cells = [self.cell(row, column) for column in columns for row in range(1, len(self.lines))]
        found = [one for cell in cells if (one := _DECIMALS.fullmatch(cell))]
        sure = [one for one in found if not _THOUSANDS.fullmatch(one[0])]
        signs = [one[1] for one in sure or found if one[0].count(one[1]) == 1]
        balance = signs.count(",") - signs.count(".")
        return "," if balance > 0 or (balance == 0 and self.delimiter == ";") else "."

    def with_cells(self, cells: Mapping[tuple[int, int], str]) -> "CsvTable":
        """Return the table with new texts at some places, by line and column."""
        lines = [list(line) for line in self.lines]
        for (row, column), text in cells.items():
            line = lines[row]
            if (lacking := column + 1 - len(line)) > 0:
                *_, last = line
                line[-1] = replace(last, end=self.delimiter)
                line += [Cell("", self.delimiter)] * (lacking - 1) + [Cell("", last.end)]
            line[column] = line[column].saying(text, self.delimiter)
        return replace(self, lines=tuple(map(tuple, lines)))

    def bytes(self) -> bytes:
        """Return the file: the same bytes, except for changed cells."""
        cells = (cell.raw + cell.end for line in self.lines for cell in line)
        return (self.start + "".join(cells)).encode(self.encoding)


@dataclass(frozen=True)
class Columns:
    """The columns of a table, by use.

    Args:
        platform: Its name.
        grade: The column for the mark.
        ids: Columns that may identify a line's owner, the platform's own number first.
        numbered: Those whose text ends in a number ("Participant 501").
        people: The lines with people.
        invented: Those of invented people, such as Canvas's test student.
        read_back: Columns that the platform reads back: no text in them may change.
        most: The platform's maximum; None if unknown.
        capped: Whether the platform silently drops marks above `most` or below 0.
        locked: Line numbers of unchangeable marks, with the reasons.
        sign: The decimal sign of its marks.

    """

    platform: str
    grade: int
    ids: tuple[int, ...]
    numbered: frozenset[int]
    people: tuple[int, ...]
    invented: frozenset[int]
    read_back: frozenset[int]
    most: float | None
    capped: bool
    locked: dict[int, str]
    sign: str


def read(path: Path) -> CsvTable:
    """Read a platform's CSV; raise UserError for anything else."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"{one_line(path)}: it cannot be read ({error.strerror})") from error
    if len(data) > MAX_BYTES:
        raise UserError(f"{one_line(path)}: it has more than {MAX_BYTES / 1e6:.0f} MB")
    encoding = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        raise UserError(f"{one_line(path)}: it is not text ({error}); {_AGAIN}") from error
    start = text[:1] if text.startswith("\ufeff") else ""
    text = text.removeprefix("\ufeff")
    if not text or "\0" in text:
        raise UserError(f"{one_line(path)}: it is not a CSV of a platform; {_AGAIN}")
    between = delimiter(text)
    return CsvTable(path.name, _lines(text, between, path), encoding, between, start)


def _lines(text: str, between: str, path: Path) -> tuple[tuple[Cell, ...], ...]:
    """Return the cells of a text, line by line."""
    cell = re.compile(rf'("[^"]*(?:""[^"]*)*"|(?!")[^{between}\r\n]*)({between}|\r\n|\r|\n|\Z)')
    lines: list[tuple[Cell, ...]] = []
    line: list[Cell] = []
    place = 0
    while place < len(text) or line:
        found = cell.match(text, place)
        if not found:
            raise UserError(
                f"{one_line(path)}: line {len(lines) + 1} cannot be read as CSV: a quote "
                f"in it is not closed or has text after it; {_AGAIN}"
            )
        line.append(Cell(found[1], found[2]))
        place = found.end()
        if found[2] != between:
            lines.append(tuple(line))
            line = []
    return tuple(lines)


def _encoding(data: bytes) -> str:
    """Return the encoding; for bytes that are not UTF-8, one that preserves every byte."""
    for start, encoding in _UNICODE.items():
        if data.startswith(start):
            return encoding
    try:
        data.decode()
    except UnicodeError:
        return "latin-1"
    return "utf-8"


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet treats this text, perhaps a student's name, as a formula."""
    return cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not (
        _NUMBER.fullmatch(cell) or cell == "-"
    )


def number(cell: str, sign: str = ".") -> float | None:
    """Return the number in a cell, or None.

    Args:
        cell: Its text, with or without thousands separators.
        sign: The file's decimal sign, for ambiguous numbers with "." or ",".

    """
    if not _NUMBER.fullmatch(cell):
        return None
    digits = re.sub("['\u2019\u00a0\u202f%]", "", cell)
    last = max(".,", key=digits.rfind)
    if digits.count(last) > 1 or (last != sign and _THOUSANDS.fullmatch(digits)):
        last = "," if last == "." else "."
    return float(digits.replace("," if last == "." else ".", "").replace(last, "."))


def last_number(cell: str) -> str:
    """Return the digits at the end of a cell, or ""."""
    found = re.search(r"[0-9]+\Z", cell)
    return found[0] if found else ""


def folded(title: str) -> str:
    """Return the form that all spellings of a title share."""
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())
