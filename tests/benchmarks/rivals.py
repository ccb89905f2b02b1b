"""nbgrader's and otter's forms of a homework, and whether they give the points that we give."""

from collections.abc import Sequence
from pathlib import Path

from autograder.marking.judge import Judge, judge
from autograder.records.homework import Homework
from autograder.sandbox.execute import execute
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover, reading
from tests.benchmarks.forms import Rival
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
    found, _ = discover.find(list(notebooks))
    points = {}
    with Sandbox() as sandbox:
        for item in found:
            *_, last = execute(
                reading.read(item, chosen),
                chosen,
                sandbox=sandbox,
                secret="bench",
                settled=Judge(chosen, secret="bench").passed,
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
