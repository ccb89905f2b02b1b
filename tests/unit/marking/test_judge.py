"""judge: facts in, marks out; anything missing earns nothing, with a reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.course import inputs
from autograder.kit import Close
from autograder.kit.notebook.check import IN_PLACE
from autograder.marking.judge import PASSED_HERE, judge
from autograder.records.facts import CellError, Outcome, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Mark
from autograder.records.questions import Ask, Check, Inputs, Value, Verdict
from tests.helpers import SECRET, earned, returned

ME = SubmissionId("someone", "notebook", "1" * 64)


@pytest.fixture
def log(toy: Homework) -> SubmissionLog:
    return SubmissionLog(
        homework=toy.name,
        submission=ME,
        inputs=inputs.digests(toy, submission=ME, secret=SECRET),
        written={"argue": "answered"},
        outcomes=returned(toy, "count", ME),
    )


def marked(
    homework: Homework, log: SubmissionLog, question: str, *outcomes: Outcome, **changes: Any
) -> Mark:
    """Return a question's mark by a log with these outcomes and other changes."""
    grade = judge(homework, replace(log, outcomes=outcomes, **changes), secret=SECRET)
    (mark,) = (one for one in grade.marks if one.question == question)
    return mark


def test_a_growing_log_is_judged_as_far_as_it_goes(toy: Homework, log: SubmissionLog) -> None:
    """Evaluated questions count; the rest earn zero, with a message that they were not reached."""
    grade = judge(toy, log, secret=SECRET)
    assert earned(grade)["count"] == 2
    assert grade.score == 2
    assert grade.possible == 7
    assert grade.waiting == 2
    messages = {mark.question: mark.message for mark in grade.marks}
    assert messages["mean"].startswith("Not evaluated")


def test_extra_credit_is_earned_beside_what_is_possible(toy: Homework, log: SubmissionLog) -> None:
    """It adds to the score, but full marks do not need it."""
    count, mean, argue = toy.questions
    generous = replace(toy, questions=(count, replace(mean, extra=True), argue))
    outcomes = (*log.outcomes, *returned(toy, "mean", ME))
    grade = judge(generous, replace(log, outcomes=outcomes), secret=SECRET)
    assert (grade.score, grade.possible, grade.waiting) == (5, 4, 2)


def test_what_nobody_marks_is_on_no_mark_sheet(toy: Homework, log: SubmissionLog) -> None:
    """A written answer without points is not open."""
    questions = tuple(replace(q, points=0.0) if q.by_hand else q for q in toy.questions)
    grade = judge(replace(toy, questions=questions), log, secret=SECRET)
    assert "argue" not in earned(grade)
    assert grade.waiting == 0


def test_a_doubt_is_said_although_nothing_is_lost(toy: Homework, log: SubmissionLog) -> None:
    """If all cases earn everything, the one with a remark is shown."""

    class Doubting(Check):
        def __call__(self, inputs: Inputs, value: Value) -> Verdict:
            doubtful = len(inputs["numbers"]) == 3
            said = "Line 3 does not follow." if doubtful else "Right."
            return Verdict(1.0, said, doubtful=doubtful)

    mean = replace(toy.question("mean"), check=Doubting(), if_right={})
    cases = inputs.draw(mean, submission=ME, secret=SECRET)
    outcomes = (Outcome("mean", n, "returned", {}) for n in range(len(cases)))
    mark = marked(replace(toy, questions=(mean,)), log, "mean", *outcomes)
    assert (mark.message, mark.earned) == ("Line 3 does not follow.", 3)


def test_other_inputs_are_never_judged(toy: Homework, log: SubmissionLog) -> None:
    """A log made with a different secret is stale, neither wrong nor right."""
    (mark, *_) = judge(toy, log, secret="other").marks
    assert mark.message.startswith("Not marked")


def test_the_worst_case_decides(toy: Homework, log: SubmissionLog) -> None:
    """One failure in four cases costs everything."""
    right, wrong = returned(toy, "mean", ME), returned(toy, "mean", ME, off=1.0)
    assert len(right) == 4
    mark = marked(toy, log, "mean", *right[:3], wrong[3])
    assert mark.earned == 0
    assert "the mean is not right" in mark.message


def test_cases_that_are_right_are_counted(toy: Homework, log: SubmissionLog) -> None:
    """A student who is right for only one length is told so."""
    cases = inputs.draw(toy.question("mean"), submission=ME, secret=SECRET)
    outcomes = (
        Outcome("mean", n, "returned", {"the mean": np.array(case["numbers"].mean())})
        for n, case in enumerate(cases)
    )
    mark = marked(toy, log, "mean", *outcomes)
    assert mark.earned == 0
    assert mark.message.startswith("For 5 numbers: the mean is not right")
    assert "Right for 1 number, and in no other of the 4 cases." in mark.message


PLACE = "line 3 of the cell 'count_answer': return helper(x))"


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        ("raised", "NotImplementedError\n(line 3)", "Not written yet: `count_positive`"),
        ("raised", "NotImplementedError: no loop\n(line 3)", "raised NotImplementedError: no loop"),
        ("raised", "TypeError: no\n(line 3)", "`count_positive` raised TypeError: no"),
        ("raised", "TypeError: no", "none of your own lines failed: TypeError"),
        (
            "raised",
            f"TypeError: no\n(in `helper`, {PLACE}",
            f"`helper` raised TypeError: no\n(in `helper`, {PLACE}",
        ),
        (
            "raised",
            f"TypeError: no\n(in `Model.forward`, {PLACE}",
            "`Model.forward` raised TypeError: no",
        ),
        (
            "raised",
            f"TypeError: no\n({PLACE} # (in `lies`, line 1 of )",
            "`count_positive` raised TypeError: no",
        ),
        (
            "raised",
            f"RuntimeError: one of the variables has been {IN_PLACE}: [3]",
            "`count_positive`: it changes a tensor in place",
        ),
        ("refused", "The count is NaN or infinity.", "The count is NaN"),
        (
            "timed_out",
            "",
            "did not finish in time for 5 numbers. Each case has 20 seconds, and all cases together "
            "have 40 seconds.",
        ),
        (
            "refused",
            "back is None: is there a `return`?",
            "`count_positive`: back is None: is there a `return`?",
        ),
        ("refused", "the means contains NaN or infinity.", "`count_positive`: the means contains"),
        ("killed", "", "process ended"),
        ("not_run", "", "was not run"),
    ],
)
def test_what_did_not_return_says_why(
    toy: Homework, log: SubmissionLog, status: str, error: str, message: str
) -> None:
    """Each status has its own sentence and earns nothing."""
    outcome = Outcome("count", 0, status, error=error)  # type: ignore[arg-type]
    mark = marked(toy, log, "count", outcome)
    assert mark.earned == 0
    assert message in mark.message


def test_no_other_cell_is_blamed(toy: Homework, log: SubmissionLog) -> None:
    """A misspelt name is not the fault of some other failure."""
    errors = (CellError("the cell 'mean_answer'", "SyntaxError", "no"),)
    outcome = Outcome("count", 0, "refused", error="`count_positive` is not defined anywhere.")
    mark = marked(toy, log, "count", outcome, errors=errors)
    assert mark.message == "No cell that ran defines `count_positive`. Is the name spelt correctly?"


@pytest.mark.parametrize(
    ("state", "points"), [("answered", None), ("missing", None), ("unchanged", 0), ("empty", 0)]
)
def test_written_answers_wait_unless_there_is_nothing(
    toy: Homework, log: SubmissionLog, state: str, points: float | None
) -> None:
    """Only an unchanged or empty cell earns zero; a person looks for a missing one."""
    assert marked(toy, log, "argue", written={"argue": state}).earned == points


def test_a_missing_answer_is_explained_by_its_own_cell(toy: Homework, log: SubmissionLog) -> None:
    """The error of the cell that should define it comes first, not that of a different cell."""
    errors = (
        CellError("your own code cell 1", "RuntimeError", "unrelated"),
        CellError("the cell 'count_answer'", "NameError", "name 'nmp' is not defined"),
    )
    outcome = Outcome("count", 0, "refused", error="`count_positive` is not defined anywhere.")
    mark = marked(toy, log, "count", outcome, errors=errors)
    assert "the cell 'count_answer' failed with NameError" in mark.message


def test_what_an_answer_is_built_on_is_named_where_it_failed(
    toy: Homework, log: SubmissionLog
) -> None:
    """It is in the notebook, so the message differs from that for a missing cell."""
    question = toy.question("count")
    assert question.ask is not None
    ask = replace(question.ask, objects=("count_positive", "something"))
    built = replace(toy, questions=(replace(question, ask=ask),))
    errors = (CellError("the cell 'count_answer'", "SyntaxError", "invalid syntax"),)
    outcome = Outcome("count", 0, "refused", error="`count_positive` is not defined anywhere.")
    mark = marked(built, log, "count", outcome, errors=errors)
    assert mark.message.startswith("`count_positive` is missing: the cell 'count_answer'")
    errors = (CellError("the cell 'count_answer'", "NotImplementedError", ""),)
    mark = marked(built, log, "count", outcome, errors=errors)
    assert "failed with NotImplementedError" in mark.message
    assert "NotImplementedError:" not in mark.message


def test_a_count_is_worth_nothing_without_right_values(toy: Homework, log: SubmissionLog) -> None:
    """A count that only the sandbox knows needs values that are right."""
    counted = replace(toy.question("mean"), needs=("count",), if_right={})
    needing = replace(toy, questions=(toy.question("count"), counted))
    right, wrong = returned(toy, "count", ME), returned(toy, "count", ME, off=1.0)
    for counts, points in ((right, 3), (wrong, 0), ((), 0)):
        mark = marked(needing, log, "mean", *counts, *returned(toy, "mean", ME))
        assert mark.earned == points
    assert mark.message == "This counts only once `count` is right, and it is not yet."
    here = [replace(one, at="check") for one in returned(toy, "mean", ME)]
    raised = Outcome("mean", 0, "raised", error="TypeError: no\n(line 3)")
    mark = marked(needing, log, "mean", *wrong, *here, raised)
    assert mark.earned == 0  # nor if an error makes it look unfinished
    assert mark.message.endswith("This counts only once `count` is right, and it is not yet.")


def test_an_earlier_question_says_where_to_begin(toy: Homework, log: SubmissionLog) -> None:
    """The mean is wrong either because of its sum or because of a wrong count."""
    for off, words in ((0.0, "You count them right"), (1.0, "`count` is not right")):
        outcomes = returned(toy, "count", ME, off=off) + returned(toy, "mean", ME, off=1.0)
        assert words in marked(toy, log, "mean", *outcomes).message


def test_a_hint_on_what_is_right_is_for_values(toy: Homework, log: SubmissionLog) -> None:
    """An error names its own line, so a hint on what is right would not help."""
    raised = Outcome("mean", 0, "raised", error="TypeError: no\n(line 3)")
    mark = marked(toy, log, "mean", *returned(toy, "count", ME), raised)
    assert mark.message == "`mean_positive` raised TypeError: no\n(line 3)"


def test_an_error_ends_before_the_next_sentence(toy: Homework, log: SubmissionLog) -> None:
    """An error's text ends without a full stop."""
    raised = Outcome("mean", 0, "raised", error="TypeError: no\n(line 3)")
    mark = marked(toy, log, "mean", *returned(toy, "count", ME, off=1.0), raised)
    assert mark.message.endswith("(line 3). `count` is not right either: begin there.")


def test_an_unwritten_answer_is_not_told_where_to_begin(toy: Homework, log: SubmissionLog) -> None:
    """The message says to write it."""
    outcome = Outcome("mean", 0, "raised", error="NotImplementedError\n(line 3)")
    mark = marked(toy, log, "mean", outcome)
    assert mark.message.startswith("Not written yet")
    assert "begin there" not in mark.message


def test_what_an_answer_says_for_itself_comes_first(toy: Homework, log: SubmissionLog) -> None:
    """A later case's error says more than an earlier case's wrong numbers."""
    refused = Outcome("mean", 3, "refused", error="Asked twice, it gives different numbers.")
    mark = marked(toy, log, "mean", *returned(toy, "mean", ME, off=1.0)[:3], refused)
    assert mark.message.startswith("Asked twice")


def test_a_withheld_name_is_no_riddle(toy: Homework, log: SubmissionLog) -> None:
    """An answer that calls a provided function is told that it was removed."""
    outcome = Outcome(
        "mean", 0, "raised", error="NameError: name 'mean_by_hand' is not defined\n(line 2)"
    )
    said = "uses `mean_by_hand`, which the notebook gives you"
    assert said in marked(toy, log, "mean", outcome).message


def test_a_check_that_passed_and_a_question_that_fails_are_no_riddle(
    toy: Homework, log: SubmissionLog
) -> None:
    """The message mentions that the notebook's check passed; right answers get no such message."""
    outcomes = (*log.outcomes, Outcome("mean", 0, "returned", {"mean": np.asarray(1e9)}))
    both = replace(log, passed_here=("count", "mean"))
    assert marked(toy, both, "mean", *outcomes).message.endswith(PASSED_HERE)
    assert PASSED_HERE not in marked(toy, both, "count", *outcomes).message
    mark = marked(toy, log, "mean", *outcomes, passed_here=("count",))
    assert PASSED_HERE not in mark.message


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("for [2] it should be 2", True),
        ("", False),
        ("not written yet", False),
        ("your code raised TypeError: no", False),
        ("For 5 numbers: the mean is not right", False),  # as the message has it
        ("for 5 numbers: the mean is not right", False),
        ("for 5 numbers: the mean is n…", False),  # cut short
    ],
)
def test_what_the_notebook_s_check_says_is_said_here(
    toy: Homework, log: SubmissionLog, said: str, told: bool
) -> None:
    """It appears for a wrong answer if it says more than the message, and never for a right one."""
    outcomes = returned(toy, "count", ME) + returned(toy, "mean", ME, off=1.0)
    here = replace(log, complaints_here={"mean": said, "count": said})
    sentence = f" The check in your notebook prints: {said}."
    assert marked(toy, here, "mean", *outcomes).message.endswith(sentence) is told
    assert "notebook" not in marked(toy, here, "count", *outcomes).message


def test_texts_that_may_be_an_answer_are_shown_to_the_marker(
    toy: Homework, log: SubmissionLog
) -> None:
    """Both are shown, and a person decides."""
    said = marked(toy, log, "argue", candidates={"argue": ("First text.", "Second text.")}).message
    assert said.startswith("2 texts may be the answer; a person decides:")
    assert said.endswith("1. First text.\n\n2. Second text.")


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("count_answer", "count_positive"),
        ("mean_answer", "mean_positive"),
        ("a cell of the student's", "mean_positive"),
    ],
)
def test_what_a_question_is_built_on_is_named_when_it_is_not_written(
    toy: Homework, log: SubmissionLog, cell: str, name: str
) -> None:
    """It is not the question's own answer, which may well exist."""
    question = replace(
        toy.question("mean"), ask=Ask("mean", ("count_positive", "mean_positive")), if_right={}
    )
    error = f"NotImplementedError\n(line 3 of the cell {cell!r}: raise NotImplementedError())"
    outcome = Outcome("mean", 0, "raised", error=error)
    mark = marked(replace(toy, questions=(question,)), log, "mean", outcome)
    assert mark.message.startswith(f"Not written yet: `{name}`.")


def test_a_hint_that_fails_leaves_the_verdict(toy: Homework, log: SubmissionLog) -> None:
    """The message names the place and what wrong cases share; the mark does not wait for it."""

    class Unlucky(Close):
        def overview(self, cases: object) -> str:
            raise ValueError(cases)

    question = toy.question("count")
    assert isinstance(question.check, Close)
    check = Unlucky(question.check.reference, question.check.tolerance)
    asked = replace(toy, questions=(replace(question, check=check),))
    mark = marked(asked, log, "count", *returned(toy, "count", ME, off=1.0))
    assert (mark.earned, mark.fault) == (0, "")
    assert "could not be marked" not in mark.message


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            "the count contains NaN or infinity.",
            "For numbers of shape (7,): `count_positive`: the count contains NaN",
        ),
        ("the count is text, not numbers.", "`count_positive`: the count is text, not numbers."),
        ("forward returned None", "forward returned None"),
    ],
)
def test_a_sentence_on_a_value_names_its_case(
    toy: Homework, log: SubmissionLog, error: str, said: str
) -> None:
    """The case appears if other cases may be right; the sentence is capitalised, except for names."""
    outcome = Outcome("count", 0, "refused", error=error)
    count = replace(toy.question("count"), check=Close(describe=lambda _: "numbers of shape (7,)"))
    mark = marked(replace(toy, questions=(count,)), log, "count", outcome)
    assert mark.message.startswith(said)


def test_an_adapter_that_returns_no_dict_is_its_authors_fault(
    toy: Homework, log: SubmissionLog
) -> None:
    """The student reads that staff know, and staff read which function to fix."""
    error = 'staff/adapters.py: means returns ndarray, not a dict; return a dict, such as {"the result": ...}'
    mark = marked(toy, log, "count", Outcome("count", 0, "refused", error=error))
    assert (mark.fault, "staff have been told" in mark.message) == (error, True)
