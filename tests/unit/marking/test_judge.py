"""judge: facts in, marks out; what is missing earns nothing and says why."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import homework, inputs
from autograder.marking.diagnose import Given, diagnose
from autograder.marking.judge import judge
from autograder.model import (
    CellError,
    Check,
    Grade,
    Homework,
    Inputs,
    Misconception,
    Outcome,
    Question,
    Submission,
    SubmissionLog,
    Value,
    Verdict,
)
from tests.helpers import FUZZ, ROOT, SECRET, earned

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
    assert messages["port"].startswith("Not evaluated")


def test_written_answers_wait_unless_there_is_nothing(hw2: Homework, log: SubmissionLog) -> None:
    """An unchanged or empty cell is zero by itself; an answer waits for a person."""
    marks = earned(judge(hw2, log, secret=SECRET))
    assert marks["compare_identity"] is None
    assert marks["compare_copy_first"] == 0


def test_what_nobody_marks_is_on_no_mark_sheet(hw2: Homework, log: SubmissionLog) -> None:
    """A written answer without points waits for nobody."""
    questions = tuple(replace(q, points=0.0) if q.by_hand else q for q in hw2.questions)
    grade = judge(replace(hw2, questions=questions), log, secret=SECRET)
    assert not {"compare_identity", "compare_copy_first"} & earned(grade).keys()
    assert grade.waiting == 0


def test_a_doubt_is_said_although_nothing_is_lost(hw2: Homework, log: SubmissionLog) -> None:
    """Of cases that all earn everything, the one with something to say is shown."""

    class Doubting(Check):
        def __call__(self, inputs: Inputs, value: Value) -> Verdict:
            doubtful = len(inputs["seq"]) == 4
            said = "Line 3 does not follow." if doubtful else "Right."
            return Verdict(1.0, said, doubtful=doubtful)

    port = replace(hw2.question("port"), check=Doubting())
    cases = inputs.draw(port, submission=ME, secret=SECRET)
    outcomes = tuple(Outcome("port", n, "returned", {}) for n in range(len(cases)))
    grade = judge(replace(hw2, questions=(port,)), replace(log, outcomes=outcomes), secret=SECRET)
    assert grade.marks[0].message == "Line 3 does not follow."
    assert grade.marks[0].earned == 8


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
    assert "output is not right" in grade.marks[0].message


def test_cases_that_are_right_are_counted(hw2: Homework, log: SubmissionLog) -> None:
    """A student who is right for one length only is told so."""
    cases = inputs.draw(hw2.question("port"), submission=ME, secret=SECRET)
    outcomes = tuple(
        Outcome("port", n, "returned", {"output": case["seq"] @ case["Vm"]})
        for n, case in enumerate(cases)
    )
    grade = judge(hw2, replace(log, outcomes=outcomes), secret=SECRET)
    assert earned(grade)["port"] == 0
    assert grade.marks[0].message.startswith("For a sequence of length 2")
    said = grade.marks[0].message.partition("is there a softmax? ")[2]
    assert said.startswith("Right for a sequence of length 1 with input_dim=")
    assert said.endswith("and in no other of the 10 cases.")


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        ("raised", "NotImplementedError\n(line 3)", "Not written yet: `identity_weights`"),
        ("raised", "NotImplementedError: no forward", "raised NotImplementedError: no forward"),
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


def test_no_other_cell_is_blamed(hw2: Homework, log: SubmissionLog) -> None:
    """A misspelt name is not the fault of whatever else failed."""
    errors = (CellError("the cell 'port_answer'", "SyntaxError", "no"),)
    outcome = Outcome("identity", 0, "refused", error="`identity_weights` is not defined anywhere.")
    grade = judge(hw2, replace(log, outcomes=(outcome,), errors=errors), secret=SECRET)
    (mark,) = (m for m in grade.marks if m.question == "identity")
    assert mark.message == "No cell that ran defines `identity_weights`. Is the name spelt right?"


def test_a_lost_written_answer_waits_for_a_person(hw2: Homework, log: SubmissionLog) -> None:
    """Only an unchanged or empty cell is zero by itself; a missing one is looked for by a person."""
    lost = replace(log, written={"compare_identity": "missing", "compare_copy_first": "unchanged"})
    marks = earned(judge(hw2, lost, secret=SECRET))
    assert marks["compare_identity"] is None
    assert marks["compare_copy_first"] == 0


@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_a_forged_value_never_earns_or_crashes(hw2: Homework, data: st.DataObject) -> None:
    """Whatever comes back for a question that was not answered: zero points, no crash (slice: 700)."""
    names = (
        "Km",
        "Qm",
        "Vm",
        "pos",
        "output",
        "operations",
        "shape",
        "expected_shape",
        "gradients",
        "beside",
    )
    arrays = st.builds(
        lambda shape, fill: np.full(shape, fill),
        st.lists(st.integers(0, 5), max_size=3).map(tuple),
        st.sampled_from([0.0, 1.0, -1.0, 1e308, 5e-324, 0, 1, -(2**62)]),
    )
    value = data.draw(st.dictionaries(st.sampled_from(names), arrays | st.just("text")))
    question = data.draw(st.sampled_from([q for q in hw2.questions if q.check]))
    # A count is a statement of the sandbox: it is worth nothing without the port.
    earlier = [hw2.question(id) for id in ("port", *question.if_right)]
    alone = replace(hw2, questions=tuple(dict.fromkeys((*earlier, question))))
    log = SubmissionLog(
        homework=hw2.name,
        submission=ME,
        inputs=inputs.digests(alone, submission=ME, secret=SECRET),
        outcomes=tuple(Outcome(question.id, n, "returned", value) for n in range(9)),
    )
    grade = judge(alone, log, secret=SECRET)
    assert grade.score == 0
    known = data.draw(st.dictionaries(st.sampled_from(names), arrays))
    misconception = Misconception("known", "n", "e")

    def bank(asked: Question, cases: Sequence[Inputs], /, *, among: object = None) -> Given:
        outcomes = [Outcome(asked.id, n, "returned", known) for n in range(len(cases))]
        return [(misconception, outcomes)]

    named = diagnose(grade, alone, log, secret=SECRET, bank=bank)
    assert not any(mark.fault for mark in named.marks)


def test_a_missing_answer_is_explained_by_its_own_cell(hw2: Homework, log: SubmissionLog) -> None:
    """The error of the cell that should define it comes first, not another cell's."""
    errors = (
        CellError("your own code cell 1", "RuntimeError", "unrelated"),
        CellError("the cell 'identity_answer'", "NameError", "name 'nmp' is not defined"),
    )
    outcome = Outcome("identity", 0, "refused", error="`identity_weights` is not defined anywhere.")
    grade = judge(hw2, replace(log, outcomes=(outcome,), errors=errors), secret=SECRET)
    (mark,) = (m for m in grade.marks if m.question == "identity")
    assert "the cell 'identity_answer' failed with NameError" in mark.message


def test_what_an_answer_is_built_on_is_named_where_it_failed(
    hw2: Homework, log: SubmissionLog
) -> None:
    """It stands in the notebook, so it is not said that it stands nowhere."""
    question = hw2.question("identity")
    assert question.ask is not None
    ask = replace(question.ask, objects=("identity_weights", "something"))
    built = replace(hw2, questions=(replace(question, ask=ask),))
    errors = (CellError("the cell 'identity_answer'", "SyntaxError", "invalid syntax"),)
    outcome = Outcome("identity", 0, "refused", error="`identity_weights` is not defined anywhere.")
    (mark,) = judge(built, replace(log, outcomes=(outcome,), errors=errors), secret=SECRET).marks
    assert mark.message.startswith("`identity_weights` is not there: the cell 'identity_answer'")


def test_a_count_is_worth_nothing_without_right_values(hw2: Homework, log: SubmissionLog) -> None:
    """What only the sandbox can know counts when what can be checked is right."""
    counts = {
        "operations": np.array([7, 7]),
        "shape": np.array([12, 2]),
        "expected_shape": np.array([12, 2]),
        "gradients": np.array([1, 1, 1]),
    }
    counted = replace(log, outcomes=(Outcome("port_vectorised", 0, "returned", counts),))
    grade = judge(hw2, counted, secret=SECRET)
    assert earned(grade)["port_vectorised"] == 0
    (mark,) = (m for m in grade.marks if m.question == "port_vectorised")
    assert mark.message == "This counts only when `port` is right, and it is not yet."


def message(grade: Grade, question: str) -> str:
    (mark,) = (m for m in grade.marks if m.question == question)
    return mark.message


def ports(homework: Homework, question: str, factor: float) -> tuple[Outcome, ...]:
    """Return a port's right outputs times a factor."""
    asked = homework.question(question)
    cases = inputs.draw(asked, submission=ME, secret=SECRET)
    right = [asked.check.reference(**case)["output"] for case in cases]  # type: ignore[union-attr]
    return tuple(
        Outcome(question, n, "returned", {"output": factor * array})
        for n, array in enumerate(right)
    )


def test_an_earlier_question_says_where_to_begin(hw2: Homework, log: SubmissionLog) -> None:
    """Positions are wrong: because they are joined wrongly, or because the port is wrong already."""
    for factor, words in ((1.0, "Without positions it is right"), (2.0, "`port` is not right")):
        outcomes = ports(hw2, "port", factor) + ports(hw2, "port_positions", 2.0)
        grade = judge(hw2, replace(log, outcomes=outcomes), secret=SECRET)
        assert words in message(grade, "port_positions")


def test_an_unwritten_answer_is_not_told_where_to_begin(hw2: Homework, log: SubmissionLog) -> None:
    """It is told to write."""
    outcome = Outcome("port_positions", 0, "raised", error="NotImplementedError\n(line 3)")
    grade = judge(hw2, replace(log, outcomes=(outcome,)), secret=SECRET)
    assert message(grade, "port_positions").startswith("Not written yet")
    assert "begin there" not in message(grade, "port_positions")


def test_what_an_answer_says_for_itself_comes_first(hw2: Homework, log: SubmissionLog) -> None:
    """A complaint in a later case tells more than numbers that are off in an earlier one."""
    refused = Outcome("port", 4, "refused", error="Asked twice, it gives different numbers.")
    outcomes = (*ports(hw2, "port", 2.0)[:4], refused)
    grade = judge(hw2, replace(log, outcomes=outcomes), secret=SECRET)
    assert message(grade, "port").startswith("Asked twice")


def test_a_withheld_name_is_no_riddle(hw2: Homework, log: SubmissionLog) -> None:
    """Who hands in the matrices that the notebook shows is told that they are not there."""
    outcome = Outcome(
        "identity", 0, "raised", error="NameError: name 'LEARNED_IDENTITY' is not defined\n(line 2)"
    )
    grade = judge(hw2, replace(log, outcomes=(outcome,)), secret=SECRET)
    assert "uses `LEARNED_IDENTITY`, which is given in the notebook" in message(grade, "identity")


def test_texts_that_may_be_an_answer_are_shown_to_the_marker(
    hw2: Homework, log: SubmissionLog
) -> None:
    """Both of them, and a person decides."""
    two = replace(log, candidates={"compare_identity": ("First text.", "Second text.")})
    said = message(judge(hw2, two, secret=SECRET), "compare_identity")
    assert said.startswith("2 texts may be the answer; a person decides:")
    assert said.endswith("1. First text.\n\n2. Second text.")


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("table_logits_answer", "table_logits"),
        ("train_table_answer", "train_table"),
        ("controls_answer", "symmetric_control"),
        ("a cell of the student's", "symmetric_control"),
    ],
)
def test_what_a_question_is_built_on_is_named_when_it_is_not_written(cell: str, name: str) -> None:
    """Not the question's own answer, which may well be there."""
    hw4 = homework.load(ROOT, "hw4_position")
    digests = inputs.digests(hw4, submission=ME, secret=SECRET)
    error = f"NotImplementedError\n(line 3 of the cell {cell!r}: raise NotImplementedError())"
    outcome = Outcome("symmetric_control", 0, "raised", error=error)
    log = SubmissionLog(homework=hw4.name, submission=ME, inputs=digests, outcomes=(outcome,))
    grade = judge(hw4, log, secret=SECRET)
    assert message(grade, "symmetric_control").startswith(f"Not written yet: `{name}`.")
