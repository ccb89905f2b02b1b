"""Time and memory to grade one submission: cold, from the command line, and warm, as one of many.

python tests/benchmarks/one_submission.py
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

import psutil

from autograder import homework, known
from autograder.facts.execute import execute
from autograder.facts.sandbox import Sandbox
from autograder.marks.judge import judge
from autograder.model import Limits, UserError

ROOT = Path(__file__).parents[2]
NAME = "hw2_transformer"
PERFECT = ROOT / "tests" / "submissions" / NAME / "perfect.ipynb"
ROUNDS = 5
LIMITS = Limits()
LAYERS = {
    "a submission without cells, all layers": (),
    "the same, without namespaces": ("namespaces",),
    "the same, without Landlock": ("landlock",),
    "the same, without another user": ("user",),
    "the same, without namespaces and another user": ("namespaces", "user"),
}
EMPTY = {"cells": [], "adapters": "", "seed": 0, **asdict(LIMITS)}


def cold() -> float:
    """Return the wall seconds of one `autograder grade` of one notebook."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "autograder", "grade", NAME, str(PERFECT), "--out", folder]
        started = time.perf_counter()
        subprocess.run([*command, "--course", str(ROOT)], check=True, capture_output=True)
        return time.perf_counter() - started


def warm(*, all_cells: bool) -> tuple[list[float], float]:
    """Return the wall seconds of each round in one warm sandbox, and the worker's memory in MB."""
    chosen = homework.load(ROOT, NAME)
    hand_in = known.instructor(ROOT, chosen)
    seconds = []
    with Sandbox() as sandbox:
        for _ in range(ROUNDS + 1):
            started = time.perf_counter()
            for state in execute(
                hand_in, chosen, sandbox=sandbox, secret="bench", all_cells=all_cells
            ):
                judge(chosen, state.log, secret="bench")
            seconds.append(time.perf_counter() - started)
        memory = max(p.memory_info().rss for p in psutil.Process().children(recursive=True)) / 1e6
    return seconds[1:], memory  # the first round starts the worker


def boundary(without: Collection[str]) -> list[float]:
    """Return the wall seconds of submissions without a cell: fork, enter the layers, end, wipe."""
    seconds = []
    with Sandbox(without=without) as sandbox:
        for _ in range(4 * ROUNDS):
            started = time.perf_counter()
            with sandbox.run(EMPTY) as run:
                run.receive(deadline=time.monotonic() + 60)
            seconds.append(time.perf_counter() - started)
    return seconds[1:]


def main() -> None:
    """Print the table."""
    times = {"cold, one notebook from the command line": [cold() for _ in range(ROUNDS)]}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    peak_mb = peak / (1e6 if sys.platform == "darwin" else 1e3)
    times["warm, graded cells only"], memory = warm(all_cells=False)
    times["warm, with the training demos"], _ = warm(all_cells=True)
    for what, seconds in times.items():
        print(
            f"{what:45} median {statistics.median(seconds):6.2f} s"
            f"  ({min(seconds):.2f} to {max(seconds):.2f}, {len(seconds)} runs)"
        )
    for what, without in LAYERS.items():
        try:
            seconds = boundary(without)
        except UserError as error:
            print(f"{what:45} not here: {error}")
            continue
        print(
            f"{what:45} median {1000 * statistics.median(seconds):6.0f} ms  ({len(seconds)} runs)"
        )
    print(f"{'largest process of a cold run':45} {peak_mb:13.0f} MB")
    print(f"{'warm worker':45} {memory:13.0f} MB")


if __name__ == "__main__":
    main()
