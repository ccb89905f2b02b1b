"""What a figure of matplotlib shows. The sandbox reads figures with it, and so does a notebook.

A notebook that has a check which follows from `Picture` has this text in its cell `figure_tool`.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.records.values import Refused


def drawn(call: Callable[[], Any]) -> list[dict[str, Any]]:
    """Return what the axes of the figure show that a call returns, or makes.

    A figure counts whether it is shown or not: in a notebook `plt.show()` closes it. Each has title,
    x_label, y_label, x_scale, y_scale, x_limits, y_limits, lines and points (arrays of shape (n, 2)),
    bars (heights), images (arrays) and legend (texts).
    """
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    made: list[Any] = []
    begin = Figure.__init__

    @functools.wraps(begin)
    def note(figure: Any, *args: Any, **kwargs: Any) -> None:
        begin(figure, *args, **kwargs)
        made.append(figure)

    pyplot.close("all")
    setattr(Figure, "__init__", note)  # noqa: B010
    try:
        result = call()
    finally:
        setattr(Figure, "__init__", begin)  # noqa: B010
    returned = getattr(result, "figure", result)
    current = [pyplot.gcf()] if pyplot.get_fignums() else []
    figures = [returned] if hasattr(returned, "axes") else [*current, *reversed(made)]
    pyplot.close("all")  # a check in a notebook draws what is compared, and nothing to look at
    if not figures:
        raise Refused("it draws nothing with matplotlib.")
    axes = next((figure.axes for figure in figures if figure.axes), None)
    if axes is None:
        raise Refused("its figure is empty.")
    return [_axes(one) for one in axes]


def _axes(axes: Any) -> dict[str, Any]:
    legend = axes.get_legend()
    bars = [patch for patch in axes.patches if hasattr(patch, "get_height")]
    points = [_finite(one.get_offsets()) for one in axes.collections]
    return {
        "title": axes.get_title(),
        "x_label": axes.get_xlabel(),
        "y_label": axes.get_ylabel(),
        "x_scale": axes.get_xscale(),
        "y_scale": axes.get_yscale(),
        "x_limits": [float(one) for one in axes.get_xlim()],
        "y_limits": [float(one) for one in axes.get_ylim()],
        "lines": [_finite(line.get_xydata()) for line in axes.lines],
        "points": [one for one in points if one.size],
        "bars": [float(bar.get_height()) for bar in bars],
        "images": [_finite(image.get_array()) for image in axes.images],
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
    }


def _finite(array: Any) -> Any:
    """Return finite numbers: what is missing or infinite is not drawn, and would not cross."""
    found = np.asarray(np.ma.filled(array, np.nan), dtype=np.float64)
    if found.ndim == 2:
        return (
            found[np.isfinite(found).all(axis=1)] if found.shape[1] == 2 else np.nan_to_num(found)
        )
    return np.nan_to_num(found)
