"""The desk without a browser: its requests, and the jobs that they start."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.reports import executed
from autograder.staff.desk.jobs import Command, Job
from autograder.staff.desk.marking import Marking
from autograder.staff.desk.server import JOBS, Desk
from autograder.store import files
from tests import fabricated_class
from tests.gradebooks import make_course, run
from tests.graded import waiting
from tests.helpers import TOY
from tests.marking import execute, make_gradebook
from tests.marking_course import Session, hand_in, serve

pytestmark = pytest.mark.slow


@dataclass
class Page:
    """A desk as a browser sees it behind the guard."""

    desk: Desk

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, str]:
        """Return the status and the text of a page, or of the answer to a body."""
        path, _, query = path.partition("?")
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET" if body is None else "POST",
            "path": path,
            "query_string": query.encode(),
            "headers": [],
            "state": {"marker": "Ana", "holder": "a"},
        }
        got: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body or b"", "more_body": False}

        async def send(message: Any) -> None:
            got.append(message)

        with ThreadPoolExecutor(1) as elsewhere:  # tests in a browser leave a loop in their thread
            elsewhere.submit(
                lambda: asyncio.run(self.desk.application()(scope, receive, send))
            ).result()
        return got[0]["status"], b"".join(one.get("body", b"") for one in got).decode()

    def send(self, at: str, /, **fields: object) -> str:
        """Return the answer to a form for the toy homework."""
        status, text = self.ask(at, json.dumps({"homework": "toy", **fields}).encode())
        assert status == 200, text
        return text

    def start(self, **fields: object) -> int:
        """Return the number of the job that a form starts."""
        return int(json.loads(self.send("/run", **fields))["go"].removeprefix("/jobs/"))

    def ended(self, number: int) -> Job:
        """Wait for a job."""
        for _ in range(1_200):
            if not (job := self.desk.jobs.get(number)).running:
                for process in self.desk.jobs._started:  # its status is written before its end
                    process.wait(10)
                return job
            time.sleep(0.1)
        raise AssertionError(f"job {number} still runs: {job.output}")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return make_course(tmp_path / "course", like=TOY)


def opened(root: Path, url: str = "") -> Page:
    """Open the desk of a course, with its results in the folder `out`."""
    (root / "out").mkdir(exist_ok=True)
    book = url or str(root / "gradebook.db")
    return Page(Desk(root, root / "out", book, url, Marking(root, book, named=False)))


@pytest.fixture
def page(course: Path) -> Iterator[Page]:
    one = opened(course)
    with closing(one.desk._marking):
        yield one


def test_naming_a_mistake_keeps_what_people_gave(course: Path) -> None:
    """Marks and comments of the desk's own gradebook stay in the reports that change, as with the verb."""
    folder = fabricated_class.write(course / "out" / "toy", 6, name="s{:04}")
    for student in folder.iterdir():
        files.write(student / files.EXECUTED, executed.notebook(()))
    book = make_gradebook(course / "marks.db", 6)
    execute(book, "update grade set manual_score = 1.75, needs_manual_grade = 0")
    execute(book, "update comment set manual_comment = 'Say why.'")
    (first, *_), page = waiting(course, folder), opened(course, book)
    for path, said in (("/name", True), ("/unname", False)):
        page.send(path, id=first.name, text="You count zeros.")
        for student in first.students:
            report = (folder / student / files.REPORT).read_text()
            assert ("You count zeros." in report) == said
            assert "1.75" in report
            assert "Say why." in report


@pytest.mark.parametrize("file", ["grades.csv", "../secret.txt"])
def test_only_files_for_platforms_can_be_removed(course: Path, page: Page, file: str) -> None:
    """An export can be written again; the class's table may be a person's last copy."""
    place = course / "out" / "toy"
    place.mkdir(parents=True)
    for name in (file, "canvas.csv"):
        (place / name).write_text("kept")
    assert page.ask("/remove", json.dumps({"homework": "toy", "path": file}).encode())[0] == 404
    assert (place / file).read_text() == "kept"
    page.send("/remove", path="canvas.csv")
    assert not (place / "canvas.csv").exists()


@pytest.mark.parametrize(
    ("dropped", "kept"),
    [
        ("ada.ipynb", "ada.ipynb"),
        ("Ada%20B.%20(2).ipynb", "Ada_B._2.ipynb"),
        ("submission_log.json", "submission_log.json"),
        ("ada.py", "ada.py"),
        ("../../grades.csv", "grades.csv"),
        ("-x.a%20b", "x.a_b"),
        (".ipynb", "ipynb"),
    ],
)
def test_a_dropped_file_keeps_its_kind(page: Page, dropped: str, kept: str) -> None:
    """A file's name tells whose and what it is, and leads nowhere else."""
    status, text = page.ask(f"/bring/upload?name={dropped}", b"{}")
    path = Path(json.loads(text)["path"])
    assert (status, path.name, path.read_bytes()) == (200, kept, b"{}")
    assert path.parents[2] == page.desk.out / ".desk"


def test_a_dropped_notebook_is_that_person_s(page: Page) -> None:
    solved = (TOY / "solutions" / "toy" / "toy.ipynb").read_bytes()
    path = json.loads(page.ask("/bring/upload?name=ada.ipynb", solved)[1])["path"]
    found = page.send("/look", path=path)
    assert '<th scope="row">ada</th>' in found


def test_a_path_means_the_same_in_a_job(
    page: Page, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each job has a folder of its own, but people's paths begin where the desk was started, or at home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    inbox = tmp_path / "home" / "inbox"
    inbox.mkdir(parents=True)
    hand_in(course / "out" / "toy", "s0", "It is 0 / 0.")
    for typed in ("home/inbox", "~/inbox", f" {inbox} "):
        assert "There is no submission in it." in page.send("/look", path=typed)
    graded = page.ended(page.start(what="grade", path="home/inbox")).command
    assert graded.words[2] == str(inbox)
    sent = {"platform": "canvas", "path": "~/inbox", "submissions": "home/inbox"}
    reported = page.ended(page.start(what="export", **sent)).command  # marks have no table yet
    assert isinstance(reported.then, Command)
    words = reported.then.words
    assert words[3] == words[words.index("--submissions") + 1] == str(inbox)


def test_a_gradebook_means_the_same_in_a_job(course: Path) -> None:
    """`desk --gradebook marks.db` fills the file beside the prompt, not one in a job's folder."""
    hand_in(course / "out" / "toy", "s0", "It is 0 / 0.")
    assert run(course, "gradebook", course / "out" / "toy", "--db", course / "marks.db")[0] == 0
    hand_in(course / "out" / "toy", "s1", "It is undefined.")
    with serve(course, "--gradebook", "marks.db", verb=("desk", "out")) as served:
        assert Session(served).ask("/run", {"homework": "toy", "what": "fill"})[0] == 200
        job = course / "out" / JOBS / "1"
        for _ in range(1_200):
            if (job / "status").exists():
                break
            time.sleep(0.1)
    assert (job / "status").read_text() == "0\n", (job / "output.txt").read_text()
    assert not list(job.glob("*.db"))
    with closing(sqlite3.connect(course / "marks.db")) as database:
        rows = database.execute("select student_id from submitted_assignment").fetchall()
    assert {student for (student,) in rows} == {"s0", "s1"}


def test_the_log_s_table_is_for_excel(page: Page) -> None:
    """Without the mark, it garbles names."""
    assert page.ask("/log.csv")[1].startswith('\ufeff"when"')


def test_a_cell_of_empty_lines_hides_no_notebook(page: Page, course: Path) -> None:
    hand_in(course / "out" / "toy", "s0", "\n" * 45)
    status, text = page.ask("/questions/toy/s0/notebook")
    assert (status, "Notebook as it was run" in text) == (200, True)


def test_answers_are_new_as_soon_as_they_are_fetched(page: Page, course: Path) -> None:
    """A question opens from any link, and whoever looks while new answers come sees them afterwards."""
    assert "no such gradebook" in page.ask("/mark/at/toy/argue")[1]
    hand_in(course / "out" / "toy", "s0", "It is 0 / 0.")
    assert page.ended(page.start(what="fill")).status == 0
    status, text = page.ask("/mark/at/toy/argue")
    assert (status, "Answer 1 of 1" in text) == (200, True)
    hand_in(course / "out" / "toy", "s1", "It is undefined.")
    number = page.start(what="fill")
    assert "Answer 1 of 1" in page.ask("/mark/at/toy/argue")[1]
    assert page.ended(number).status == 0
    assert " of 2</h2>" in page.ask("/mark/at/toy/argue")[1]
    again = page.send("/again", number=number)
    hand_in(course / "out" / "toy", "s2", "I do not know.")
    page.ended(int(json.loads(again)["go"].removeprefix("/jobs/")))
    # A desk may be opened while a job of an earlier one runs.
    earlier, later = opened(course), opened(course)
    with closing(earlier.desk._marking), closing(later.desk._marking):
        number = earlier.start(what="fill")
        assert later.ask("/mark/at/toy/argue")[0] == 200
        later.ended(number)
        assert " of 3</h2>" in later.ask("/mark/at/toy/argue")[1]
        earlier.ended(number)
