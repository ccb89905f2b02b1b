"""Figures: labels that do not collide, numbers that fit, and a text beside each picture."""

import matplotlib

matplotlib.use("Agg")

import sys
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from autograder.kit.notebook import style


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep what is displayed; 20 dpi are enough."""
    images: list[Any] = []
    monkeypatch.setattr(style, "display", images.append)
    monkeypatch.setattr(style, "DPI", 20)
    return images


def test_labels_keep_their_distance() -> None:
    """Lines that end at one place have labels one above the other, in the lines' order."""
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
    """Those of lines that end at the bottom; what is a little further up gives way."""
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
    """Their contrast with white is 4.5 or more, as WCAG asks of text."""
    assert 1.05 / (style.luminance(style.ink(colour)) + 0.05) >= 4.5


@pytest.mark.parametrize("colours", [style.SEQUENTIAL, style.DIVERGING])
def test_numbers_in_panels_can_be_read(colours: str) -> None:
    """On every colour of a panel their contrast is 4.5 or more; -2.08 of 3.03 was black on purple."""
    for behind in matplotlib.colormaps[colours](np.linspace(0, 1, 256)):
        light, dark = sorted((style.luminance(behind), style.luminance(style.ink_on(behind))))[::-1]
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_luminance_is_wcag_s() -> None:
    """Its own examples: black, white and the grey that is the first to have 4.5 on white."""
    assert [style.luminance(c) for c in ("black", "white")] == pytest.approx([0, 1])
    assert 1.05 / (style.luminance("#767676") + 0.05) == pytest.approx(4.54, abs=0.01)


def test_numbers_are_short() -> None:
    for number, text in ((20, "20"), (1.037, "1.04"), (-0.013, "-0.01"), (-0.001, "0")):
        assert style.short(number) == text
    assert style.short(-12.345) == "-12.3"


def test_matrices_are_drawn_and_printed(
    shown: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """With their labels; a row that is full goes on below."""
    style.draw_matrices([("W", [[1, -0.5]], ["A"], "qk"), ("V", np.eye(2), "pos", ["x", "y"])])
    (image,) = shown
    assert image.alt == "2 matrices: W, V. Their numbers are printed below."
    pixels = int.from_bytes(image.data[16:20], "big")  # of a PNG file
    assert image.width == pytest.approx(100 * pixels / style.DPI, abs=6)
    text = capsys.readouterr().out
    assert "W (1 x 2), from -0.5 to 1\n      qk 0     qk 1\nA        1     -0.5\n" in text
    assert "pos 1        0        1\n" in text
    style.draw_matrices([("wide", np.zeros((1, 9)), ["A"], "qk")] * 3)
    assert shown[1].width < 100 * style.WIDEST


def test_nothing_of_the_progress_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is empty at the end, also where a loop was left or has failed."""
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
