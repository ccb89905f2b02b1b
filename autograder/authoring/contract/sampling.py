"""Draw hidden inputs, and choose which of many things are tried where all would take too long."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.authoring.contract.reproducible_inputs import SECRET
from autograder.course import inputs
from autograder.records.facts import SubmissionId
from autograder.records.questions import Inputs, Question

T = TypeVar("T")


def draw(question: Question, draw: int | SubmissionId, *, secret: str = SECRET) -> Sequence[Inputs]:
    """Return the hidden inputs of a question for a submission, or those of a draw by its number."""
    if isinstance(draw, int):
        draw = SubmissionId("draw", "notebook", str(draw))
    return inputs.draw(question, submission=draw, secret=secret)


@dataclass(frozen=True)
class Share:
    """Each n-th of what could be tried; everything has its turn within n turns, from 0 on."""

    every: int = 1
    turn: int = 0

    def of(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items of this turn: of few items one, of none none."""
        return items[self.turn % max(1, min(self.every, len(items))) :: self.every]

    def one_of(self, items: Sequence[T]) -> Sequence[T]:
        """Return one of this turn's items, or all where all have their turn: for what takes longest."""
        own = self.of(items)
        return own if self.every == 1 else own[self.turn // self.every % max(1, len(own)) :][:1]


ALL = Share()
