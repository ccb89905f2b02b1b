"""One table: a class of submissions graded by us, by nbgrader, by otter, and the least it costs.

python -m tests.benchmarks.many [--rounds N] [--students N] [--without-rivals]

All ratios are medians over rounds in which everything takes its turn, with their spread. A run
beside the rivals keeps them in docs/benchmarks.json, from which the README has its figure.
"""

import argparse
import json
import multiprocessing
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.course import course, homework
from autograder.grading import cluster, pool
from autograder.grading.grader import Grader, Task
from autograder.grading.wire import Graded
from autograder.records.homework import Homework
from autograder.submission import discover
from tests.benchmarks import classroom, floor
from tests.benchmarks.forms import ROOT, Rival
from tests.benchmarks.nbgrader_form import NbgraderForm
from tests.benchmarks.rivals import differences, our_points, prepared

NAME = "hw2_transformer"
PASSES = 3  # of starts, and over a class alone and together: a busy second counts less
WARM = 2  # the first submissions of a run pay for what is imported late

EXAMPLES = ROOT / "tests" / "submissions" / NAME
KEPT = ROOT / "docs" / "benchmarks.json"
COLD, TORCH = "cold: `autograder grade` of one notebook", "python -c 'import torch'"
COLD_WRONG = "cold: of one with wrong answers, compared with known mistakes"
FLOOR, OURS = "the floor", "ours"
OURS_TWO = "ours, on two processors, as `autograder grade` does"
FLOOR_ALL, OURS_ALL = "the floor, with the training demos", "ours, with the training demos"


def cold(notebook: Path) -> float:
    """Return the wall seconds of one `autograder grade` of one notebook."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "autograder", "grade", NAME, str(notebook), "--out", folder]
        return command(*words, "--course", str(ROOT))


def _starts() -> tuple[float, float, float]:
    """Return the wall seconds of one start of each kind, in turn."""
    torch = command("-c", "import torch")
    return torch, cold(EXAMPLES / "perfect.ipynb"), cold(EXAMPLES / "as_in_the_source.ipynb")


def command(*words: str) -> float:
    """Return the wall seconds of a Python command."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return time.perf_counter() - started


def _serve_floor(connection: Connection) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    chosen = homework.load(ROOT, NAME)
    floor.warm_up(EXAMPLES / "perfect.ipynb", chosen)
    with suppress(EOFError):  # when nobody sends any more
        while True:
            notebooks, all_cells = connection.recv()
            connection.send(floor.seconds(notebooks, chosen, all_cells=all_cells))


def _serve_ours(connection: Connection) -> None:
    with suppress(EOFError), ExitStack() as stack:
        graders = {}
        for all_cells in (False, True):
            out = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            task = Task(ROOT, NAME, course.read(ROOT), out, all_cells=all_cells, force=True)
            graders[all_cells] = stack.enter_context(Grader.open(task)), out
        while True:
            notebooks, all_cells = connection.recv()
            grader, out = graders[all_cells]
            found, _ = discover.find(notebooks)
            spent = []
            for item in found:
                started = time.perf_counter()
                if grader.grade(item, out).grade is None:
                    raise RuntimeError(f"{item.place} was not graded")
                spent.append(time.perf_counter() - started)
            connection.send(spent)


class Process:
    """A process that grades what it is sent, kept warm from round to round."""

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def close(self) -> None:
        """End it when it has tidied up."""
        self._connection.close()
        self._process.join()

    def send(self, notebooks: Sequence[Path], *, all_cells: bool = False) -> None:
        """Have notebooks graded."""
        self._connection.send((list(notebooks), all_cells))

    def receive(self) -> list[float]:
        """Return the wall seconds of each."""
        seconds: list[float] = self._connection.recv()
        return seconds

    def seconds(self, notebooks: Sequence[Path], *, all_cells: bool = False) -> list[float]:
        """Return the wall seconds of each notebook."""
        self.send(notebooks, all_cells=all_cells)
        return self.receive()


def speed_up(workers: Sequence[Process], notebooks: Sequence[Path]) -> tuple[float, float]:
    """Grade two halves: return how many times as fast two are as one, and a submission's seconds."""
    halves = [notebooks[0::2], notebooks[1::2]]
    alone = together = 0.0
    for _ in range(PASSES):
        for worker, half in zip(workers, halves, strict=True):
            alone += sum(worker.seconds(half))
        started = time.perf_counter()
        for worker, half in zip(workers, halves, strict=True):
            worker.send(half)
        for worker in workers:
            worker.receive()
        together += time.perf_counter() - started
    return alone / together, together / PASSES / len(notebooks)


def a_submission(graded: Iterator[Graded], number: int) -> float:
    """Return the wall seconds that each submission of a run adds, its start left out."""
    started = 0.0
    for done, item in enumerate(graded, start=1):
        if item.grade is None:
            raise RuntimeError(item.complaint)
        if done == number // 4:
            started = time.perf_counter()
    return (time.perf_counter() - started) / (number - number // 4)


@contextmanager
def dask(workers: int) -> Iterator[str]:
    """Start a scheduler and workers on this machine; yield the scheduler's address."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = "tcp://127.0.0.1:18786"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        program = str(Path(sys.executable).with_name("dask"))
        commands = [[program, "scheduler", "--port", "18786", "--no-dashboard"]]
        worker = [program, "worker", address, "--nthreads", "1", "--no-dashboard"]
        commands += [[*worker, "--local-directory", str(place / str(n))] for n in range(workers)]
        for words in commands:
            process = stack.enter_context(subprocess.Popen(words, cwd=place, **quiet))
            stack.callback(process.terminate)
        yield address


class Table:
    """Seconds by row and round, and the ratios of rows."""

    def __init__(self) -> None:
        self.rows: dict[str, list[float]] = defaultdict(list)
        self.ratios: dict[str, dict[str, float]] = {}

    def add(self, row: str, seconds: Sequence[float]) -> None:
        """Add a round's: the median of its submissions."""
        self.rows[row].append(statistics.median(seconds))

    def print(self, row: str) -> None:
        """Print a row's seconds."""
        seconds = self.rows[row]
        print(f"{row:62} {statistics.median(seconds):8.3f} s   ({_spread(seconds)})", flush=True)

    def ratio(self, row: str, to: str, *, must: str) -> None:
        """Print how many times one row is another."""
        ratios = [a / b for a, b in zip(self.rows[row], self.rows[to], strict=True)]
        what = f"{row} / {to}"
        self.ratios[what] = {
            "median": round(statistics.median(ratios), 2),
            "least": round(min(ratios), 2),
            "most": round(max(ratios), 2),
        }
        print(f"{what:72} {statistics.median(ratios):8.2f}     ({_spread(ratios)})   {must}")

    def figure(self, row: str, *, must: str) -> None:
        """Print a row that is a ratio already."""
        ratios = self.rows[row]
        print(f"{row:72} {statistics.median(ratios):8.2f}     ({_spread(ratios)})   {must}")


def _spread(values: Sequence[float]) -> str:
    return f"{min(values):.3g} to {max(values):.3g}, {len(values)} rounds"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--students", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-rivals", action="store_true")
    asked = parser.parse_args()
    chosen = homework.load(ROOT, NAME)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        notebooks = classroom.make(folder / "in", asked.students, seed=asked.seed, homework=chosen)
        forms = [] if asked.without_rivals else prepared(folder / "forms", chosen)
        rivals = {form.label: form for form in forms}
        print(
            f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
        )
        print(f"{NAME}: {asked.students} submissions a round; seconds a submission\n")
        with ExitStack() as stack:
            ours, floors = (
                [stack.enter_context(closing(Process(serve))) for _ in range(2)]
                for serve in (_serve_ours, _serve_floor)
            )
            _measure(chosen, ours, floors, notebooks, rivals, asked.rounds)
        _clusters(chosen, notebooks, asked.rounds, folder)


def _measure(
    chosen: Homework,
    ours: Sequence[Process],
    floors: Sequence[Process],
    notebooks: Sequence[Path],
    rivals: dict[str, Rival],
    rounds: int,
) -> None:
    table = Table()
    for process in (*ours, *floors):
        process.seconds(notebooks[:WARM])
    for process in (ours[0], floors[0]):
        process.seconds(notebooks[:WARM], all_cells=True)
    few, one = notebooks[:3], notebooks[:1]
    for _ in range(rounds):
        starts = [_starts() for _ in range(PASSES)]
        for row, seconds in zip((TORCH, COLD, COLD_WRONG), zip(*starts, strict=True), strict=True):
            table.add(row, seconds)
        table.add(FLOOR, floors[0].seconds(notebooks))
        table.add(OURS, ours[0].seconds(notebooks))
        table.add(FLOOR_ALL, floors[0].seconds(one, all_cells=True))
        table.add(OURS_ALL, ours[0].seconds(one, all_cells=True))
        for label, rival in rivals.items():
            table.add(label, rival.seconds(one if rival.demos else few))
        table.add("speed-up of two: the floor", [speed_up(floors, notebooks)[0]])
        faster, seconds = speed_up(ours, notebooks)
        table.add("speed-up of two: ours", [faster])
        table.add(OURS_TWO, [seconds])
    for row in table.rows:
        if not row.startswith("speed-up"):
            table.print(row)
    given = our_points(few, chosen) if rivals else {}
    for label, rival in rivals.items():
        for line in differences(given, rival.scores()) or ["the same machine points as ours"]:
            print(f"{label}: {line}")
    print()
    table.ratio(COLD, TORCH, must="at most 1.5")
    table.ratio(OURS, FLOOR, must="at most 2, aim 1.5")
    for label, rival in rivals.items():
        nbgrader = isinstance(rival, NbgraderForm)
        if not rival.demos or nbgrader:
            # What it does with the demos is beside what we do to give the same marks.
            must = "at least 80, aim 150" if rival.demos else "at least 40"
            must = "at least 25, aim 50" if nbgrader and not rival.demos else must
            table.ratio(label, OURS, must=must)
            table.ratio(label, OURS_TWO, must=must)
        if rival.demos:
            table.ratio(label, OURS_ALL, must="")
    table.figure("speed-up of two: the floor", must="")
    table.figure("speed-up of two: ours", must="")
    table.ratio("speed-up of two: ours", "speed-up of two: the floor", must="at least 0.93")
    if rivals:
        keep(table, submissions=len(notebooks), rounds=rounds)


def keep(table: Table, *, submissions: int, rounds: int) -> None:
    """Write the ratios, with what they were measured on and how busy that was."""
    commit = subprocess.run(
        ["git", "-c", "safe.directory=*", "rev-parse", "--short=10", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    found = {
        "homework": NAME,
        "submissions": submissions,
        "rounds": rounds,
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit,
        "machine": f"{os.cpu_count()} processors, Python {platform.python_version()}",
        "load": round(os.getloadavg()[2], 1),
        "ratios": table.ratios,
    }
    KEPT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {KEPT.relative_to(ROOT)}")


def _clusters(chosen: Homework, notebooks: Sequence[Path], rounds: int, folder: Path) -> None:
    """Print what Dask costs: two workers beside two graders of our own, on the same submissions."""
    table = Table()
    found, _ = discover.find(list(notebooks))
    several = [
        discover.Found(f"{item.student}-{copy}", item.path) for copy in range(4) for item in found
    ]
    with dask(workers=2) as address:
        for number in range(rounds + 1):
            for row in ("two graders", "two Dask workers"):
                out = folder / f"{row}-{number}"
                task = Task(ROOT, NAME, course.read(ROOT), out)
                graded = (
                    pool.grade(task, several, jobs=2, limits=chosen.limits)
                    if row == "two graders"
                    else cluster.grade(
                        task,
                        several,
                        homework=chosen,
                        address=address,
                        insecure=False,
                        note=print,
                    )
                )
                seconds = a_submission(graded, len(several))
                if number:  # the first one warms the cluster up
                    table.add(row, [seconds])
                shutil.rmtree(out)
    print()
    for row in table.rows:
        table.print(row)
    table.ratio("two Dask workers", "two graders", must="at most 1.1")


if __name__ == "__main__":
    main()
