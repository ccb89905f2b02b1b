"""This turn's share of `make truth`, with fixed seeds; and that its tables can fall short."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import pytest

from autograder.authoring.calibrate.bands import bands
from autograder.authoring.calibrate.limits import limits
from autograder.authoring.calibrate.rejections import drawn, smallest_mistakes, styles
from autograder.authoring.calibrate.table import Table
from autograder.authoring.contract import mutation
from autograder.authoring.contract.proof import Clause
from autograder.course import homework as homeworks
from autograder.course import known_answers
from autograder.course.cells import defined_names
from autograder.kit.weight_checks import Accurate, Within
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.questions import Question
from autograder.sandbox.mistake_bank import InstructorRun, bank
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import ROOT
from tests.truth.alignment import alignment, sequences
from tests.truth.leaks import leaks
from tests.turn import TURN, share

pytestmark = pytest.mark.slow


def mutants(homework: Homework, *, every: int) -> Table:
    return table(mutation.mutants(ROOT, homework, share=share(every)))


def proved(
    prove: Callable[..., Iterator[Clause]], homework: Homework, sandbox: Sandbox, every: int
) -> Table:
    with bank(ROOT, homework) as mistakes:
        return table(prove(ROOT, homework, sandbox, mistakes, share=share(every)))


def table(clauses: Iterable[Clause]) -> Table:
    tried = list(clauses)
    return Table(
        "the full contract",
        tried=len(tried),
        short=[c.detail for c in tried if not c.holds],
    )


SLICE: dict[str, Callable[[Homework, Sandbox], Table]] = {
    "in other words": lambda homework, sandbox: proved(
        mutation.in_other_words, homework, sandbox, 30
    ),
    "unlisted": lambda homework, sandbox: proved(mutation.unlisted, homework, sandbox, 6),
    "leaks": lambda homework, sandbox: leaks(ROOT, homework, sandbox),
    "drawn": lambda homework, _: drawn(ROOT, homework, number=100),
    "smallest_mistakes": lambda homework, _: smallest_mistakes(ROOT, homework, draws=2),
    "mutants": lambda homework, _: mutants(homework, every=60),
    "styles": lambda homework, _: styles(ROOT, homework, draws=2),
    "alignment": lambda homework, _: alignment(
        ROOT, homework, numbers=share(40).of(sequences(homework))
    ),
    "limits": lambda homework, _: limits(ROOT, homework, share=share(40), trains=False),
}


# Each homework in every eighth part, and in eight turns in all of them.
TURNS = [
    (name, part)
    for place, name in enumerate(homeworks.names(ROOT))
    for turn, part in enumerate(SLICE)
    if (place + turn + TURN) % 8 == 1
]


@pytest.mark.parametrize(("name", "part"), TURNS)
def test_a_slice_falls_short_nowhere(name: str, part: str, sandbox: Sandbox) -> None:
    """Each table of `make truth`, with fewer cases, tries something and has no complaint."""
    table = SLICE[part](homeworks.load(ROOT, name), sandbox)
    assert not table.short, table.text()
    assert table.tried or part == "drawn"  # not every homework has what is drawn from a large set


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    ("name", "trained"),
    [("hw1_toy_attention", 2), ("hw4_position", 3), ("hw5_memorization", 3), ("hw6_grokking", 2)],
)
def test_bands_hold_and_one_that_is_too_narrow_is_noticed(name: str, trained: int) -> None:
    """From a different start, trained questions earn everything, unless the band is narrower."""
    homework = homeworks.load(ROOT, name)
    for questions, short in (
        (homework.questions, 0),
        (tuple(map(_narrow, homework.questions)), trained),
    ):
        table = bands(ROOT, replace(homework, questions=questions), starts=1)
        assert table.tried == trained
        assert len(table.short) == short, table.text()


def _narrow(question: Question) -> Question:
    if isinstance(question.check, Accurate):
        return replace(question, check=replace(question.check, at_least=1e9))
    if isinstance(question.check, Within):
        return replace(question, check=replace(question.check, high=-1e9))
    return question


@pytest.mark.turns(4)
def test_a_blind_check_is_noticed(hw2: Homework) -> None:
    """With a tolerance that passes everything, mutants survive, and mistakes are too close."""
    blind = replace(hw2, questions=tuple(map(_blind, hw2.questions)))
    assert mutants(blind, every=40).short
    assert smallest_mistakes(ROOT, blind, draws=1).short


@pytest.mark.turns(4)
def test_the_solution_is_no_mutant_of_itself(hw2: Homework) -> None:
    """It loses nothing and differs nowhere; if nothing can run, nothing is proved."""
    instructor = known_answers.instructor(ROOT, hw2)
    sources = [c.source for c in instructor.cells if c.role == "answer" and c.type == "code"]
    with InstructorRun(hw2, instructor) as variants:
        trial = mutation.Trial(hw2, variants)
        for source in sources[::2]:
            questions = trial.concerned(defined_names(source))
            assert trial.lost(questions, source) == ("", False, False)
            assert trial.differs(questions, source) == ""


@pytest.mark.turns(4)
def test_a_proof_in_which_nothing_runs_is_none(
    hw2: Homework, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every mutant would lose marks where the solution itself has no time to answer."""
    monkeypatch.setattr(mutation, "SECONDS", 0.0)
    with pytest.raises(UserError, match="does not earn"):
        mutants(hw2, every=60)


@pytest.mark.turns(4)
def test_a_check_that_is_too_strict_is_noticed(hw2: Homework) -> None:
    """With a tolerance below rounding, right answers are rejected."""
    strict = replace(hw2, questions=tuple(_tolerating(q, 1e-9) for q in hw2.questions))
    assert styles(ROOT, strict, draws=1).short


def _blind(question: Question) -> Question:
    return _tolerating(question, 1e6)


def _tolerating(question: Question, tolerance: float) -> Question:
    if hasattr(question.check, "tolerance"):
        return replace(question, check=replace(question.check, tolerance=tolerance))
    return question
