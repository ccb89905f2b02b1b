"""course.toml: the one file an instructor edits on day one."""

import difflib
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints
from zoneinfo import ZoneInfo

import msgspec

from autograder.course import late_days, packages, people, timestamps
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.records.marks import LatePoints, mark_givers

SECRET_VARIABLE = "AUTOGRADER_SECRET"
FILE = "course.toml"
SECRET_FILE = "secret.txt"
"""Beside course.toml, and ignored by git: the secret from which hidden inputs are drawn."""
PUBLIC_SECRET = "public-for-trying-out"
A_DATE = "2026-11-30T23:59:00"
_NO_QUOTES = "Invalid (value|statement)|Expected (newline|'=' after a key)|Unbalanced|Unclosed"
"""The TOML reader's complaints about text or ids without quotes."""
_Table = TypeVar("_Table", bound=msgspec.Struct)


class Due(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A homework's dates."""

    due: datetime
    """The due date with a time, in the course's time zone if it has no offset."""
    late_due: datetime | None = None
    """The last date for late submissions."""
    requests_until: datetime | None = None
    """The last date for students' regrade requests; `explain --requests` drafts the answer to later ones: requests are closed."""
    extensions: dict[str, datetime] = {}
    """Due dates by person: any id in roster.csv or on a platform. Don't record reasons."""


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The cost of a late submission: only a sentence, or a share of its points per started day."""

    rule: Literal["report", "deduct"] = "report"
    """Whether lateness is only reported, or costs points."""
    percent_a_day: Annotated[float, msgspec.Meta(ge=0, le=100)] = 10.0
    """The share of the points that each started day costs; after `late_due`, all are lost."""
    points: LatePoints = "all"
    """Whether the share applies to all points or only to the machine's."""
    grace_minutes: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Minutes after a person's due date that cost nothing, even after `late_due`; reports still state them."""
    slip_days: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Free late days for the term, used in the order of due dates; 0 for none."""
    slip_days_at_most: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The most free late days in one homework."""


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Gradescope's settings: how it shows marks, and how often it grades."""

    attempts_a_day: Annotated[int, msgspec.Meta(ge=0)] = 0
    """The number of uploads graded per day, in the course's time zone; 0: all."""
    hidden_questions: Literal["visible", "hidden", "after_due_date", "after_published"] = (
        "after_due_date"
    )
    """When Gradescope shows the homework's hidden questions."""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rules for every homework of a course; `check` and `check --large` enforce them."""

    points: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The points of each homework, without extra credit."""
    by_hand_at_most: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """The points marked by hand."""
    forms_at_least: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The number of right answers in different forms that each question with drawn inputs needs,
    including the instructor's; `check --large` counts them.
    """


class TotalRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rules for a term's total."""

    weights: dict[str, Annotated[float, msgspec.Meta(ge=0)]] = {}
    """Weights by homework; without any, all count the same."""
    drop: Annotated[int, msgspec.Meta(ge=0)] = 0
    """The number of homeworks to drop; for each person, those without which the total is highest."""
    at_most: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The highest total in percent, including extra credit."""
    excused: dict[str, tuple[str, ...]] = {}
    """Homework -> ids of people for whom it does not count. Don't record reasons."""

    def weight(self, name: str) -> float:
        """Return a homework's weight."""
        return self.weights.get(name, 0.0) if self.weights else 1.0


class ExportRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of `export` for missing marks, and for marks that do not fit a platform's file."""

    cap: bool = False
    """Whether to write the platform's maximum for marks above it. Otherwise, Moodle does not get
    such marks.
    """
    missing: Literal["blank", "zero"] = "blank"
    """The mark of people who submitted nothing and have no mark on the platform yet."""


class GolfRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Attention golf: right answers with few nonzero numbers."""

    points: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """The extra credit for each question whose right answer is at or below par."""


AiRule = Literal["allowed", "hints", "not allowed"]
DEFAULT = "default"
"""The key of the rule for all homeworks that a table of rules does not name."""


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """nbgrader's exchange, where students are Unix users and submit under their own names."""

    staff: tuple[str, ...] = ()
    """Unix users whose folders count for any student, like the student's own."""


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of course.toml; unknown keys are refused, so that no typo goes unnoticed."""

    title: str
    """The course's name, at the top of every report."""
    term: str
    """The term's name, beside the title."""
    secret: str = PUBLIC_SECRET
    """The text from which hidden inputs are drawn. Better left out: `grade` then creates secret.txt, and draws from that."""
    time_zone: str = "UTC"
    """The time zone of dates without an offset."""
    explanations: Literal["after_late_due_date", "at_once", "never"] = "after_late_due_date"
    """When students read explanations of their mistakes; staff always do. Without dates: never."""
    late: Late = Late()
    gradescope: Platform = Platform()
    rules: Rules = Rules()
    total: TotalRules = TotalRules()
    export: ExportRules = ExportRules()
    exchange: Exchange = Exchange()
    golf: GolfRules = GolfRules()
    ai: AiRule | dict[str, AiRule] = {}
    """The rule for AI assistants: they may write code with students, only explain and ask back, or not help at all. A table has a rule for single homeworks, and `default` for all others. The policy page and AGENTS.md beside each notebook state it; nothing enforces it."""
    packages: tuple[str, ...] = ()
    """Packages that notebooks import besides numpy, as written for pip."""
    repository: str = ""
    """OWNER/NAME on GitHub of a copy of the students' site, whose pages then link to Colab."""
    homework: dict[str, Due] = {}
    late_days: dict[str, dict[str, int]] = {}
    """Days late by homework and id, read from late_days.csv, not from course.toml."""
    called: dict[str, str] = {}
    """Each key of a person's ids -> the id in the column id; read from roster.csv, not from
    course.toml.
    """

    def ai_rule(self, name: str) -> AiRule | None:
        """Return the rule for AI assistants in a homework, or None."""
        if isinstance(self.ai, dict):
            return self.ai.get(name) or self.ai.get(DEFAULT)
        return self.ai

    def before(self, name: str) -> list[str]:
        """Return the homeworks due before one, in order; none if it has no date."""
        if name not in self.homework:
            return []
        order = sorted((self.moment(dates.due), other) for other, dates in self.homework.items())
        return [other for _, other in order[: [other for _, other in order].index(name)]]

    def explains(self, name: str, now: datetime, receipt: Receipt | None = None) -> bool:
        """Return whether students may now read explanations of their mistakes in a homework.

        Args:
            name: The homework's.
            now: The current time, with a time zone. After the late due date an explanation comes
                too late for another upload; a homework without dates never reaches that moment.
            receipt: A platform's own dates for the person who submitted it, and that person's ids: the latest date counts.
        """
        if self.explanations != "after_late_due_date":
            return self.explanations == "at_once"
        both = [self.dates_for(name, one) for one in (Receipt(), receipt) if one]
        moments = [
            moment
            for due, last in both
            for moment in (due and self.free_until(due), last)
            if moment
        ]
        return bool(moments) and now > max(moments)

    def due(self, name: str) -> datetime | None:
        """Return a homework's due date in UTC, or None."""
        dates = self.homework.get(name)
        return self.moment(dates.due) if dates else None

    def requests_close(self, name: str) -> datetime | None:
        """Return the last date for regrade requests in UTC, or None for no limit."""
        dates = self.homework.get(name)
        return self.moment(dates.requests_until) if dates and dates.requests_until else None

    def dates_for(self, name: str, receipt: Receipt) -> tuple[datetime | None, datetime | None]:
        """Return a homework's due date and last late date for the person who submitted it.

        They are the platform's dates, which students see, or else course.toml's, or a later
        extension in course.toml; for a group, the latest. None if unknown. The last late date is
        never before the end of the minutes of grace.
        """
        dates = self.homework.get(name)
        own = self.extension(name, receipt)
        due = max(filter(None, (receipt.due or self.due(name), own)), default=None)
        last = receipt.late_due
        if last is None and dates and dates.late_due:
            last = self.moment(dates.late_due)
        return due, max(last, self.free_until(due)) if last and due else last

    def free_until(self, due: datetime) -> datetime:
        """Return the end of the minutes of grace after a due date."""
        return due + timedelta(minutes=self.late.grace_minutes)

    def extension(self, name: str, receipt: Receipt) -> datetime | None:
        """Return the extension of the person who submitted, for a group the latest, if any."""
        dates = self.homework.get(name)
        extensions = dates.extensions if dates else {}
        whose = set(map(self._key, receipt.people))
        own = [self.moment(date) for id, date in extensions.items() if self._key(id) in whose]
        return max(own, default=None)

    def id_of(self, called: str) -> str:
        """Return the id of the person with this name in any column of roster.csv, or the name."""
        return self.called.get(people.key(called), called)

    def days_late(self, name: str, id: str) -> int:
        """Return how many days late somebody was in a homework."""
        days = self.late_days.get(name, {})
        if self.called:  # then everybody has one id
            return days.get(self.id_of(id), 0)
        key = self._key(id)
        return max((count for one, count in days.items() if self._key(one) == key), default=0)

    def excused(self, id: str) -> list[str]:
        """Return the homeworks that do not count for somebody, by the id that `id_of` gives."""
        key = self._key(id)
        return [name for name, ids in self.total.excused.items() if key in map(self._key, ids)]

    def _key(self, called: str) -> str:
        return people.key(self.id_of(called))  # without a roster, spellings of an id may differ

    @property
    def zone(self) -> ZoneInfo:
        """Return the course's time zone."""
        return ZoneInfo(self.time_zone)

    def moment(self, date: datetime) -> datetime:
        """Return a date in UTC; without an offset it is in the course's time zone."""
        return (date if date.tzinfo else date.replace(tzinfo=self.zone)).astimezone(UTC)


def find(start: Path) -> Path:
    """Return the nearest folder at or above `start` that contains course.toml."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE).is_file():
            return folder
    raise UserError(
        f"no course.toml in {start} or above it; give the course's folder with --course"
    )


def private(root: Path) -> list[Path]:
    """Return the files and folders of a course that student code must not read."""
    staff = (path for path in root.glob("source/*/staff/**/*") if path.is_file())
    notebooks = (path for path in root.glob("source/*/*") if path.is_file())
    theirs = (
        SECRET_FILE,
        "solutions",
        people.FILE,
        late_days.FILE,
        "gradebook.db",
        "submitted",
        "autograded",
        "feedback",
    )
    return [
        root / FILE,
        *notebooks,
        *staff,
        *(root / name for name in theirs if (root / name).exists()),
    ]


def read(root: Path) -> Course:
    """Read a course's settings, and its secret from wherever it is stored.

    The environment variable AUTOGRADER_SECRET takes precedence over secret.txt, and that over
    course.toml; a course without any has the public one.
    """
    course = _settings(_values(root))
    file = root / SECRET_FILE
    place, secret = FILE, course.secret
    try:
        if file.is_file():
            place, secret = SECRET_FILE, file.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeError) as error:
        raise UserError(f"{SECRET_FILE}: it cannot be read ({error})") from error
    _complain(root, course)
    if given := os.environ.get(SECRET_VARIABLE):
        secret = given.strip()  # a shell may have added the end of a line
    if not secret.strip():
        raise UserError(
            f"{place}: the secret is empty; write a long random text, or set {SECRET_VARIABLE}"
        )
    by_people = course.late.slip_days or any(dates.extensions for dates in course.homework.values())
    known = people.roster(root).by_id if by_people or course.total.excused else {}
    course = msgspec.structs.replace(course, called={id: one.id for id, one in known.items()})
    late = late_days.read(root) if course.late.slip_days else {}
    late = {name: _by_person(course, days) for name, days in late.items()}
    return msgspec.structs.replace(course, secret=secret, late_days=late)


def _by_person(course: Course, days: Mapping[str, int]) -> dict[str, int]:
    """Index late days by people's own ids; of a person's several lines, the largest counts."""
    found: dict[str, int] = {}
    for called, count in days.items():
        id = course.id_of(called)
        found[id] = max(count, found.get(id, 0))
    return found


def prepare_secret(root: Path) -> str:
    """Create a secret for a course without one; return a note for staff, or ""."""
    if os.environ.get(SECRET_VARIABLE) or (root / SECRET_FILE).exists():
        return ""
    written = _values(root).get("secret")
    if written == PUBLIC_SECRET:
        return (
            f"the secret in {FILE} is public, so everybody can draw the hidden inputs; "
            "remove the line before you give marks, and the next run creates "
            f"{SECRET_FILE}"
        )
    if written is not None:
        return f"{FILE} contains the secret, and git may track it; move the text into {SECRET_FILE}"
    try:  # only once, even if other processes start now, and readable only by the course's staff
        descriptor = os.open(root / SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return ""
    except OSError as error:
        raise UserError(
            f"{SECRET_FILE} cannot be created in {root} ({error.strerror}); set {SECRET_VARIABLE}"
        ) from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    return (
        f"created {root / SECRET_FILE}: hidden inputs are drawn from it. Keep it for the "
        "whole term, out of git, and give it to everybody who grades with you"
    )


def _values(root: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((root / FILE).read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        value = re.match(_NO_QUOTES, str(error))
        advice = f"; put quotes around text and ids, and write dates as {A_DATE}" * bool(value)
        raise UserError(f"{FILE}: {error}{advice}") from error
    except UnicodeError as error:
        raise UserError(f"{FILE}: it is not text in UTF-8 ({error})") from error


def _settings(values: dict[str, Any]) -> Course:
    """Return the settings, read table by table so that a complaint can name the table."""
    if "late_days" in values:
        raise UserError(
            f"{FILE}: remove `late_days`; they are in {late_days.FILE}, which `grade` writes"
        )
    if "called" in values:
        raise UserError(f"{FILE}: remove `called`; people's ids belong in {people.FILE}")
    homeworks = values.get("homework", {})
    dates = homeworks.items() if isinstance(homeworks, dict) else ()
    tables = {
        field.name: field.type
        for field in msgspec.structs.fields(Course)
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
    }
    others = added_tables()
    parts = [(name, values.get(name, {}), kind) for name, kind in {**tables, **others}.items()]
    parts += [(f"homework.{name}", table, Due) for name, table in dates]
    for name, table, kind in parts:
        _converted(table, kind, f"[{name}]: ")
    return _converted({key: values[key] for key in values if key not in others}, Course)


def added_tables() -> dict[str, type[msgspec.Struct]]:
    """Return the tables that wings add, by name."""
    return {giver.title: giver.settings for giver in mark_givers() if giver.settings}


def table(root: Path, name: str, kind: type[_Table]) -> _Table:
    """Return a wing's table in course.toml."""
    return _converted(_values(root).get(name, {}), kind, f"[{name}]: ")


def _converted(values: object, kind: type[_Table], place: str = "") -> _Table:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise UserError(f"{FILE}: {place}{_explained(error, kind, values)}") from error


def _words(kind: Any) -> list[str]:
    """Return the words of a type's Literals, each once."""
    if isinstance(kind, str):
        return [kind]
    return [*dict.fromkeys(word for one in get_args(kind) for word in _words(one))]


def _wrong(table: object, kind: Any) -> tuple[str, Any]:
    """Return the first key in a table with a value of another type, and that value."""
    for name, value in table.items() if isinstance(table, dict) else ():
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            return name, value
    return "", None


def _of_person(values: object, where: str) -> str:
    """Return what is wrong with somebody's extension or excuse and the line to write, or ""."""
    table = values if isinstance(values, dict) else {}
    if where.startswith("extensions"):
        name, value = _wrong(table["extensions"], datetime)
        while isinstance(value, dict) and value:  # TOML splits an id without quotes at a point
            part, value = next(iter(value.items()))
            name += f".{part}"
        return name and (
            f'extensions is not a date with a time for {name!r}; write "{name}" = {A_DATE}, '
            "with quotes around the id and none around the date"
        )
    if where.startswith("excused"):
        name, value = _wrong(table["excused"], tuple[str, ...])
        ids = ", ".join(f'"{id}"' for id in (value if isinstance(value, list) else [value]))
        return name and f"excused: put quotes around ids and a list in brackets: {name} = [{ids}]"
    return ""


def _explained(error: msgspec.ValidationError, kind: type[msgspec.Struct], values: object) -> str:
    what, _, place = str(error).partition(" - at ")
    where = re.sub(r"^`\$\.?|`$", "", place).removesuffix("[...]")
    fields = [field.name for field in msgspec.structs.fields(kind)]
    fields += added_tables() if kind is Course else ()
    if unknown := re.search(r"unknown field `(.*)`", what):
        near = difflib.get_close_matches(unknown[1], fields, 1)
        meant = f"is it {near[0]}? " if near else ""
        return f"it has no field {unknown[1]!r}; {meant}The fields are {', '.join(fields)}"
    if missing := re.search(r"missing required field `(.*)`", what):
        return f"{missing[1]} is missing"
    if said := _of_person(values, where):
        return said
    if "datetime" in what:
        return f"{where or 'it'} is not a date with a time; write {where or 'due'} = {A_DATE}"
    if "enum value" in what:
        return f"{where}: {what}; write one of {', '.join(_words(get_type_hints(kind)[where.partition('[')[0]]))}"
    return f"{where}: {what}" if where else what


def with_late_days(course: Course, days: late_days.LateDays) -> Course:
    """Return the settings with these late days instead of those in late_days.csv."""
    return msgspec.structs.replace(course, late_days=days)


def packed(course: Course, name: str) -> str:
    """Return a course's settings as JSON, with the secret and only one homework's dates.

    Slip days, others' lateness and addresses stay here: slip days are counted across homeworks.
    """
    dates = {name: course.homework[name]} if name in course.homework else {}
    extended = {course.id_of(id) for one in dates.values() for id in one.extensions}
    called = {id: of for id, of in course.called.items() if of in extended and "@" not in id}
    late = msgspec.structs.replace(course.late, slip_days=0)
    settings = msgspec.structs.replace(
        course, homework=dates, late=late, late_days={}, called=called, total=TotalRules()
    )
    return msgspec.json.format(msgspec.json.encode(settings), indent=1).decode()


def unpacked(text: str) -> Course:
    """Return the settings that `packed` wrote; raise msgspec.ValidationError for anything else."""
    return msgspec.json.decode(text, type=Course)


def _complain(root: Path, course: Course) -> None:
    """Raise UserError for settings that would be silently ignored."""
    try:
        ZoneInfo(course.time_zone)
    except (KeyError, ValueError, OSError) as error:
        raise UserError(
            f"course.toml: there is no time zone {course.time_zone!r}; write one such as "
            "Europe/Vienna"
        ) from error
    if wrong := [package for package in course.packages if not packages.is_one(package)]:
        raise UserError(
            f"course.toml: packages: pip cannot install {wrong[0]!r}; write a package "
            "such as 'scipy>=1.11'"
        )
    if not re.fullmatch(r"([\w.-]+/[\w.-]+)?", course.repository):
        raise UserError(
            f"course.toml: repository: {course.repository!r} is not a repository on GitHub; write "
            "OWNER/NAME"
        )
    there = sorted(path.name for path in (root / "source").glob("*/") if path.is_dir())
    for name, dates in course.homework.items():
        if name not in there:
            raise UserError(
                f"course.toml: [homework.{name}] is not a homework in source/ (it has: "
                f"{', '.join(there) or 'none'})"
            )
        given = {
            "due": dates.due,
            "late_due": dates.late_due,
            "requests_until": dates.requests_until,
            **dates.extensions,
        }
        for field, date in given.items():
            if date and date.year not in timestamps.YEARS:
                raise UserError(
                    f"course.toml: [homework.{name}]: {field} is in the year {date.year}; is a digit "
                    "missing?"
                )
        if dates.late_due and course.moment(dates.late_due) < course.moment(dates.due):
            raise UserError(f"course.toml: [homework.{name}] late_due is before due")
        if dates.requests_until and course.moment(dates.requests_until) < course.moment(dates.due):
            raise UserError(f"course.toml: [homework.{name}] requests_until is before due")
    for table, names in (
        ("total.weights", course.total.weights),
        ("total.excused", course.total.excused),
        ("ai", {*course.ai} - {DEFAULT} if isinstance(course.ai, dict) else {}),
    ):
        for name in names:
            if name not in there:
                near = [one for one in there if one.startswith(name)]
                meant = f"; did you mean {near[0]}?" if len(near) == 1 else ""
                raise UserError(
                    f"course.toml: [{table}]: {name} is not a homework in source/{meant}"
                )
