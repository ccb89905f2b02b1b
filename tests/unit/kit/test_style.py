"""Figures: labels that do not collide, readable numbers, and a text beside each picture."""

import matplotlib

matplotlib.use("Agg")

import io
import itertools
import sys
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from autograder.kit.notebook import style


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep displayed figures; 20 dpi are enough."""
    images: list[Any] = []
    monkeypatch.setattr(style, "display", images.append)
    monkeypatch.setattr(style, "DPI", 20)
    return images


def test_labels_keep_their_distance() -> None:
    """If lines end at one place, their labels are stacked in the lines' order."""
    figure, axis = pyplot.subplots(layout="constrained")
    for label, end in (("low", 0.5), ("same", 0.5), ("far", 0.0)):
        axis.plot([0, 1], [0, end], label=label)
    axis.plot([0, 1], [1, 1])  # without a label
    style.label_lines(axis, gap=13)
    at = {text.get_text(): text.get_position()[1] for text in axis.texts}
    ends = {"low": 0.5, "same": 0.5, "far": 0.0}
    assert at.keys() == ends.keys()
    assert at["same"] - at["low"] == pytest.approx(13)
    assert at["far"] == pytest.approx(0)
    pyplot.close(figure)


def test_labels_stay_above_the_axis() -> None:
    """This covers lines that end at the bottom; labels slightly above make room."""
    figure, axis = pyplot.subplots(layout="constrained")
    for label in ("first", "second"):
        axis.plot([0, 1], [1, 0], label=label)
    axis.set(ylim=(0, 1))
    style.label_lines(axis, gap=13)
    places = sorted(text.get_position()[1] for text in axis.texts)
    assert places == pytest.approx([style.LOWEST, style.LOWEST + 13])
    pyplot.close(figure)


@pytest.mark.parametrize("colour", style.COLOURS.values())
def test_labels_can_be_read(colour: str) -> None:
    """Their contrast with white is at least 4.5, as WCAG requires, and nearly so on dark pages."""
    light = style.luminance(style.ink(colour))
    assert 1.05 / (light + 0.05) >= 4.5
    assert (light + 0.05) / (style.luminance("#111111") + 0.05) >= 4


def test_shades_rise_from_dark_to_light() -> None:
    """They differ in grey, and none is a colour with a meaning."""
    for number in (1, 2, 5):
        shades = style.shades(number)
        light = [style.luminance(one) for one in shades]
        assert len(shades) == number
        assert light == sorted(light)
        assert not {*shades} & {one.lower() for one in style.COLOURS.values()}


def test_a_figure_has_no_ground_of_its_own(shown: list[Any]) -> None:
    """So it works on a dark page; its corner is transparent."""
    figure, axis = pyplot.subplots()
    axis.plot([0, 1])
    style.show(figure, "A line.")
    pixels = pyplot.imread(io.BytesIO(shown[0].data), format="png")
    assert pixels[0, 0, 3] == 0


def test_labels_can_be_above_their_lines() -> None:
    """This is for ends that meet: each at the same x, as steep as its line."""
    figure, axis = pyplot.subplots(layout="constrained")
    for label, power in (("root", 0.5), ("square", 2)):
        x = np.linspace(0, 1, 101)
        axis.plot(x, x**power, label=label)
    style.label_lines(axis, at=0.3)
    found = {text.get_text(): text for text in axis.texts}
    assert found["root"].xy == pytest.approx([0.3, 0.3**0.5])
    assert found["square"].xy == pytest.approx([0.3, 0.09])
    assert 0 < found["square"].get_rotation() < found["root"].get_rotation() < 90
    pyplot.close(figure)


def test_numbers_are_folded_away(shown: list[Any]) -> None:
    """Without HTML, the printed contents are plain."""
    with style.fold("The <numbers>"):
        print("1 < 2")
    assert repr(shown[0]) == "1 < 2\n"
    html = "<details><summary>The &lt;numbers&gt;</summary><pre>1 &lt; 2\n</pre></details>"
    assert shown[0]._repr_html_() == html


@pytest.mark.parametrize("colours", [style.SEQUENTIAL, style.DIVERGING])
def test_numbers_in_panels_can_be_read(colours: str) -> None:
    """Their contrast is at least 4.5 on every panel colour; -2.08 of 3.03 was black on purple."""
    for behind in matplotlib.colormaps[colours](np.linspace(0, 1, 256)):
        light, dark = sorted((style.luminance(behind), style.luminance(style.ink_on(behind))))[::-1]
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_luminance_is_wcag_s() -> None:
    """These are its own examples: black, white, and the first grey with 4.5 on white."""
    assert [style.luminance(c) for c in ("black", "white")] == pytest.approx([0, 1])
    assert 1.05 / (style.luminance("#767676") + 0.05) == pytest.approx(4.54, abs=0.01)


def test_numbers_are_short() -> None:
    for number, text in ((20, "20"), (1.037, "1.04"), (-0.013, "-0.01"), (-0.001, "0")):
        assert style.short(number) == text
    assert style.short(-12.345) == "-12.3"


def test_matrices_are_drawn_and_printed(shown: list[Any]) -> None:
    """They have labels; a full row continues below."""
    style.draw_matrices([("W", [[1, -0.5]], ["A"], "qk"), ("V", np.eye(2), "pos", ["x", "y"])])
    image, numbers = shown
    assert image.alt == "2 matrices: W, V. Their numbers are folded below."
    pixels = int.from_bytes(image.data[16:20], "big")  # of a PNG file
    assert image.width == pytest.approx(100 * pixels / style.DPI, abs=6)
    text = repr(numbers)
    assert "W (1 x 2), from -0.5 to 1\n      qk 0     qk 1\nA        1     -0.5\n" in text
    assert "pos 1        0        1\n" in text
    style.draw_matrices([("wide", np.zeros((1, 9)), ["A"], "qk")] * 3)
    assert shown[2].width < 100 * style.WIDEST


def test_labels_of_columns_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long ones are upright, below the title; in hw2 they overlapped."""
    figures: list[Any] = []
    monkeypatch.setattr(style, "show", lambda figure, alt: figures.append(figure))
    monkeypatch.setattr(style, "display", lambda _: None)
    for names in ("coord", "qk", ["CLS", "A", "B", "C"]):
        style.draw_matrices([("pos", np.zeros((2, 4)), "row", names)])
        figure = figures.pop()
        figure.draw_without_rendering()
        (axis,) = figure.axes
        boxes = [label.get_window_extent() for label in axis.get_xticklabels()]
        assert all(one.x1 <= other.x0 for one, other in itertools.pairwise(boxes))
        title = axis._left_title.get_window_extent()
        assert max(box.y1 for box in boxes) <= title.y0
        assert title.y1 <= figure.bbox.y1
        pyplot.close(figure)


def test_nothing_of_the_progress_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is empty at the end, even if a loop ended early or failed."""
    lines: list[str] = []

    class Line:
        def __init__(self, text: Any, display_id: bool) -> None:
            self.update(text)

        def update(self, text: Any) -> None:
            lines.append(text.data)

    seconds = iter(range(100))
    monkeypatch.setattr(style, "display", Line)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr(style.time, "monotonic", lambda: next(seconds))
    assert list(style.progress(3)) == [0, 1, 2]
    assert lines[1:3] == ["training: step 0 of 3", "training: step 1 of 3"]
    assert lines[-1] == ""
    left = style.progress(3)
    next(left)
    left.close()
    assert lines[-1] == ""
