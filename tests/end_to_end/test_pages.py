"""Pages that students and staff open, in a real browser: on a phone, with a screen reader, without anything active."""

from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder.program.build import Step
from autograder.records.homework import Cell
from autograder.records.marks import HandMarks, Mark
from autograder.reports import executed, report
from tests import sample_grade
from tests.active_content import ACTIVE
from tests.sample_grade import GRADE, LOG

pytestmark = [pytest.mark.slow, pytest.mark.turns(2, whole=True)]


@pytest.fixture
def page() -> str:
    return sample_grade.page()


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


RIGHT = replace(GRADE, marks=tuple(replace(mark, earned=mark.points) for mark in GRADE.marks))
NOTHING = replace(GRADE, marks=tuple(replace(mark, earned=0) for mark in GRADE.marks))
STATES = {
    "some": (GRADE, LOG),
    "right": (RIGHT, LOG),
    "nothing": (NOTHING, replace(LOG, outcomes=())),
    "by hand": (report.with_hand_marks(GRADE, LOG, {"compare": 4.5}), LOG),
}


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_it_fits_and_runs_nothing(browser: object, page: str, tmp_path: Path, width: int) -> None:
    """In Chromium nothing sticks out sideways, on a phone neither, and no script ran."""
    path = tmp_path / "report.html"
    path.write_text(page)
    view = browser.new_page(viewport={"width": width, "height": 740})  # type: ignore[attr-defined]
    view.goto(path.as_uri())
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    assert view.title().startswith("Homework <script>")
    view.close()


def test_no_word_breaks_on_a_phone(browser: object, tmp_path: Path) -> None:
    """Verdicts and the parts of questions' names stay whole at 390 pixels."""
    marks = tuple(
        Mark(name, 4, None, "A TA will mark this.", by_hand=True)
        for name in ("purification_threshold", "kernel_attention_cost")
    )
    grade = replace(GRADE, marks=marks)
    path = tmp_path / "report.html"
    path.write_text(report.html(grade, LOG, title="Homework", course="C", explain=False))
    view = browser.new_page(viewport={"width": 390, "height": 740})  # type: ignore[attr-defined]
    view.goto(path.as_uri())
    broken = view.evaluate(
        """() => {
            const words = document.createTreeWalker(
                document.querySelector('table.marks'), NodeFilter.SHOW_TEXT)
            const broken = []
            while (words.nextNode()) {
                const range = document.createRange()
                range.selectNodeContents(words.currentNode)
                if (range.getClientRects().length > 1 && !words.currentNode.data.includes(' '))
                    broken.push(words.currentNode.data)
            }
            return broken
        }"""
    )
    assert broken == []
    view.close()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", STATES)
def test_a_screen_reader_can_use_it(
    browser: object, tmp_path: Path, state: str, scheme: str, width: int
) -> None:
    """axe-core finds nothing to complain about, contrast included."""
    from axe_playwright_python.sync_playwright import Axe

    grade, log = STATES[state]
    text = report.html(
        grade,
        log,
        title="Homework",
        course="Course",
        explain=True,
        code={"identity": "x = 1\n" * 40},
        given=HandMarks(comments={"compare": "Good."}),
    )
    path = tmp_path / "report.html"
    # axe has to be let in; the policy itself is tested above.
    path.write_text(text.replace("default-src 'none'; ", ""))
    view = browser.new_page(  # type: ignore[attr-defined]
        viewport={"width": width, "height": 740}, color_scheme=scheme
    )
    view.goto(path.as_uri())
    found = Axe().run(view)
    assert found.violations_count == 0, found.generate_report()
    view.close()
