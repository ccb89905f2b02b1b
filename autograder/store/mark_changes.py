"""changes.csv beside the folders of submissions: every change of a mark or a due date."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.records.codec import given_cell, no_formula
from autograder.store import files

FILE = "changes.csv"


@dataclass(frozen=True)
class Change:
    """A changed mark or due date.

    Args:
        at: The time with its time zone, in ISO 8601.
        by: Who changed it.
        student: The person's id.
        what: The question, or "extension".
        before: The old value as text, or empty.
        after: The new value as text.
        why: The reason, for staff.

    """

    at: str
    by: str
    student: str
    what: str
    before: str
    after: str
    why: str


COLUMNS = tuple(one.name for one in fields(Change))


def append(folder: Path, changes: Iterable[Change]) -> None:
    """Append changes to a folder's file."""
    rows = [astuple(one) for one in changes]
    if not rows:
        return
    path = folder / FILE
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL)
    with files.locked(path):
        before = path.read_bytes() if path.exists() else b""
        if not before:
            writer.writerow(COLUMNS)
        elif not before.endswith(b"\n"):  # a line was cut off, perhaps in a cell
            before += b'"' * (before.count(b'"') % 2) + b"\n"
        writer.writerows([no_formula(cell) for cell in row] for row in rows)
        mark = b"" if before else codecs.BOM_UTF8
        files.write_bytes(path, before + mark + written.getvalue().encode())


def read(folder: Path) -> Iterator[Change]:
    """Yield a folder's changes in order, without any incomplete line.

    If a spreadsheet saved it in an 8-bit encoding, some letters are lost. Other forms, such as
    UTF-16 or semicolons, have no changes that can be read.
    """
    path = folder / FILE
    if not path.exists():
        return
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for row in csv.reader(file):
            if len(row) == len(COLUMNS) and tuple(row) != COLUMNS:
                yield Change(*map(given_cell, row))
