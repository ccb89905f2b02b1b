"""otter's form of a homework: an autograder.zip whose hidden tests call our checks."""

import json
from collections.abc import Sequence
from pathlib import Path

from autograder.records.questions import Question
from tests.benchmarks.forms import ROOT, Rival, Run, read_runs

HEAD = """\
import sys

from otter.test_files import test_case

sys.path.insert(0, {root!r})
from tests.benchmarks import asking

OK_FORMAT = False
name = {id!r}
points = {points!r}
"""
CASE = """

@test_case(points={points!r}, hidden=True)
def test_{number}(env):
    asking.demand({homework!r}, {id!r}, env, {fraction!r})
"""


class OtterForm(Rival):
    """`otter.api.grade_submission` without a container, called for one notebook after another.

    A otter test passes or fails, so partial credit is a second test of the same question,
    which asks for the rest.
    """

    name = "otter-grader 7.0.0"

    def _prepare(self) -> None:
        tests = self.folder / "tests"
        tests.mkdir()
        for question in self.homework.questions:
            if question.check is not None:
                (tests / f"{question.id}.py").write_text(self._test(question))
        self.run("otter", "generate", "-t", "tests", "-o", "autograder.zip", "--no-requirements")

    def _test(self, question: Question) -> str:
        partial = getattr(question.check, "partial", 0.0)
        steps = [step for step in (partial, 1.0) if step]
        text = HEAD.format(root=str(ROOT), id=question.id, points=question.points)
        for number, (before, step) in enumerate(zip([0.0, *steps], steps, strict=False)):
            text += CASE.format(
                points=(step - before) * question.points,
                number=number,
                homework=self.homework.name,
                id=question.id,
                fraction=step,
            )
        return text

    def _grade(self, notebooks: Sequence[Path]) -> list[Run]:
        place = self.folder / "submitted"
        place.mkdir(exist_ok=True)
        for notebook in notebooks:
            (place / notebook.name).write_text(json.dumps(self.submitted(notebook)))
        runs = self.folder / "runs.jsonl"
        names = [notebook.name for notebook in notebooks]
        self.run("python", Path(__file__).with_name("otter_run.py"), "autograder.zip", runs, *names)
        return read_runs(runs)
