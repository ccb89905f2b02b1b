"""Runs of `autograder grade` as people start them: submissions, processes, and what they leave."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from autograder.course.course import SECRET_VARIABLE
from autograder.records import codec
from tests.helpers import EXAMPLES, ROOT, SECRET, TOY
from tests.redteam import attack
from tests.schemas import all_fit

PATIENCE_SECONDS = 180

# What is stopped or killed midway has to take its seconds: a toy is graded before anyone can.
RELEASE = EXAMPLES / "unfilled.ipynb"
TOYS = TOY / "release" / "toy" / "toy.ipynb"

# When it is asked its last question, after all cells, it prints where it runs, and stays for a while.
STAYS = """\
import pathlib, time

def unique_weights():
    if "done" in globals():
        pathlib.Path("mark").touch()
        time.sleep(3)
"""


@contextmanager
def temporary() -> Iterator[Path]:
    """Make a folder for sandboxes, through which the users that they run as can pass."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def empties(folder: Path, number: int, *, release: Path = RELEASE) -> Path:
    """Write empty releases, no two alike."""
    folder.mkdir()
    for place in range(number):
        notebook = json.loads(release.read_text(encoding="utf-8"))
        notebook["cells"].append(attack.new_cell(f"# {place}"))
        attack.write(notebook, folder, f"student_{place:03}.ipynb")
    return folder


def staying(folder: Path) -> None:
    """Add a submission that is right, and stays in its last question."""
    notebook = attack.right()
    attack.cell(notebook, "unique_answer")["source"] = STAYS
    notebook["cells"].append(attack.new_cell("done = True"))
    attack.write(notebook, folder, "stays.ipynb")


def mixed(folder: Path) -> Path:
    """Write eight submissions of all kinds: right, wrong, ended, a log, twins, one that is none."""
    folder.mkdir()
    for name in ("as_in_the_source", "crashes_midway"):
        attack.write(attack.example(name), folder, f"{name}.ipynb")
    attack.write(attack.wrong(), folder, "wrong.ipynb")
    attack.write(attack.wrong(), folder, "wrong_twin.ipynb")
    ends = attack.right()
    ends["cells"].append(attack.new_cell("import os\nos._exit(1)"))
    attack.write(ends, folder, "ends.ipynb")
    (folder / "no_notebook.ipynb").write_text("hello")
    (folder / "log").mkdir()
    attack.log_file(attack.log())(folder / "log")
    (folder / "beside").mkdir()
    attack.write(attack.right(), folder / "beside")
    attack.log_file(attack.log())(folder / "beside")
    return folder


def start(
    submissions: Path, out: Path, *options: object, scratch: Path, **environment: str
) -> subprocess.Popen[str]:
    """Start `autograder grade` in a process group of its own; sandboxes are below `scratch`."""
    words = ["grade", "hw2_transformer", submissions, "--out", out, "--course", ROOT, *options]
    # Whoever runs the tests in the background of a script ignores Ctrl-C, and hands that on.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "autograder", *map(str, words)],
            env=os.environ | {SECRET_VARIABLE: SECRET, "TMPDIR": str(scratch), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def ended(run: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Wait for a run; return its exit status, what it said and its complaints."""
    said, complaints = run.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in complaints, complaints
    return run.returncode, said, complaints


def wait_until(holds: Callable[[], Any], run: subprocess.Popen[str] | None = None) -> Any:
    """Wait until something holds, and return it; fails when the run ends before."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (found := holds()):
        assert time.monotonic() < until
        assert run is None or run.poll() is None, run.communicate()
        time.sleep(0.02)
    return found


def kill(run: subprocess.Popen[str]) -> None:
    """Send SIGKILL to a run's first process; fails when another one outlives it."""
    below = []
    with suppress(psutil.NoSuchProcess):
        below = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


def graders_at(pattern: str, scratch: Path) -> set[int]:
    """Return the processes in whose sandboxes a file is now."""
    names: list[str] = []
    with suppress(FileNotFoundError):  # a sandbox may go while it is looked through
        names += [
            path.relative_to(scratch).parts[0] for path in scratch.glob(f"sandbox-*/{pattern}")
        ]
    return {int(name.split("-")[2]) for name in names}


def logs(out: Path) -> dict[str, int]:
    """Return when each finished log was written; fails when a file is not whole."""
    written = {}
    for path in out.glob("*/*.json"):
        with suppress(FileNotFoundError):  # it is being replaced
            json.loads(path.read_text(encoding="utf-8"))
    for path in out.glob("*/submission_log.json"):
        with suppress(FileNotFoundError):
            if codec.decode_log(path.read_bytes()).complete:
                assert json.loads((path.parent / "results.json").read_text())["tests"]
                assert (path.parent / "report.html").read_text().rstrip().endswith("</html>")
                written[path.parent.name] = path.stat().st_mtime_ns
    return written


def results(out: Path) -> dict[str, Any]:
    """Return every file of some results, without what a clock wrote into it; each fits its form."""
    all_fit(out)
    found: dict[str, Any] = {}
    for path in sorted(out.glob("[!.]*/*")):  # what begins with a dot is the kit's
        text = path.read_text(encoding="utf-8")
        if path.name == "submission_log.json":
            log = json.loads(text)
            for record in (log, *log["outcomes"]):
                record.pop("seconds", None)
            del log["time"]
            found[f"{path.parent.name}/{path.name}"] = log
        else:
            found[f"{path.parent.name}/{path.name}"] = text
    return found


def marks(folder: Path) -> dict[str, float]:
    """Return the marks on disk; fails when a file there is not whole."""
    path = folder / "results.json"
    if not path.exists():
        return {}
    tests = json.loads(path.read_text())["tests"]
    if (log := folder / "submission_log.json").exists():
        codec.decode_log(log.read_bytes())
    return {t["extra_data"]["question"]: t["score"] for t in tests if "score" in t}
