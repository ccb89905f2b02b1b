"""On inputs that all submissions share, wrong answers are recognised, and no mark changes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from autograder.authoring.contract.proof import timeless
from autograder.course import inputs, known_answers
from autograder.course.inputs import Drawn
from autograder.marking.judge import judge
from autograder.records import codec
from autograder.records.digests import alike, digest
from autograder.records.facts import Outcome, Submission, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.questions import Question
from autograder.sandbox import execute as executing
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import ROOT, SECRET, executed, with_added, with_cells

pytestmark = pytest.mark.slow

CALLS = 9
"""More calls than the visible check and the hidden cases make in one process, but less than one
further round."""
ONE = {"the count": np.array(1)}
COUNT = "def count_positive(numbers):\n    return int((numbers {sign} 0).sum()){more}"


def mine(submission: Submission, student: str) -> Submission:
    """Return it as another student's: with hidden inputs of its own."""
    return replace(submission, id=SubmissionId(student, "notebook", student * 64))


def none_in_common(log: SubmissionLog, wrong: Sequence[Question]) -> list[tuple[Question, Drawn]]:
    return []


def test_what_is_right_or_unwritten_is_not_evaluated_once_more(
    toy: Homework, solved: Submission, sandbox: Sandbox
) -> None:
    """The instructor's answers and the empty release are not evaluated on shared inputs."""
    assert not executed(solved, toy, sandbox=sandbox).log.common
    empty = replace(solved, cells=toy.cells)
    assert not executed(empty, toy, sandbox=sandbox).log.common


def test_the_same_mistake_of_two_students_is_alike(
    toy: Homework, solved: Submission, sandbox: Sandbox
) -> None:
    """Written in other words; another mistake is not, and their hidden inputs differ."""
    first, second, other, raises = (
        executed(mine(with_cells(solved, count_answer=source), id), toy, sandbox=sandbox).log
        for id, source in {
            "a": COUNT.format(sign=">=", more=""),
            "b": "def count_positive(x):\n    return sum(1 for one in x if not one < 0)",
            "c": COUNT.format(sign=">", more=" + 1"),
            "d": "def count_positive(numbers):\n    return numbers.nothing",
        }.items()
    )
    assert {*first.common} == {*raises.common} == {"count"}
    assert first.inputs["count"] != second.inputs["count"]
    digest = inputs.common(toy.question("count")).digest
    assert {log.common["count"].inputs for log in (first, second, other)} == {digest}
    assert alike(first.common["count"].values, second.common["count"].values)
    assert not alike(first.common["count"].values, other.common["count"].values)
    assert not alike(first.common["count"].values, raises.common["count"].values)


@pytest.mark.parametrize(
    ("more", "last"),
    [
        ("return int((numbers >= 0).sum())", Outcome("count", 3, "returned", ONE)),
        ("import os; os._exit(0)", Outcome("count", 3, "killed")),
        ("import time; time.sleep(1000)", Outcome("count", 3, "timed_out")),
        ("return 7", Outcome("count", 3, "returned", {"the count": np.array(7)})),
    ],
    ids=["plain", "ends", "sleeps", "lies"],
)
def test_marks_and_facts_are_the_same_without(
    toy: Homework,
    solved: Submission,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    more: str,
    last: Outcome,
) -> None:
    """This includes an answer that behaves differently at its next call."""
    source = (
        "calls = []\n"
        "def count_positive(numbers):\n"
        "    calls.append(1)\n"
        f"    if len(calls) > {CALLS}:\n        {more}\n"
        "    return int((numbers >= 0).sum())"
    )
    short = replace(toy, limits=replace(toy.limits, question_seconds=2))
    submission = with_cells(solved, count_answer=source)
    state = executed(submission, short, sandbox=sandbox)
    monkeypatch.setattr(executing, "in_common", none_in_common)
    without = executed(submission, short, sandbox=sandbox)
    assert digest(last) in state.log.common["count"].values
    assert not without.log.common
    assert timeless(replace(state.log, common={})) == timeless(without.log)
    grades = [judge(short, log.log, secret=SECRET) for log in (state, without)]
    assert grades[0] == grades[1]
    assert grades[0].score == 3


def test_an_answer_that_ends_everything_the_third_time_keeps_the_marks(
    toy: Homework, solved: Submission, sandbox: Sandbox
) -> None:
    """Evaluations that earn nothing come last."""
    deadly = (
        "import os, signal\n"
        "def mean_positive(numbers):\n"
        "    open('calls', 'a').write('x')\n"
        "    if os.path.getsize('calls') > 40:\n"
        "        os.kill(os.getppid(), signal.SIGKILL)\n"
        "    open('calls', 'a').write('x' * 4)\n"
        "    return 0.0"
    )
    log = executed(with_cells(solved, mean_answer=deadly), toy, sandbox=sandbox).log
    grade = judge(toy, log, secret=SECRET)
    assert log.complete
    assert "mean" not in log.common  # it ended everything there
    assert all(one.status == "returned" for one in log.outcomes)
    assert grade.score == 2


def test_grading_twice_gives_the_same_digests(
    toy: Homework, solved: Submission, sandbox: Sandbox
) -> None:
    """And a log with them is read back."""
    wrong = with_cells(solved, count_answer=COUNT.format(sign=">=", more=""))
    noisy = with_added(wrong, "print('hello')")
    first, again = (executed(noisy, toy, sandbox=sandbox).log for _ in range(2))
    assert first.common
    assert timeless(first) == timeless(again)
    assert codec.decode_log(codec.encode_log(first)).common == first.common


@pytest.mark.turns(8)
@pytest.mark.parametrize(
    "name", [path.parent.name for path in sorted((ROOT / "source").glob("*/staff"))]
)
def test_full_marks_stay(name: str, course: object, sandbox: Sandbox) -> None:
    """Of each homework: the instructor's notebook earns everything, and is not evaluated again."""
    from autograder.course import homework

    chosen = homework.load(ROOT, name)
    sandbox.expect(chosen)
    log = executed(known_answers.instructor(ROOT, chosen), chosen, sandbox=sandbox).log
    grade = judge(chosen, log, secret=SECRET)
    assert all(mark.verdict in ("passed", "waiting") for mark in grade.marks)
    assert not log.common
