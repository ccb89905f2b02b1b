"""What students answered about their own submissions, marked: out/<student>/defence.json."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.marks import Grade, Mark
from autograder.store import files

COLUMN = "defence"
"""What tables and pages call it."""


class MarkedSheet(msgspec.Struct, frozen=True):
    """One sheet that was marked.

    Args:
        code: The sheet's.
        letters: What was answered, "" for nothing.
        right: How many are right.
        wrong: How many are wrong.
        score: Chance-corrected, at most 1; guessing gives 0 on average.
    """

    code: str
    letters: tuple[str, ...]
    right: int
    wrong: int
    score: float


class Defence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that one person answered.

    Args:
        points: What it is worth.
        earned: What it earned; below 0 where more was wrong than guessing gives. None while the
            sheet that the person was given has not come back.
        sheets: By round.
        schema: Version of this record.
    """

    points: float
    earned: float | None
    sheets: Mapping[int, MarkedSheet]
    schema: int = 1


def write(folder: Path, defence: Defence) -> None:
    """Write what a person answered."""
    text = codec.indented(msgspec.to_builtins(defence, str_keys=True)) + "\n"
    files.write(folder / files.DEFENCE, text)


def read(folder: Path) -> Defence | None:
    """Return what a person answered, None for nothing; UserError where it cannot be read."""
    path = folder / files.DEFENCE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Defence)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{path} cannot be read ({error}); run `autograder defend --mark` again"
        ) from error


def answered(folder: Path) -> bool:
    """Whether a sheet of this person's is marked; UserError where that cannot be read."""
    found = read(folder)
    return found is not None and found.earned is not None


def with_defence(grade: Grade, folder: Path) -> Grade:
    """Return a grade with a mark for what its student answered; as it is where nothing was marked."""
    found = read(folder)
    if found is None or not grade.marks:
        return grade
    said = [
        f"Sheet {number}: {sheet.right} right, {sheet.wrong} wrong, "
        f"{sheet.letters.count('')} left out; corrected for chance {100 * sheet.score:.0f} %."
        for number, sheet in sorted(found.sheets.items())
    ]
    message = "\n".join(said) or "The answers to the sheet are not marked yet."
    mark = Mark(COLUMN, found.points, found.earned, message, by_hand=True)
    return replace(grade, marks=(*grade.marks, mark))


def without(grade: Grade) -> Grade:
    """Return a grade without that mark: a page on questions has nothing to show of it."""
    return replace(grade, marks=tuple(one for one in grade.marks if one.question != COLUMN))


def is_in(grade: Grade) -> bool:
    """Whether a grade has that mark."""
    return any(mark.question == COLUMN for mark in grade.marks)
