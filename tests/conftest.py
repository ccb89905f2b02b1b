"""What the tests share: this course, one warm sandbox, and a way to grade cells."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from autograder import homework, known
from autograder.course import Course
from autograder.facts.execute import Executed, execute
from autograder.facts.sandbox import Sandbox
from autograder.marks.judge import Judge, judge
from autograder.model import Cell, Grade, HandIn, Homework, Submission, SubmissionLog

ROOT = Path(__file__).parents[1]
SECRET = "tests"
BROWSER = shutil.which("chromium")
COURSE = Course(title="Attention", term="Spring", secret=SECRET)
EXAMPLES = ROOT / "tests" / "submissions" / "hw2_transformer"


def count(full: int, slice: int) -> int:
    """Return how many cases to try: all with FULL_COUNTS=1 (`make fuzz`), else a slice."""
    return full if os.environ.get("FULL_COUNTS") else slice


FUZZ = settings(
    derandomize=True,
    deadline=None,
    max_examples=count(full=35_000, slice=500),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="session")
def course() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def hw2() -> Homework:
    return homework.load(ROOT, "hw2_transformer")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def perfect(hw2: Homework) -> HandIn:
    return known.instructor(ROOT, hw2)


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return an empty gradebook's bytes: nbgrader takes seconds to make one."""
    from autograder.views import gradebook

    path = tmp_path_factory.mktemp("empty") / "gradebook.db"
    with gradebook.connect(str(path)):
        pass
    return path.read_bytes()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    if BROWSER is None:
        assert not os.environ.get("REQUIRE_BROWSER"), "Chromium is required here and is missing"
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=BROWSER,
            args=["--no-sandbox", "--headless", "--disable-background-networking"],
        )
        yield browser
        browser.close()


def executed(
    hand_in: HandIn,
    homework: Homework,
    *,
    sandbox: Sandbox,
    all_cells: bool = False,
) -> Executed:
    """Run a submission to its end, as `grade` does."""
    settled = Judge(homework, secret=SECRET).passed
    *_, state = execute(
        hand_in, homework, sandbox=sandbox, secret=SECRET, settled=settled, all_cells=all_cells
    )
    return state


Grader = Callable[..., tuple[SubmissionLog, Grade]]


@pytest.fixture
def graded(hw2: Homework, sandbox: Sandbox) -> Grader:
    """Grade a hand-in of hw2_transformer; `homework` replaces it."""

    def run(
        hand_in: HandIn, *, homework: Homework = hw2, all_cells: bool = False
    ) -> tuple[SubmissionLog, Grade]:
        state = executed(hand_in, homework, sandbox=sandbox, all_cells=all_cells)
        return state.log, judge(homework, state.log, secret=SECRET)

    return run


def with_cells(hand_in: HandIn, **sources: str) -> HandIn:
    """Return a hand-in with the sources of some cells replaced, by cell id."""
    known_ids = {cell.id for cell in hand_in.cells}
    assert set(sources) <= known_ids, set(sources) - known_ids
    cells = tuple(replace(c, source=sources.get(c.id, c.source)) for c in hand_in.cells)
    return replace(hand_in, cells=cells)


def with_added(hand_in: HandIn, source: str, *, after: str | None = None) -> HandIn:
    """Return a hand-in with a code cell added, after a cell or at the end."""
    ids = [cell.id for cell in hand_in.cells]
    place = len(ids) if after is None else ids.index(after) + 1
    added = Cell(id="added", type="code", source=source)
    return replace(hand_in, cells=(*hand_in.cells[:place], added, *hand_in.cells[place:]))


def of_code(*sources: str) -> HandIn:
    """Return a hand-in that has nothing but these code cells."""
    cells = tuple(Cell(id=f"own-{n}", type="code", source=s) for n, s in enumerate(sources))
    return HandIn(Submission("someone", "notebook", "0" * 64), cells)


def earned(grade: Grade) -> dict[str, float | None]:
    """Return the points earned by question id."""
    return {mark.question: mark.earned for mark in grade.marks}
