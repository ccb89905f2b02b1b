"""How many uploads of a day are graded: a limit on looking for answers with the grader's help.

It counts by the platform's times and not by a clock: graded again, a submission is treated as it
was. The platform shows the results of the last upload only, so each page tells the next one
which uploads were no attempts.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from autograder.course.course import Course
from autograder.platforms.gradescope.metadata import Metadata, Upload
from autograder.reports import results_json

_MAX_CARRIED = 1_000


def instead(
    metadata: Metadata,
    course: Course,
    refreshed: Callable[[dict[str, Any]], dict[str, Any]] = lambda page: page,
) -> dict[str, Any] | None:
    """Return the results.json to show in place of grading; None where this is to be graded.

    What the grader failed on does not count, and where nothing can be shown it is graded.

    Args:
        metadata: When this and the uploads before it came.
        course: Its limit, and the zone in which a day ends.
        refreshed: Returns an earlier page as it would be today.
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
    graded = "1 upload" if limit == 1 else f"{limit} uploads"
    calm = (
        f"This course grades {graded} a day, and this is number {len(today) + 1} of {day}. It is "
        "kept and not graded; this page shows the result before it. Upload it again from "
        f"{day + timedelta(days=1)} on, and it is graded. The notebook's own checks have no limit."
    )
    said = page["extra_data"]["said"]
    return page | {"output": f"{results_json.html([calm])}\n{said}"[: results_json.MAX_FIELD]}


def not_counted(metadata: Metadata) -> list[str]:
    """Return when those uploads came that are no attempts, as far as is known."""
    found: dict[str, None] = {}
    for upload in _before(metadata):
        data = _extra(upload.results or {})
        carried = data.get("not_counted")
        found |= dict.fromkeys(item for item in _list(carried) if isinstance(item, str))
        if upload.broken or data.get("attempt", data.get("finished")) is False:
            found[upload.at.isoformat()] = None
    return list(found)[-_MAX_CARRIED:]


def _before(metadata: Metadata) -> list[Upload]:
    at = metadata.receipt.at if metadata.receipt else None
    return [u for u in metadata.earlier if at and u.at < at]


def _extra(page: Mapping[str, Any]) -> Mapping[str, Any]:
    data = page.get("extra_data")
    return data if isinstance(data, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _earlier(
    shown: Mapping[str, Any], refreshed: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any] | None:
    """Return an earlier page of ours, which may itself stand for one before it."""
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
    """Return a page with the earlier score, which is all that the platform shows of it."""
    if upload.score is None:
        return None
    page = results_json.refused("")
    return page | {
        "score": upload.score,
        "extra_data": {"late_penalty": 0.0, "said": "", "graded": False},
    }
