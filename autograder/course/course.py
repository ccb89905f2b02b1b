"""course.toml: the one file an instructor edits on day one."""

import difflib
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
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
"""Beside course.toml, and git ignores it: what the hidden inputs are drawn from."""
PUBLIC_SECRET = "public-for-trying-out"
A_DATE = "2026-11-30T23:59:00"
_Table = TypeVar("_Table", bound=msgspec.Struct)


class Due(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """When a homework is due, and until when late submissions are taken."""

    due: datetime
    """When it is due: a date with a time, in the course's time zone where it has no offset."""
    late_due: datetime | None = None
    """Until when late submissions are taken."""
    extensions: dict[str, datetime] = {}
    """Due dates by person: any id in roster.csv or on a platform. Don't record reasons."""


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a late submission costs: nothing but a sentence, or a share of its points for each day begun."""

    rule: Literal["report", "deduct"] = "report"
    """Whether lateness is only reported, or takes points."""
    percent_a_day: Annotated[float, msgspec.Meta(ge=0, le=100)] = 10.0
    """The share of the points that each day begun takes; after `late_due` all of them are lost."""
    points: LatePoints = "all"
    """Take the share of all points, whoever gives them, or of the machine's alone."""
    grace_minutes: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    """Minutes after the due date in which nobody is late."""
    slip_days: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Late days of a term that cost nothing, in the order of due dates; 0: there are none."""
    slip_days_at_most: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Of these, in one homework."""


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How Gradescope shows marks, and how often it grades."""

    attempts_a_day: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Uploads of one day, in the course's zone, that are graded; 0: all."""
    hidden_questions: Literal["visible", "hidden", "after_due_date", "after_published"] = (
        "after_due_date"
    )
    """When a question shows that its homework calls hidden."""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every homework of a course has to keep to; `check` and `check --large` look."""

    points: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The points of each homework, extra credit left out."""
    by_hand_at_most: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Points that people give."""
    forms_at_least: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """How many right answers in different forms each question on drawn numbers needs, the instructor's among them; `check --large` looks."""


class TotalRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the homeworks of a term make one total."""

    weights: dict[str, Annotated[float, msgspec.Meta(ge=0)]] = {}
    """By homework; without any, each counts the same."""
    drop: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How many homeworks are left out, for each person those without which the total is highest."""
    at_most: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Percent: extra credit counts up to here."""
    excused: dict[str, tuple[str, ...]] = {}
    """Homework -> ids of people for whom it does not count. Don't record reasons."""

    def weight(self, name: str) -> float:
        """Return what a homework counts."""
        return self.weights.get(name, 0.0) if self.weights else 1.0


class ExportRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of `export` for marks that do not fit a platform's file, or are missing."""

    cap: bool = False
    """Write the platform's maximum for a mark above it. Without this, Moodle does not get such marks."""
    missing: Literal["blank", "zero"] = "blank"
    """The mark of people who submitted nothing and have no mark on the platform yet."""


AiRule = Literal["allowed", "hints", "not allowed"]


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """nbgrader's exchange, where students are Unix users and submit as such."""

    staff: tuple[str, ...] = ()
    """Unix users whose folders count for any student, as the student's own folders do."""


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What course.toml has; unknown keys are refused, so that a typo is not silence."""

    title: str
    """The course's name, at the top of every report."""
    term: str
    """The term's name, beside the title."""
    secret: str = PUBLIC_SECRET
    """The text that hidden inputs are drawn from; leave it out, and secret.txt has it."""
    time_zone: str = "UTC"
    """The zone of dates without an offset."""
    explanations: Literal["after_late_due_date", "at_once", "never"] = "after_late_due_date"
    """When students read what their mistake is; staff always do. Without dates: never."""
    late: Late = Late()
    gradescope: Platform = Platform()
    rules: Rules = Rules()
    total: TotalRules = TotalRules()
    export: ExportRules = ExportRules()
    exchange: Exchange = Exchange()
    ai: AiRule | dict[str, AiRule] = {}
    """What students may use AI assistants for: to write code with them, to explain and ask back, or nothing; or a table with the rule of each homework. The policy page and AGENTS.md beside each notebook state it; nothing enforces it."""
    packages: tuple[str, ...] = ()
    """Packages that notebooks import beside numpy, as pip takes them."""
    repository: str = ""
    """OWNER/NAME on GitHub of a copy of the students' site, whose pages then link to Colab."""
    homework: dict[str, Due] = {}
    late_days: dict[str, dict[str, int]] = {}
    """From late_days.csv, and not from course.toml."""
    called: dict[str, str] = {}
    """From roster.csv, and not from course.toml: all keys of a person's ids -> the one in its column id."""

    def ai_rule(self, name: str) -> AiRule | None:
        """Return what students may use AI assistants for in a homework; None where nothing is said."""
        return self.ai.get(name) if isinstance(self.ai, dict) else self.ai

    def before(self, name: str) -> list[str]:
        """Return the homeworks that are due before one, the first first; none without its date."""
        if name not in self.homework:
            return []
        order = sorted((self.moment(dates.due), other) for other, dates in self.homework.items())
        return [other for _, other in order[: [other for _, other in order].index(name)]]

    def explains(self, name: str, now: datetime, receipt: Receipt | None = None) -> bool:
        """Whether students are told now which mistake their answers to a homework fit.

        Args:
            name: The homework's.
            now: With a time zone. After the late due date no upload is helped by it; a
                homework without dates never gets there.
            receipt: A platform's own dates for the person who submitted it, and who that is: the last of
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
        """Return when a homework is due, in UTC; None where course.toml has none."""
        dates = self.homework.get(name)
        return self.moment(dates.due) if dates else None

    def dates_for(self, name: str, receipt: Receipt) -> tuple[datetime | None, datetime | None]:
        """Return when a homework is due for the person who submitted it, and until when late ones are taken.

        The platform's dates, which students see, or course.toml's where it has none; an extension
        in course.toml that is later; in a group, the latest. None where nothing shows it.
        """
        dates = self.homework.get(name)
        own = self.extension(name, receipt)
        due = max(filter(None, (receipt.due or self.due(name), own)), default=None)
        last = receipt.late_due
        if last is None and dates and dates.late_due:
            last = self.moment(dates.late_due)
        return due, max(filter(None, (last, own))) if last else None

    def extension(self, name: str, receipt: Receipt) -> datetime | None:
        """Return the extension of the person who submitted a homework, in a group the latest, if there is one."""
        dates = self.homework.get(name)
        extensions = dates.extensions if dates else {}
        whose = set(map(self.id_of, receipt.people))
        own = [self.moment(date) for id, date in extensions.items() if self.id_of(id) in whose]
        return max(own, default=None)

    def id_of(self, called: str) -> str:
        """Return the id of whoever is called so in any column of roster.csv; as it is where nobody is."""
        return self.called.get(people.key(called), called)

    def excused(self, id: str) -> list[str]:
        """Return the homeworks that do not count for somebody, by the id that `id_of` gives."""
        return [name for name, ids in self.total.excused.items() if id in map(self.id_of, ids)]

    @property
    def zone(self) -> ZoneInfo:
        """The course's time zone."""
        return ZoneInfo(self.time_zone)

    def moment(self, date: datetime) -> datetime:
        """Return a date in UTC; it is one of the course's zone where course.toml gives none."""
        return (date if date.tzinfo else date.replace(tzinfo=self.zone)).astimezone(UTC)


def find(start: Path) -> Path:
    """Return the nearest folder at or above `start` that has course.toml."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE).is_file():
            return folder
    raise UserError(
        f"no course.toml in {start} or above it; give the course's folder with --course"
    )


def private(root: Path) -> list[Path]:
    """Return the files and folders of a course that no student's code may read."""
    staff = (path for path in root.glob("source/*/staff/**/*") if path.is_file())
    theirs = (
        SECRET_FILE,
        people.FILE,
        late_days.FILE,
        "gradebook.db",
        "submitted",
        "autograded",
        "feedback",
    )
    return [root / FILE, *staff, *(root / name for name in theirs if (root / name).exists())]


def read(root: Path) -> Course:
    """Read a course's settings, and its secret from where it is.

    The environment variable AUTOGRADER_SECRET wins over secret.txt, that over course.toml; a
    course without any has the public one.
    """
    course = _settings(_values(root))
    file = root / SECRET_FILE
    place, secret = FILE, course.secret
    try:
        if file.is_file():
            place, secret = SECRET_FILE, file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise UserError(f"{SECRET_FILE}: it cannot be read ({error})") from error
    _complain(root, course)
    secret = os.environ.get(SECRET_VARIABLE) or secret
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
    """Return days by the ids of people; lines under two ids of one person are of the same days."""
    found: dict[str, int] = {}
    for called, count in days.items():
        id = course.id_of(called)
        found[id] = max(count, found.get(id, 0))
    return found


def prepare_secret(root: Path) -> str:
    """Make a secret for a course that has none; return what staff should know of it, else ""."""
    if os.environ.get(SECRET_VARIABLE) or (root / SECRET_FILE).exists():
        return ""
    written = _values(root).get("secret")
    if written == PUBLIC_SECRET:
        return (
            f"the secret in {FILE} is the public one, from which everybody can draw the hidden "
            f"inputs; take the line away before you give marks, and {SECRET_FILE} is made"
        )
    if written is not None:
        return (
            f"{FILE} has the secret in it, and git may track it; move the text into {SECRET_FILE}"
        )
    try:  # once, whoever else starts now, and for the course's own people alone
        descriptor = os.open(root / SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return ""
    except OSError as error:
        raise UserError(
            f"{SECRET_FILE} cannot be made in {root} ({error.strerror}); set {SECRET_VARIABLE}"
        ) from error
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
    return (
        f"made {root / SECRET_FILE}: hidden inputs are drawn from it. Keep it for the whole term, "
        "out of git, and give it to whoever grades with you"
    )


def _values(root: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((root / FILE).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        value = re.match("Invalid value|Expected newline|Unbalanced|Unclosed", str(error))
        advice = f"; text has quotes around it, and a date is written as {A_DATE}" * bool(value)
        raise UserError(f"{FILE}: {error}{advice}") from error
    except UnicodeError as error:
        raise UserError(f"{FILE}: it is not text in UTF-8 ({error})") from error


def _settings(values: dict[str, Any]) -> Course:
    """Return the settings; table by table, so that a complaint can name the table."""
    if "late_days" in values:
        raise UserError(f"{FILE}: late_days belong into {late_days.FILE}, which `grade` writes")
    if "called" in values:
        raise UserError(f"{FILE}: what people are called belongs into {people.FILE}")
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
    """Return the tables that wings bring, by name."""
    return {giver.title: giver.settings for giver in mark_givers() if giver.settings}


def table(root: Path, name: str, kind: type[_Table]) -> _Table:
    """Return what course.toml has in a table that a wing brings."""
    return _converted(_values(root).get(name, {}), kind, f"[{name}]: ")


def _converted(values: object, kind: type[_Table], place: str = "") -> _Table:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise UserError(f"{FILE}: {place}{_explained(error, kind)}") from error


def _words(kind: Any) -> list[str]:
    """Return the words of a type's Literals, each once."""
    if isinstance(kind, str):
        return [kind]
    return [*dict.fromkeys(word for one in get_args(kind) for word in _words(one))]


def _explained(error: msgspec.ValidationError, kind: type[msgspec.Struct]) -> str:
    what, _, place = str(error).partition(" - at ")
    where = re.sub(r"^`\$\.?|`$", "", place).removesuffix("[...]")
    fields = [field.name for field in msgspec.structs.fields(kind)]
    fields += added_tables() if kind is Course else ()
    if unknown := re.search(r"unknown field `(.*)`", what):
        near = difflib.get_close_matches(unknown[1], fields, 1)
        meant = f"is it {near[0]}? " if near else ""
        return f"it has no field {unknown[1]!r}; {meant}There are {', '.join(fields)}"
    if missing := re.search(r"missing required field `(.*)`", what):
        return f"{missing[1]} is missing"
    if "datetime" in what:
        return f"{where or 'it'} is not a date with a time; write {where or 'due'} = {A_DATE}"
    if "enum value" in what:
        return f"{where}: {what}; write one of {', '.join(_words(get_type_hints(kind)[where.partition('[')[0]]))}"
    return f"{where}: {what}" if where else what


def with_late_days(course: Course, days: late_days.LateDays) -> Course:
    """Return the settings with other late days than those of late_days.csv."""
    return msgspec.structs.replace(course, late_days=days)


def packed(course: Course, name: str) -> str:
    """Return a course's settings as JSON, with the dates of one homework only, and the secret.

    Slip days and what others were late stay here: they are counted across homeworks; so do addresses.
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
    if wrong := [package for package in course.packages if not packages.is_one(package)]:
        raise UserError(
            f"course.toml: packages: {wrong[0]!r} is nothing that pip installs; write one such as "
            "'scipy>=1.11'"
        )
    if not re.fullmatch(r"([\w.-]+/[\w.-]+)?", course.repository):
        raise UserError(
            f"course.toml: repository: {course.repository!r} is not a repository on GitHub; write "
            "OWNER/NAME"
        )
    for name, dates in course.homework.items():
        if not (root / "source" / name).is_dir():
            there = sorted(path.name for path in (root / "source").glob("*/") if path.is_dir())
            raise UserError(
                f"course.toml: [homework.{name}] names no homework in source/ (it has: "
                f"{', '.join(there) or 'none'})"
            )
        given = {"due": dates.due, "late_due": dates.late_due, **dates.extensions}
        for field, date in given.items():
            if date and date.year not in timestamps.YEARS:
                raise UserError(
                    f"course.toml: [homework.{name}]: {field} is in the year {date.year}; is a digit "
                    "missing?"
                )
        if dates.late_due and course.moment(dates.late_due) < course.moment(dates.due):
            raise UserError(f"course.toml: [homework.{name}] late_due is before due")
    for table, names in (
        ("total.weights", course.total.weights),
        ("total.excused", course.total.excused),
        ("ai", course.ai if isinstance(course.ai, dict) else {}),
    ):
        for name in names:
            if not (root / "source" / name).is_dir():
                raise UserError(f"course.toml: [{table}]: {name} is not a homework in source/")
