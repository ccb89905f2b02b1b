"""A nbgrader notebook, graded by nbgrader and by us: the same marks, and what they cost.

python -m tests.benchmarks.imported FOLDER [--students 50] [--rounds 1] [--seed 1] [--hostile 20]

FOLDER has the source notebook, and `data/` where it needs one. Its code runs on this machine, as
nbgrader runs it; what is hostile runs in our sandbox alone.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nbgrader.api import Gradebook, MissingEntry

from tests.benchmarks import hostile, mutated

Marks = dict[str, dict[str, float | None]]
"""Student -> grade_id -> points; None where a person marks it."""
NAME = "imported"
CONFIGURATION = 'c = get_config()\nc.CourseDirectory.course_id = "bench"\n'


def run(*words: object, place: Path, fails: bool = False) -> str:
    """Run a module of Python in a folder; return what it printed.

    Args:
        words: The module and its arguments.
        place: The folder.
        fails: Whether it may say by its exit status that something failed: nbgrader does so for a
            submission that it could not grade, and then grades the others.

    Raises:
        SystemExit: it failed.
    """
    settings = {
        "OMP_NUM_THREADS": "1",
        "AUTOGRADER_SECRET": "",
        "JUPYTER_CONFIG_DIR": str(place / "jupyter"),
        "IPYTHONDIR": str(place / "ipython"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=place,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    if done.returncode and not fails:
        sys.exit(f"{words[0]} {words[1]} failed:\n{said[-2000:]}")
    return said


class Theirs:
    """A course of nbgrader's with one assignment."""

    def __init__(self, folder: Path, given: Path) -> None:
        self.folder = folder
        (self.source,) = sorted(given.glob("*.ipynb"))
        shutil.copytree(given, folder / "source" / NAME)
        (folder / "nbgrader_config.py").write_text(CONFIGURATION)
        run("nbgrader", "generate_assignment", NAME, place=folder)
        self.release = folder / "release" / NAME / self.source.name
        self.unmarked = {
            marks["grade_id"]
            for cell in json.loads(self.source.read_text(encoding="utf-8"))["cells"]
            if (marks := cell["metadata"].get("nbgrader", {})).get("grade")
            and marks["solution"]
            and not marks["points"]
        }

    def grade(self, notebooks: Sequence[Path]) -> float:
        """Run `nbgrader autograde` for all of them at once; return the wall seconds of each."""
        for part in ("submitted", "autograded"):
            shutil.rmtree(self.folder / part, ignore_errors=True)
        for notebook in notebooks:
            place = self.folder / "submitted" / notebook.stem / NAME
            shutil.copytree(self.release.parent, place)
            shutil.copy(notebook, place / self.release.name)
        started = time.perf_counter()
        run("nbgrader", "autograde", NAME, place=self.folder, fails=True)
        return (time.perf_counter() - started) / len(notebooks)

    def marks(self, notebooks: Sequence[Path]) -> Marks:
        """Return the marks of the last run; a submission that nbgrader failed to grade is left out.

        So are answers that a person marks and that are worth nothing: we have no mark for them.
        """
        found: Marks = {}
        with Gradebook(f"sqlite:///{self.folder}/gradebook.db", "bench") as book:
            for notebook in notebooks:
                if not (self.folder / "autograded" / notebook.stem / NAME).is_dir():
                    continue
                try:
                    one = book.find_submission_notebook(self.source.stem, NAME, notebook.stem)
                except MissingEntry:
                    continue
                found[notebook.stem] = {
                    grade.name: None if grade.needs_manual_grade else grade.score
                    for grade in one.grades
                    if grade.name not in self.unmarked
                }
        return found


class Ours:
    """A course of ours with the same notebook, imported."""

    def __init__(self, folder: Path, source: Path, jobs: int) -> None:
        self.folder, self.jobs = folder, jobs
        run("autograder", "new", "course", folder, place=folder.parent)
        said = run("autograder", "import", source, "--name", NAME, place=folder)
        print(said.strip())

    def grade(self, inbox: Path, out: Path) -> float:
        """Run `autograder grade` for a folder of notebooks; return the wall seconds of each."""
        number = len(list(inbox.iterdir()))
        started = time.perf_counter()
        words = ("grade", NAME, inbox, "--out", out, "-j", self.jobs)
        run("autograder", *words, place=self.folder)
        return (time.perf_counter() - started) / number

    def marks(self, out: Path) -> Marks:
        """Return the marks of a results folder."""
        found: Marks = {}
        for path in sorted(out.glob("*/grade.json")):
            marks = json.loads(path.read_text(encoding="utf-8"))["marks"]
            found[path.parent.name] = {m["question"]: m["earned"] for m in marks}
        return found


def differences(ours: Marks, theirs: Marks) -> Iterator[str]:
    """Say where marks differ, submission by submission and question by question."""
    for student in sorted(ours.keys() | theirs.keys()):
        if student not in ours or student not in theirs:
            yield f"{student}: not graded {'here' if student not in ours else 'by nbgrader'}"
            continue
        here, there = ours[student], theirs[student]
        for question in dict.fromkeys([*there, *here]):
            pair = here.get(question, "not there"), there.get(question, "not there")
            if pair[0] != pair[1]:
                yield f"{student}: {question} {_said(pair[0])} here, {_said(pair[1])} there"


def _said(points: float | str | None) -> str:
    return "marked by a person" if points is None else f"{points}"


def compare(ours: Ours, theirs: Theirs, options: argparse.Namespace, folder: Path) -> None:
    """Grade a class here and there in turn, and print marks and times."""
    notebooks = mutated.make(
        folder / "in",
        options.students,
        seed=options.seed,
        source=theirs.source,
        release=theirs.release,
    )
    spent: dict[str, list[float]] = {"ours": [], "nbgrader": []}
    for number in range(options.rounds):
        out = folder / f"out-{number}"
        spent["ours"].append(ours.grade(folder / "in", out))
        spent["nbgrader"].append(theirs.grade(notebooks))
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        print(
            f"round {number + 1}: {spent['ours'][-1]:.3f} s a submission here, "
            f"{spent['nbgrader'][-1]:.3f} s there (load {load})",
            flush=True,
        )
        here, there = ours.marks(out), theirs.marks(notebooks)
        compared = sum(len(questions) for questions in there.values())
        told = list(differences(here, there))
        for line in told:
            print(f"  {line}")
        print(f"  {len(there)} submissions, {compared} marks compared, {len(told)} differ")
        print(f"  {_spread(there)}", flush=True)
    ratios = [b / a for a, b in zip(spent["ours"], spent["nbgrader"], strict=True)]
    print(
        f"median: ours {statistics.median(spent['ours']):.3f} s, nbgrader "
        f"{statistics.median(spent['nbgrader']):.3f} s a submission; nbgrader / ours "
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
        f"{ours.jobs} at a time here"
    )


def _spread(marks: Mapping[str, Mapping[str, float | None]]) -> str:
    """Describe how varied the class is, since a comparison of zeros proves nothing."""
    every = [points for questions in marks.values() for points in questions.values()]
    some = sum(bool(points) for points in every)
    by_hand = sum(points is None for points in every)
    none = len(every) - some - by_hand
    return f"nbgrader gave points for {some}, none for {none}, left {by_hand} to a person"


def main() -> None:
    """Print what differs and what it costs; with --hostile, what hostile submissions do."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("given", type=Path, metavar="FOLDER", help="one source notebook is in it")
    parser.add_argument("--students", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time, here")
    parser.add_argument("--hostile", type=int, default=0, help="how many, among ten right ones")
    options = parser.parse_args()
    if len(list(options.given.glob("*.ipynb"))) != 1:
        parser.error(f"{options.given} has not one notebook (*.ipynb)")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        theirs = Theirs(folder / "theirs", options.given)
        ours = Ours(folder / "ours", theirs.source, options.jobs)
        if options.students:
            compare(ours, theirs, options, folder)
        if options.hostile:
            inbox, out = folder / "hostile-in", folder / "hostile-out"
            written = mutated.right(theirs.source)
            hostile.make(inbox, options.hostile, release=theirs.release, written=written)
            hostile.shorten(ours.folder / "source" / NAME / "staff" / "spec.py")
            before = hostile.snapshot(folder, without=out)
            seconds = ours.grade(inbox, out) * len(list(inbox.iterdir()))
            for line in hostile.told(
                ours.marks(out), before, hostile.snapshot(folder, without=out)
            ):
                print(line)
            print(f"{seconds:.0f} s for all of them")


if __name__ == "__main__":
    main()
