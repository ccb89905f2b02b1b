"""Grade -> Gradescope's results.json."""

from typing import Any

from autograder.model import Grade, Mark

MAX_FIELD = 99_000
"""Gradescope cuts a field at 100,000 characters."""


def results(
    grade: Grade, *, remarks: tuple[str, ...] = (), explain: bool = False
) -> dict[str, Any]:
    """Return results.json as plain values.

    A hand-marked question has neither score nor status, so that the platform
    does not take it for a failed one.

    Args:
        grade: The marks.
        remarks: Sentences for the top of the page.
        explain: Whether to name the mistakes that answers fit.
    """
    return {
        "score": grade.score,
        "output": "\n\n".join(remarks)[:MAX_FIELD],
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"late_penalty": grade.penalty},
        "tests": [_test(number, mark, explain) for number, mark in enumerate(grade.marks, start=1)],
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


def _test(number: int, mark: Mark, explain: bool) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{mark.question} (extra credit)" if mark.extra else mark.question,
        "number": str(number),
        "output": _output(mark, explain)[:MAX_FIELD],
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


def _output(mark: Mark, explain: bool) -> str:
    """Return the message, what a misconception has to say, and each picture as a table of numbers."""
    parts = [mark.message]
    if mark.misconception:
        parts.append(f"Where to look: {mark.misconception.nudge}")
        if explain:
            parts.append(f"What it looks like: {mark.misconception.explanation}")
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
