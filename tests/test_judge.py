"""judge: facts in, marks out; what is missing earns nothing and says why."""

from dataclasses import replace

import numpy as np
import pytest

from autograder import inputs
from autograder.marks.judge import judge
from autograder.model import CellError, Homework, Outcome, Submission, SubmissionLog
from tests.conftest import SECRET, earned

ME = Submission("someone", "notebook", "1" * 64)
MATRICES = {"Km": np.eye(3), "Qm": 20 * np.eye(3), "Vm": np.eye(3)}


@pytest.fixture
def log(hw2: Homework) -> SubmissionLog:
    return SubmissionLog(
        homework=hw2.name,
        submission=ME,
        inputs=inputs.digests(hw2, submission=ME, secret=SECRET),
        written={"compare_identity": "answered", "compare_copy_first": "empty"},
        outcomes=(Outcome("identity", 0, "returned", MATRICES),),
    )


def test_a_growing_log_is_judged_as_far_as_it_goes(hw2: Homework, log: SubmissionLog) -> None:
    """What was asked counts, the rest is zero and says that it was not reached."""
    grade = judge(hw2, log, secret=SECRET)
    assert earned(grade)["identity"] == 12
    assert grade.score == 12
    assert grade.possible == 60
    assert grade.waiting == 6
    messages = {mark.question: mark.message for mark in grade.marks}
    assert messages["port"].startswith("Not asked")


def test_written_answers_wait_unless_there_is_nothing(hw2: Homework, log: SubmissionLog) -> None:
    """An unchanged or empty cell is zero by itself; an answer waits for a person."""
    marks = earned(judge(hw2, log, secret=SECRET))
    assert marks["compare_identity"] is None
    assert marks["compare_copy_first"] == 0


def test_other_inputs_are_never_judged(hw2: Homework, log: SubmissionLog) -> None:
    """A log made with another secret is stale, not wrong and not right."""
    (mark,) = (m for m in judge(hw2, log, secret="other").marks if m.question == "port")
    assert mark.message.startswith("Run again")


def test_the_worst_case_decides(hw2: Homework, log: SubmissionLog) -> None:
    """Nine cases of which one fails earn nothing."""
    cases = inputs.draw(hw2.question("port"), submission=ME, secret=SECRET)
    reference = hw2.question("port").check
    assert reference is not None
    zeros = [{"output": np.zeros((len(c["seq"]), c["Vm"].shape[1]))} for c in cases]
    outcomes = tuple(Outcome("port", n, "returned", value) for n, value in enumerate(zeros))
    grade = judge(hw2, replace(log, outcomes=outcomes), secret=SECRET)
    assert earned(grade)["port"] == 0
    assert "off by up to" in grade.marks[0].message


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        ("raised", "NotImplementedError: ", "Not written yet: `identity_weights`"),
        ("raised", "TypeError: no", "`identity_weights` raised TypeError: no"),
        ("refused", "Km contains NaN or infinity.", "Km contains NaN"),
        ("timed_out", "", "did not finish in time"),
        ("killed", "", "process ended"),
        ("not_run", "", "was not run"),
    ],
)
def test_what_did_not_return_says_why(
    hw2: Homework, log: SubmissionLog, status: str, error: str, message: str
) -> None:
    """Each status has its own sentence and earns nothing."""
    outcomes = (Outcome("identity", 0, status, error=error),)  # type: ignore[arg-type]
    grade = judge(hw2, replace(log, outcomes=outcomes), secret=SECRET)
    (mark,) = (m for m in grade.marks if m.question == "identity")
    assert mark.earned == 0
    assert message in mark.message


def test_a_missing_answer_is_explained_by_its_own_cell(hw2: Homework, log: SubmissionLog) -> None:
    """The error of the cell that should define it comes first, not another cell's."""
    errors = (
        CellError("your own code cell 1", "RuntimeError", "unrelated"),
        CellError("the cell 'identity_answer'", "NameError", "name 'nmp' is not defined"),
    )
    outcome = Outcome("identity", 0, "refused", error="`identity_weights` is not defined.")
    grade = judge(hw2, replace(log, outcomes=(outcome,), errors=errors), secret=SECRET)
    (mark,) = (m for m in grade.marks if m.question == "identity")
    assert mark.message.startswith("The cell 'identity_answer' failed: NameError")
