"""Store students' marked answers about their own submissions: out/<student>/defence.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.marks import Grade, Mark, MarkGiver
from autograder.store import files

TITLE = "defence"
NAME = "defence.json"


class DefenceRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The weight of students' answers about their own submissions."""

    points: Annotated[float, msgspec.Meta(gt=0)] = 10.0
    """The points for right answers to all questions."""
    pass_mark: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    """The chance-corrected score that earns all points; without it, points are in proportion."""
    sheets: Annotated[int, msgspec.Meta(ge=1)] = 1
    """The most sheets that a person may take; the best one counts."""


class MarkedSheet(msgspec.Struct, frozen=True):
    """One marked sheet.

    Args:
        code: The sheet's.
        letters: The answers; "" for none.
        score: Chance-corrected, at most 1; guessing gives 0 on average.
    """

    code: str
    letters: tuple[str, ...]
    right: int
    wrong: int
    score: float

    @property
    def words(self) -> str:
        """Return the result in words."""
        return (
            f"{self.right} right, {self.wrong} wrong, {self.letters.count('')} left out; "
            f"corrected for chance {100 * self.score:.0f} %"
        )


class Defence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All answers of one person.

    Args:
        points: The possible points.
        earned: The points earned; negative if the answers are worse than guessing. None until the
            sheet comes back.
        sheets: The sheets by round.
        schema: Version of this record.
    """

    points: float
    earned: float | None
    sheets: Mapping[int, MarkedSheet]
    schema: int = 1


def write(folder: Path, defence: Defence) -> None:
    """Write a person's answers."""
    text = codec.indented(msgspec.to_builtins(defence, str_keys=True)) + "\n"
    files.write(folder / NAME, text)


def read(folder: Path) -> Defence | None:
    """Return a person's answers, or None; raise UserError if they are unreadable."""
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Defence)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{path} cannot be read ({error}); run `autograder defend --mark` again"
        ) from error


def answered(folder: Path) -> bool:
    """Return whether this person has a marked sheet; raise UserError if the file is unreadable."""
    found = read(folder)
    return found is not None and found.earned is not None


class Defences(MarkGiver):
    """Give the mark of a defence."""

    title = TITLE
    settings = DefenceRules

    def added(self, grade: Grade, folder: Path) -> Mark | None:  # noqa: ARG002
        """Return the mark for a student's answers; None if the student got no sheet."""
        found = read(folder)
        if found is None:
            return None
        said = [f"Sheet {number}: {sheet.words}." for number, sheet in sorted(found.sheets.items())]
        message = "\n".join(said) or "The answers to the sheet are not marked yet."
        return Mark(TITLE, found.points, found.earned, message, by_hand=True)


giver = Defences()
