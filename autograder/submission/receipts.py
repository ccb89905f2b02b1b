"""When a platform took a submission, from what it wrote beside it."""

import re
from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from autograder.model import Receipt, UserError
from autograder.submission.archives import Item, beginning

TIMESTAMP = "timestamp.txt"
"""What `nbgrader submit` writes, such as 2026-03-04 05:06:07.123456 UTC."""
_FORM = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(\S*)")


def of_nbgrader(student: str, items: Iterable[Item]) -> tuple[Receipt | None, str]:
    """Return when nbgrader took a submission, and a note where its timestamp cannot be read.

    Args:
        student: Whose it is.
        items: The person's files.
    """
    file = next((i.file for i in items if not i.where and i.name == TIMESTAMP), None)
    if file is None:
        return None, ""
    try:
        return Receipt(moment(beginning(file, 100).decode()), people=(student,)), ""
    except (UserError, OSError, ValueError):
        return None, f"its {TIMESTAMP} holds no date with a time zone, so it is never late"


def moment(text: str, *, zone: str = "") -> datetime:
    """Return the moment that a text names; ValueError where it names none.

    Args:
        text: A date, a time and a time zone.
        zone: The one of a text without; else such a text names no moment.
    """
    found = _FORM.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text[:40]!r} is no date with a time zone")
    date, time, zone = found[1], found[2], found[3] or zone
    if re.fullmatch(r"Z|[+-]\d\d:?\d\d", zone):
        return datetime.fromisoformat(f"{date}T{time}{zone}")
    try:
        return datetime.fromisoformat(f"{date}T{time}").replace(tzinfo=ZoneInfo(zone))
    except (KeyError, OSError) as error:
        raise ValueError(f"there is no time zone {zone[:40]!r}") from error
