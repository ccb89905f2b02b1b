"""course.toml: the one file an instructor edits on day one."""

import csv
import os
import tomllib
from pathlib import Path

import msgspec

from autograder.model import UserError

SECRET_VARIABLE = "AUTOGRADER_SECRET"
FILE = "course.toml"
PUBLIC_SECRET = "public-for-trying-out"


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What course.toml says; unknown keys are refused, so that a typo is not silence."""

    title: str
    term: str
    secret: str = PUBLIC_SECRET


def find(start: Path) -> Path:
    """Return the nearest folder at or above `start` that holds course.toml."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE).is_file():
            return folder
    raise UserError(
        f"no course.toml in {start} or above it; give the course's folder with --course"
    )


def roster(root: Path) -> dict[str, dict[str, str]]:
    """Return the people of roster.csv by id; none where there is no such file."""
    path = root / "roster.csv"
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return {person["id"]: person for person in csv.DictReader(file)}
    except (KeyError, UnicodeError, csv.Error) as error:
        raise UserError(
            f"roster.csv: it needs the columns id, name, email in UTF-8 ({error})"
        ) from error


def read(root: Path) -> Course:
    """Read a course's settings; the environment variable AUTOGRADER_SECRET wins over the file."""
    try:
        values = tomllib.loads((root / FILE).read_text(encoding="utf-8"))
        course = msgspec.convert(values, Course)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeError) as error:
        raise UserError(f"course.toml: {error}") from error
    secret = os.environ.get(SECRET_VARIABLE)
    return msgspec.structs.replace(course, secret=secret) if secret else course
