"""Pages that students and staff open, in a real browser: on a phone, with a screen reader, without anything active."""

from pathlib import Path

import nbformat
import pytest

from autograder.model import Cell
from autograder.program.build import Step
from autograder.reports import executed
from tests import sample_grade
from tests.active_content import ACTIVE

pytestmark = pytest.mark.slow


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


def test_it_fits_a_phone_and_runs_nothing(browser: object, page: str, tmp_path: Path) -> None:
    """In Chromium at 360 pixels nothing sticks out sideways, and no script ran."""
    path = tmp_path / "report.html"
    path.write_text(page)
    view = browser.new_page(viewport={"width": 360, "height": 740})  # type: ignore[attr-defined]
    view.goto(path.as_uri())
    assert view.evaluate("document.documentElement.scrollWidth") <= 360
    assert view.title().startswith("Homework <script>")
    view.close()


def test_a_screen_reader_can_use_it(browser: object, page: str, tmp_path: Path) -> None:
    """axe-core finds nothing to complain about."""
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "report.html"
    # axe has to be let in; the policy itself is tested above.
    path.write_text(page.replace("default-src 'none'; ", ""))
    view = browser.new_page(viewport={"width": 360, "height": 740})  # type: ignore[attr-defined]
    view.goto(path.as_uri())
    found = Axe().run(view)
    assert found.violations_count == 0, found.generate_report()
    view.close()
