"""A CSV file that a platform exported: read, changed cell by cell, written in the form it had."""

import codecs
import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.codec import one_line
from autograder.model import UserError

MAX_BYTES = 50_000_000
_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?%?")
_AGAIN = "export it again, and do not open it in a spreadsheet in between"


@dataclass(frozen=True)
class CsvTable:
    """The cells of a CSV file, and the form it was written in.

    Args:
        name: The file's name, for complaints.
        rows: All lines, the header first; each as long as it was.
        encoding: Python's name of it, with or without a byte order mark.
        delimiter: What is between two cells.
        newline: What ends a line.
    """

    name: str
    rows: tuple[tuple[str, ...], ...]
    encoding: str = "utf-8"
    delimiter: str = ","
    newline: str = "\n"

    @property
    def header(self) -> tuple[str, ...]:
        """The first line."""
        return self.rows[0]

    @property
    def decimal_comma(self) -> bool:
        """Whether numbers have a comma where others have a point, as in files split by semicolons."""
        cells = [cell for row in self.rows[1:] for cell in row]
        return self.delimiter == ";" or any(re.fullmatch(r"[0-9]+,[0-9]+", c) for c in cells)

    def cell(self, row: int, column: int) -> str:
        """Return a cell's text without what is around it; empty where the line is shorter."""
        cells = self.rows[row]
        return cells[column].strip() if column < len(cells) else ""

    def with_cells(self, cells: Mapping[tuple[int, int], str]) -> "CsvTable":
        """Return the table with other texts at some places, by line and column."""
        rows = [list(row) for row in self.rows]
        for (row, column), text in cells.items():
            rows[row] += [""] * (column + 1 - len(rows[row]))
            rows[row][column] = text
        return replace(self, rows=tuple(map(tuple, rows)))

    def bytes(self) -> bytes:
        """Return the file, in the form that it had."""
        return "".join(map(self._line, self.rows)).encode(self.encoding)

    def _line(self, row: tuple[str, ...]) -> str:
        text = io.StringIO(newline="")
        # With this end of a line, a cell with either character is quoted.
        csv.writer(text, delimiter=self.delimiter, lineterminator="\r\n").writerow(row)
        return text.getvalue().removesuffix("\r\n") + self.newline


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
        first = text.split("\n", 1)[0]
        delimiter = max(",;\t", key=first.count)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows = tuple(tuple(row) for row in lines)
    except (UnicodeError, csv.Error) as error:
        raise UserError(
            f"{one_line(path)}: it cannot be read as CSV ({error}); {_AGAIN}"
        ) from error
    if not rows or "\0" in text:
        raise UserError(f"{one_line(path)}: it is not a CSV of a platform; {_AGAIN}")
    newline = "\r\n" if "\r\n" in text else "\n"
    return CsvTable(path.name, rows, encoding, delimiter, newline)


def _encoding(data: bytes) -> str:
    """Return the encoding; of bytes that are no UTF-8, one that gives each byte back as it was."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
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


def number(cell: str) -> float | None:
    """Return the number in a cell, with a point or a comma; None where there is none."""
    if not _NUMBER.fullmatch(cell):
        return None
    return float(cell.rstrip("%").replace(",", "."))
