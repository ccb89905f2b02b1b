"""Platforms' dates and times -> moments, in the course's zone if they name none.

Each moment is in UTC: Python compares two times in one zone by local clock time.
"""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from autograder.records.facts import Receipt

_FORM = re.compile(r"([12]\d{3}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(\S*)")
YEARS = range(1000, 3000)
"""The years of a date: others may have no moment in every time zone."""
LATEST = datetime(YEARS.stop - 1, 12, 31, tzinfo=UTC)
"""The moment that stands for all later ones."""
_ABBREVIATION = re.compile(r"(?!(?:UTC|GMT|Z)\Z)[A-Z][A-Za-z]?[A-Z]{1,4}")
"""A zone in the form of `%Z`: PST, CEST, WITA, ChST."""


class UnknownZone(ValueError):
    """A date and a time are readable, but not their zone; its text says which."""


def moment(text: str, *, zone: str = "") -> datetime:
    """Return the moment that a text names, in UTC; raise ValueError if there is none.

    Args:
        text: A date, a time and a time zone.
        zone: The zone for texts without one, and for abbreviations; if empty, such texts name no
            moment.

    Raises:
        ValueError: there is none; UnknownZone if only the zone is unknown.
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
        # When clocks are put back, an hour occurs twice: its abbreviation shows which one is meant.
        both = [local.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1)]
        return next(one for one in both if one.tzname() == said).astimezone(UTC)
    except StopIteration:
        raise UnknownZone(f"the time zone {said!r} is not in use in {zone} then") from None
    except (KeyError, ValueError, OSError) as error:
        raise UnknownZone(f"there is no time zone {(said or zone)[:40]!r}") from error


def is_local(text: str) -> bool:
    """Return whether a time has an abbreviated zone; raise ValueError for an invalid date."""
    found = _FORM.fullmatch(text.strip())
    if not found or not _ABBREVIATION.fullmatch(found[3]):
        return False
    datetime.fromisoformat(f"{found[1]}T{found[2]}")
    return True


def taken(receipt: Receipt | None, zone: ZoneInfo) -> datetime | None:
    """Return when a platform received a submission, or None if unknown.

    Args:
        receipt: The platform's receipt.
        zone: The course's zone, which interprets an abbreviation at that moment.
    """
    if receipt is None or not receipt.local:
        return min(receipt.at, LATEST) if receipt and receipt.at else None
    try:
        return moment(receipt.local, zone=zone.key) if is_local(receipt.local) else None
    except ValueError:
        return None


def unknown(receipt: Receipt | None, zone: ZoneInfo) -> str:
    """Return a sentence for staff if a platform's time is ambiguous, or ""."""
    if receipt is None or not receipt.local or taken(receipt, zone):
        return ""
    return (
        f"Time unknown, so it is not late: {receipt.local} is not a time in {zone.key}; "
        "correct time_zone in course.toml, or give times with --receipts."
    )
