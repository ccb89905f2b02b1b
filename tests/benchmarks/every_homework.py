"""What a submission of each homework costs, beside nbgrader on the same checks, and a whole course.

    python -m tests.benchmarks.every_homework [HOMEWORK...] [--rounds N] [--without-nbgrader]

A right submission is the solution, a wrong one the known mistake that loses most. Seconds are the
processor's, of the grader and all that it starts, in the third and later submissions of a warm
grader: what one more submission costs. nbgrader grades the right one without the training demos.
"""

import argparse
import json
import math
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil

from autograder.course import course, homework, known_answers
from autograder.grading.grader import Grader, Task
from autograder.records.facts import Submission
from autograder.submission import discover
from tests.benchmarks.forms import ROOT
from tests.benchmarks.nbgrader_form import NbgraderForm

STUDENTS = 300
WARM = 2  # the first submissions of a run pay for what is imported late
KEPT = ROOT / "docs" / "every_homework.json"
RIGHT, WRONG, NBGRADER = "right", "wrong", "nbgrader"


def main() -> None:
    """Print a line for each homework, and the core-hours of a course."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--without-nbgrader", action="store_true")
    arguments = parser.parse_args()
    names = arguments.names or homework.names(ROOT)
    found = {}
    for name in names:
        found[name] = measured(name, arguments.rounds, beside=not arguments.without_nbgrader)
        shown = ", ".join(
            f"{row} {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"
            for row, seconds in found[name].items()
        )
        print(f"{name}: {shown}", flush=True)
    total = sum(statistics.median(seconds[RIGHT]) for seconds in found.values())
    hours = STUDENTS * total / 3600
    print(f"{STUDENTS} students, {len(names)} homeworks: {hours:.2f} core-hours")
    if len(names) == len(homework.names(ROOT)):
        kept = {
            "date": time.strftime("%Y-%m-%d"),
            "machine": f"{os.cpu_count()} processors, Python {platform.python_version()}",
            "load": round(os.getloadavg()[2], 1),
            "core_hours": round(hours, 2),
            "seconds": {
                name: {row: round(statistics.median(s), 2) for row, s in seconds.items()}
                for name, seconds in found.items()
            },
        }
        KEPT.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {KEPT.relative_to(ROOT)}")


def measured(name: str, rounds: int, *, beside: bool) -> dict[str, list[float]]:
    """Return the processor seconds of each kind of submission, a number for each round."""
    chosen = homework.load(ROOT, name)
    mistake = max(known_answers.wrong(ROOT, chosen), key=lambda answer: len(answer.fails))
    answers = {RIGHT: known_answers.instructor(ROOT, chosen), WRONG: mistake.submission}
    found: dict[str, list[float]] = {row: [] for row in answers}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        release = ROOT / "release" / name / f"{name}.ipynb"
        paths = {
            row: written(answer, release, folder / f"{row}.ipynb")
            for row, answer in answers.items()
        }
        rival = NbgraderForm(folder / "nbgrader", chosen, demos=False) if beside else None
        (folder / "out").mkdir()
        task = Task(ROOT, name, course.read(ROOT), folder / "out", force=True)
        grader = stack.enter_context(Grader.open(task))
        for number in range(WARM + rounds):
            for row, path in paths.items():
                found[row].append(graded(grader, path, folder / "out"))
            if rival and number >= WARM:
                rival.seconds([paths[RIGHT]])
                found.setdefault(NBGRADER, []).extend(rival.processor_seconds())
    return {row: seconds[WARM:] if row in answers else seconds for row, seconds in found.items()}


def written(answer: Submission, release: Path, path: Path) -> Path:
    """Write a known answer as the release filled in, which nbgrader takes, too; return where."""
    notebook = json.loads(release.read_text(encoding="utf-8"))
    sources = {cell.id: cell.source for cell in answer.cells}
    for cell in notebook["cells"]:
        cell["source"] = sources.get(cell["id"], cell["source"])
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def graded(grader: Grader, path: Path, out: Path) -> float:
    """Grade a notebook and return what that cost the processors."""
    (item,), _ = discover.find([path])
    started = spent()
    done = grader.grade(item, out)
    if done.grade is None:
        raise RuntimeError(done.complaint)
    return spent() - started


def spent() -> float:
    """Return the processor seconds of this process and of all that it started, ended ones too."""
    return math.fsum(seconds for one in tree() for seconds in one.cpu_times()[:4])


def tree() -> Iterator[psutil.Process]:
    """Yield this process and all below it."""
    own = psutil.Process()
    yield own
    yield from own.children(recursive=True)


if __name__ == "__main__":
    main()
