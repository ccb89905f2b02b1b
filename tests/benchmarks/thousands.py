"""Grade thousands of submissions in one run: throughput, and whether anything grows meanwhile.

python -m tests.benchmarks.thousands [--students 5000] [--jobs N] [--keep FOLDER]
"""

import argparse
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import psutil

from autograder.course import course, homework
from autograder.grading import pool
from autograder.grading.grader import Task
from autograder.records.homework import Limits
from autograder.submission import discover
from tests.benchmarks import classroom
from tests.benchmarks.forms import ROOT

NAME = "hw2_transformer"
COLUMNS = ("done", "a second", "parent MB", "all MB", "parent's files", "processes", "temporary")


def main() -> None:
    """Print a line now and then, and the throughput at 500 and at the end."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--students", type=int, default=5000)
    parser.add_argument("--jobs", type=int, default=pool.processors())
    parser.add_argument("--keep", type=Path, help="a folder for submissions and results")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        chosen = homework.load(ROOT, NAME)
        classroom.make(folder / "in", asked.students, seed=1, homework=chosen)
        found, _ = discover.find([folder / "in"])
        _run(folder, found, asked.jobs)


def _run(folder: Path, found: list[discover.Found], jobs: int) -> None:
    task = Task(ROOT, NAME, course.read(ROOT), folder / "out")
    print("  ".join(f"{column:>14}" for column in COLUMNS))
    marked, started, failed = 0, 0.0, 0
    for done, item in enumerate(pool.grade(task, found, jobs=jobs, limits=Limits()), start=1):
        failed += item.grade is None
        started = started or time.perf_counter()
        if done in (100, 500) or done % 1000 == 0 or done == len(found):
            now = time.perf_counter()
            print(
                "  ".join(f"{figure:14.1f}" for figure in _figures(done, now - started)), flush=True
            )
        marked = done
    print(f"{marked - failed} of {len(found)} have marks, {jobs} at a time")
    size = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
    print(f"the folder of results: {size / 1e6:.0f} MB")
    shutil.rmtree(folder / "out")


def _figures(done: int, seconds: float) -> tuple[float, ...]:
    parent = psutil.Process()
    below = parent.children(recursive=True)
    memory = [_memory(process) for process in below]
    temporary = sum(1 for path in Path(tempfile.gettempdir()).glob("sandbox-*/*"))
    own = parent.memory_info().rss / 1e6
    return (
        done,
        (done - 1) / seconds if seconds else 0.0,
        own,
        own + sum(memory),
        parent.num_fds(),
        len(below),
        temporary,
    )


def _memory(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss / 1e6)
    except psutil.Error:
        return 0.0


if __name__ == "__main__":
    main()
