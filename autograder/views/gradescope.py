"""Grade -> Gradescope's results.json."""

from typing import Any

from autograder.model import Grade, Mark

MAX_FIELD = 99_000
"""Gradescope cuts a field at 100,000 characters."""


def results(grade: Grade, *, remarks: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return results.json as plain values.

    A hand-marked question has neither score nor status, so that the platform
    does not take it for a failed one.

    Args:
        grade: The marks.
        remarks: Sentences for the top of the page.
    """
    return {
        "score": grade.score,
        "output": "\n\n".join(remarks)[:MAX_FIELD],
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(number, mark) for number, mark in enumerate(grade.marks, start=1)],
    }


def refused(reason: str) -> dict[str, Any]:
    """Return the results.json of a hand-in that cannot be read: no points, and why."""
    return {
        "score": 0.0,
        "output": f"This hand-in could not be graded: {reason}"[:MAX_FIELD],
        "output_format": "text",
        "visibility": "visible",
        "tests": [],
    }


def _test(number: int, mark: Mark) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{mark.question} (extra credit)" if mark.extra else mark.question,
        "number": str(number),
        "output": _output(mark)[:MAX_FIELD],
        "output_format": "text",
        "visibility": mark.visibility,
        "extra_data": {"question": mark.question},
    }
    if mark.earned is not None and not mark.by_hand:
        test |= {
            "score": mark.earned,
            "max_score": mark.points,
            "status": "passed" if mark.verdict == "passed" else "failed",
        }
    return test


def _output(mark: Mark) -> str:
    """Return the message, and each picture as a table of numbers."""
    parts = [mark.message]
    for picture in mark.pictures:
        width = max(len(label) for label in (*picture.rows, *picture.columns))
        lines = [
            picture.title,
            " " * width + "  " + "  ".join(f"{c:>{width}}" for c in picture.columns),
        ]
        lines += [
            f"{label:>{width}}  " + "  ".join(f"{value:>{width}.2f}" for value in row)
            for label, row in zip(picture.rows, picture.values, strict=True)
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
