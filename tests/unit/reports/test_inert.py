"""inert: what staff open runs nothing, and still says what the student wrote."""

import base64
import io
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autograder.course.cells import parsed
from autograder.model import Cell
from autograder.program import match
from autograder.program.build import Step
from autograder.reports import executed, inert
from tests.helpers import FUZZ

OWNED = "document.title='owned'"
# Ways to run a script, or to tell someone that a page was opened, from Markdown.
ACTIVE = [
    r"$\mmlToken{mi}[style=\"position:fixed\" href=\"//evil.example\"]{x}$",
    f"<script>{OWNED}</script>",
    f"<ScRiPt\n>{OWNED}</sCrIpT\n>",
    f"text <img src=x onerror={OWNED}> text",
    f"<svg/onload={OWNED}>",
    f"<b onmouseover={OWNED} style='position:fixed;inset:0'>b</b>",
    f"<iframe srcdoc='<script>parent.{OWNED}</script>'></iframe>",
    f"`code <script>{OWNED}</script>`",
    f"```\n</code></pre><script>{OWNED}</script>\n```",
    f"$x <script>{OWNED}</script>$",
    f"<!-- comment --><script>{OWNED}</script>",
    f"<details open ontoggle={OWNED}>",
    f"[link](javascript:{OWNED})",
    f"[link](JaVaScRiPt:{OWNED})",
    f"[link](<java\tscript:{OWNED}>)",
    f"[link](java&#115;cript&colon;{OWNED})",
    f"[link](&#106avascript:{OWNED})",
    f"[link](javascript\\:{OWNED})",
    f"[link][a]\n\n[a]: javascript:{OWNED}",
    f"<javascript:{OWNED}>",
    rf"$\href{{javascript:{OWNED}}}{{x}}$",
    "![picture](http://tracker.invalid/x.png)",
    "![picture][b]\n\n[b]: http://tracker.invalid/y.png",
    "!![picture](http://tracker.invalid/x.png) !!![picture](http://tracker.invalid/x.png)",
    r"$\style{background:url(http://tracker.invalid/x.png)}{x}$",
    "<link rel=stylesheet href=http://tracker.invalid/z.css>",
    "<meta http-equiv=refresh content='0;url=http://tracker.invalid/'>",
    f"<a href='javascript:{OWNED}'>click</a>",
    f"<form action='javascript:{OWNED}'><button>b</button></form>",
]


def picture(size: tuple[int, int] = (2, 1)) -> str:
    file = io.BytesIO()
    Image.new("RGB", size, (255, 0, 0)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


@pytest.mark.slow
def test_nothing_runs_and_nothing_is_fetched(browser: object, tmp_path: Path) -> None:
    """Shown as formgrader shows it, in Chromium, with every link clicked."""
    from nbconvert import HTMLExporter

    steps = [
        Step(Cell(str(n), kind, text), "", False)
        for n, (kind, text) in enumerate(
            (kind, text) for text in ACTIVE for kind in ("markdown", "raw", "code")
        )
    ]
    outputs = tuple(
        {"output_type": "display_data", "data": {kind: text}}
        for text in ACTIVE
        for kind in (
            "text/html",
            "text/markdown",
            "image/svg+xml",
            "application/javascript",
            "text/latex",
            "text/plain",
        )
    )
    streams = tuple({"output_type": "stream", "text": text} for text in ACTIVE)
    errors = tuple(
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text]}
        for text in ACTIVE
    )
    steps.append(Step(Cell("o", "code", "1", outputs=(*outputs, *streams, *errors)), "", True))
    page, _ = HTMLExporter(exclude_input_prompt=True).from_notebook_node(
        nbformat.reads(executed.notebook(steps), 4)
    )
    path = tmp_path / "page.html"
    path.write_text(page)
    view = browser.new_page()  # type: ignore[attr-defined]
    asked: list[str] = []
    view.route(
        "**/*",
        lambda route: (
            asked.append(route.request.url),
            route.abort() if "invalid" in route.request.url else route.continue_(),
        ),
    )
    view.goto(path.as_uri(), wait_until="domcontentloaded")
    targets = view.eval_on_selector_all(
        "#notebook-container a, body a", "all => all.map(a => a.href)"
    )
    view.evaluate(
        "document.querySelectorAll('a').forEach(a => { a.target = '_self'; if (!a.href.startsWith('http')) a.click() })"
    )
    view.wait_for_timeout(300)
    assert view.title() != "owned"
    assert not [target for target in targets if "script:" in target.lower()]
    assert not [url for url in asked if "tracker" in url]
    view.close()


@pytest.mark.fuzzed
@given(st.text(alphabet="<>/!?abjcsrip\\&#;: \n\t`$[]()x", max_size=60))
@FUZZ
def test_no_tag_with_attributes_and_no_script_link_survives(text: str) -> None:
    """Whatever is mixed: no `<` begins anything but a harmless tag."""
    safe = inert.markdown(text)
    assert not inert._TAG.search(safe)
    assert not inert._SCRIPT.search(safe)


def test_honest_text_stays() -> None:
    """Formulas, code, lists, links and simple tags say what they said."""
    text = (
        "If $a<b$ and `x < 1`, see [this](https://example.org) <br> **bold** &lt; 5 & more\n\n- one"
    )
    assert inert.markdown(text).replace("a< b", "a<b") == text


def test_an_image_is_drawn_anew() -> None:
    """The pixels stay; what else was in the file is gone."""
    raw = base64.b64decode(picture()) + b"<script>hidden</script>"
    again = inert.png(base64.b64encode(raw).decode())
    assert again is not None
    assert b"hidden" not in base64.b64decode(again)
    with Image.open(io.BytesIO(base64.b64decode(again))) as image:
        assert image.getpixel((1, 0)) == (255, 0, 0, 255)


@pytest.mark.parametrize(
    "data", ["", "####", "aGk=", picture((9000, 9000)), "R0lGODlhAQABAAAAACw="]
)
def test_what_is_no_image_is_dropped(data: str) -> None:
    """Not base64, not PNG, or far too large: no image."""
    assert inert.png(data) is None


def test_long_runs_of_one_character_are_read_at_once() -> None:
    """Patterns that begin anywhere would take hours for these, in the grader's own process."""
    for text in ("!" * 300_000, "[" * 300_000, "<" * 300_000):
        assert len(inert.markdown(text)) >= 300_000
    word = Cell("a", "markdown", "a" * 1_000_000)
    assert not match.has_words(word)
    assert parsed(" " * 19_000 + "(") is None
    pictures = {"x.png": picture()}
    cell = Cell("b", "markdown", "[" * 300_000, attachments=pictures)
    assert "attachment:picture-1.png" in executed.notebook([Step(cell, "b", False)])
