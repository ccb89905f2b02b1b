"""Times in the forms that Google, Microsoft and spreadsheets write, rewritten as ISO 8601."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone

_CLOCK = r",? (?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?: (?P<half>[AP])M)?"
_ZONE = r"(?: (?:GMT|UTC)(?P<zone>(?P<hours>[+-]\d\d?)?(?::?(?P<minutes>\d\d))?))?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})/(?P<month>\d\d?)/(?P<day>\d\d?){_CLOCK}{_ZONE}")
_YEAR_LAST = re.compile(
    rf"(?P<one>\d\d?)(?P<mark>[/.])(?P<two>\d\d?)[/.](?P<year>\d{{2,4}}){_CLOCK}"
)


def iso(column: Sequence[str]) -> list[str]:
    """Return a column's times in ISO 8601; cells whose meaning is unclear stay as they are.

    A time such as 4/11/26 21:05 is clear if another cell shows whether the day or the month is
    first: the whole column has one order.
    """
    pairs = [m.group("one", "two") for cell in column if (m := _YEAR_LAST.fullmatch(cell))]
    day, month = (any(int(pair[n]) > 12 for pair in pairs) for n in (0, 1))
    order = {(True, False): "day", (False, True): "month"}.get((day, month), "")
    return [next(_read(cell, order), cell) for cell in column]


def _read(cell: str, first: str) -> Iterator[str]:
    """Yield the ISO form of a time, if it is in one of the forms and exists."""
    found = _YEAR_FIRST.fullmatch(cell) or _YEAR_LAST.fullmatch(cell)
    if not found:
        return
    parts = found.groupdict()
    if "mark" in parts:
        first = "day" if parts["mark"] == "." else first
        day, month = ("one", "two") if first == "day" else ("two", "one")
        parts["day"], parts["month"] = parts[day], parts[month]
        if not first or len(parts["year"]) == 3:
            return
    year = int(parts["year"]) + 2000 * (len(parts["year"]) == 2)
    with contextlib.suppress(ValueError):
        hour = _hour(int(parts["hour"]), parts["half"])
        time = (hour, int(parts["minute"]), int(parts["second"] or 0))
        at = datetime(year, int(parts["month"]), int(parts["day"]), *time, tzinfo=_zone(parts))
        yield at.isoformat(" ")


def _hour(hour: int, half: str | None) -> int:
    if half and hour > 12:
        raise ValueError("a half day has twelve hours")
    return hour % 12 + 12 * (half == "P") if half else hour


def _zone(parts: Mapping[str, str | None]) -> timezone | None:
    if parts.get("zone") is None:
        return None
    hours, minutes = parts["hours"] or "0", int(parts["minutes"] or 0)
    minutes = -minutes if hours.startswith("-") else minutes
    return timezone(timedelta(hours=int(hours), minutes=minutes))
