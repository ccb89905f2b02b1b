"""Grade the nastiest attacks beside right submissions, in many orders: these keep everything.

python -m tests.redteam.crowd                               30 beside 10, in 20 orders
python -m tests.redteam.crowd --orders 1 --attacks 6 --right 4
python -m tests.redteam.crowd --attacks 0 --busy 4          a busy machine and nothing else
"""

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from autograder.course.course import Course
from autograder.grading import pool
from autograder.grading.grader import Task
from autograder.submission import discover
from tests.redteam import attack
from tests.redteam.__main__ import LIMITS, NAME, left_files, left_processes, prepare

# What takes the most of a machine comes first.
NASTIEST = (
    *("resources/spinning_sessions", "resources/allocated_space", "resources/shared_memory"),
    *("resources/removed_files", "resources/spinning_from_the_start", "resources/memory"),
    *("resources/spinning_unseen", "resources/tree_of_files", "resources/forks"),
    *("resources/fast_forks", "resources/threads", "resources/many_files"),
    *("resources/sleeping_answers", "resources/a_gigabyte_of_output", "resources/large_array"),
    *("resources/endless_loop", "resources/deep_recursion", "resources/huge_figures"),
    *("resources/memory_files", "resources/stops_itself", "results/signals"),
    *("results/signals_by_descriptor", "results/floods_the_grader", "results/outlives"),
    *("results/at_exit", "results/never_answers", "results/prints_the_protocol"),
    *("results/exits_when_asked", "kernel/startup_files", "kernel/runs_before_everything"),
)
JOBS = 2


def course(folder: Path) -> Path:
    """Write a course with the red team's limits; return its folder."""
    prepare(folder)
    spec = folder / "course" / "source" / NAME / "staff" / "spec.py"
    limits = f"HOMEWORK = replace(HOMEWORK, limits={LIMITS!r})"
    names = "from dataclasses import replace\nfrom autograder.records.homework import Limits"
    spec.write_text(f"{spec.read_text()}\n{names}\n{limits}\n")
    return folder / "course"


def submissions(folder: Path, attacks: Sequence[str], right: int) -> list[discover.Found]:
    """Write the attacks and as many right submissions, no two alike; return them."""
    known = {one.name: one for one in attack.attacks()}
    found = []
    for name in attacks:
        place = folder / name.replace("/", "_")
        place.mkdir()
        (item,), _ = discover.find([known[name].submission(place)])
        found.append(replace(item, student=place.name))
    for number in range(right):
        notebook = attack.right()
        notebook["cells"].append(attack.new_cell(f"# {number}"))
        found += discover.find([attack.write(notebook, folder, f"right_{number}.ipynb")])[0]
    assert len({item.student for item in found}) == len(attacks) + right
    return found


def losses(root: Path, found: Sequence[discover.Found], out: Path) -> Iterator[str]:
    """Grade submissions in this order; yield what the right ones among them lost."""
    settings = Course(title="Attention", term="Spring", secret="crowd")
    task = Task(root, NAME, settings, out, force=True)
    graded = pool.grade(task, found, jobs=JOBS, limits=LIMITS)
    for item in graded:
        if item.name.startswith("right_"):
            marks = {m.question: m.earned for m in item.grade.marks} if item.grade else {}
            for question, points in attack.EVERYTHING.items():
                if marks.get(question) != points:
                    yield f"{item.name} lost {question} ({marks.get(question)}) {item.complaint}"


@contextmanager
def busy(number: int) -> Iterator[None]:
    """Keep processors busy, as other people's programs do."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def orders(
    number: int, *, attacks: int = len(NASTIEST), right: int = 10, others: int = 0, turn: int = 0
) -> Iterator[list[str]]:
    """Yield what right submissions lost in each of some orders.

    Args:
        number: How many orders.
        attacks: How many of the nastiest.
        right: How many right submissions.
        others: Processes that keep the machine busy all the time.
        turn: With which of the nastiest to begin, and with which order.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, busy(others):
        folder = Path(name).resolve()
        root = course(folder)
        place = turn % len(NASTIEST)
        found = submissions(folder / "in", (NASTIEST[place:] + NASTIEST[:place])[:attacks], right)
        for seed in range(turn, turn + number):
            random.Random(seed).shuffle(found)
            lost = [*losses(root, found, folder / "out")]
            lost += [f"left behind: {' '.join(line)[:80]}" for line in left_processes()]
            yield lost + [f"left behind: {path}" for path in left_files()]


def main() -> None:
    """Print a line for each order; exit 1 when a right submission lost anything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--attacks", type=int, default=len(NASTIEST))
    parser.add_argument("--right", type=int, default=10)
    parser.add_argument("--busy", type=int, default=0)
    options = parser.parse_args()
    numbers = {"attacks": options.attacks, "right": options.right, "others": options.busy}
    failed = 0
    for seed, lost in enumerate(orders(options.orders, **numbers)):
        failed += bool(lost)
        print(
            f"order {seed}: {'; '.join(lost) or 'every right submission keeps everything'}",
            flush=True,
        )
    print(
        f"{options.orders} orders of {options.attacks} attacks and {options.right} right: {failed} failed"
    )
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
