"""Read the contents of a matplotlib figure, in the sandbox and in notebooks.

A notebook with a visible check derived from `Picture` has this text in its cell `figure_tool`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.records.values import Refused


def drawn(call: Callable[[], Any]) -> list[dict[str, Any]]:
    """Return what a call's figure shows, axes by axes: the one returned, or the last changed.

    A figure counts whether it is shown or not, and wherever it was made: in a notebook `plt.show()`
    closes it. Each has title, x_label, y_label, x_scale, y_scale, x_limits, y_limits, lines and points
    (arrays of shape (n, 2)) with their labels, bars (heights), images (arrays), legend (texts), guides
    (the numbers of lines that are not data), and figures (which one was read, and of how many).
    """
    from matplotlib import pyplot
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    changed: list[Any] = []
    stale: Any = Artist.stale

    def note(figure: Any, is_stale: bool) -> None:
        stale.fset(figure, is_stale)
        if is_stale and figure not in changed:
            changed.append(figure)

    old = bool(pyplot.get_fignums())
    pyplot.close("all")
    setattr(Figure, "stale", property(stale.fget, note))  # noqa: B010
    try:
        result = call()
    finally:
        delattr(Figure, "stale")
    returned = getattr(result, "figure", result)
    current = [pyplot.gcf()] if pyplot.get_fignums() else []
    found = [one for one in (*current, *reversed(changed)) if one in changed]
    figures = [returned] if hasattr(returned, "axes") else found
    pyplot.close("all")  # a check in a notebook draws what is compared, and nothing to look at
    if not figures:
        unchanged = "; the figure that is there was drawn before" * old
        raise Refused(f"it draws nothing with matplotlib{unchanged}.")
    read = next((figure for figure in figures if figure.axes), None)
    if read is None:
        raise Refused("its figure is empty.")
    several = [one for one in changed if one.axes]
    whole = getattr(read, "figure", read)
    which = several.index(whole) + 1 if whole in several else 0
    return [{**_axes(one), "figures": [which, len(several)]} for one in read.axes]


def _axes(axes: Any) -> dict[str, Any]:
    legend = axes.get_legend()
    bars = [patch for patch in axes.patches if hasattr(patch, "get_height")]
    clouds = [
        one
        for one in axes.collections
        if one.get_offset_transform().contains_branch(axes.transData)
    ]
    points = [(_finite(one.get_offsets()), one.get_label()) for one in clouds]
    points = [(one, label) for one, label in points if one.size]
    return {
        "title": axes.get_title(),
        "x_label": axes.get_xlabel(),
        "y_label": axes.get_ylabel(),
        "x_scale": axes.get_xscale(),
        "y_scale": axes.get_yscale(),
        "x_limits": [float(one) for one in axes.get_xlim()],
        "y_limits": [float(one) for one in axes.get_ylim()],
        "lines": [_finite(line.get_xydata()) for line in axes.lines],
        "line_labels": _labels(axes.lines, legend),
        "guides": [n for n, line in enumerate(axes.lines) if _is_guide(axes, line)],
        "points": [one for one, _ in points],
        "point_labels": [str(label) for _, label in points],
        "bars": [float(bar.get_height()) for bar in bars],
        "images": [_finite(image.get_array()) for image in axes.images],
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
    }


def _labels(lines: Any, legend: Any) -> list[str]:
    """Return each line's label as a reader finds it: in the legend, beside a line that looks like it."""
    labels = ["" if str(one.get_label()).startswith("_") else one.get_label() for one in lines]
    looks = [_look(line) for line in lines]
    left = dict(enumerate(looks))
    entries = zip(legend.legend_handles, legend.get_texts(), strict=False) if legend else ()
    for handle, text in entries:
        said, look = text.get_text(), _look(handle)
        alike = [n for n in left if look and left[n] == look]
        if alike:
            number = min(alike, key=lambda n: labels[n] != said)
            labels[number] = said
            del left[number]
    return [str(label) for label in labels]


def _look(line: Any) -> list[str]:
    parts = ("get_color", "get_linestyle", "get_marker", "get_linewidth")
    return [str(getattr(line, part)()) for part in parts if hasattr(line, part)]


def _is_guide(axes: Any, line: Any) -> bool:
    """Return whether a line is not data: fixed to the axes, or one segment across most of them."""
    if line.get_transform() != axes.transData:
        return True
    points = _finite(line.get_xydata())
    limits = np.array([axes.get_xlim(), axes.get_ylim()])
    across = np.abs(np.diff(points, axis=0)) / np.abs(np.diff(limits, axis=1).T)
    return len(points) == 2 and bool((across > ACROSS).any())


ACROSS = 0.8
"""So much of the axes a line of two points crosses that is no data: margins leave 0.9 of them."""


def _finite(array: Any) -> Any:
    """Return finite numbers: missing or infinite ones are not drawn, and cannot be sent."""
    found = np.asarray(np.ma.filled(array, np.nan), dtype=np.float64)
    if found.ndim == 2:
        return (
            found[np.isfinite(found).all(axis=1)] if found.shape[1] == 2 else np.nan_to_num(found)
        )
    return np.nan_to_num(found)
