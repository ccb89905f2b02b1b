"""pool: many graders, and each submission is graded once, whatever ends a grader or the run."""

import contextlib
import gc
import itertools
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest

from autograder.grading import pool, scheduler, unmarked, wire
from autograder.grading.grader import Grader, Task
from autograder.records.errors import UserError
from autograder.records.homework import Limits
from autograder.sandbox.mistake_bank import InstructorRun
from autograder.sandbox.run import SandboxFault
from autograder.submission import discover
from tests import command_line, runs
from tests.helpers import COURSE, ROOT, TOY, count, write_class
from tests.redteam.attack import EVERYTHING

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]


@pytest.fixture
def scratch() -> Iterator[Path]:
    with runs.temporary() as folder:
        yield folder


def sandboxes(scratch: Path) -> list[Path]:
    return list(scratch.glob("sandbox-*"))


def toys(folder: Path, number: int) -> Sequence[discover.Found]:
    """Return empty submissions of the toy homework."""
    return discover.find([runs.empties(folder / "in", number, release=runs.TOYS)])[0]


def grade(found: Sequence[discover.Found], out: Path, root: Path = TOY) -> Iterator[wire.Graded]:
    """Grade submissions of the toy homework in two processes."""
    return pool.grade(Task(root, "toy", COURSE, out), found, jobs=2, limits=Limits())


def test_together_as_one_after_another(tmp_path: Path) -> None:
    """Two graders give the files that one gives, but for times; a second run skips all that was read.

    Of hw2_transformer, since only that is submitted as a log as well.
    """
    found, _ = discover.find([runs.mixed(tmp_path / "in")])
    assert len(found) == 8
    alone, pair = (
        Task(ROOT, "hw2_transformer", COURSE, tmp_path / name) for name in ("one", "two")
    )
    with Grader.open(alone) as grader:
        one = list(grader.grade_all(found, tmp_path / "one"))

    def together() -> list[wire.Graded]:
        return list(pool.grade(pair, found, jobs=2, limits=grader.homework.limits))

    two = together()
    assert runs.results(tmp_path / "two") == runs.results(tmp_path / "one")
    assert {r.name: r.complaint for r in two} == {r.name: r.complaint for r in one}
    assert [r.name for r in one if r.grade is None] == ["no_notebook"]
    assert {r.name: r.grade and r.grade.score for r in two} == {
        r.name: r.grade and r.grade.score for r in one
    }
    wrong, twin = (runs.marks(tmp_path / "two" / name) for name in ("wrong", "wrong_twin"))
    assert wrong == twin
    again = together()
    assert {r.name for r in again if not r.skipped} == {"no_notebook"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_so_and_goes_on(
    tmp_path: Path, scratch: Path, number: signal.Signals
) -> None:
    """Ctrl-C, and what a batch system sends: one line, nothing left behind, and the rerun grades the rest."""
    submissions, out = runs.empties(tmp_path / "in", 5), tmp_path / "out"
    run = runs.start(submissions, out, "-j", 2, scratch=scratch)
    done = runs.wait_until(lambda: runs.logs(out), run)
    os.killpg(run.pid, number)
    status, _, complaints = runs.ended(run)
    assert status == 128 + number
    (line,) = complaints.splitlines()
    assert line.startswith("autograder: stopped: ")
    assert line.endswith("run the same command again to grade the rest")
    assert not sandboxes(scratch)
    done = runs.logs(out) | done
    status, said, complaints = runs.ended(runs.start(submissions, out, "-j", 2, scratch=scratch))
    assert (status, complaints) == (0, "")
    after = runs.logs(out)
    assert len(after) == 5
    assert done.items() <= after.items()
    assert said.count("(already graded)") == len(done)


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_ctrl_c_before_anything_is_graded(tmp_path: Path, scratch: Path, processes: int) -> None:
    """One line, be it while our own answers are tried first or while graders are imported."""
    submissions, out = runs.empties(tmp_path / "in", 2), tmp_path / "out"
    run = runs.start(submissions, out, "-j", 2, scratch=scratch)
    below = psutil.Process(run.pid)
    runs.wait_until(lambda: len(below.children()) >= processes, run)
    os.killpg(run.pid, signal.SIGINT)
    status, said, complaints = runs.ended(run)
    assert status == 130
    assert said == ""
    assert complaints.count("\n") == 1
    assert not sandboxes(scratch)


def test_what_ends_its_grader_again_and_again_is_marked(tmp_path: Path, scratch: Path) -> None:
    """Three times it is tried; then its marks so far stay and say so, and the others are graded.

    The next run tries it again; there its grader ends once, and nothing is lost.
    """
    submissions, out = runs.empties(tmp_path / "in", 2), tmp_path / "out"
    runs.staying(submissions)
    run = runs.start(submissions, out, "-j", 2, scratch=scratch)
    killed: list[int] = []

    def kill_its_grader() -> bool:
        (grader,) = runs.wait_until(
            lambda: runs.graders_at("submission-*/mark", scratch) - set(killed), run
        )
        os.kill(grader, signal.SIGKILL)
        killed.append(grader)
        return len(killed) == scheduler.ATTEMPTS

    runs.wait_until(kill_its_grader)
    status, said, complaints = runs.ended(run)
    assert status == 1
    assert not sandboxes(scratch)
    (line,) = complaints.splitlines()
    assert line.endswith("the grader's process died on it every time")
    results = json.loads((out / "stays" / "results.json").read_text())
    assert results["output"] == f"<p>{unmarked.ENDED}</p>"
    assert runs.marks(out / "stays") == EVERYTHING | {"unique": 0}
    assert "stays" not in runs.logs(out)
    assert said.count("/60 ") == 2
    before = runs.logs(out)

    run = runs.start(submissions, out, "-j", 2, scratch=scratch)
    del killed[:-1]
    kill_its_grader()
    status, said, complaints = runs.ended(run)
    assert (status, complaints) == (0, "")
    assert before.items() <= runs.logs(out).items()
    assert runs.marks(out / "stays") == EVERYTHING | {"unique": 0}
    assert "so far" not in (out / "stays" / "results.json").read_text()
    assert not list(out.rglob("*.tmp"))


def test_a_run_holds_no_more_at_its_end_than_at_its_beginning(tmp_path: Path) -> None:
    """Each grader is a process, three open files and two folders, however many are graded."""
    number = count(full=400, slice=16)
    found = toys(tmp_path, number)
    me = psutil.Process()
    temporary = Path(tempfile.gettempdir())
    resource_tracker.ensure_running()  # Python keeps it
    there = set(me.children())

    def held() -> tuple[int, int, int]:
        gc.collect()
        graders = {process.pid for process in set(me.children()) - there}
        folders = [p for p in temporary.glob("sandbox-*") if int(p.name.split("-")[2]) in graders]
        return len(graders), me.num_fds(), len(folders)

    _, files, _ = held()
    seen, memory = [], []
    for _ in grade(found, tmp_path / "out"):
        seen.append(held())
        memory.append(me.memory_info().rss)
    assert len(seen) == number
    assert max(graders for graders, _, _ in seen) == 2
    assert max(opened for _, opened, _ in seen) <= files + 6
    assert max(folders for _, _, folders in seen) <= 4
    assert max(memory) - memory[number // 4] < 20_000_000
    assert held() == (0, files, 0)


def test_a_homework_that_cannot_be_read_is_one_complaint(tmp_path: Path) -> None:
    """What a grader cannot start with is reported by whoever started it, once."""
    broken = shutil.copytree(TOY, tmp_path / "course")
    wrong = broken / "source" / "toy" / "staff" / "wrong" / "counts_zeros.py"
    wrong.write_text("def broken(:\n")
    found = toys(tmp_path, 2)
    with pytest.raises(UserError, match="counts_zeros"):
        next(grade(found, tmp_path / "out", broken))


def test_graders_that_never_start_are_given_up(tmp_path: Path) -> None:
    """Where each grader is ended before it is ready, the run ends with one line."""
    found = toys(tmp_path, 2)
    me = psutil.Process()

    over = threading.Event()

    def end_all() -> None:
        while not over.is_set():
            for process in me.children():
                with contextlib.suppress(psutil.Error):  # it may end by itself
                    if "spawn_main" in " ".join(process.cmdline()):
                        process.kill()
            time.sleep(0.05)

    ending = threading.Thread(target=end_all)
    ending.start()
    try:
        with pytest.raises(UserError, match="3 times before it could grade"):
            list(grade(found, tmp_path / "out"))
    finally:
        over.set()
        ending.join()


def received(connection: Connection) -> Iterator[wire.Sent]:
    """Yield submissions as a grader's process gets them."""
    connection.send_bytes(pool.READY)
    with contextlib.suppress(EOFError):
        while True:
            yield wire.decode(connection.recv_bytes(), wire.Sent)


def starved_at_first(connection: Connection, task: Task) -> None:
    """Serve as a grader does, and write down what is graded when; all but one are starved at first."""
    for sent in received(connection):
        began = time.monotonic()
        time.sleep(0.1)
        with (task.out / "journal").open("a") as journal:
            journal.write(f"{sent.student} {sent.last} {began} {time.monotonic()}\n")
        again = sent.student != "student_003" and not sent.last
        done = wire.Graded(sent.student, task.out, starved=again)
        connection.send_bytes(pool.READY + wire.encode(done))


def test_what_was_starved_is_graded_again_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the end, one by one, and once; what was not starved is yielded before."""
    monkeypatch.setattr(pool, "serve", starved_at_first)
    found = toys(tmp_path, 4)
    graded = list(grade(found, tmp_path / "out"))
    assert graded[0].name == "student_003"
    assert sorted(item.name for item in graded) == [item.student for item in found]
    assert not any(item.starved for item in graded)
    lines = [line.split() for line in (tmp_path / "out" / "journal").read_text().splitlines()]
    assert [again for _, again, *_ in lines] == ["False"] * 4 + ["True"] * 3
    times = [(float(began), float(ended)) for *_, began, ended in lines]
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(times[4:]))
    assert times[3][1] <= times[4][0]


def fail(*_: object) -> None:
    raise SandboxFault("no memory\nat all")


def without_known_mistakes(connection: Connection, task: Task) -> None:
    """Serve as a grader does, where no sandbox starts for the known mistakes."""
    InstructorRun.outcomes = fail  # type: ignore[method-assign,assignment]
    pool.serve(connection, task)


@pytest.mark.parametrize("verb", ["grade", "grade one", "watch"])
def test_mistakes_that_cannot_be_recognised_are_noted_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verb: str,
) -> None:
    """Marks do not depend on them, but reports lack their explanations, wherever it was graded."""
    monkeypatch.setattr(pool, "serve", without_known_mistakes)
    monkeypatch.setattr(InstructorRun, "outcomes", fail)
    wrong = write_class(tmp_path / "class") / "wrong.ipynb"
    (tmp_path / "in").mkdir()
    for name in ("ada", "ben", "chi")[: 1 if verb == "grade one" else 3]:
        shutil.copy(wrong, tmp_path / "in" / f"{name}.ipynb")
    more = ("--once",) if verb == "watch" else ("-j", 2)
    words = (verb.split()[0], "toy", tmp_path / "in", "--out", tmp_path / "out", *more)
    status, shown, errors = command_line.run(capsys, *words, "--course", TOY)
    assert status == 0
    assert "ada: 3" in shown
    assert errors.count("note: known mistakes cannot be recognised (no memory)") == 1


def hangs_at_first(connection: Connection, task: Task) -> None:
    """Serve as a grader does; the first one does not answer."""
    for sent in received(connection):
        if not sent.cautious:
            time.sleep(600)
        connection.send_bytes(pool.READY + wire.encode(wire.Graded(sent.student, task.out)))


def test_a_grader_that_hangs_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission has its time on the clock; then a new grader tries it again."""
    monkeypatch.setattr(pool, "serve", hangs_at_first)
    monkeypatch.setattr(pool, "DEADLINE", 0.01)
    found = toys(tmp_path, 2)
    graded = list(grade(found, tmp_path / "out"))
    assert sorted((item.name, item.failed) for item in graded) == [
        (item.student, False) for item in found
    ]
