"""Gradescope's submission_metadata.json -> a submission's time and owner, and earlier uploads.

Gradescope may change its format: missing or unexpected entries count as unknown. Names and
addresses are never read.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from autograder.records.codec import safe
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import read_bytes
from autograder.submission.opening import given

MAX_BYTES = 100_000_000  # it also contains the previous upload's results
_MAX_UPLOADS = 10_000
_MAX_PEOPLE = 100


@dataclass(frozen=True)
class Upload:
    """An earlier upload.

    Args:
        at: Its time.
        score: Its score; None if unknown.
        broken: Whether the grader failed on it.
        results: Its results.json, which the platform includes only for the last one.

    """

    at: datetime
    score: float | None = None
    broken: bool = False
    results: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Metadata:
    """The platform's metadata of a submission.

    Args:
        student: An opaque id: a :sid, or else the platform's number.
        receipt: Its time, due date and people; None if the time is unknown.
        earlier: Earlier uploads, oldest first.
        note: Why nothing could be read, for staff.

    """

    student: str = "submission"
    receipt: Receipt | None = None
    earlier: tuple[Upload, ...] = ()
    note: str = ""


def read(path: Path, zone: tzinfo) -> Metadata:
    """Read the file; return metadata even if something is wrong with it."""
    try:
        data = read_bytes(given(path), limit=MAX_BYTES, advice="it is not read")
        values = json.loads(data, parse_constant=lambda _: None, parse_float=_number)
    except (OSError, UserError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else type(error).__name__
        return Metadata(note=f"submission_metadata.json cannot be read ({why})")
    return understood(values, zone)


def understood(values: object, zone: tzinfo) -> Metadata:
    """Return the information in parsed metadata; see `read`."""
    top = _Entry(values)
    people = [_Entry(person) for person in top.list("users")[:_MAX_PEOPLE]]
    # An address is not an id.
    sids = [text for person in people if safe(text := person.text("sid")) == text]
    numbers = [text for person in people if (text := person.text("id"))]
    receipt = None
    if at := _moment(top["created_at"], zone):
        assignment = _Entry(top["assignment"])
        own = [_Entry(person["assignment"]) for person in people] or [_Entry(None)]
        due, last = (
            _latest(_moment(one[key], zone) or _moment(assignment[key], zone) for one in own)
            for key in ("due_date", "late_due_date")
        )
        receipt = Receipt(at, due, last, people=tuple(dict.fromkeys(sids + numbers)))
    number = top.text("id")
    named = f"submission_{safe(number)}" if number else "submission"
    earlier = [u for item in top.list("previous_submissions") if (u := _upload(item, zone))]
    earlier.sort(key=lambda upload: upload.at)
    return Metadata(next(iter(sids), named), receipt, tuple(earlier[-_MAX_UPLOADS:]))


class _Entry:
    """An object of the file, perhaps empty; it finds a key in any spelling."""

    def __init__(self, value: object) -> None:
        items = value.items() if isinstance(value, dict) else ()
        self._values = {_plain(str(key)): item for key, item in items}

    def __getitem__(self, key: str) -> Any:
        return self._values.get(_plain(key))

    def list(self, key: str) -> list[Any]:
        """Return a list: empty if missing, and a single object as a list of one."""
        value = self[key]
        return value if isinstance(value, list) else [value] if isinstance(value, dict) else []

    def text(self, key: str) -> str:
        """Return an id as text, or ""."""
        value = self[key]
        if isinstance(value, bool) or not isinstance(value, str | int):
            return ""
        return str(value).strip()[:200] if isinstance(value, str) or abs(value) < 1e18 else ""


def _plain(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "").removeprefix(":")


def _latest(moments: Iterable[datetime | None]) -> datetime | None:
    return max(filter(None, moments), default=None)


def _upload(item: object, zone: tzinfo) -> Upload | None:
    entry = _Entry(item)
    at = _moment(entry["submission_time"], zone) or _moment(entry["created_at"], zone)
    if at is None:
        return None
    results = entry["results"]
    if not (isinstance(results, dict) and isinstance(results.get("tests", []), list)):
        results = None
    broken = entry["autograder_error"] not in (None, False, 0, "", "false", "False")
    return Upload(at, _number(entry["score"]), broken, results)


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _moment(value: object, zone: tzinfo) -> datetime | None:
    """Return a moment in Gradescope's form, 2018-07-01T14:22:32.365935-07:00, or a similar one."""
    for text in _ways(value):
        try:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=zone).astimezone(UTC)
            return moment if 1990 <= moment.astimezone(UTC).year <= 2200 else None
        except (ValueError, OverflowError):
            continue
    return None


def _ways(value: object) -> Iterator[str]:
    if not isinstance(value, str):
        return
    text = value.strip()[:64]
    yield text
    date, _, rest = text.replace(" UTC", "Z").partition(" ")  # Ruby writes "2018-07-01 14:22 -0700"
    yield f"{date}T{rest.replace(' ', '')}"
