"""The keys of a class, for staff: written as JSON beside the sheets, and read back."""

import contextlib
import itertools
import math
from collections.abc import Mapping
from pathlib import Path

import msgspec

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.staff.defence.sheets.sheet import Key
from autograder.store import files

FOLDER = "staff"
NAME = "key.json"
AGAIN = "run `autograder defend` again"


class SheetKey(msgspec.Struct, frozen=True):
    """The key of one sheet: its code, and notes for staff on each question."""

    sheet: str
    questions: tuple[Key, ...]


class Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a class.

    Args:
        round: The sheet's number, from 1.
        none: Student -> why there is no sheet.
        without: Student -> answer -> why there is no question about it.
        dropped: The number of questions, for all students, that a fresh process did not confirm.
    """

    homework: str
    round: int
    sheets: Mapping[str, SheetKey]
    none: Mapping[str, str] = {}
    without: Mapping[str, Mapping[str, str]] = {}
    dropped: int = 0
    schema: int = 1


def text(keys: Keys) -> str:
    """Return keys as JSON."""
    return codec.indented(msgspec.to_builtins(keys)) + "\n"


def write(folder: Path, keys: Keys) -> Path | None:
    """Write keys; if a sheet has changed, keep the earlier key, and return where."""
    path, kept = folder / FOLDER / NAME, None
    earlier = read(folder).sheets if path.is_file() else {}
    if any(keys.sheets.get(student) != own for student, own in earlier.items()):
        # The printed sheets may be those of any run.
        names = (path.with_name(f"{NAME}.before{number or ''}") for number in itertools.count())
        kept = next(name for name in names if not name.exists())
        files.write_bytes(kept, path.read_bytes())
    files.write(path, text(keys))
    return kept


def read(folder: Path) -> Keys:
    """Return the keys of a folder of sheets; raise UserError if there are no readable ones."""
    path = folder / FOLDER / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Keys)
    except FileNotFoundError as error:
        raise UserError(
            f"{path} is missing; give --out the folder that `autograder defend` wrote"
        ) from error
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path} cannot be read ({error}); {AGAIN}") from error


def refuse_others(folder: Path, homework: str, round: int) -> None:
    """Raise UserError if a folder has other sheets, since their key would be lost."""
    if not (folder / FOLDER / NAME).is_file():
        return
    old = read(folder)
    if (old.homework, old.round) != (homework, round):
        raise UserError(
            f"{folder} has sheets of {old.homework}, round {old.round}; give a different --out"
        )


def same_sheet(typed: str, code: str) -> bool:
    """Return whether a code in a table is a sheet's: spreadsheets turn 123E45 into 1.23E+47."""
    with contextlib.suppress(ValueError):
        numbers = float(typed.replace(",", ".")), float(code)
        return typed == code or math.isclose(*numbers, rel_tol=0.01 if "E" in code else 0)
    return typed == code
