"""The first step of a derivation that needs an assumption: the derivation checker decides."""

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from autograder.records.errors import UserError
from autograder.records.questions import Inputs, Value
from autograder.staff.defence import batch
from autograder.staff.defence.kinds.assumption import assumption
from autograder.staff.defence.records import (
    Answer,
    Call,
    Evidence,
    Posed,
    Study,
)
from tests.helpers import ROOT, TOY

NAME, ID = "hw3_proofs", "svd_derivation"
given = homework.staff_module(ROOT, NAME, "defence").DROPPED[ID]
(question,) = (q for q in homework.load(ROOT, NAME).questions if q.id == ID)
adapter = homework.staff_module(ROOT, NAME, "adapters").svd_derivation
LINES: list[Any] = [
    lambda X, lam: X @ X.T @ np.linalg.inv(X @ X.T + lam * np.eye(len(X))),
    ("eigenvalues of X X^T", lambda s: s**2),
    lambda U, s, lam: U * s**2 @ U.T @ np.linalg.inv(U * s**2 @ U.T + lam * np.eye(len(U))),
    lambda U, s, lam: U * s**2 @ U.T @ np.linalg.inv(U * (s**2 + lam) @ U.T),
    lambda U, s, lam: U * s**2 @ U.T @ (U / (s**2 + lam) @ U.T),
    lambda U, s, lam: U * (s**2 / (s**2 + lam)) @ U.T,
]


def evaluated(lines: Sequence[Any], case: Inputs) -> Value:
    """Return the adapter's output for a list of lines."""
    found: Value = adapter(lambda: list(lines), **case)
    return {name: np.asarray(x) if not isinstance(x, str) else x for name, x in found.items()}


def asked(lines: Sequence[Any], draw: Callable[..., Any], seed: int = 0) -> tuple[Any, str]:
    """Return the question about a list of lines, and its right choice."""
    rng = np.random.default_rng(seed)
    answer = Answer(ID, ID, "def svd_derivation():\n    return []", "", "", (question,), {})
    both = [
        Evidence(Posed(question, case), "", Call(returned=evaluated(lines, case)), graded=True)
        for case in (question.cases(rng)[0], draw(rng)[0])
    ]
    study = Study(answer, dropped=[("something is not so", both[0], both[1])])
    item = assumption(study, rng)
    return item, item.options[item.key] if item else ""


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("columns of `U`", "from entry 3 to entry 4"),
        ("columns of V", "from entry 1 to entry 3"),
        ("`lam` is an array", "from entry 3 to entry 4"),
    ],
)
def test_the_first_step_that_breaks_is_the_key(words: str, right: str) -> None:
    """However the choices are shuffled, there are four different ones."""
    (draw,) = (given[name] for name in given if words in name)
    places = set()
    for seed in range(12):
        item, said = asked(LINES, draw, seed)
        assert said == right
        assert len(set(item.options)) == 4
        places.add(item.key)
    assert len(places) > 1


def test_without_four_steps_or_with_a_wrong_one_nothing_is_asked() -> None:
    """This covers short and wrong derivations, and one with a line that cannot be evaluated."""
    draw = next(iter(given.values()))
    assert asked(LINES[:4], draw)[0] is None
    assert asked([*LINES[:3], lambda U: U, *LINES[4:]], draw)[0] is None
    assert asked([*LINES[:5], lambda U: 1 / 0], draw)[0] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SMALL = {'count_positive': 1}", "SMALL is not a dict of functions"),
        ("SMALL = {'nobody': print}", "SMALL names 'nobody', which is not a question"),
        ("DROPPED = {'count_positive': print}", "DROPPED is not a dict of dicts"),
        (
            "DROPPED = {'nobody': {'x is 0': print}}",
            "DROPPED names 'nobody', which is not a question",
        ),
        (
            "DROPPED = {'count': {'x is 0': print}}",
            "DROPPED names 'count', which is not a derivation",
        ),
    ],
)
def test_what_staff_give_is_looked_at_first(text: str, said: str, tmp_path: Path) -> None:
    """One line names the file, before anything starts."""
    root = tmp_path / "course"
    shutil.copytree(TOY, root)
    (root / "source" / "toy" / "staff" / "defence.py").write_text(text)
    with pytest.raises(UserError, match=re.escape(f"source/toy/staff/defence.py: {said}")):
        batch.given(root, "toy")
