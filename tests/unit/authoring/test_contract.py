"""The contract's rules that need no run: complaining lines, extremes, and underlying answers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from autograder.authoring import kit_cells
from autograder.authoring.contract import graded, rules, sampling, visible_and_hidden
from autograder.authoring.contract.complaint_lines import Heard
from autograder.authoring.contract.mutation import edges
from autograder.course import inputs
from autograder.course.known_answers import KnownAnswer, Written
from autograder.kit import Close
from autograder.marking.judge import judge
from autograder.records.facts import Outcome, Submission, SubmissionId, SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.marks import Misconception
from autograder.records.questions import Ask, Check, Inputs, Question, Value, Verdict
from tests.helpers import returned

CHECK = """\
def helper(x):
    return x + 1


def total_complaint():
    if helper(0) != 1:
        return "the helper is wrong"
    return None


check("total", total_complaint)"""
TOOL = """\
def shared_complaint(x):
    if x:
        raise Complaint(f"{x} is wrong")


def nobody_calls_it():
    return "never\""""


def cell(id: str, source: str, role: str = "provided", kind: str = "code") -> Cell:
    return Cell(id, kind, source, id if role in ("check", "answer") else None, role)


def homework(*cells: Cell, questions: tuple[Question, ...] = ()) -> Homework:
    return Homework("Mini", questions or (Question("total", Ask("", ("total",))),), cells=cells)


def test_lines_that_complain_are_those_that_say_something() -> None:
    """A helper's number is not a complaint, and neither is a function that no check calls."""
    check = cell("total", CHECK.replace("return None", "shared_complaint(1)"), "check")
    found = Heard(homework(cell("tool", TOOL), check)).lines
    assert [(line.cell, line.number, line.questions) for line in found] == [
        ("tool", 3, ("total",)),
        ("total", 7, ("total",)),
    ]


@pytest.mark.parametrize(
    ("line", "complains"),
    [
        ('return "for 1 it is {}".format(total(1))', True),
        ('return total(1) != 2 and "wrong"', True),
        ('message = f"wrong {total(1)}"; return message', True),
        ('assert total(1) == 2, "wrong"', True),
        ("return helper(1)", False),
        ("return helper(1) or helper(2)", False),
        ("return None", False),
    ],
)
def test_a_complaint_may_be_written_in_any_way(line: str, complains: bool) -> None:
    """If none is recognised, the rule says so instead of holding for nothing."""
    source = f'def total_complaint():\n    {line}\n\n\ncheck("total", total_complaint)'
    heard = Heard(homework(cell("total", source, "check")))
    assert [line.number for line in heard.lines] == [2] * complains
    assert heard.unread == ("total",) * (not complains)


def test_notes_change_nothing_of_what_a_check_says(capsys: pytest.CaptureFixture[str]) -> None:
    """The sentence stays the same, and the line that printed it appears after the cell."""
    heard = Heard(homework(cell("total", CHECK.replace("!= 1", "!= 2"), "check")))
    said: list[Any] = []
    exec(heard.homework.cells[0].source, {"check": lambda _, complaint: said.append(complaint())})
    assert said == ["the helper is wrong"]
    assert capsys.readouterr().out == "[heard] [0]\n"


def like(
    *sizes: int, low: float = 0.1, high: float = 1.0, zero: bool = False
) -> visible_and_hidden.Like:
    return {"sizes": [*sizes], "low": low, "high": high, "zero": zero}


@pytest.mark.parametrize(
    ("visible", "hidden", "said"),
    [
        ([like(3)], [like(3)], ""),
        ([like(3, high=1.9)], [like(3)], ""),
        ([like(3, high=2.1)], [like(3)], "numbers up to 2.1, and hidden ones up to 1"),
        ([like(3, low=-3)], [like(3, low=-1)], "numbers down to -3, and hidden ones down to -1"),
        ([like(3, zero=True)], [like(3)], "zeros, and hidden ones none"),
        ([like(3, zero=True)], [like(3), like(3, zero=True)], ""),
        ([like(40)], [like(6)], "40 along the length, and hidden ones 6 at most"),
        ([like(1)], [like(2)], "1 along the length, and hidden ones 2 at least"),
        ([like(2, 4)], [like(2, 9)], "4 along axis 1, and hidden ones 9 at least"),
        ([like(2, 4)], [like(4)], "2 axes, and hidden ones never"),
    ],
)
def test_hidden_inputs_are_as_extreme(
    visible: list[visible_and_hidden.Like], hidden: list[visible_and_hidden.Like], said: str
) -> None:
    """This covers numbers up to a factor of two, zeros, and sizes down to one."""
    found = dict(visible_and_hidden.milder({"total": {"x": visible}}, [{"total": {"x": hidden}}]))
    assert found == ({"x": said} if said else {})


def test_each_draw_is_as_extreme() -> None:
    """A case that only some submissions get would be luck."""
    large, small = {"total": {"x": [like(40)]}}, {"total": {"x": [like(6)]}}
    assert not dict(visible_and_hidden.milder(large, [large, large]))
    assert dict(visible_and_hidden.milder(large, [large, small]))


class TakesNan(Check):
    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        return Verdict(float(not (abs(value["it"] - 1.0) > 1e-6).any()), "")


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (Close(lambda: {"it": np.ones(3)}, 1e-6), ""),
        (TakesNan(), "takes NaN in a number's place for it"),
        (TakesNan(), "raises TypeError on None for it"),
    ],
)
def test_a_check_that_takes_nan_is_told(check: Check, said: str) -> None:
    """The check is called with the instructor's own value, spoiled."""
    question = Question("total", Ask("", ("total",)), check)
    me = SubmissionId("instructor", "notebook", "0")
    outcomes = (Outcome("total", 0, "returned", {"it": np.ones(3)}),)
    log = SubmissionLog(homework="mini", submission=me, versions={}, outcomes=outcomes)
    found = list(rules.spoiled_taken(question, log))
    assert said in found if said else not found


def mistake(define: str, *fails: str) -> KnownAnswer:
    cells = Submission(SubmissionId("wrong", "notebook", "0"), ())
    return KnownAnswer("wrong", "", Written(""), frozenset(fails), cells, define)


@pytest.mark.parametrize(
    ("text", "declared", "unsaid"),
    [
        ("Train a model.", {}, [("train", "logits")]),
        ("Train a model.", {"logits": "It is right."}, [("train", "logits")]),
        ("Train your `logits`.", {}, [("train", "logits")]),
        ("Train your `logits`.", {"logits": "It is right."}, []),
    ],
)
def test_what_a_question_is_built_on_is_named(
    text: str, declared: Mapping[str, str], unsaid: list[tuple[str, str]]
) -> None:
    """The question's text must name it for students, and spec.py for the message."""
    chosen = homework(
        cell("logits_answer", "def logits(): ...", "answer"),
        cell("logits", "check('logits')", "check"),
        cell("text", text, kind="markdown"),
        cell("train_answer", "def train(): ...", "answer"),
        cell("train", "check('train')", "check"),
        questions=(
            Question("logits", Ask("", ("logits",))),
            Question("train", Ask("", ("logits", "train")), if_right=declared),
        ),
    )
    both = mistake("def logits(): return 0", "logits", "train")
    assert list(rules.built_on_unsaid(chosen, both)) == unsaid
    assert not list(rules.built_on_unsaid(chosen, mistake("def train(): return 0", "train")))


def test_edges_have_ties_zeros_and_whole_numbers() -> None:
    """Each edge changes one array at a time; integers have none."""
    found = [edge["x"].tolist() for edge in edges({"x": np.array([1.2, 0.9, -0.3]), "n": 3})]
    assert found == [[1, 1, 0], [0, 0, 0], [1, 1, -1], [1.2, 1.2, 1.2]]
    assert not list(edges({"tokens": np.array([1, 2])}))


def test_edges_of_a_grid_increase_as_it_does() -> None:
    """A series in which all times are equal cannot be fitted."""
    assert not list(edges({"time": np.array([0.0, 0.3, 0.6, 0.9])}))
    (edge,) = edges({"time": np.array([0.1, 1.2, 2.3, 3.1])})
    assert edge["time"].tolist() == [0, 1, 2, 3]


def test_a_mistake_that_is_taken_for_nobody_has_a_twin_that_is_named(toy: Homework) -> None:
    """The line names the question in which both give the same, and what to do."""
    submission = SubmissionId("twin", "notebook", "4" * 64)
    outcomes = returned(toy, "mean", submission, off=2.0)
    log = SubmissionLog(
        toy.name,
        submission,
        inputs=inputs.digests(toy, submission=submission, secret=sampling.SECRET),
        outcomes=outcomes,
    )
    names = [Misconception(name, "n", "e") for name in ("twin", "other")]
    answer = KnownAnswer(
        "twin", "[twin]", Written("no"), frozenset({"mean"}), Submission(submission, ()), ""
    )
    grade = judge(toy, log, secret=sampling.SECRET)

    def bank(question: Question, cases: Any, /, *, among: Any = None) -> Any:
        by_number = {one.number: one for one in outcomes}
        drawn = inputs.drawn(question, submission=submission, secret=sampling.SECRET).cases
        numbers = [n for case in cases for n, other in enumerate(drawn) if other is case]
        return [(name, [by_number[n] for n in numbers]) for name in names]

    clause = graded.loses_its_own(answer, log, grade, toy, bank)
    assert (
        "is taken for no known mistake; in mean other gives the same results: draw inputs"
        in clause.detail
    )


@pytest.mark.parametrize("id", kit_cells.EVERY)
def test_no_known_answer_has_to_trigger_the_kits_own_lines(id: str) -> None:
    """The kit's own tests cover each of their sentences."""
    check = cell("total", CHECK, "check")
    assert [line.cell for line in Heard(homework(cell(id, TOOL), check)).lines] == ["total"]
