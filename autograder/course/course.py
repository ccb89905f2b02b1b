"""course.toml: the one file an instructor edits on day one."""

import csv
import os
import re
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints
from zoneinfo import ZoneInfo

import msgspec

from autograder.model import Receipt, UserError

SECRET_VARIABLE = "AUTOGRADER_SECRET"
FILE = "course.toml"
PUBLIC_SECRET = "public-for-trying-out"


class Due(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When a homework is due, and until when late submissions are taken."""

    due: datetime
    late_due: datetime | None = None
    extensions: dict[str, datetime] = {}
    """By the id of a person, as the platform or roster.csv has it; a reason is nobody's business."""


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a late submission costs: nothing but a sentence, or a share of its points for each day begun."""

    rule: Literal["report", "deduct"] = "report"
    percent_a_day: Annotated[float, msgspec.Meta(ge=0, le=100)] = 10.0
    grace_minutes: Annotated[float, msgspec.Meta(ge=0)] = 0.0


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How Gradescope shows marks, and how often it grades."""

    attempts_a_day: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Uploads of one day, in the course's zone, that are graded; 0: all."""
    hidden_questions: Literal["visible", "hidden", "after_due_date", "after_published"] = (
        "after_due_date"
    )
    """When a question shows that its homework calls hidden."""


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What course.toml says; unknown keys are refused, so that a typo is not silence."""

    title: str
    term: str
    secret: str = PUBLIC_SECRET
    time_zone: str = "UTC"
    explanations: Literal["after_late_due_date", "at_once", "never"] = "after_late_due_date"
    late: Late = Late()
    gradescope: Platform = Platform()
    homework: dict[str, Due] = {}

    def explains(self, name: str, now: datetime, receipt: Receipt | None = None) -> bool:
        """Whether students are told now which mistake their answers to a homework fit.

        Args:
            name: The homework's.
            now: With a time zone. After the late due date no upload is helped by it; a
                homework without dates never gets there.
            receipt: A platform's own dates for who handed it in, and who that is: the last of
                all dates counts.
        """
        if self.explanations != "after_late_due_date":
            return self.explanations == "at_once"
        dates = self.homework.get(name)
        last = [dates.due, dates.late_due] if dates else []
        last += self.dates_for(name, receipt) if receipt else ()
        moments = [self.moment(date) for date in last if date]
        return bool(moments) and now > max(moments)

    def due(self, name: str) -> datetime | None:
        """Return when a homework is due, with a time zone; None where course.toml does not say."""
        dates = self.homework.get(name)
        return self.moment(dates.due) if dates else None

    def dates_for(self, name: str, receipt: Receipt) -> tuple[datetime | None, datetime | None]:
        """Return when a homework is due for who handed it in, and until when late ones are taken.

        The platform's dates, which students see, or course.toml's where it has none; an extension
        in course.toml that is later; in a group, the latest. None where nobody says.
        """
        dates = self.homework.get(name)
        extensions = dates.extensions if dates else {}
        own = [self.moment(extensions[id]) for id in receipt.people if id in extensions]
        due = max(filter(None, (receipt.due or self.due(name), *own)), default=None)
        last = receipt.late_due
        if last is None and dates and dates.late_due:
            last = self.moment(dates.late_due)
        return due, max([last, *own]) if last else None

    @property
    def zone(self) -> ZoneInfo:
        """The course's time zone."""
        return ZoneInfo(self.time_zone)

    def moment(self, date: datetime) -> datetime:
        """Return a date with its zone: the course's, where course.toml gives none."""
        return date if date.tzinfo else date.replace(tzinfo=self.zone)


def find(start: Path) -> Path:
    """Return the nearest folder at or above `start` that holds course.toml."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE).is_file():
            return folder
    raise UserError(
        f"no course.toml in {start} or above it; give the course's folder with --course"
    )


def private(root: Path) -> list[Path]:
    """Return the files and folders of a course that no student's code may read."""
    staff = (path for path in root.glob("source/*/staff/**/*") if path.is_file())
    people = ("roster.csv", "gradebook.db", "submitted", "autograded", "feedback")
    return [root / FILE, *staff, *(root / name for name in people if (root / name).exists())]


def roster(root: Path) -> dict[str, dict[str, str]]:
    """Return the people of roster.csv by id; none where there is no such file."""
    path = root / "roster.csv"
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns, rows = reader.fieldnames or (), list(reader)
    except (UnicodeError, csv.Error) as error:
        raise UserError(f"roster.csv: it is no CSV file in UTF-8 ({error})") from error
    if "id" not in columns:
        raise UserError(
            "roster.csv: its first line has to name the columns id, name, email, with commas between"
        )
    people: dict[str, dict[str, str]] = {}
    for person in rows:
        if person["id"] in people:
            raise UserError(f"roster.csv: the id {person['id']!r} stands in two lines")
        people[person["id"]] = person
    return people


def read(root: Path) -> Course:
    """Read a course's settings; the environment variable AUTOGRADER_SECRET wins over the file."""
    try:
        values = tomllib.loads((root / FILE).read_text(encoding="utf-8"))
        course = msgspec.convert(values, Course)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeError) as error:
        raise UserError(f"course.toml: {error}{_choices(str(error))}") from error
    _complain(root, course)
    secret = os.environ.get(SECRET_VARIABLE) or course.secret
    if not secret.strip():
        raise UserError(
            f"course.toml: the secret is empty; write a long random text, or set {SECRET_VARIABLE}"
        )
    return msgspec.structs.replace(course, secret=secret)


def _choices(complaint: str) -> str:
    """Return what may stand where a complaint says that something else does; nothing for others."""
    found = re.fullmatch(r"Invalid enum value .* - at `\$\.([\w.]+)`", complaint)
    if not found:
        return ""
    kind: Any = Course
    for key in found[1].split("."):
        kind = get_type_hints(kind)[key]
    return f"; write one of {', '.join(get_args(kind))}"


def packed(course: Course, name: str) -> str:
    """Return a course's settings as JSON, with the dates of one homework only, and the secret."""
    dates = {name: course.homework[name]} if name in course.homework else {}
    settings = msgspec.structs.replace(course, homework=dates)
    return msgspec.json.format(msgspec.json.encode(settings), indent=1).decode()


def unpacked(text: str) -> Course:
    """Return what `packed` wrote; msgspec.ValidationError when it is anything else."""
    return msgspec.json.decode(text, type=Course)


def _complain(root: Path, course: Course) -> None:
    """Raise UserError for what would be silently ignored."""
    try:
        ZoneInfo(course.time_zone)
    except (KeyError, ValueError, OSError) as error:
        raise UserError(
            f"course.toml: there is no time zone {course.time_zone!r}; write one such as "
            "Europe/Vienna"
        ) from error
    for name, dates in course.homework.items():
        if not (root / "source" / name).is_dir():
            raise UserError(f"course.toml: [homework.{name}] names no homework in source/")
        if dates.late_due and course.moment(dates.late_due) < course.moment(dates.due):
            raise UserError(f"course.toml: [homework.{name}] late_due is before due")
