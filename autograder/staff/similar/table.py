"""The page's pairs -> similar.csv, and back, for spreadsheets and the desk."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.records.codec import given_cell
from autograder.reports.tables import csv_of, text
from autograder.staff.similar.pairs import Pair

NAME = "similar.csv"


class Row(NamedTuple):
    """A pair: folders of results, the earlier class of each or "", and how much they share."""

    first: str
    first_class: str
    second: str
    second_class: str
    likeness: str
    places: str


def table(pairs: Sequence[Pair]) -> str:
    """Return pairs as CSV."""
    rows = [
        Row(
            pair.first.student,
            pair.first.group,
            pair.second.student,
            pair.second.group,
            f"{pair.likeness:.1f}",
            str(len(pair.shared)),
        )
        for pair in pairs
    ]
    return csv_of([Row._fields, *([*map(text, row)] for row in rows)])


def read(folder: Path) -> list[Row]:
    """Return the pairs that `similar` wrote for a folder of results; none without a readable table."""
    path = folder / NAME
    if not path.is_file():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = list(csv.reader(file)) or [[]]
    if tuple(header) != Row._fields:
        return []
    found = [Row(*map(given_cell, row)) for row in rows if len(row) == len(header)]
    return [row for row in found if row.places.isdecimal()]
