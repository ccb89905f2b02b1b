"""Inside the sandbox: what a call raises, prints, draws or takes, as plain data."""

import contextlib
import io
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.model import RESULT, STEPS
from autograder.values import Refused

MAX_TEXT = 200_000
MAX_MESSAGE = 2_000


def raised(call: Callable[[], Any]) -> dict[str, Any]:
    """Return the classes of what a call raises, the nearest first, its message, and what it returns.

    An answer that is not written raises NotImplementedError, and a sentence for the student is
    Refused: these are raised here, too.
    """
    try:
        returned = call()
    except Refused:
        raise
    except Exception as error:
        if type(error) is NotImplementedError and not str(error):
            raise
        kinds = [kind.__name__ for kind in type(error).__mro__[:-2]]
        return {"kinds": kinds, "message": str(error)[:MAX_MESSAGE], "returned": None}
    return {"kinds": [], "message": "", "returned": returned.get(RESULT)}


def printed(call: Callable[[], Any]) -> str:
    """Return what a call prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    text = out.getvalue()
    if len(text) > MAX_TEXT:
        raise Refused(f"it prints more than {MAX_TEXT:,} characters.")
    return text


def counted(call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a call returns, and how many lines and calls Python ran for it."""
    steps = 0

    def count(frame: Any, event: str, detail: Any) -> Any:  # noqa: ARG001
        nonlocal steps
        steps += event in ("call", "line")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        returned = call()
    finally:
        sys.settrace(before)
    return {**returned, STEPS: np.array([steps])}


def drawn(call: Callable[[], Any]) -> list[dict[str, Any]]:
    """Return what the axes of the figure show that a call returns, or draws with pyplot.

    Each has title, x_label, y_label, x_scale, y_scale, x_limits, y_limits, lines and points (arrays
    of shape (n, 2)), bars (heights), images (arrays) and legend (texts).
    """
    from matplotlib import pyplot

    pyplot.close("all")
    result = call()
    figure = getattr(result, "figure", result)
    if not hasattr(figure, "axes") and pyplot.get_fignums():
        figure = pyplot.gcf()
    if not hasattr(figure, "axes"):
        raise Refused("it draws nothing with matplotlib.")
    if not figure.axes:
        raise Refused("its figure is empty.")
    return [_axes(axes) for axes in figure.axes]


def _axes(axes: Any) -> dict[str, Any]:
    legend = axes.get_legend()
    bars = [patch for patch in axes.patches if hasattr(patch, "get_height")]
    points = [_numbers(one.get_offsets()) for one in axes.collections]
    return {
        "title": axes.get_title(),
        "x_label": axes.get_xlabel(),
        "y_label": axes.get_ylabel(),
        "x_scale": axes.get_xscale(),
        "y_scale": axes.get_yscale(),
        "x_limits": [float(one) for one in axes.get_xlim()],
        "y_limits": [float(one) for one in axes.get_ylim()],
        "lines": [_numbers(line.get_xydata()) for line in axes.lines],
        "points": [one for one in points if one.size],
        "bars": [float(bar.get_height()) for bar in bars],
        "images": [_numbers(image.get_array()) for image in axes.images],
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
    }


def _numbers(array: Any) -> Any:
    """Return finite numbers: what is missing or infinite is not drawn, and would not cross."""
    found = np.asarray(np.ma.filled(array, np.nan), dtype=np.float64)
    if found.ndim == 2:
        return (
            found[np.isfinite(found).all(axis=1)] if found.shape[1] == 2 else np.nan_to_num(found)
        )
    return np.nan_to_num(found)
