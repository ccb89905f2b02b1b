"""A class with state: a script of calls in spec.py, and no adapter, reference or check of one's own."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring import release
from autograder.course import homework, known_answers
from autograder.marking.judge import judge
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import SECRET, TOY, executed, with_cells

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]

TEXT = """\
# %% text
# # Counting

# %% provided
import numpy as np

# %% answer Counter
class Counter:
    def __init__(self, start):
        ### BEGIN SOLUTION
        self.count = start
        ### END SOLUTION

    def add(self, number):
        ### BEGIN SOLUTION
        self.count += number
        ### END SOLUTION

# %% check Counter 3
"""
SPEC = """
from autograder.kit import Question, Steps

CALLS = ["count", ("add", 2), "count", ("add", 0.5), "count"]


def runs(rng):
    return [{"new": [rng.normal()], "calls": CALLS} for _ in "abc"]


questions = [Question("Counter", Steps(), runs, shown=[{"new": [1], "calls": CALLS}])]
"""


def test_calls_run_on_the_student_s_class_and_on_the_solution(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    """Alone and in turn with a second object; the message names the call."""
    course = tmp_path / "course"
    staff = course / "source" / "hw" / "staff"
    staff.mkdir(parents=True)
    shutil.copy(TOY / "course.toml", course)
    (staff / "spec.py").write_text(SPEC)
    (staff.parent / "hw.py").write_text(TEXT)
    release.refresh(course, "hw")
    release.write_release(course, "hw")
    chosen = homework.load(course, "hw")
    solved = known_answers.instructor(course, chosen)
    wrong = "    def add(self, number):\n        "
    made = "class Counter:\n    def __init__(self, start):\n        "
    for answer, said in (
        (f"{made}self.count = start\n{wrong}self.count = self.count + number", ""),
        (
            f"{made}self.count = start\n{wrong}self.count = number",
            "After `add()`, `count` is not right.",
        ),
        (
            f"{made}Counter.count = start\n{wrong}Counter.count += number",
            "Right for one object alone",
        ),
        (f"{made}self.count = start", "`add()` raises AttributeError"),
    ):
        given = with_cells(solved, Counter_answer=answer)
        (mark,) = judge(chosen, executed(given, chosen, sandbox=sandbox).log, secret=SECRET).marks
        assert (mark.earned == mark.points) == (not said), mark.message
        assert said in mark.message
        assert ("The check in your notebook prints: for Counter(1)" in mark.message) == bool(said)
