"""late_days.csv: how many days late each person was in each homework, beside course.toml.

`grade` and `regrade` write it if the course has slip days: the days a person has left for one
homework depend on earlier ones.
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from autograder.records.errors import UserError

FILE = "late_days.csv"
_COLUMNS = ["id", "homework", "days"]
LateDays = dict[str, dict[str, int]]
"""Homework -> a person's id -> the days late, rounded up."""


def read(root: Path) -> LateDays:
    """Return the file's contents, empty without a file; raise UserError if it is damaged."""
    try:
        text = (root / FILE).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError) as error:
        raise UserError(f"{FILE}: it cannot be read ({error})") from error
    header, *rows = [*csv.reader(io.StringIO(text, newline=""))] or [[]]
    found: LateDays = {}
    for number, row in enumerate(rows, 2):
        if header != _COLUMNS or len(row) != len(_COLUMNS) or not row[2].isdecimal():
            raise UserError(
                f"{FILE}, line {number}: a line is id,homework,days; fix it, or remove "
                "the file and run `autograder regrade` for each homework"
            )
        found.setdefault(row[1], {})[row[0]] = int(row[2])
    return found


def changed(before: LateDays, homework: str, days: Mapping[str, int]) -> LateDays:
    """Return the days with one homework's updated; other people's entries in it stay.

    Args:
        before: All days.
        homework: Its name.
        days: Id -> days, for people whose submissions are known now; 0 for a person who is on time.
    """
    mine = {**before.get(homework, {}), **days}
    return {**before, homework: {id: count for id, count in mine.items() if count}}


def text(days: LateDays) -> str:
    """Return the text of the file."""
    file = io.StringIO()
    lines = sorted((id, name, count) for name, ids in days.items() for id, count in ids.items())
    csv.writer(file, lineterminator="\n").writerows([_COLUMNS, *lines])
    return file.getvalue()
