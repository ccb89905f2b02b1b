"""A grader that does not work writes no marks: ten parts of the way are broken, one after another.

Each break is made in a copy of the package, or of what the copy stands on, and a notebook that
deserves everything is graded with it as people do.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course.course import SECRET_VARIABLE
from tests import runs
from tests.helpers import ROOT, SECRET, TOY

linux = pytest.mark.skipif(sys.platform != "linux", reason="what is broken here is Linux's")
pytestmark = [pytest.mark.slow, linux]
# Without bubblewrap, which would show the copy nowhere.
GRADE = (
    "import shutil, sys; shutil.which = lambda name: None; "
    "sys.executable, *sys.argv = sys.argv[1:]; "
    "from autograder.__main__ import main; main()"
)
INSIDE = "autograder/sandbox/inside"


@dataclass
class Grader:
    """A copy of the package, and how its worker is started.

    Args:
        folder: The copy.
        around: A shell command that runs before the worker does, and may limit it.
        before: One that runs before the grader does, in a mount namespace of its own.
        temporary: Its folder for temporary files.
    """

    folder: Path
    around: str = ""
    before: str = ""
    temporary: str = "/tmp"
    same: bool = True

    def edit(self, file: str, before: str, after: str) -> None:
        """Replace a part of a file of the copy."""
        path = self.folder / file
        text = path.read_text()
        assert text.count(before) == 1, f"{file} has {text.count(before)} times {before!r}"
        path.write_text(text.replace(before, after))

    def run(self, submissions: Path, out: Path) -> subprocess.CompletedProcess[str]:
        """Grade, and return how it ended."""
        python = self.folder / "python"
        path = f"PYTHONPATH={self.folder}" if self.same else ""
        python.write_text(f'#!/bin/sh\n{self.around}\n{path} exec {sys.executable} "$@"\n')
        python.chmod(0o755)
        words = [sys.executable, "-c", GRADE, python, "autograder", "grade", "toy", submissions]
        words += ["--out", out, "--course", TOY]
        if self.before:
            shell = f'{self.before}; exec "$@"'
            words = ["unshare", "--mount", "sh", "-ec", shell, "sh", *words]
        environment = os.environ | {SECRET_VARIABLE: SECRET, "TMPDIR": self.temporary}
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=environment | {"PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=120,
        )


@pytest.fixture
def grader() -> Grader:
    """Copy the package to where another user can read it."""
    with runs.temporary() as folder:
        folder.chmod(0o755)
        shutil.copytree(ROOT / "autograder", folder / "autograder")
        yield Grader(folder)


@pytest.fixture
def submission(grader: Grader) -> Path:
    """Return the toy homework's solution, as a student would submit it."""
    target = grader.folder / "ada.ipynb"
    shutil.copy(TOY / "solutions" / "toy" / "toy.ipynb", target)
    return target


def another_version(grader: Grader) -> None:
    grader.same = False


def unreadable(grader: Grader) -> None:
    (grader.folder / INSIDE / "test_cells.py").chmod(0)


def missing_module(grader: Grader) -> None:
    (grader.folder / INSIDE / "kernel.py").unlink()


def missing_behind_the_layers(grader: Grader) -> None:
    grader.edit(f"{INSIDE}/evaluate.py", "    started = perf_counter()\n", "    import gone\n")


def broken_for_all_answers(grader: Grader) -> None:
    grader.edit(
        f"{INSIDE}/question_forks.py", '        number = request["number"]\n', "        1 / 0\n"
    )


def full_disk(grader: Grader) -> None:
    small = grader.folder / "small"
    small.mkdir()
    full = f"dd if=/dev/zero of={small}/zeros bs=4096 count=15 2>/dev/null"
    grader.before = f"mount -t tmpfs -o size=64k,mode=755 none {small}; {full}"
    grader.temporary = str(small)


def read_only(grader: Grader) -> None:
    grader.before = "; ".join(
        f"mount --bind {place} {place}; mount -o remount,bind,ro {place}"
        for place in ("/tmp", "/var/tmp")
    )


def no_memory(grader: Grader) -> None:
    grader.around = "ulimit -v 150000"


def wrong_libseccomp(grader: Grader) -> None:
    other = next(Path(sys.base_prefix).rglob("lib-dynload/_json*.so"))
    shutil.copy(other, grader.folder / "libseccomp.so.2")
    grader.around = f"export LD_LIBRARY_PATH={grader.folder}"


def strict_filter(grader: Grader) -> None:
    grader.edit(f"{INSIDE}/linux/seccomp.py", "    socket ptrace", "    clone socket ptrace")


def closed_descriptor(grader: Grader) -> None:
    grader.edit(
        f"{INSIDE}/question_forks.py",
        "                channel.close()\n",
        "                theirs.close()\n",
    )


def no_fork(grader: Grader) -> None:
    grader.edit(
        f"{INSIDE}/worker.py",
        "            if os.fork() == 0:\n                signal",
        "            if 1 / 0:\n                signal",
    )


def full_when_it_begins(grader: Grader) -> None:
    grader.edit(
        f"{INSIDE}/worker.py",
        "    # Its own home",
        "    raise OSError(28, 'No space left on device')\n    # Its own home",
    )


def endless_deadlines(grader: Grader) -> None:
    grader.edit(
        f"{INSIDE}/question_forks.py",
        "        return max(0.0, min(left, ",
        "        return 60 + max(0.0, min(left, ",
    )


def rounded_values(grader: Grader) -> None:
    grader.edit(
        "autograder/records/data.py",
        '"values": array.reshape(-1).tolist(),',
        '"values": array.reshape(-1).round(6).tolist(),',
    )


def open_layers(grader: Grader) -> None:
    grader.edit(
        f"{INSIDE}/layers.py",
        "            rules.enforce()",
        "            raise OSError(95, 'not supported')",
    )


@pytest.mark.parametrize(
    ("break_it", "part"),
    [
        (another_version, r"the sandbox would run .*/autograder.*pip install -e"),
        (unreadable, r"test_cells\.py"),
        (
            missing_module,
            r"worker does not start: ModuleNotFoundError: .*'autograder.sandbox.inside.kernel'",
        ),
        (
            missing_behind_the_layers,
            r"should end as returned did not: ModuleNotFoundError: .*'gone'",
        ),
        (broken_for_all_answers, r"should end as returned did not: ZeroDivisionError"),
        (full_disk, r"No space left on device"),
        (read_only, r"cannot be started \(.*(No usable temporary directory|Read-only)"),
        (no_memory, r"(worker does not start|cannot be set up): .*"),
        (wrong_libseccomp, r"worker does not start: .*seccomp"),
        (strict_filter, r"should end as returned did not|cannot be set up|cell does not run"),
        (closed_descriptor, r"should end as returned did not: killed"),
        (no_fork, r"worker died at the start of a run: ZeroDivisionError"),
        (full_when_it_begins, r"cannot be set up: OSError: \[Errno 28\] No space left"),
        (endless_deadlines, r"should end as timed_out did not: killed"),
        (rounded_values, r"should end as returned did not: its value is wrong"),
        (open_layers, r"worker does not start: OSError: \[Errno 95\]"),
    ],
)
@pytest.mark.turns(4)
def test_what_is_broken_gives_no_marks(
    grader: Grader, submission: Path, break_it: Callable[[Grader], None], part: str
) -> None:
    """One line names the part, the exit status is not 0, and no file has a mark."""
    break_it(grader)
    if grader.before and os.geteuid() != 0:
        pytest.skip("only root mounts")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as out:  # what is full or closed is elsewhere
        done = grader.run(submission, Path(out) / "out")
        (line,) = done.stderr.splitlines()
        assert re.search(part, line), line
        assert line.startswith("autograder: ")
        refused = break_it is unreadable and os.geteuid() == 0  # nobody else reads that Python
        assert done.returncode == (2 if refused else 1)
        assert done.stdout == ""
        left = [path for path in Path(out).rglob("*") if path.is_file()]
        assert [path.name for path in left if path.name != ".lock"] == []


@pytest.mark.turns(4)
def test_a_class_is_not_graded_either(grader: Grader, submission: Path) -> None:
    """Several graders that all run beside another package stop the run, and say so once."""
    script = """
        import sys
        from pathlib import Path
        from autograder.course import course
        from autograder.grading import pool
        from autograder.grading.grader import Task
        from autograder.records.homework import Limits
        from autograder.sandbox.run import SandboxFault
        from autograder.submission import discover

        if __name__ == "__main__":
            root, out, notebook = map(Path, sys.argv[1:])
            found = [discover.find([notebook])[0][0] for _ in range(3)]
            task = Task(root, "toy", course.read(root), out)
            try:
                list(pool.grade(task, found, jobs=2, limits=Limits()))
            except SandboxFault as fault:
                print(fault)
        """
    program = grader.folder / "class.py"
    program.write_text(textwrap.dedent(script))
    with runs.temporary() as out:
        words = [sys.executable, program, TOY, out / "out", submission]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
        beside, none = "the sandbox would run ", "worker does not start: "
        assert re.fullmatch(rf"({beside}|.*{none}.*No module named 'autograder').*\n", done.stdout)
        assert not list((out / "out").rglob("*.json"))
