"""changes.csv beside the folders of submissions: every change of a mark by a regrade or by staff."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from autograder.records.codec import given_cell, no_formula

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
    if not path.exists():
        writer.writerow(COLUMNS)
    writer.writerows([no_formula(cell) for cell in row] for row in rows)
    with path.open("a", encoding="utf-8-sig") as file:
        file.write(written.getvalue())


def read(folder: Path) -> Iterator[Change]:
    """Yield a folder's changes in order, without any incomplete line."""
    path = folder / FILE
    if not path.exists():
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file):
            if len(row) == len(COLUMNS) and tuple(row) != COLUMNS:
                yield Change(*map(given_cell, row))
