"""How many uploads of a day are graded: a limit on looking for answers with the grader's help.

It counts what the platform says, not what a clock says: graded again, a hand-in is treated as it was.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from autograder.container.metadata import Metadata, Upload
from autograder.course import Course
from autograder.views import gradescope


def instead(metadata: Metadata, course: Course) -> dict[str, Any] | None:
    """Return the results.json to show in place of grading; None where this is to be graded.

    What the grader failed on does not count, and where nothing can be shown it is graded.

    Args:
        metadata: When this and the uploads before it came.
        course: Its limit, and the zone in which a day ends.
    """
    limit, receipt = course.gradescope.attempts_a_day, metadata.receipt
    if not limit or receipt is None:
        return None
    before = [u for u in metadata.earlier if u.at < receipt.at and not _broken(u)]
    day = receipt.at.astimezone(course.zone).date()
    today = [u for u in before if u.at.astimezone(course.zone).date() == day]
    if len(today) < limit:
        return None
    shown = before[-1].results
    page = (_earlier(shown) if shown else None) or _score_alone(before[-1])
    if page is None:
        return None
    graded = "1 upload" if limit == 1 else f"{limit} uploads"
    calm = (
        f"This course grades {graded} a day, and this is number {len(today) + 1} of {day}. It is "
        "kept and not graded; what stands here is the result before it. Upload it again from "
        f"{day + timedelta(days=1)} on, and it is graded. The notebook's own checks have no limit."
    )
    said = page["extra_data"]["said"]
    return page | {"output": f"{gradescope.html([calm])}\n{said}"[: gradescope.MAX_FIELD]}


def _broken(upload: Upload) -> bool:
    data = (upload.results or {}).get("extra_data")
    return upload.broken or (isinstance(data, dict) and data.get("finished") is False)


def _earlier(shown: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an earlier page of ours, which may itself stand for one before it."""
    data, score = shown.get("extra_data"), shown.get("score")
    output, tests = shown.get("output", ""), shown.get("tests", [])
    if isinstance(score, bool) or not isinstance(score, int | float) or not isinstance(output, str):
        return None
    if not all(isinstance(test, dict) for test in tests):
        return None
    data = data if isinstance(data, dict) else {}
    said = data.get("said", output)
    kept = {
        key: shown[key]
        for key in ("visibility", "stdout_visibility", "output_format")
        if isinstance(shown.get(key), str)
    }
    extra = data | {"said": said if isinstance(said, str) else "", "graded": False}
    return {**kept, "score": score, "tests": tests, "extra_data": extra}


def _score_alone(upload: Upload) -> dict[str, Any] | None:
    """Return a page with the earlier score, which is all that the platform says of it."""
    if upload.score is None:
        return None
    page = gradescope.refused("")
    return page | {
        "score": upload.score,
        "extra_data": {"late_penalty": 0.0, "said": "", "graded": False},
    }
