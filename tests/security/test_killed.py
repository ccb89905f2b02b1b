"""kill -9 of the sandbox, the worker or the grader at any moment: files stay whole, marks stay."""

import contextlib
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from autograder.records import codec
from autograder.records.errors import UserError
from tests import runs
from tests.helpers import EXAMPLES, ROOT, count
from tests.redteam.attack import EVERYTHING as RIGHT

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]


def start(submission: Path, out: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "autograder", "grade", "hw2_transformer", str(submission)]
    return subprocess.Popen(
        [*words, "--out", str(out), "--course", str(ROOT)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def victims(grader: psutil.Process, what: str) -> list[psutil.Process]:
    """Return the processes of one kind below a grader."""
    if what == "grader":
        return [grader]
    below = []
    for process in grader.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended since it was listed
            if (
                "autograder.sandbox.inside.worker" in process.cmdline()
                and "bwrap" not in process.name()
            ):
                below.append(process)
    return below[:1] if what == "worker" else below[1:]


@pytest.mark.parametrize("what", ["grader", "worker", "sandbox"])
def test_killed_at_any_moment(tmp_path: Path, what: str) -> None:
    """50 moments in all with FULL_COUNTS=1 (slice: 2 each): no mark that was written is lost, a rerun completes."""
    moments = random.Random(what)
    tries = count(full=17, slice=2)
    for number in range(tries):
        out = tmp_path / f"out{number}"
        folder = out / "perfect"
        grading = start(EXAMPLES / "perfect.ipynb", out)
        grader = psutil.Process(grading.pid)
        # From the first import to the last question, in equal parts, at a moment of its own in each.
        until = time.monotonic() + 6 * (number + moments.random()) / tries
        seen: dict[str, float] = {}
        hit = False
        while grading.poll() is None:
            seen = runs.marks(folder) or seen
            if not hit and time.monotonic() > until:
                for process in victims(grader, what):
                    with contextlib.suppress(psutil.NoSuchProcess):
                        process.send_signal(signal.SIGKILL)
                        hit = True
            time.sleep(0.01)
        assert grading.stderr is not None
        said = grading.stderr.read().decode()
        grading.stderr.close()
        assert "Traceback" not in said, said
        after = runs.marks(folder)
        assert all(after.get(question, 0) >= earned for question, earned in seen.items())
        assert {q: s for q, s in after.items() if s}.items() <= RIGHT.items()
        again = start(EXAMPLES / "perfect.ipynb", out)
        _, complaints = again.communicate(timeout=120)
        assert again.returncode == 0, complaints
        assert runs.marks(folder) == RIGHT
        assert not list(out.rglob("*.tmp"))


def test_a_half_written_log_is_no_result(tmp_path: Path) -> None:
    """What is not whole is graded again."""
    folder = tmp_path / "out" / "unfilled"
    folder.mkdir(parents=True)
    (folder / "submission_log.json").write_text('{"schema": 1, "homework": "hw2')
    with pytest.raises(UserError):
        codec.decode_log((folder / "submission_log.json").read_bytes())
    grading = start(EXAMPLES / "unfilled.ipynb", tmp_path / "out")
    grading.communicate(timeout=120)
    assert grading.returncode == 0
    assert codec.decode_log((folder / "submission_log.json").read_bytes()).complete


def test_the_parent_of_many_killed_at_any_moment(tmp_path: Path) -> None:
    """20 moments of a run of 200 with FULL_COUNTS=1 (slice: 2 of 12), each followed by a rerun.

    No process outlives it, no file is half of one, what was finished is not graded again, and
    at the end everything is as in a run that nobody disturbed.
    """
    moments = random.Random("parent")
    submissions = runs.empties(tmp_path / "in", count(full=200, slice=12))
    tries = count(full=20, slice=2)
    with runs.temporary() as scratch:
        began = time.monotonic()
        status, _, complaints = runs.ended(
            runs.start(submissions, tmp_path / "whole", "-j", 2, scratch=scratch)
        )
        took = time.monotonic() - began
        assert (status, complaints) == (0, "")
        out, done = tmp_path / "out", dict[str, int]()
        for _ in range(tries):
            run = runs.start(submissions, out, "-j", 2, scratch=scratch)
            # It takes some seconds until the first is graded, whatever is left to do.
            time.sleep((5 + 2 * took / tries) * moments.random())
            runs.kill(run)
            after = runs.logs(out)
            assert done.items() <= after.items()
            done = after
        status, said, complaints = runs.ended(
            runs.start(submissions, out, "-j", 2, scratch=scratch)
        )
        assert (status, complaints) == (0, "")
        assert done.items() <= runs.logs(out).items()
        assert said.count("(already graded)") == len(done)
        assert not list(out.rglob("*.tmp"))
        assert not list(scratch.glob("sandbox-*"))
    assert runs.results(out) == runs.results(tmp_path / "whole")
