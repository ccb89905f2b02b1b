"""Submission times from a list of ids and times."""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

from autograder.course.people import People, delimiter
from autograder.course.timestamps import UnknownZone, moment
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import read_bytes
from autograder.submission.opening import given
from autograder.submission.platform import installed

ADVICE = "write it as 2026-03-04 05:06"
_OFFSET = "write its offset, as in 2026-03-04 05:06 +01:00"
_COLUMNS = ("submitted", "time", "at")
MAX_BYTES = 50_000_000


def lines(path: Path) -> list[list[str]]:
    """Return the cells of a CSV file; raise UserError for anything else.

    Cells are separated by commas, semicolons or tabs, whichever follows the first cell.
    """
    try:
        text = read_bytes(given(path.resolve()), limit=MAX_BYTES).decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(text)))
    except (OSError, UnicodeError, csv.Error) as error:
        raise UserError(f"{one_line(path)}: it cannot be read as CSV in UTF-8 ({error})") from error


def of_list(path: Path, zone: str, roster: People) -> dict[str, Receipt]:
    """Return submission times by folder, from a list of ids and times.

    The list is a CSV with the columns `id` and `submitted`, or a platform's own list. People
    without a time in it are left out. Times without a zone are in the course's.

    Raises:
        UserError: it is not such a list, a time is unreadable, or a person has two.
    """
    header, *rows = lines(path) or [[]]
    names = [cell.strip().casefold() for cell in header]
    platforms = {one.times.column.casefold(): one.times for one in installed() if one.times}
    times = [n for n, name in enumerate(names) if name in (*_COLUMNS, *platforms)]
    platform = next((platforms[name] for name in names if name in platforms), None)
    if len(times) != 1 or not (platform or "id" in names):
        others = "".join(f"; {one.called} works, too" for one in platforms.values())
        raise UserError(
            f"{one_line(path)}: its first line has to name the columns id and submitted{others}"
        )
    place, (time,) = 0 if platform else names.index("id"), times
    found: dict[str, Receipt] = {}
    for number, row in enumerate(rows, 2):
        said, id = (row[n].strip() if n < len(row) else "" for n in (time, place))
        if said in ("", "-"):
            continue
        if not id:
            raise UserError(
                f"{one_line(path)}, line {number}: it has a time but no id; write whose time it is, "
                "or remove the line"
            )
        last = re.search(r"[0-9]+\Z", id)
        id = last[0] if platform and last else id
        try:
            at = platform.moment(said, zone) if platform else moment(said, zone=zone)
        except UnknownZone as error:
            raise UserError(
                f"{one_line(path)}, line {number}: {one_line(said)[:60]!r}: {error}; {_OFFSET}"
            ) from None
        except ValueError:
            raise UserError(
                f"{one_line(path)}, line {number}: {one_line(said)[:60]!r} is not a date and time; "
                f"{ADVICE}"
            ) from None
        folder = roster.folder(id)
        if found.get(folder, Receipt(at)).at != at:
            raise UserError(f"{one_line(path)}, line {number}: {one_line(id)} has two times")
        found[folder] = Receipt(at, people=(id,))
    return found


def with_time(
    receipt: Receipt | None, student: str, times: Mapping[str, Receipt]
) -> Receipt | None:
    """Return the receipt with the student's time from a list, or unchanged if there is none.

    The platform's other facts stay: its own dates, and the people who submitted.
    """
    given = times.get(student)
    if given is None:
        return receipt
    before = receipt or Receipt()
    people = tuple(dict.fromkeys((*before.people, *given.people)))
    return Receipt(given.at, before.due, before.late_due, people)
