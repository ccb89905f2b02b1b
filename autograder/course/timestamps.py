"""Dates and times as platforms write them -> moments, in the course's zone where they name none.

Each moment is in UTC: Python compares two times of one zone by the clock on the wall.
"""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from autograder.records.facts import Receipt

_FORM = re.compile(r"([12]\d{3}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(\S*)")
YEARS = range(1000, 3000)
"""Of a date: others may have no moment in every time zone."""
_ABBREVIATION = re.compile(r"(?!(?:UTC|GMT|Z)\Z)[A-Z][A-Za-z]?[A-Z]{1,4}")
"""As `%Z` gives it: PST, CEST, WITA, ChST."""


def moment(text: str, *, zone: str = "") -> datetime:
    """Return the moment that a text names, in UTC; ValueError where it names none.

    Args:
        text: A date, a time and a time zone.
        zone: The one of a text without, and of abbreviations; else such a text names no moment.
    """
    found = _FORM.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text[:40]!r} is not a date with a time zone")
    at, said = f"{found[1]}T{found[2]}", found[3]
    if re.fullmatch(r"Z|[+-]\d\d(:?\d\d)?", said):
        return datetime.fromisoformat(at + said).astimezone(UTC)
    local = datetime.fromisoformat(at)
    try:
        if not _ABBREVIATION.fullmatch(said):
            return local.replace(tzinfo=ZoneInfo(said or zone)).astimezone(UTC)
        # Where clocks are put back, an hour comes twice: its abbreviation shows which one it is.
        both = [local.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1)]
        return next(one for one in both if one.tzname() == said).astimezone(UTC)
    except (KeyError, ValueError, OSError, StopIteration) as error:
        raise ValueError(f"there is no time zone {(said or zone)[:40]!r}") from error


def is_local(text: str) -> bool:
    """Whether a text is a time whose zone is an abbreviation; ValueError where its date is none."""
    found = _FORM.fullmatch(text.strip())
    if not found or not _ABBREVIATION.fullmatch(found[3]):
        return False
    datetime.fromisoformat(f"{found[1]}T{found[2]}")
    return True


def taken(receipt: Receipt | None, zone: ZoneInfo) -> datetime | None:
    """Return when a platform took a submission, or None where nobody knows.

    Args:
        receipt: What the platform wrote.
        zone: The course's; an abbreviation is meant as this zone has it at that moment.
    """
    if receipt is None or not receipt.local:
        return receipt.at if receipt else None
    try:
        return moment(receipt.local, zone=zone.key) if is_local(receipt.local) else None
    except ValueError:
        return None


def unknown(receipt: Receipt | None, zone: ZoneInfo) -> str:
    """Return a sentence for staff where nobody can tell what a platform's time means; else ""."""
    if receipt is None or not receipt.local or taken(receipt, zone):
        return ""
    return (
        f"Time unknown, so it is not late: {receipt.local} is no time in {zone.key}; correct "
        "time_zone in course.toml, or give times with --receipts."
    )
