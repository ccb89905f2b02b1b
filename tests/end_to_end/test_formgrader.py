"""Hand marking from end to end: nbgrader's own commands and formgrader, in a real browser."""

import contextlib
import html
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.course import rubrics
from autograder.platforms.nbgrader import database
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from tests.active_content import ACTIVE
from tests.gradebooks import (
    ACTIVATED,
    BIN,
    NAME,
    call,
    comment,
    give,
    gradebook,
    grades,
    make_course,
    put,
    run,
)
from tests.helpers import EXAMPLES, ROOT, of_code, with_cells
from tests.marking_course import free_port
from tests.postgres import postgresql

pytestmark = [pytest.mark.slow, pytest.mark.turns(5)]

ANSWER = "Both are near the identity: 1.03 in my figure. Only the product of query and key counts."
COMMENT = "Which *figure* is that number from?"
QUESTION = "compare_identity"
FEEDBACK = f"feedback/a001/{NAME}/{NAME}.html"


def words_of(text: str) -> str:
    """Return a text's words, without what Markdown and HTML put around them."""
    return " ".join(re.findall(r"\w+", html.unescape(re.sub(r"<[^>]*>", " ", text))))


def sentences(question: str) -> list[str]:
    """Return the words of each sentence of a rubric that no student may read."""
    text = rubrics.secret(
        (ROOT / "source" / NAME / "staff" / "rubrics" / f"{question}.md").read_text()
    )
    parts = (words_of(part) for part in re.split(r"[.:;\n]", text))
    found = [part for part in parts if len(part.split()) > 2]
    assert len(found) > 5
    return found


def answer(homework: Homework, text: str) -> Submission:
    """Return the release with one written answer."""
    return with_cells(replace(of_code(), cells=homework.cells), compare_identity=text)


@pytest.fixture
def mine(tmp_path: Path, empty_gradebook: bytes) -> Path:
    place = make_course(tmp_path / "course")
    (place / "gradebook.db").write_bytes(empty_gradebook)
    return place


@contextlib.contextmanager
def jupyter(course: Path) -> Iterator[str]:
    """Start JupyterLab with formgrader in a course; yield its address."""
    port = free_port()
    private = course.parent / "jupyter"
    private.mkdir()
    kinds = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    settings = {f"JUPYTER_{kind}": str(private / kind) for kind in kinds}
    with (private / "log").open("w") as log:
        server = subprocess.Popen(
            [
                str(BIN / "jupyter-lab"),
                "--no-browser",
                "--allow-root",
                "--ip=127.0.0.1",
                f"--port={port}",
                "--ServerApp.port_retries=0",
                "--IdentityProvider.token=sesame",
            ],
            cwd=course,
            env={**os.environ, **settings, **ACTIVATED},
            stdout=log,
            stderr=log,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(120):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
                break
            assert server.poll() is None, (private / "log").read_text()
            time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="module")
def marking(
    tmp_path_factory: pytest.TempPathFactory, hw2: Homework, empty_gradebook: bytes
) -> Iterator[tuple[Path, str]]:
    """Serve a course in formgrader, with a submission that has an answer and one that has none."""
    place = make_course(tmp_path_factory.mktemp("served") / "course")
    (place / "gradebook.db").write_bytes(empty_gradebook)
    put(place / "graded", "a001", answer(hw2, ANSWER), hw2)
    put(place / "graded", "b002", replace(of_code(), cells=hw2.cells), hw2)
    assert run(place, "gradebook", place / "graded")[0] == 0
    with jupyter(place) as address:
        yield place, address


@pytest.fixture
def served(marking: tuple[Path, str]) -> Path:
    """Return the course that formgrader serves."""
    return marking[0]


@pytest.fixture
def formgrader(marking: tuple[Path, str], browser: Any) -> Iterator[Any]:
    """Open the list of submissions in formgrader."""
    context = browser.new_context(base_url=marking[1])
    page = context.new_page()
    page.goto("/login?token=sesame", wait_until="domcontentloaded")
    page.goto(f"/formgrader/gradebook/{NAME}/{NAME}")
    yield page
    context.close()


def open_submission(page: Any, course: Path, student: str) -> None:
    """Go to a submission in formgrader."""
    with gradebook(course) as database:
        (id,) = database.execute(
            "select submitted_notebook.id from submitted_notebook join submitted_assignment "
            "on submitted_assignment.id = submitted_notebook.assignment_id where student_id = ?",
            (student,),
        ).fetchone()
    page.goto(f"/formgrader/submissions/{id}/", wait_until="load")


def test_a_person_marks_in_formgrader(formgrader: Any, served: Path, hw2: Homework) -> None:
    """From the queue to the student's page, and again when another text is submitted."""
    page = formgrader
    rows = page.locator("tbody tr").filter(has_text="Submission #")
    rows.first.wait_for()
    waiting = [row for row in rows.all() if row.locator("td").nth(6).locator(".glyphicon").count()]
    assert (rows.count(), len(waiting)) == (2, 1)
    waiting[0].get_by_text("Submission #").click()
    box = page.locator(".nbgrader_cell").filter(has=page.locator(f"#{QUESTION}"))
    assert ANSWER in box.inner_text()
    seen = words_of(page.content())
    assert all(sentence in seen for sentence in sentences(QUESTION))
    field = page.locator(f"#{QUESTION}")
    page.locator(f"#{QUESTION}.needs_manual_grade").wait_for()
    # The link at the top leads to it, and not below the line that formgrader fixes there.
    page.get_by_role("link", name=QUESTION, exact=True).first.click()
    page.wait_for_timeout(500)
    assert 60 < field.bounding_box()["y"] < 700
    field.fill("4.5")
    field.blur()
    page.locator(f"#{QUESTION}:not(.needs_manual_grade)").wait_for()
    page.locator(f"#{QUESTION}-comment").fill(COMMENT)
    with page.expect_response(lambda answer: "/api/comment/" in answer.url and answer.ok):
        page.locator(f"#{QUESTION}-comment").blur()
    assert grades(served, "a001")[QUESTION] == (None, 4.5, None, False)
    assert comment(served, "a001", QUESTION) == (None, COMMENT)

    call(served, "generate_feedback", NAME, "--student", "a001")
    text = words_of((served / FEEDBACK).read_text())
    assert "4 5 of 60 points" in text
    assert words_of(COMMENT) in text
    assert "identity not answered 0 12" in text
    for question in (QUESTION, "compare_copy_first"):
        assert not [sentence for sentence in sentences(question) if sentence in text]

    put(served / "graded", "a001", answer(hw2, f"{ANSWER} Or 0.87."), hw2)
    assert "look again" in run(served, "gradebook", served / "graded")[1]
    open_submission(page, served, "a001")
    assert "Or 0.87." in box.inner_text()
    resolve = box.get_by_role("button", name="Resolve")
    resolve.wait_for()
    assert field.input_value() == "4.5"
    resolve.click()
    page.locator(f"#{QUESTION}:not(.needs_manual_grade)").wait_for()
    page.wait_for_load_state("networkidle")
    assert grades(served, "a001")[QUESTION] == (None, 4.5, None, False)


def test_nothing_of_a_student_runs(formgrader: Any, served: Path, hw2: Homework) -> None:
    """In formgrader and on a page of feedback that its own button made, wherever one clicks."""
    evil = "\n\n".join(ACTIVE)
    submission = with_cells(answer(hw2, evil), title=evil, collaboration=evil)
    data = {"output_type": "display_data", "data": {"text/html": evil}, "metadata": {}}
    error = {"output_type": "error", "ename": evil, "evalue": evil, "traceback": [evil]}
    cells = tuple(
        replace(cell, outputs=(data, error)) if cell.type == "code" else cell
        for cell in submission.cells
    )
    put(served / "graded", "a001", replace(submission, cells=cells), hw2)
    assert run(served, "gradebook", served / "graded")[0] == 0
    with database.connect(str(served / "gradebook.db")) as book:
        book.find_comment(QUESTION, NAME, NAME, "a001").manual_comment = evil
        book.db.commit()
    page = formgrader
    page.goto(f"/formgrader/manage_submissions/{NAME}", wait_until="load")
    (served / FEEDBACK).unlink(missing_ok=True)
    shutil.rmtree(served / "feedback", ignore_errors=True)
    page.evaluate(
        """async (url) => {
            const token = document.cookie.match(/_xsrf=([^;]*)/)[1];
            await fetch(url, {method: "POST", headers: {"X-CSRFToken": token}});
        }""",
        f"/formgrader/api/assignment/{NAME}/a001/generate_feedback",
    )
    text = words_of((served / FEEDBACK).read_text())
    assert not [sentence for sentence in sentences(QUESTION) if sentence in text]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for show, shown in (
        (lambda: open_submission(page, served, "a001"), "#notebook-container"),
        (lambda: page.goto((served / FEEDBACK).as_uri(), wait_until="load"), "main"),
    ):
        show()
        assert page.locator(shown).get_by_text("tracker.invalid").count()
        for element in ("script", "iframe", "form"):
            assert page.locator(f"{shown} {element}").count() == 0
        page.evaluate(
            """shown => document.querySelectorAll(`${shown} a`).forEach(a => {
                a.target = "_self"; if (!a.href.startsWith("http")) a.click() })""",
            shown,
        )
        page.wait_for_timeout(500)
        assert page.title() != "owned"
    assert not [url for url in asked if "tracker" in url]


def test_without_the_courses_settings_no_feedback_is_written(mine: Path, hw2: Homework) -> None:
    """The step that takes rubrics out is not there: rather no page than one with a rubric."""
    put(mine / "graded", "a001", answer(hw2, ANSWER), hw2)
    assert run(mine, "gradebook", mine / "graded")[0] == 0
    (mine / "nbgrader_config.py").unlink()
    said = call(mine, "generate_feedback", NAME, fails=True)
    assert "run_nbgrader_in_the_folder_of_the_course" in said
    assert not list(mine.glob("feedback/**/*.html"))


def test_nbgraders_own_commands_are_enough(mine: Path) -> None:
    """generate_assignment, autograde, generate_feedback: marks are ours, and nothing runs in nbgrader's kernel."""
    ran = mine / "ran"
    for student in ("perfect", "unfilled", "hostile"):
        folder = mine / "submitted" / student / NAME
        folder.mkdir(parents=True)
        example = "unfilled" if student == "hostile" else student
        text = (EXAMPLES / f"{example}.ipynb").read_text()
        if student == "hostile":
            text = text.replace("import ast", f"open({str(ran)!r}, 'w').close()", 1)
        (folder / f"{NAME}.ipynb").write_text(text)
        (folder / "proof.html").write_text("<script>document.title = 'owned'</script>")
        (folder / "reference.txt").symlink_to(mine / "source" / NAME / "staff" / "reference.py")
        (folder / "figures").mkdir()
        (folder / "figures" / "a.svg").write_text("<svg onload='alert(1)'/>")
    (mine / "submitted" / "broken" / NAME).mkdir(parents=True)
    (mine / "submitted" / "broken" / NAME / f"{NAME}.ipynb").write_text("nonsense")
    mine.chmod(0o777)  # so that only the sandbox is in the way
    call(mine, "generate_assignment", NAME, "--force")
    said = call(mine, "autograde", NAME, fails=True)
    assert "for student 'broken'" in said
    assert said.count("secret.txt: hidden inputs are drawn from it") == 1
    assert (mine / "secret.txt").is_file()
    assert said.count("There was an error processing assignment '") == 1
    assert not ran.exists()
    # formgrader serves what lies in autograded/ as it is.
    assert {path.name for path in (mine / "autograded" / "hostile" / NAME).rglob("*")} == {
        f"{NAME}.ipynb"
    }
    marks = grades(mine, "perfect")
    assert marks["identity"] == (12, None, None, False)
    assert marks["unique"] == (4, None, None, False)
    assert marks[QUESTION] == (None, None, None, True)
    assert not any(needed for *_, needed in grades(mine, "unfilled").values())
    shown = "equal numbers are no sign of copying"
    assert shown in (mine / "autograded" / "perfect" / NAME / f"{NAME}.ipynb").read_text()
    give(mine, "perfect", QUESTION, 5)
    call(mine, "autograde", NAME, "--force", "--student", "perfect")
    assert grades(mine, "perfect")[QUESTION] == (None, 5, None, False)
    # The results are those of `autograder grade`: its verbs go on from here.
    status, said = run(mine, "gradebook", mine / "graded" / NAME)
    assert (status, "3 submissions in the gradebook" in said) == (0, True), said
    status, said = run(mine, "report", mine / "graded" / NAME, "--gradebook", mine / "gradebook.db")
    assert status == 0, said
    assert '"perfect","8","8","4","4","12","5","12","","4","57"' in (
        mine / "graded" / NAME / "grades.csv"
    ).read_text(encoding="utf-8-sig")


@pytest.fixture
def postgres() -> Iterator[str]:
    with postgresql() as url:
        yield url


def test_a_gradebook_in_postgresql(postgres: str, mine: Path, hw2: Homework) -> None:
    """Marks go in and stay, flags and feedback work, and points come back."""
    config = mine / "nbgrader_config.py"
    config.write_text(f"{config.read_text()}\nc.CourseDirectory.db_url = {postgres!r}\n")
    (mine / "roster.csv").write_text("id,name,email\na001,Ada Example,ada@example.org\n")
    put(mine / "graded", "a001", answer(hw2, ANSWER), hw2)
    long = "l" * 129  # more than a nbgrader column holds; SQLite would take it
    put(mine / "graded", long, answer(hw2, ANSWER), hw2)
    status, said = run(mine, "gradebook", mine / "graded")
    assert status == 2
    assert "1 submission in the gradebook, 1 answer to mark by hand" in said
    assert "the gradebook rejects it (value too long" in said
    shutil.rmtree(mine / "graded" / long)
    with database.connect(postgres) as book:
        grade = book.find_grade(QUESTION, NAME, NAME, "a001")
        assert grade.needs_manual_grade
        grade.manual_score, grade.needs_manual_grade = 4.5, False
        book.find_comment(QUESTION, NAME, NAME, "a001").manual_comment = COMMENT
        book.db.commit()
    put(mine / "graded", "a001", answer(hw2, f"{ANSWER} Or 0.87."), hw2)
    status, said = run(mine, "gradebook", mine / "graded", "--db", postgres)
    assert (status, "look again" in said) == (0, True), said
    with database.connect(postgres) as book:
        grade = book.find_grade(QUESTION, NAME, NAME, "a001")
        assert (grade.manual_score, grade.needs_manual_grade) == (4.5, True)
        assert book.find_student("a001").last_name == "Example"
    assert not grades(mine, "a001")  # in the file that is there as well
    call(mine, "generate_feedback", NAME)
    assert words_of(COMMENT) in words_of((mine / FEEDBACK).read_text())
    assert run(mine, "report", mine / "graded", "--gradebook", postgres)[0] == 0
    assert '"4.5"' in (mine / "graded" / "grades.csv").read_text(encoding="utf-8-sig")
