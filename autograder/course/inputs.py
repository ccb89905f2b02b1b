"""The hidden inputs of a question: drawn, never stored, the same at every regrade."""

import functools
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder import codec, data
from autograder.model import Homework, Inputs, Question, SubmissionId, UserError


def draw(question: Question, *, submission: SubmissionId, secret: str) -> Sequence[Inputs]:
    """Return the cases of a question for one submission.

    The generator is seeded with HMAC-SHA256(secret, submission's sha256 + question id),
    so that a student who knows everything but the secret cannot foresee them.
    """
    return question.cases(_generator(submission, question.id, secret))


class Plan(NamedTuple):
    """The cases of a question for one submission, and the order in which they are evaluated.

    Every case comes twice, and all come before one comes again, so that what an answer keeps
    from one call to the next shows. What trains, or is a test cell, is evaluated once.
    """

    cases: Sequence[Inputs]
    order: tuple[int, ...]


def plan(question: Question, *, submission: SubmissionId, secret: str) -> Plan:
    """Return what is to be evaluated for a submission, the same at every grading."""
    cases = drawn(question, submission=submission, secret=secret).cases
    rng = _generator(submission, f"{question.id} in order", secret)
    rounds = 1 if question.once else 2
    order = [rng.permutation(len(cases)).tolist() for _ in range(rounds)]
    return Plan(cases, tuple(number for one in order for number in one))


def _generator(submission: SubmissionId, use: str, secret: str) -> np.random.Generator:
    key = hmac.digest(secret.encode(), (submission.sha256 + use).encode(), "sha256")
    return np.random.default_rng(int.from_bytes(key))


class Drawn(NamedTuple):
    """The cases of a question for one submission, and their digest."""

    cases: Sequence[Inputs]
    digest: str


def drawn(question: Question, *, submission: SubmissionId, secret: str) -> Drawn:
    """Return what `draw` gives, with its digest; its arrays cannot be written to."""
    return _drawn(_Asked(question), submission, secret)


class _Asked:
    """A question, known by its id and by what draws its cases: its check may hold anything."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def __hash__(self) -> int:
        return hash(self.question.id)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and other.question.id == self.question.id
            and other.question.cases is self.question.cases
        )


# Facts, marks and diagnosis of one submission use the same cases one after another.
@functools.lru_cache(maxsize=64)
def _drawn(asked: _Asked, submission: SubmissionId, secret: str) -> Drawn:
    cases = draw(asked.question, submission=submission, secret=secret)
    for case in cases:
        for item in case.values():
            if isinstance(item, np.ndarray):
                item.setflags(write=False)
    return Drawn(cases, digest(cases))


def digest(cases: Sequence[Inputs]) -> str:
    """Return a sha256 that tells whether a regrade drew the same inputs."""
    total = hashlib.sha256()
    for case in cases:
        total.update(codec.dumps({name: _shown(item) for name, item in case.items()}).encode())
        for item in case.values():
            if isinstance(item, np.ndarray):
                total.update(item.tobytes())
    return total.hexdigest()


def _shown(item: Any) -> Any:
    """Return what of an input a digest sees as JSON: of an array its shape, its numbers follow."""
    if isinstance(item, np.ndarray):
        return [item.dtype.str, item.shape]
    known = item is None or isinstance(item, str | int | float | list | tuple | dict)
    return item if known else data.encode(data.read(item))


def complain_of_cases(homework: Homework) -> None:
    """Raise UserError where a question cannot draw inputs that cross into the sandbox."""
    someone = SubmissionId("draw", "notebook", "0")
    for question in homework.questions:
        if question.ask is None:
            continue
        try:
            cases = draw(question, submission=someone, secret="")
            odd = next((case for case in cases if not isinstance(case, Mapping)), None)
            if odd is None:
                digest(cases)
                continue
            what = f"a case is a {type(odd).__name__}, and not a dict of inputs by name"
        except Exception as error:  # the author's code raises whatever it likes
            what = f"{type(error).__name__}: {error}"
        raise UserError(
            f"source/{homework.name}/staff/spec.py: the cases of question {question.id!r} cannot be "
            f"drawn: {what}; a case has arrays, tables, numbers, texts, and lists and dicts of these"
        )


def digests(homework: Homework, *, submission: SubmissionId, secret: str) -> dict[str, str]:
    """Return the digest of every machine-marked question's inputs, by question id."""
    return {
        question.id: drawn(question, submission=submission, secret=secret).digest
        for question in homework.questions
        if question.ask
    }
