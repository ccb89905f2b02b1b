"""A CSV file that a platform exported: read, changed cell by cell, all else as it was byte by byte.

What its columns are, its platform's module finds out.
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
_UNICODE = {  # by how a file begins
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True)
class Cell:
    """One cell: its text as the file has it, quotes included, and what ends it."""

    raw: str
    end: str

    @property
    def text(self) -> str:
        """What it says."""
        quoted = self.raw.startswith('"')
        return self.raw[1:-1].replace('""', '"') if quoted else self.raw

    def saying(self, text: str, delimiter: str) -> "Cell":
        """Return the cell with another text, in quotes where it had them or now needs them."""
        if self.raw.startswith('"') or any(c in text for c in (delimiter, '"', "\r", "\n")):
            text = '"{}"'.format(text.replace('"', '""'))
        return replace(self, raw=text)


@dataclass(frozen=True)
class CsvTable:
    """The cells of a CSV file, and the form it was written in.

    Args:
        name: The file's name, for complaints.
        lines: All lines, the header first; each as long as it was.
        encoding: Python's name of it.
        delimiter: What is between two cells.
        start: The byte order mark, as a character; empty where there is none.
    """

    name: str
    lines: tuple[tuple[Cell, ...], ...]
    encoding: str = "utf-8"
    delimiter: str = ","
    start: str = ""

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The texts of all cells."""
        return [tuple(cell.text for cell in line) for line in self.lines]

    @property
    def header(self) -> tuple[str, ...]:
        """The texts of the first line."""
        return tuple(cell.text for cell in self.lines[0])

    def cell(self, row: int, column: int) -> str:
        """Return a cell's text without what is around it; empty where the line is shorter."""
        line = self.lines[row]
        return line[column].text.strip() if column < len(line) else ""

    def decimal_sign(self, columns: Iterable[int]) -> str:
        """Return what is before the decimals in columns of numbers: a point or a comma.

        A mark such as 4,125 has three decimals, where no number shows that it has thousands. Where
        none shows anything, files with semicolons between cells have a comma.
        """
        cells = [self.cell(row, column) for column in columns for row in range(1, len(self.lines))]
        found = [one for cell in cells if (one := _DECIMALS.fullmatch(cell))]
        sure = [one for one in found if not _THOUSANDS.fullmatch(one[0])]
        signs = [one[1] for one in sure or found if one[0].count(one[1]) == 1]
        balance = signs.count(",") - signs.count(".")
        return "," if balance > 0 or (balance == 0 and self.delimiter == ";") else "."

    def with_cells(self, cells: Mapping[tuple[int, int], str]) -> "CsvTable":
        """Return the table with other texts at some places, by line and column."""
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
        """Return the file: byte by byte as it was, but for the cells that say something else."""
        cells = (cell.raw + cell.end for line in self.lines for cell in line)
        return (self.start + "".join(cells)).encode(self.encoding)


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Args:
        platform: Its name.
        grade: The column that takes the mark.
        ids: Columns by which a line may say whose it is, the platform's own number first.
        numbered: Of these, the ones in which a number ends the text ("Participant 501").
        people: The lines of people.
        invented: Of these, those of nobody, such as Canvas's test student.
        read_back: Columns that the platform reads again: no text in them may change.
        most: What the platform takes at most; None where it is not known.
        capped: Whether it drops a mark above that, or below 0, without a word.
        locked: Lines whose mark cannot be changed there, by number: what to say of each.
        sign: What its marks have before the decimals.
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
    """Read a platform's CSV; UserError where it is none."""
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
                f"{one_line(path)}: line {len(lines) + 1} cannot be read as CSV, since a quote in it "
                f"is not closed or has text behind it; {_AGAIN}"
            )
        line.append(Cell(found[1], found[2]))
        place = found.end()
        if found[2] != between:
            lines.append(tuple(line))
            line = []
    return tuple(lines)


def _encoding(data: bytes) -> str:
    """Return the encoding; of bytes that are no UTF-8, one that gives each byte back as it was."""
    for start, encoding in _UNICODE.items():
        if data.startswith(start):
            return encoding
    try:
        data.decode()
    except UnicodeError:
        return "latin-1"
    return "utf-8"


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet takes this text for a formula, which may be a student's name."""
    return cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not (
        _NUMBER.fullmatch(cell) or cell == "-"
    )


def number(cell: str, sign: str = ".") -> float | None:
    """Return the number in a cell; None where there is none.

    Args:
        cell: Its text, with or without signs between thousands.
        sign: What is before the decimals elsewhere in the file, where one of "." and "," may be either.
    """
    if not _NUMBER.fullmatch(cell):
        return None
    digits = re.sub("['\u2019\u00a0\u202f%]", "", cell)
    last = max(".,", key=digits.rfind)
    if digits.count(last) > 1 or (last != sign and _THOUSANDS.fullmatch(digits)):
        last = "," if last == "." else "."
    return float(digits.replace("," if last == "." else ".", "").replace(last, "."))


def last_number(cell: str) -> str:
    """Return the digits that a cell ends in; empty where it ends in none."""
    found = re.search(r"[0-9]+\Z", cell)
    return found[0] if found else ""


def folded(title: str) -> str:
    """Return what all ways to write a title have in common."""
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())
