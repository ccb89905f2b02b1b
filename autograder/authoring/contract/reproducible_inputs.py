"""Compare a homework's hidden inputs with those of another process, as a regrade months later needs it.

The other process imports this module, so it imports little itself.
"""

import contextlib
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from autograder.course import homework, inputs
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework

SECRET = "contract"
Digests = dict[str, str]
_SUBMISSION = SubmissionId("draw", "notebook", "0")


@contextlib.contextmanager
def elsewhere(course: Path, name: str) -> Iterator[Future[Digests]]:
    """Draw a homework's inputs in a new process, while this one goes on; give their digests."""
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool.submit(_loaded, course, name)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def others(chosen: Homework, there: Future[Digests]) -> tuple[str, ...]:
    """Return the questions for which another process draws other inputs than this one."""
    here, drawn = _digests(chosen), there.result()
    return tuple(sorted(id for id in here if here[id] != drawn[id]))


def _loaded(course: Path, name: str) -> Digests:
    return _digests(homework.load(course, name))


def _digests(chosen: Homework) -> Digests:
    return inputs.digests(chosen, submission=_SUBMISSION, secret=SECRET)
