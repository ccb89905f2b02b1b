"""Mutants: an accepted one is right, and one that fails elsewhere is reported with its inputs."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.authoring.contract.mutation import Trial
from autograder.kit import Close, Exact, Homework, Inputs, Question
from autograder.records.facts import Outcome
from autograder.records.questions import RESULT, Ask


class Calls:
    """A stand-in for the sandbox, which evaluates our answers here."""

    def outcomes(
        self, question: Question, cases: Sequence[Inputs], defines: Sequence[str] = ()
    ) -> list[tuple[Outcome, ...]]:
        found = []
        for define in defines or [SOLUTION]:
            names: dict[str, Any] = {"np": np}
            exec(define, names)
            values = [names["rate"](*case.values()) for case in cases]
            numbers = question.check is not None and question.check.reads == "numbers"
            found.append(
                tuple(
                    Outcome(question.id, n, "returned", {RESULT: np.array(v) if numbers else v})
                    for n, v in enumerate(values)
                )
            )
        return found


RATE = Ask(objects=("rate",))
SOLUTION = "def rate(x):\n    return x.max()"


def largest(x: Any) -> Any:
    return float(x.max())


def draws(rng: np.random.Generator) -> Sequence[Inputs]:
    return [{"x": rng.uniform(1, 2, 3)}]


def word(x: Any) -> str:
    return "many" if x.max() > 1 else "few"


@pytest.mark.parametrize(
    ("mutant", "said"),
    [
        ("x.max() + 0.001", ""),
        ("-(-x).min()", ""),
        (
            "abs(x).max() if x.any() else 1.0",
            "rate at an edge that no hidden input reaches, for x = [0. 0. 0.]: 1.0, and the solution gives "
            "0.0; draw such inputs, or write the edit into staff/right.toml if both are right",
        ),
        ("x.max() + (x.max() > 1.99)", "rate in another draw, for x = [1."),
    ],
)
def test_a_mutant_differs_where_the_check_refuses_it(mutant: str, said: str) -> None:
    """A value within the tolerance is right; otherwise the line has inputs and both values."""
    question = Question("rate", Close(largest, tolerance=0.002), draws, ask=RATE)
    proof = Trial(Homework("Rates", (question,)), Calls())  # type: ignore[arg-type]
    found = proof.differs([question], f"def rate(x):\n    return {mutant}")
    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_an_edge_on_which_right_answers_differ_proves_nothing() -> None:
    """One example is a fit without a single best value."""
    question = Question("rate", Close(largest, tolerance=0.002), draws, ask=RATE)
    right = SimpleNamespace(define="def rate(x):\n    return x.max() if x.any() else 9.0")
    proof = Trial(Homework("Rates", (question,)), Calls(), [right])  # type: ignore[arg-type, list-item]
    mutant = "def rate(x):\n    return {} if x.any() else 1.0"
    assert not proof.differs([question], mutant.format("abs(x).max()"))
    assert proof.differs([question], mutant.format("x.round().max()"))


@pytest.mark.parametrize(("mutant", "differs"), [(">", False), (">=", True), ("!=", True)])
def test_a_mutant_that_returns_text(mutant: str, differs: bool) -> None:
    """Values other than numbers are compared only by the check, even at edges."""
    question = Question("rate", Exact(word), draws, ask=RATE)
    source = 'def rate(x):\n    return "many" if x.max() > 1 else "few"'

    class Words(Calls):
        def outcomes(self, question: Any, cases: Any, defines: Any = ()) -> Any:
            return super().outcomes(question, cases, defines or [source])

    proof = Trial(Homework("Rates", (question,)), Words())  # type: ignore[arg-type]
    assert bool(proof.differs([question], source.replace("> 1", f"{mutant} 1"))) is differs
