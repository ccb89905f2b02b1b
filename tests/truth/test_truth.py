"""A slice of `make truth`, with fixed seeds; and that its tables can fall short."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from autograder import homework as homeworks
from autograder.facts.sandbox import Sandbox
from autograder.marks.checks import Close
from autograder.model import Homework, Question
from tests.conftest import ROOT
from tests.truth.alignment import alignment
from tests.truth.diagnosis import confusion, unlisted
from tests.truth.leaks import leaks
from tests.truth.mutations import mutations
from tests.truth.rejections import drawn, smallest_mistakes, styles
from tests.truth.table import Table

pytestmark = pytest.mark.slow
SLICE: dict[str, Callable[[Homework, Sandbox], Table]] = {
    "confusion": lambda homework, sandbox: confusion(ROOT, homework, sandbox, every=4),
    "unlisted": lambda homework, sandbox: unlisted(ROOT, homework, sandbox, every=6),
    "leaks": lambda homework, sandbox: leaks(ROOT, homework, sandbox),
    "drawn": lambda homework, _: drawn(ROOT, homework, number=100),
    "smallest_mistakes": lambda homework, _: smallest_mistakes(ROOT, homework, draws=2),
    "mutations": lambda homework, _: mutations(ROOT, homework, every=15),
    "styles": lambda homework, _: styles(ROOT, homework, draws=5),
    "alignment": lambda homework, _: alignment(ROOT, homework, numbers=range(24)),
}


@pytest.mark.parametrize("part", SLICE)
@pytest.mark.parametrize("name", homeworks.names(ROOT))
def test_a_slice_falls_short_nowhere(name: str, part: str, sandbox: Sandbox) -> None:
    """Each table of `make truth`, with fewer cases, tries something and has no complaint."""
    table = SLICE[part](homeworks.load(ROOT, name), sandbox)
    assert not table.short, table.text()
    assert table.tried or part == "drawn"


def test_a_blind_check_is_noticed(hw2: Homework) -> None:
    """With a tolerance that lets everything pass, mutants survive and mistakes are too near."""
    blind = replace(hw2, questions=tuple(map(_blind, hw2.questions)))
    assert mutations(ROOT, blind, every=40).short
    assert smallest_mistakes(ROOT, blind, draws=1).short


def test_a_check_that_is_too_strict_is_noticed(hw2: Homework) -> None:
    """With a tolerance below rounding, right answers are rejected."""
    strict = replace(hw2, questions=tuple(_tolerating(q, 1e-9) for q in hw2.questions))
    assert styles(ROOT, strict, draws=1).short


def _blind(question: Question) -> Question:
    return _tolerating(question, 1e6)


def _tolerating(question: Question, tolerance: float) -> Question:
    if isinstance(question.check, Close):
        return replace(question, check=replace(question.check, tolerance=tolerance))
    return question
