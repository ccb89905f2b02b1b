"""inert: files for staff run nothing, but still show what the student wrote."""

import base64
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

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


Cleaner = Callable[[str], str | None]
CLEANERS = pytest.mark.parametrize("clean", [sanitize.png, sanitize.bare_png])


def with_text(png: str, *, after: bytes) -> str:
    """Return a PNG with a text before its pixels, and bytes after its end."""
    with Image.open(io.BytesIO(base64.b64decode(png))) as image:
        words, new = PngInfo(), io.BytesIO()
        words.add_text("Comment", "<script>hidden</script>")
        image.save(new, "PNG", pnginfo=words)
    assert b"hidden" in new.getvalue()
    return base64.b64encode(new.getvalue() + after).decode()


@CLEANERS
def test_an_image_keeps_its_pixels_alone(clean: Cleaner) -> None:
    """Everything else in the file is gone."""
    again = clean(with_text(picture(), after=b"<script>hidden</script>"))
    assert again is not None
    assert b"hidden" not in base64.b64decode(again)
    with Image.open(io.BytesIO(base64.b64decode(again))) as image:
        assert image.convert("RGBA").getpixel((1, 0)) == (255, 0, 0, 255)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "I;16"])
def test_a_bare_image_looks_the_same(mode: str) -> None:
    """This covers palettes and transparent colours."""
    new = io.BytesIO()
    pixels = Image.effect_noise((30, 20), 80)
    (pixels.convert(mode) if mode != "I;16" else Image.new(mode, (3, 2), 500)).save(
        new, "PNG", **({"transparency": 3} if mode == "P" else {})
    )
    clean = sanitize.bare_png(base64.b64encode(new.getvalue()).decode())
    assert clean is not None
    with Image.open(new) as before, Image.open(io.BytesIO(base64.b64decode(clean))) as after:
        assert before.convert("RGBA").tobytes() == after.convert("RGBA").tobytes()


def test_a_damaged_image_is_dropped() -> None:
    """Each chunk has a checksum, and the last one is the end."""
    whole = base64.b64decode(picture())
    for number in range(len(whole)):
        changed = bytearray(whole)
        changed[number] ^= 1
        assert sanitize.bare_png(base64.b64encode(changed).decode()) is None
        assert sanitize.bare_png(base64.b64encode(whole[:number]).decode()) is None


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
@CLEANERS
def test_what_is_no_image_is_dropped(clean: Cleaner, data: str) -> None:
    """This covers invalid base64, other formats, and huge pictures."""
    assert clean(data) is None


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
