"""Uploads of one day to Gradescope, as its metadata tells of them, and a course that limits them."""

from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from autograder.course.course import Platform
from autograder.platforms.gradescope import attempts, metadata
from tests.helpers import COURSE

ZONE = ZoneInfo("Europe/Vienna")
VIENNA = msgspec.structs.replace(
    COURSE, time_zone="Europe/Vienna", gradescope=Platform(attempts_a_day=3)
)


def upload(hour: int, **more: Any) -> dict[str, Any]:
    return {"submission_time": f"2026-11-01T{hour:02}:00:00+01:00", "score": 7.0} | more


def third(*uploads: dict[str, Any]) -> dict[str, Any] | None:
    """Return what is shown for an upload at noon."""
    values = {"created_at": "2026-11-01T12:00:00+01:00", "previous_submissions": list(uploads)}
    limit = msgspec.structs.replace(VIENNA, gradescope=Platform(attempts_a_day=2))
    return attempts.instead(metadata.understood(values, ZONE), limit)
