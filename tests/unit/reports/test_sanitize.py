"""inert: files for staff run nothing, but still show what the student wrote."""

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autograder.course.cells import parsed
from autograder.program import match
from autograder.program.build import Step
from autograder.records.homework import Cell
from autograder.reports import executed, sanitize
from tests.helpers import FUZZ, picture


@pytest.mark.fuzzed
@given(st.text(alphabet="<>/!?abjcsrip\\&#;: \n\t`$[]()x", max_size=60))
@FUZZ
def test_no_tag_with_attributes_and_no_script_link_survives(text: str) -> None:
    """Whatever the mixture, no `<` begins anything but a harmless tag."""
    safe = sanitize.markdown(text)
    assert not sanitize.TAG.search(safe)
    assert not sanitize.SCRIPT.search(safe)


def test_honest_text_stays() -> None:
    """Formulas, code, lists, links and simple tags keep their meaning."""
    text = (
        "If $a<b$ and `x < 1`, see [this](https://example.org) <br> **bold** &lt; 5 & more\n\n- one"
    )
    assert sanitize.markdown(text).replace("a< b", "a<b") == text


def test_an_image_is_drawn_anew() -> None:
    """The pixels stay; everything else in the file is gone."""
    raw = base64.b64decode(picture()) + b"<script>hidden</script>"
    again = sanitize.png(base64.b64encode(raw).decode())
    assert again is not None
    assert b"hidden" not in base64.b64decode(again)
    with Image.open(io.BytesIO(base64.b64decode(again))) as image:
        assert image.getpixel((1, 0)) == (255, 0, 0, 255)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "####",
        "aGk=",
        pytest.param(picture((4001, 2000)), id="too large"),
        "R0lGODlhAQABAAAAACw=",
    ],
)
def test_what_is_no_image_is_dropped(data: str) -> None:
    """This covers invalid base64, other formats, and huge pictures."""
    assert sanitize.png(data) is None


def test_long_runs_of_one_character_are_read_at_once() -> None:
    """Patterns that may begin anywhere would take hours for these, in the grader's own process."""
    for text in ("!" * 300_000, "[" * 300_000, "<" * 300_000):
        assert len(sanitize.markdown(text)) >= 300_000
    word = Cell("a", "markdown", "a" * 1_000_000)
    assert not match.has_words(word)
    assert parsed(" " * 19_000 + "(") is None
    pictures = {"x.png": picture()}
    cell = Cell("b", "markdown", "[" * 300_000, attachments=pictures)
    assert "attachment:picture-1.png" in executed.notebook([Step(cell, "b", False)])
