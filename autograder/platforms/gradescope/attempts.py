"""A daily limit on graded uploads, so that nobody searches for answers with the grader's help.

It uses the platform's times instead of a clock, so a regraded submission is treated as before. The
platform shows only the last upload's results, so each page records for the next one which uploads
were not attempts.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from autograder.course.course import Course
from autograder.marking.mark import counted
from autograder.platforms.gradescope.metadata import Metadata, Upload
from autograder.reports import results_json

_MAX_CARRIED = 1_000


def instead(
    metadata: Metadata,
    course: Course,
    refreshed: Callable[[dict[str, Any]], dict[str, Any]] = lambda page: page,
) -> dict[str, Any] | None:
    """Return the results.json to show instead of grading, or None to grade this.

    Uploads on which the grader failed do not count; without an earlier page to show, this one is
    graded.

    Args:
        metadata: The times of this and earlier uploads.
        course: Its limit, and the time zone in which a day ends.
        refreshed: A function that updates an earlier page to today's checks.

    """
    limit, receipt = course.gradescope.attempts_a_day, metadata.receipt
    if not limit or receipt is None or receipt.at is None:
        return None
    skipped = set(not_counted(metadata))
    before = [u for u in _before(metadata) if u.at.isoformat() not in skipped]
    day = receipt.at.astimezone(course.zone).date()
    today = [u for u in before if u.at.astimezone(course.zone).date() == day]
    if len(today) < limit:
        return None
    shown = before[-1].results
    page = (_earlier(shown, refreshed) if shown else None) or _score_alone(before[-1])
    if page is None:
        return None
    calm = (
        f"This course grades {counted(limit, 'upload')} a day, and this is number {len(today) + 1} of "
        f"{day}. It is kept but not graded; this page shows the previous result. Upload "
        f"it again on or after {day + timedelta(days=1)} to have it graded. The "
        "notebook's own checks have no limit."
    )
    said = page["extra_data"]["said"]
    return page | {"output": f"{results_json.html([calm])}\n{said}"[: results_json.MAX_FIELD]}


def not_counted(metadata: Metadata) -> list[str]:
    """Return the times of uploads that were not attempts, if known."""
    found: dict[str, None] = {}
    for upload in _before(metadata):
        data = _extra(upload.results or {})
        if isinstance(carried := data.get("not_counted"), list):
            found |= dict.fromkeys(item for item in carried if isinstance(item, str))
        if upload.broken or data.get("attempt", data.get("finished")) is False:
            found[upload.at.isoformat()] = None
    return list(found)[-_MAX_CARRIED:]


def _before(metadata: Metadata) -> list[Upload]:
    at = metadata.receipt.at if metadata.receipt else None
    return [u for u in metadata.earlier if at and u.at < at]


def _extra(page: Mapping[str, Any]) -> Mapping[str, Any]:
    data = page.get("extra_data")
    return data if isinstance(data, dict) else {}


def _earlier(
    shown: Mapping[str, Any], refreshed: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any] | None:
    """Return an earlier page of ours, or the page that it repeats."""
    score, output, tests = shown.get("score"), shown.get("output", ""), shown.get("tests", [])
    if isinstance(score, bool) or not isinstance(score, int | float) or not isinstance(output, str):
        return None
    if not all(isinstance(test, dict) for test in tests):
        return None
    kept = {
        key: shown[key]
        for key in ("visibility", "stdout_visibility", "output_format")
        if isinstance(shown.get(key), str)
    }
    data = _extra(shown)
    said = data.get("said", output)
    page = refreshed({**kept, "score": score, "output": said, "tests": tests, "extra_data": data})
    return page | {"extra_data": page["extra_data"] | {"said": page["output"], "graded": False}}


def _score_alone(upload: Upload) -> dict[str, Any] | None:
    """Return a page with only the earlier score, since the platform shows nothing else of it."""
    if upload.score is None:
        return None
    page = results_json.refused("")
    return page | {
        "score": upload.score,
        "extra_data": {"late_penalty": 0.0, "said": "", "graded": False},
    }
