"""Draws of hidden inputs, here and in a separate process, and samples of slow tries.

This module imports little, because the other process also imports it. A regrade months later must
draw the same inputs.
"""

import contextlib
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from autograder.course import homework, inputs
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework
from autograder.records.questions import Inputs, Question

SECRET = "contract"
Digests = dict[str, str]
_SUBMISSION = SubmissionId("draw", "notebook", "0")
T = TypeVar("T")


def draw(question: Question, draw: int | SubmissionId, *, secret: str = SECRET) -> Sequence[Inputs]:
    """Return the hidden inputs of a question for a submission, or those of a numbered draw."""
    if isinstance(draw, int):
        draw = SubmissionId("draw", "notebook", str(draw))
    return inputs.draw(question, submission=draw, secret=secret)


@dataclass(frozen=True)
class Share:
    """Every n-th item to try; after turns 0 to n - 1, every item has been tried."""

    every: int = 1
    turn: int = 0

    def of(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items of this turn: at least one, unless there are none."""
        return items[self.turn % max(1, min(self.every, len(items))) :: self.every]

    def one_of(self, items: Sequence[T]) -> Sequence[T]:
        """Return one of this turn's items for the slowest tries, or all of them in a full turn."""
        own = self.of(items)
        return own if self.every == 1 else own[self.turn // self.every % max(1, len(own)) :][:1]


ALL = Share()


@contextlib.contextmanager
def elsewhere(course: Path, name: str) -> Iterator[Future[Digests]]:
    """Draw a homework's inputs in a new process, in the background; give their digests."""
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool.submit(_loaded, course, name)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def others(chosen: Homework, there: Future[Digests]) -> tuple[str, ...]:
    """Return the questions for which a separate process draws different inputs."""
    here, drawn = _digests(chosen), there.result()
    return tuple(sorted(id for id in here if here[id] != drawn[id]))


def _loaded(course: Path, name: str) -> Digests:
    return _digests(homework.load(course, name))


def _digests(chosen: Homework) -> Digests:
    return inputs.digests(chosen, submission=_SUBMISSION, secret=SECRET)
