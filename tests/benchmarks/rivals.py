"""nbgrader and otter on the hand-ins that we grade: what one submission adds to a long run.

python -m tests.benchmarks.rivals [--homework NAME] [--students N] [--rounds N] [--seed N]
"""

import argparse
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from autograder import homework
from autograder.facts import find, intake
from autograder.facts.execute import execute
from autograder.facts.sandbox import Sandbox
from autograder.marks.judge import judge
from autograder.model import Homework, UserError
from tests.benchmarks import classroom
from tests.benchmarks.forms import ROOT, Rival
from tests.benchmarks.nbgrader_form import NbgraderForm
from tests.benchmarks.otter_form import OtterForm

Points = dict[str, dict[str, float]]
"""Student -> question id -> points."""


def prepared(folder: Path, chosen: Homework) -> list[Rival]:
    """Make every form of a homework below a folder: takes seconds, and is not timed."""
    return [
        kind(folder / f"{kind.__name__}-{'all' if demos else 'graded'}", chosen, demos=demos)
        for demos in (False, True)
        for kind in (NbgraderForm, OtterForm)
    ]


def our_points(notebooks: Sequence[Path], chosen: Homework) -> Points:
    """Grade notebooks as `autograder grade` does and return what the machine gives."""
    found, _ = find.find(list(notebooks))
    points = {}
    with Sandbox() as sandbox:
        for item in found:
            *_, last = execute(
                intake.read(item, chosen), chosen, sandbox=sandbox, secret="bench", all_cells=False
            )
            marks = judge(chosen, last.log, secret="bench").marks
            points[item.student] = {m.question: m.earned or 0.0 for m in marks if not m.by_hand}
    return points


def differences(ours: Points, theirs: Points) -> list[str]:
    """Say where machine points differ; written answers are nobody's here."""
    return [
        f"{student}: {question} {points:g} here, {theirs[student].get(question, 0.0):g} there"
        for student in theirs
        for question, points in ours[student].items()
        if abs(points - theirs[student].get(question, 0.0)) > 1e-6
    ]


def main() -> None:
    """Print the table, and whether all gave the same points."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--homework", default="hw2_transformer")
    parser.add_argument("--students", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=2)
    try:
        _table(parser.parse_args())
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


def _table(chosen_by: argparse.Namespace) -> None:
    chosen = homework.load(ROOT, chosen_by.homework)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        notebooks = classroom.make(
            folder / "class", chosen_by.students, seed=chosen_by.seed, homework=chosen
        )
        ours = our_points(notebooks, chosen)
        rivals = prepared(folder / "forms", chosen)
        wall: dict[str, list[float]] = defaultdict(list)
        processor: dict[str, list[float]] = defaultdict(list)
        for _ in range(chosen_by.rounds):
            for rival in rivals:  # in turn, so that a busy minute of the machine hits all
                wall[rival.label] += rival.seconds(notebooks)
                processor[rival.label] += rival.processor_seconds()
        for rival in rivals:
            seconds, used = wall[rival.label], statistics.median(processor[rival.label])
            print(
                f"{rival.label:46} median {statistics.median(seconds):6.2f} s"
                f"  ({min(seconds):.2f} to {max(seconds):.2f}, {len(seconds)} runs)"
                f"  processor {used:6.2f} s"
            )
            for line in differences(ours, rival.scores()) or ["the same machine points as ours"]:
                print(f"    {line}")


if __name__ == "__main__":
    main()
