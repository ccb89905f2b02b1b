"""Fixtures of every test, those beside a homework included."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from autograder.course import homework, known_answers
from autograder.course.course import SECRET_VARIABLE
from autograder.marking.judge import judge
from autograder.records.facts import Submission, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import ROOT, SECRET, TOY, WARM, Grader, executed, with_cells
from tests.turn import TURN, Turns, left_out

BROWSER = shutil.which("chromium")


def pytest_configure() -> None:
    """Draw the same hidden inputs in every clone, and blame no test for a busy machine."""
    settings.register_profile("ours", deadline=None)
    settings.load_profile("ours")
    # Each clone would make a secret of its own.
    os.environ.setdefault(SECRET_VARIABLE, f"{SECRET}-for-every-clone")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--share", action="store_true", help="of tests with the mark turns(n), this commit's n-th"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has its turn at another commit."""
    if not config.getoption("--share"):
        return
    away = dict(zip(items, left_out([_turns(item) for item in items]), strict=True))
    config.hook.pytest_deselected(items=[item for item in items if away[item]])
    items[:] = [item for item in items if not away[item]]


def _turns(item: pytest.Item) -> Turns | None:
    """Return how a test takes turns: among the long ones, or with its parameters among its file's."""
    if not (mark := item.get_closest_marker("turns")):
        return None
    (every,), file = mark.args, str(item.path)
    if mark.kwargs.get("whole"):
        return Turns("long", file, every)
    if mark.kwargs.get("long"):
        return Turns("long", item.nodeid, every)
    parameters = getattr(item, "callspec", None)
    return Turns(file, parameters.id if parameters else item.name, every)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what repeats this run, and what was skipped for which reason.

    With SKIPPED=FILE, a line for each is also added to a file, for the last lines of `make test`.
    """
    terminalreporter.write_line(f"TURN={TURN} repeats these shares of the full counts")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
    if file := os.environ.get("SKIPPED"):
        with Path(file).open("a", encoding="utf-8") as kept:
            kept.writelines(f"skipped: {reason}\n" for reason in reasons.elements())


@pytest.fixture(scope="session")
def course() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def toy() -> Homework:
    """The smallest homework: for every test that needs some homework, whichever it is."""
    return homework.load(TOY, "toy")


@pytest.fixture(scope="session")
def solved(toy: Homework) -> Submission:
    """The toy homework with the instructor's answers."""
    return known_answers.instructor(TOY, toy)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A copy of the toy course to change, under a unique name for Python's modules."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(TOY, tmp_path / "course", ignore=ignored).resolve()


@pytest.fixture(scope="session")
def unargued(toy: Homework, solved: Submission) -> Submission:
    """The toy homework with all answers but the written one."""
    (stub,) = (cell.source for cell in toy.cells if cell.id == "argue")
    return with_cells(solved, argue=stub)


@pytest.fixture(scope="session")
def hw2() -> Homework:
    return homework.load(ROOT, "hw2_transformer")


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        sandbox.launch(WARM)
        yield sandbox


@pytest.fixture(scope="session")
def perfect(hw2: Homework) -> Submission:
    return known_answers.instructor(ROOT, hw2)


@pytest.fixture(scope="session")
def empty_gradebook(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return an empty gradebook's bytes: nbgrader takes seconds to make one."""
    from autograder.platforms.nbgrader import database

    path = tmp_path_factory.mktemp("empty") / "gradebook.db"
    with database.connect(str(path)):
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


@pytest.fixture
def graded(toy: Homework, sandbox: Sandbox) -> Grader:
    """Grade a submission of the toy homework; `homework` replaces it."""

    def run(
        submission: Submission, *, homework: Homework = toy, all_cells: bool = False
    ) -> tuple[SubmissionLog, Grade]:
        state = executed(submission, homework, sandbox=sandbox, all_cells=all_cells)
        return state.log, judge(homework, state.log, secret=SECRET)

    return run
