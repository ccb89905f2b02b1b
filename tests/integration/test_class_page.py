"""The page on a class that was really graded, in a real browser."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.active_content import OWNED
from tests.command_line import run
from tests.helpers import TOY, write_class

pytest.importorskip("scipy", reason="the extra `report` is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.turns(2, whole=True)]

EVIL = f"<script>{OWNED}</script><img src=x onerror={OWNED}>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a course and the results of eight submissions, some of them hostile."""
    root = tmp_path_factory.mktemp("class")
    course = Path(shutil.copytree(TOY, root / "course"))
    (course / "roster.csv").write_text(
        f'id,name,email\nperfect,Ada,a@x.y\nabsent,"{EVIL.replace(chr(34), chr(34) * 2)}",b@x.y\n'
    )
    handed_in = write_class(root / "in")
    wrong = (handed_in / "wrong.ipynb").read_text()
    for name, line in {
        "off_1": "(numbers > 0).sum() + 1",
        "off_2": "1 + (0 < numbers).sum()",
        "evil": f"[][{(EVIL.replace(chr(39), ''))!r}]",
    }.items():
        text = wrong.replace("(numbers >= 0).sum()", line.replace("\\", "\\\\").replace('"', '\\"'))
        assert text != wrong
        (handed_in / f"{name}.ipynb").write_text(text)
    (handed_in / "broken.ipynb").write_text("{")
    words = ["grade", "toy", handed_in, "--out", root / "d", "--course", course]
    ran = subprocess.run(
        [sys.executable, "-m", "autograder", *words], capture_output=True, text=True
    )
    assert ran.returncode == 2, ran.stderr  # of one that cannot be read
    return course, root / "d"


def test_what_two_students_share_and_nobody_listed_is_one_group(
    capsys: pytest.CaptureFixture[str], folder: tuple[Path, Path]
) -> None:
    """Written in different words, with hidden inputs of their own."""
    course, out = folder
    run(capsys, "report", out, "--course", course, "--public")
    page = (out / "class.html").read_text()
    unknown = page.split('<h2 id="unknown">')[1].split("</section>")[0]
    groups = unknown.split('<details class="card"')[1:]
    (group,) = (part for part in groups if "the same values" in part)
    assert "2 submissions: count" in group
    assert "off_1" in group
    assert "off_2" in group
    assert "counts_zeros" in page.replace("<wbr>", "")
    attention = page.split('<h2 id="attention">')[1]
    assert "no submission" in attention
    assert "broken" in attention


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_runs_and_nothing_is_wider_than_the_screen(
    browser: object, capsys: pytest.CaptureFixture[str], folder: tuple[Path, Path], width: int
) -> None:
    """Also with a hostile name in the roster and a hostile error in an answer."""
    course, out = folder
    run(capsys, "report", out, "--course", course, "--public")
    assert "&lt;script&gt;" in (out / "class.html").read_text()
    for name in ("class.html", "class_public.html"):
        view = browser.new_page(viewport={"width": width, "height": 800})  # type: ignore[attr-defined]
        asked: list[str] = []
        view.on("request", lambda request, asked=asked: asked.append(request.url))
        view.goto((out / name).as_uri())
        folded = view.locator("details:not([open]) > summary")
        while folded.count():
            folded.first.click()
        assert "owned" not in view.title()
        assert asked == [(out / name).as_uri()]
        assert view.evaluate("document.documentElement.scrollWidth") <= width
        view.close()


def test_a_screen_reader_finds_nothing_wrong(
    browser: object, capsys: pytest.CaptureFixture[str], folder: tuple[Path, Path]
) -> None:
    """By axe's rules."""
    from axe_playwright_python.sync_playwright import Axe

    course, out = folder
    run(capsys, "report", out, "--course", course, "--public")
    for name in ("class.html", "class_public.html"):
        context = browser.new_context(bypass_csp=True)  # type: ignore[attr-defined]
        view = context.new_page()
        view.goto((out / name).as_uri())
        found = Axe().run(view)
        assert found.violations_count == 0, found.generate_report()
        context.close()
