"""The one table of speed: the same submissions graded by us, by nbgrader, by otter, and the floor.

    python -m tests.benchmarks.table [--quick] [--students N] [--rounds N] [--only ROW...]

Every round takes each row's graders in turn, and a figure is the median of the rounds. Wall and
processor seconds are what one more submission adds to a grader that is warm, its start and first
submissions left out; "cold" is a whole command. Memory is the largest sum of resident sizes, of a
grader and all that it started. "Two processors" are two of a grader side by side, each with half
of the class. It is written to docs/benchmarks.json, and from there to the page on speed.
"""

import argparse
import ctypes
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import psutil

from autograder.course import course, homework, known_answers
from autograder.grading.grader import Grader, Task
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.submission import discover
from tests.benchmarks import classroom, floor
from tests.benchmarks.forms import ROOT, Rival
from tests.benchmarks.nbgrader_form import NbgraderForm
from tests.benchmarks.otter_form import OtterForm
from tests.benchmarks.rivals import differences, our_points

NAME = "hw2_transformer"
KEPT = ROOT / "docs" / "benchmarks.json"
COLD, ONE, TWO = "one notebook, cold", "a class, one processor", "a class, two processors"
DEMOS, WRONG = "with the training demos", "wrong answers"
OURS, NBGRADER, OTTER, FLOOR = "ours", "nbgrader", "otter", "the floor"
COLUMNS = (OURS, NBGRADER, OTTER, FLOOR)
WARM = 2  # the first submissions of a run pay for what is imported late
LOOK = 0.05  # seconds between two looks at the memory
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


class Cost(NamedTuple):
    """What one submission costs: wall seconds, processor seconds, and the largest MB meanwhile."""

    seconds: float
    processor: float
    memory: float


class Machine(Protocol):
    """A warm grader, kept from round to round."""

    def seconds(self, notebooks: Sequence[Path]) -> list[float]:
        """Grade notebooks and return the wall seconds of each."""

    def processor_seconds(self) -> list[float]:
        """Return the processor seconds of each notebook of the last call."""


def spent(process: psutil.Process) -> float:
    """Return the processor seconds of a process and of all that it started, ended ones too."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):
            total += sum(one.cpu_times()[:4])
    return total


def _serve(connection: Connection, name: str, all_cells: bool, bare: bool) -> None:
    """Grade what comes through a connection, one notebook after another, until nothing comes."""
    os.environ["OMP_NUM_THREADS"] = "1"
    own = psutil.Process()
    with suppress(EOFError), ExitStack() as stack:
        grade = (_bare if bare else _ours)(stack, homework.load(ROOT, name), all_cells)
        while True:
            costs = []
            for notebook in connection.recv():
                started, before = time.perf_counter(), spent(own)
                grade(notebook)
                costs.append((time.perf_counter() - started, spent(own) - before))
            connection.send(costs)


def _ours(stack: ExitStack, chosen: Homework, all_cells: bool) -> Callable[[Path], None]:
    out = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    task = Task(ROOT, chosen.name, course.read(ROOT), out, all_cells=all_cells, force=True)
    grader = stack.enter_context(Grader.open(task))

    def grade(notebook: Path) -> None:
        (item,), _ = discover.find([notebook])
        done = grader.grade(item, out)
        if done.grade is None:
            raise RuntimeError(done.complaint)

    return grade


def _bare(stack: ExitStack, chosen: Homework, all_cells: bool) -> Callable[[Path], None]:
    floor.warm_up(ROOT / "release" / chosen.name / f"{chosen.name}.ipynb", chosen)
    return lambda notebook: floor.seconds([notebook], chosen, all_cells=all_cells) and None


class Process:
    """A process of ours that grades what it is sent: as `autograder grade` does, or as the floor."""

    def __init__(self, name: str, *, all_cells: bool = False, bare: bool = False) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        words = (theirs, name, all_cells, bare)
        self._process = context.Process(target=_serve, args=words, daemon=True)
        self._process.start()
        theirs.close()
        self._spent: list[float] = []

    def close(self) -> None:
        """End it after it has cleaned up."""
        self._connection.close()
        self._process.join()

    def seconds(self, notebooks: Sequence[Path]) -> list[float]:
        """Grade notebooks and return the wall seconds of each."""
        self._connection.send(list(notebooks))
        costs = self._connection.recv()
        self._spent = [processor for _, processor in costs]
        return [seconds for seconds, _ in costs]

    def processor_seconds(self) -> list[float]:
        """Return the processor seconds of each notebook of the last call."""
        return self._spent


@contextmanager
def watched() -> Iterator[Callable[[], float]]:
    """Yield what returns the most memory, in MB, of all that this process started since."""
    before, most, over = {one.pid for one in _below()}, [0.0], threading.Event()

    def look() -> None:
        while not over.wait(LOOK):
            sizes = [_size(one) for one in _below() if one.pid not in before]
            most[0] = max(most[0], sum(sizes) / 1e6)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield lambda: most[0]
    finally:
        over.set()
        thread.join()


def _below() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def _size(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return float(process.memory_info().rss)
    return 0.0


def warm(start: Callable[[], Machine], notebooks: Sequence[Path], number: int = 1) -> Cost:
    """Return what a submission adds to a number of graders side by side, each with its part."""
    parts = [notebooks[n::number] for n in range(number)]
    with watched() as most, ExitStack() as stack, ThreadPoolExecutor(number) as threads:
        machines = [start() for _ in range(number)]
        for machine in machines:
            if isinstance(
                machine, Process
            ):  # a rival begins each call with a submission of its own
                stack.enter_context(closing(machine)).seconds(notebooks[:WARM])
        walls = list(threads.map(lambda machine, part: sum(machine.seconds(part)), machines, parts))
        processor = sum(sum(machine.processor_seconds()) for machine in machines)
    return Cost(max(walls) / len(notebooks), processor / len(notebooks), most())


def cold(command: Callable[[], object]) -> Cost:
    """Return what a whole command costs."""
    adopt_orphans()
    before, started = os.times(), time.perf_counter()
    with watched() as most:
        command()
        seconds = time.perf_counter() - started
        reap()
        after = os.times()
    used = after.children_user + after.children_system
    return Cost(seconds, used - before.children_user - before.children_system, most())


def adopt_orphans() -> None:
    """Become the parent of processes whose own parent ends first, as a grader's warm worker is."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap(patience: float = 1.0) -> None:
    """Wait for adopted processes that have ended, so that their processor time is counted."""
    until = time.monotonic() + patience
    with suppress(ChildProcessError):
        while time.monotonic() < until:
            ended, _ = os.waitpid(-1, os.WNOHANG)
            if not ended:
                time.sleep(LOOK)


def python(*words: str) -> None:
    """Run a Python command."""
    subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=ROOT)


def floor_alone(notebook: str) -> None:
    """Grade one notebook as the floor, in a process that has not imported anything."""
    chosen = homework.load(ROOT, NAME)
    _bare(ExitStack(), chosen, False)(Path(notebook))


def written(answer: Submission, name: str, path: Path) -> Path:
    """Write a known answer as the release filled in, which all of them take; return where."""
    release = ROOT / "release" / name / f"{name}.ipynb"
    notebook = json.loads(release.read_text(encoding="utf-8"))
    classroom.add_outputs(notebook, name)
    sources = {cell.id: cell.source for cell in answer.cells}
    for cell in notebook["cells"]:
        cell["source"] = sources.get(cell["id"], cell["source"])
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


Row = Mapping[str, Callable[[], Cost]]
"""Column -> a function that measures it once."""


class Rows:
    """The rows of the table, with what each needs in a folder.

    Args:
        folder: For submissions, and for the rivals' forms.
        students: How many submissions a class has.
    """

    def __init__(self, folder: Path, students: int) -> None:
        self._folder = folder
        self._made: dict[tuple[type[Rival], str, bool, int], Rival] = {}
        self.notebooks = classroom.make(
            folder / "class", students, seed=1, homework=homework.load(ROOT, NAME), outputs=True
        )

    def all(self) -> dict[str, Row]:
        """Return every row."""
        found = {
            COLD: self._cold(self.notebooks[0]),
            ONE: self._row(NAME, self.notebooks),
            TWO: self._row(NAME, self.notebooks, number=2),
            DEMOS: self._row(NAME, self.notebooks[:1], demos=True),
        }
        for name in homework.names(ROOT):
            chosen = homework.load(ROOT, name)
            worst = max(known_answers.wrong(ROOT, chosen), key=lambda answer: len(answer.fails))
            right = known_answers.instructor(ROOT, chosen)
            paths = [
                written(answer, name, self._folder / f"{name}-{kind}.ipynb")
                for kind, answer in (("right", right), ("wrong", worst.submission))
            ]
            found[name] = self._row(name, paths[:1])
            found[f"{name}, {WRONG}"] = {OURS: partial(warm, partial(Process, name), paths[1:])}
        return found

    def rival(self, kind: type[Rival], name: str, *, demos: bool = False, number: int = 0) -> Rival:
        """Return a form of a homework, made at its first use."""
        key = kind, name, demos, number
        if key not in self._made:
            place = self._folder / "-".join(map(str, (kind.__name__, *key[1:])))
            self._made[key] = kind(place, homework.load(ROOT, name), demos=demos)
        return self._made[key]

    def _row(
        self, name: str, notebooks: Sequence[Path], *, number: int = 1, demos: bool = False
    ) -> Row:
        def rival(kind: type[Rival]) -> Cost:
            forms = iter([self.rival(kind, name, demos=demos, number=n) for n in range(number)])
            return warm(lambda: next(forms), notebooks, number)

        def own(bare: bool) -> Cost:
            return warm(partial(Process, name, all_cells=demos, bare=bare), notebooks, number)

        return {
            OURS: partial(own, False),
            NBGRADER: partial(rival, NbgraderForm),
            OTTER: partial(rival, OtterForm),
            FLOOR: partial(own, True),
        }

    def _cold(self, notebook: Path) -> Row:
        def ours() -> None:
            with tempfile.TemporaryDirectory() as out:
                python("-m", "autograder", "grade", NAME, str(notebook), "--out", out)

        code = (
            "import sys; from tests.benchmarks.table import floor_alone; floor_alone(sys.argv[1])"
        )
        return {
            OURS: partial(cold, ours),
            NBGRADER: lambda: cold(partial(self.rival(NbgraderForm, NAME).whole, notebook)),
            OTTER: lambda: cold(partial(self.rival(OtterForm, NAME).whole, notebook)),
            FLOOR: partial(cold, partial(python, "-c", code, str(notebook))),
        }


def main() -> None:
    """Measure the rows, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one round of few: does it work?")
    parser.add_argument("--only", nargs="*", metavar="ROW", help="these rows; nothing is written")
    asked = parser.parse_args()
    students, rounds = (4, 1) if asked.quick else (asked.students, asked.rounds)
    costs: dict[str, dict[str, list[Cost]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as place:
        rows = Rows(Path(place), students)
        chosen = {name: row for name, row in rows.all().items() if name in (asked.only or [name])}
        for _ in range(rounds):
            for name, row in chosen.items():
                for column, measure in row.items():
                    cost = measure()
                    costs[name][column].append(cost)
                    print(f"{name:40} {column:10} {cost.seconds:8.3f} s", flush=True)
        _compare(rows)
    found = record(costs, students, rounds)
    print(text(found))
    if not (asked.quick or asked.only):
        KEPT.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        print(f"wrote {KEPT.relative_to(ROOT)}; `make figures` puts it into the docs")


def _compare(rows: Rows) -> None:
    """Print whether the rivals give the points that we give."""
    few, chosen = rows.notebooks[:3], homework.load(ROOT, NAME)
    ours = our_points(few, chosen)
    for kind in (NbgraderForm, OtterForm):
        rival = rows.rival(kind, NAME)
        rival.seconds(few)
        said = differences(ours, rival.scores()) or ["the same machine points as ours"]
        print(*(f"{rival.label}: {line}" for line in said), sep="\n")


def record(
    costs: Mapping[str, Mapping[str, Sequence[Cost]]], students: int, rounds: int
) -> dict[str, Any]:
    """Return the table as it is kept, with what it was measured on and how busy that was."""
    words = ["git", "-c", "safe.directory=*", "rev-parse", "--short=10", "HEAD"]
    commit = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {
        "homework": NAME,
        "students": students,
        "outputs": True,
        "rounds": rounds,
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit.strip(),
        "machine": f"{os.cpu_count()} processors, Python {platform.python_version()}",
        "load": round(os.getloadavg()[2], 1),
        "rows": {
            name: {column: _median(several) for column, several in row.items()}
            for name, row in costs.items()
        },
    }


def _median(costs: Sequence[Cost]) -> dict[str, float]:
    seconds = [cost.seconds for cost in costs]
    return {
        "seconds": round(statistics.median(seconds), 3),
        "least": round(min(seconds), 3),
        "most": round(max(seconds), 3),
        "processor": round(statistics.median(cost.processor for cost in costs), 3),
        "memory": round(statistics.median(cost.memory for cost in costs)),
    }


def text(found: Mapping[str, Any]) -> str:
    """Return the table in Markdown: wall seconds, and behind them processor seconds and memory."""
    lines = ["| Graded | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for name, row in found["rows"].items():
        cells = [
            f"{one['seconds']:.2f} s; {one['processor']:.2f} s, {one['memory']:.0f} MB"
            if (one := row.get(column))
            else ""
            for column in COLUMNS
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def times(found: Mapping[str, Any], row: str, column: str) -> float:
    """Return how many times as much processor time another grader takes for a row.

    A busy machine changes that little, and the wall time much.
    """
    costs = found["rows"][row]
    return float(costs[column]["processor"] / costs[OURS]["processor"])


if __name__ == "__main__":
    main()
