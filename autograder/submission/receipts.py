"""Find when a platform took a submission: from what it wrote beside it, or a list of ids and times."""

import contextlib
import csv
import io
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from autograder.course import timestamps
from autograder.course.people import People, delimiter
from autograder.course.timestamps import moment
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import Entry, beginning, read_bytes
from autograder.submission.opening import Listed, given

TIMESTAMP = "timestamp.txt"
"""What `nbgrader submit` writes, such as 2026-03-04 05:06:07.123456 UTC."""
SECRET = "submission_secret.txt"
"""The file in which `nbgrader submit` keeps the secret of a submission."""
_MAX_SECRET = 1_000
ADVICE = "write it as 2026-03-04 05:06"
_COLUMNS = ("submitted", "time", "at")
# Moodle's grading worksheet (mod/assign/lang/en/assign.php, 'lastmodifiedsubmission'), whose dates
# are those of lang/en/langconfig.php, 'strftimedaydatetime': Thursday, 5 March 2026, 5:06 PM.
_MOODLE = "Last modified (submission)"
_MOODLE_FORMS = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%A, %B %d, %Y, %I:%M %p")
MAX_BYTES = 50_000_000


def of_nbgrader(student: str, items: Iterable[Entry]) -> Receipt | None:
    """Return when nbgrader took a submission; None where it wrote no time."""
    file = next((i.file for i in items if not i.where and i.name == TIMESTAMP), None)
    if file is None:
        return None
    try:
        return of_text(beginning(file, 100).decode(errors="replace"), student)
    except (UserError, OSError):
        return of_text("", student)


def of_text(text: str, student: str) -> Receipt:
    """Return when a student submitted, from nbgrader's words.

    nbgrader writes the zone of `Exchange.timezone` as `%Z` gives it, which may be an abbreviation
    such as PST. What it means depends on the course's zone: `moments.taken` tells.
    """
    try:
        if not timestamps.is_local(text):
            return Receipt(moment(text), people=(student,))
    except ValueError:
        pass  # staff read it: nobody knows when that was
    return Receipt(people=(student,), local=one_line(text.strip()) or f"an unreadable {TIMESTAMP}")


def lines(path: Path) -> list[list[str]]:
    """Return the cells of a CSV file; UserError where it is none.

    Cells are split by commas, semicolons or tabs, whichever follows the first one.
    """
    try:
        text = read_bytes(given(path.resolve()), limit=MAX_BYTES).decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text)))
    except (OSError, UnicodeError, csv.Error) as error:
        raise UserError(f"{one_line(path)}: it cannot be read as CSV in UTF-8 ({error})") from error


def of_list(path: Path, zone: str, roster: People) -> dict[str, Receipt]:
    """Return when people submitted, by their folders, from a list of ids and times.

    The list is a CSV with the columns `id` and `submitted`, or Moodle's grading worksheet in
    English. A person without a time in it has none here. Times that name no zone are in the course's.

    Raises:
        UserError: it is no such list, or a time cannot be read, or a person has two.
    """
    header, *rows = lines(path) or [[]]
    names = [cell.strip().casefold() for cell in header]
    times = [n for n, name in enumerate(names) if name in (*_COLUMNS, _MOODLE.casefold())]
    by_moodle = _MOODLE.casefold() in names
    if len(times) != 1 or not (by_moodle or "id" in names):
        raise UserError(
            f"{one_line(path)}: its first line has to name the columns id and submitted; Moodle's "
            "grading worksheet in English is taken, too"
        )
    place, (time,) = 0 if by_moodle else names.index("id"), times
    found: dict[str, Receipt] = {}
    for number, row in enumerate(rows, 2):
        if len(row) <= max(place, time) or row[time].strip() in ("", "-"):
            continue
        last = re.search(r"[0-9]+\Z", row[place].strip())
        id = last[0] if by_moodle and last else row[place].strip()
        try:
            at = _of_moodle(row[time], zone) if by_moodle else moment(row[time], zone=zone)
        except ValueError:
            raise UserError(
                f"{one_line(path)}, line {number}: {one_line(row[time])[:60]!r} is not a date and time; "
                f"{ADVICE}"
            ) from None
        folder = roster.folder(id)
        if found.get(folder, Receipt(at)).at != at:
            raise UserError(f"{one_line(path)}, line {number}: {one_line(id)} has two times")
        found[folder] = Receipt(at, people=(id,))
    return found


def _of_moodle(text: str, zone: str) -> datetime:
    for form in _MOODLE_FORMS:
        with contextlib.suppress(ValueError):
            text = f"{datetime.strptime(text.strip(), form):%Y-%m-%d %H:%M}"
    return moment(text, zone=zone)


def with_time(
    receipt: Receipt | None, student: str, times: Mapping[str, Receipt]
) -> Receipt | None:
    """Return the receipt with the time that a list has for a student; as it is where it has none.

    The platform's other facts stay: its own dates, and the people who submitted.
    """
    given = times.get(student)
    if given is None:
        return receipt
    before = receipt or Receipt()
    people = tuple(dict.fromkeys((*before.people, *given.people)))
    return Receipt(given.at, before.due, before.late_due, people)


def secret(folder: Listed) -> str:
    """Return nbgrader's secret of a submission; "" where there is none.

    A student can put anything there, and take it away at any time.
    """
    file = folder.at(SECRET)
    try:
        data = read_bytes(file, limit=_MAX_SECRET) if file else b""
    except (OSError, UserError):
        return ""
    return data.decode(errors="replace")
