"""Style the figures of this course: colours with a fixed meaning, matrices with numbers, line labels.

Figures have a transparent background and mid-grey ink, so they work on white and on dark pages.

`autograder release` copies this text into the cell `style_tool` of every notebook that draws.
"""

import contextlib
import html
import io
import sys
import time
from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from IPython.display import Image, Pretty, display
from matplotlib import pyplot

# Okabe and Ito's colours, which people with any colour vision can tell apart. A colour means the
# same in every figure of the course. Use `shades` for the values of one quantity.
COLOURS = {
    "token": "#0072B2",  # a token: its vector, or a value computed from it
    "position": "#E69F00",  # a position in the sequence
    "head": "#009E73",  # attention, and models with it
    "train": "#56B4E9",  # training data
    "test": "#D55E00",  # unseen data
    "other": "#CC79A7",  # a comparison
    "theory": "#808080",  # the value of a formula
}
INK = "#767676"  # a contrast of 4.5 with white, and of 4.2 with a dark page
SEQUENTIAL = "Blues"  # for values from zero up, such as weights: white is zero
DIVERGING = "PuOr_r"  # for signed values: purple is negative, white is zero, brown is positive
DPI = 200
LETTER = 0.075  # width of a letter in a label, in inches
WIDEST = 8.6  # width of a notebook's column, in inches
LOWEST = 5.0  # height of a label's middle above the axis in points, to keep clear of the ticks

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",  # comes with matplotlib, so it is everywhere
        "font.size": 10,
        "axes.titlesize": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=list(COLOURS.values())),
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), INK),
        "lines.linewidth": 2,
        "image.cmap": SEQUENTIAL,
        "legend.frameon": False,
    }
)


def show(figure: Any, alt: str) -> None:
    """Show a figure with a text description, then close it."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DPI)
    display(Image(drawn.getvalue(), width=round(100 * figure.get_figwidth()), alt=alt))
    pyplot.close(figure)


def progress(steps: int, what: str = "training") -> Iterator[int]:
    """Count to `steps` and show progress, which leaves no output in a saved notebook."""
    line = display(Pretty(""), display_id=True) if "ipykernel" in sys.modules else None
    shown = time.monotonic()
    try:
        for step in range(steps):
            if line and time.monotonic() - shown > 0.5:
                shown = time.monotonic()
                line.update(Pretty(f"{what}: step {step:,} of {steps:,}"))
            yield step
    finally:
        if line:
            line.update(Pretty(""))


@contextlib.contextmanager
def fold(title: str = "The numbers of this figure") -> Iterator[None]:
    """Put everything printed inside under a title that opens with a click."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        yield
    display(Fold(title, printed.getvalue()))


class Fold:
    """A text that a notebook folds away, and that is plain where HTML is not shown."""

    def __init__(self, title: str, text: str) -> None:
        self.title, self.text = title, text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        inside = f"<summary>{html.escape(self.title)}</summary><pre>{html.escape(self.text)}</pre>"
        return f"<details>{inside}</details>"


def shades(number: int) -> list[str]:
    """Return colours from dark to light, for low to high values of one quantity."""
    ends = [np.array(matplotlib.colors.to_rgb(one)) for one in ("#5A3EC8", "#C3B2F5")]
    mixed = [ends[0] + (ends[1] - ends[0]) * n / max(number - 1, 1) for n in range(number)]
    return [matplotlib.colors.to_hex(one) for one in mixed]


def ink(colour: str) -> Any:
    """Return a colour for text, as light as INK."""
    parts = np.array(matplotlib.colors.to_rgb(colour))
    low, high = (0 * parts, parts) if luminance(parts) > luminance(INK) else (parts, 0 * parts + 1)
    mixed = [low + (high - low) * share for share in np.linspace(0, 1, 101)]
    return tuple(max((one for one in mixed if luminance(one) <= luminance(INK)), key=luminance))


def luminance(colour: Any) -> float:
    """Return a colour's relative luminance by WCAG: 0 for black, 1 for white."""
    parts = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def ink_on(colour: Any) -> str:
    """Return black or white, whichever has more contrast with a colour behind it."""
    return "white" if luminance(colour) < 0.179 else "black"


def label_lines(axis: Any, gap: float = 13, at: float | None = None) -> None:
    """Write each line's label at its right end, in its colour, instead of a legend.

    Call it last, after setting scales and limits.

    Args:
        axis: The axes with the lines; lines without a label get none.
        gap: The least distance between two labels, in points.
        at: Write the labels at this x instead, above their lines; choose one where these are apart.
    """
    axis.figure.draw_without_rendering()  # computes the layout
    points = axis.get_window_extent().height * 72 / axis.figure.dpi
    ends = []
    for line in axis.lines:
        data = np.column_stack(line.get_data()).astype(float)
        data = data[np.isfinite(data).all(axis=1)]
        if line.get_label().startswith("_") or not len(data):
            continue
        drawn = line.get_transform().transform(data)
        if at is not None:
            _label_along(axis, line, data, drawn, np.abs(data[:, 0] - at).argmin())
            continue
        x, y = axis.transAxes.inverted().transform(drawn[-1])
        ends.append((y * points, (x, y), line))
    ends.sort(key=lambda item: item[0])
    places = _apart([item[0] for item in ends], gap)
    for place, (wanted, end, line) in zip(places, ends, strict=True):
        axis.annotate(
            line.get_label(),
            end,
            (6, place - wanted),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            color=ink(line.get_color()),
            annotation_clip=False,
        )


def _label_along(axis: Any, line: Any, data: Any, drawn: Any, place: int) -> None:
    """Write a line's label above one of its points, with the line's slope."""
    before, after = drawn[max(place - 1, 0)], drawn[min(place + 1, len(drawn) - 1)]
    axis.annotate(
        line.get_label(),
        data[place],
        (0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        rotation=np.degrees(np.arctan2(*(after - before)[::-1])),
        rotation_mode="anchor",
        color=ink(line.get_color()),
    )


def _apart(places: list[float], gap: float) -> list[float]:
    """Move sorted positions apart by a gap, each group around its middle, and above the axis."""
    groups: list[list[float]] = []  # each [middle, number]
    for place in places:
        groups.append([place, 1])
        while len(groups) > 1:
            (low, few), (high, many) = groups[-2:]
            if high - low >= gap * (few + many) / 2:
                break
            groups[-2:] = [[(low * few + high * many) / (few + many), few + many]]
    found = [
        middle + gap * (i - (number - 1) / 2)
        for middle, number in groups
        for i in range(int(number))
    ]
    low = LOWEST
    for i, place in enumerate(found):
        found[i] = max(place, low)
        low = found[i] + gap
    return found


def short(number: float, places: int = 2) -> str:
    """Return a number with a few decimals, and fewer if it is large: 20, 1.04, -0.01, 0."""
    places -= (abs(number) >= 10) + (abs(number) >= 100)
    text = f"{number:.{max(places, 0)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def draw_matrices(panels: Any, alt: str = "") -> None:
    """Draw matrices as panels with numbers in cells of one size, and list the numbers in a fold.

    Each panel has its own colour scale, so compare numbers, not colours, between panels. The scale
    is centred at zero, or begins there if no number is negative.

    Args:
        panels: For each panel its title, its matrix, and the labels of its rows and columns (a list
            of words, or one word to number from 0); None begins a new row of panels.
        alt: A description of the figure, to go before the titles.
    """
    cell = 0.38 if all(len(panel[1][0]) < 8 for panel in panels if panel) else 0.36  # inches
    lines: list[list[Any]] = [[]]
    for panel in panels:
        if panel is None:
            lines.append([])
            continue
        title, matrix, rows, names = panel
        matrix = np.asarray(matrix, float)
        new = title, matrix, _labels(rows, len(matrix)), _labels(names, matrix.shape[1])
        if lines[-1] and sum(_width(each, cell) for each in [*lines[-1], new]) > WIDEST:
            lines.append([])
        lines[-1].append(new)
    drawn = [panel for line in lines for panel in line]
    heads = [max(_head(panel, cell) for panel in line) for line in lines]
    heights = [
        max(len(panel[1]) for panel in line) * cell + head + 0.2
        for line, head in zip(lines, heads, strict=True)
    ]
    width = max(sum(_width(panel, cell) for panel in line) for line in lines)
    figure = pyplot.figure(figsize=(width, sum(heights)))
    for number, line in enumerate(lines):
        left, top = 0.0, sum(heights) - sum(heights[:number]) - heads[number]
        for panel in line:
            _draw(figure, panel, left, top, cell)
            left += _width(panel, cell)
    titles = ", ".join(title for title, *_ in drawn)
    show(figure, f"{alt} {len(drawn)} matrices: {titles}. Their numbers are folded below.".strip())
    with fold():
        for title, matrix, rows, names in drawn:
            reach = f"from {matrix.min():.3g} to {matrix.max():.3g}"
            print(f"{title} ({len(matrix)} x {len(matrix[0])}), {reach}")
            left_width = max(len(row) for row in rows)
            print(" " * left_width + "".join(f"{name:>9}" for name in names))
            for row, numbers in zip(rows, matrix, strict=True):
                print(f"{row:<{left_width}}" + "".join(f"{short(x, 3):>9}" for x in numbers))


def _labels(names: Any, number: int) -> list[str]:
    return (
        [f"{names} {n}".strip() for n in range(number)] if isinstance(names, str) else list(names)
    )


def _margin(rows: list[str]) -> float:
    return 0.22 + 0.085 * max(len(row) for row in rows)


def _width(panel: Any, cell: float) -> float:
    """Return a panel's width in inches, with its labels and the space after it."""
    _, matrix, rows, _ = panel
    return float(_margin(rows) + max(matrix.shape[1] * cell, 0.95) + 0.1)


def _head(panel: Any, cell: float) -> float:
    """Return the height above a panel in inches: its title and column labels, vertical if long."""
    longest = max(map(len, panel[3]))
    return 0.55 if longest * LETTER < cell else 0.42 + longest * LETTER


def _draw(figure: Any, panel: Any, left: float, top: float, cell: float) -> None:
    """Draw one panel with its upper left corner at a given position, in inches."""
    title, matrix, rows, names = panel
    size = matrix.shape[1] * cell, len(matrix) * cell
    inches = figure.get_size_inches()
    place = (left + _margin(rows)) / inches[0], (top - size[1]) / inches[1]
    axis = figure.add_axes((*place, size[0] / inches[0], size[1] / inches[1]))
    largest = max(float(np.abs(matrix).max()), 1e-9)
    signed = matrix.min() < -5e-3 * largest
    image = axis.imshow(
        matrix,
        cmap=DIVERGING if signed else SEQUENTIAL,
        vmin=-largest if signed else 0,
        vmax=largest,
        aspect="auto",
    )
    axis.set_title(title, loc="left", pad=72 * _head(panel, cell) - 21)
    axis.set_xticks(range(len(names)), names, fontsize=8)
    axis.set_yticks(range(len(rows)), rows, fontsize=8)
    axis.tick_params(length=0, labeltop=True, labelbottom=False, pad=2)
    for label, name in zip(axis.get_xticklabels(), names, strict=True):
        label.set_rotation(90 * (len(name) * LETTER >= cell))
    axis.spines[:].set_visible(True)
    axis.spines[:].set_color("#BFBFBF")
    for i, line in enumerate(matrix):
        for j, number in enumerate(line):
            colour = ink_on(image.cmap(image.norm(number)))
            axis.text(
                j, i, short(number), ha="center", va="center", fontsize=19 * cell, color=colour
            )
