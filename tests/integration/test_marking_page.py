"""The marking page where many work at the same time."""

import multiprocessing
from pathlib import Path

import pytest

from autograder.marking_page.store import Conflict, Question, connect
from tests.marking import HOMEWORK, QUESTION, make_gradebook


def _mark_many(url: str, place: int, marker: str) -> None:
    question = Question(connect(url), HOMEWORK, QUESTION, worth=2)
    item = question.items()[place].id
    for id in [one.id for one in question.all()]:
        for _ in range(3):
            try:
                version = question.one(id).version
                question.set_item(id, item, on=True, marker=marker, version=version)
                break
            except Conflict:
                continue


@pytest.mark.slow
def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each gives another item to the same answers: all have both in the end."""
    url = make_gradebook(tmp_path / "gradebook.db", 30)
    question = Question(connect(url), HOMEWORK, QUESTION, worth=2)
    question.begin([(1.0, "The first."), (1.0, "The second.")])
    context = multiprocessing.get_context("spawn")
    works = [
        context.Process(target=_mark_many, args=(url, place, marker))
        for place, marker in ((0, "ana"), (1, "ben"))
    ]
    for work in works:
        work.start()
    for work in works:
        work.join()
    assert [work.exitcode for work in works] == [0, 0]
    assert {one.score for one in question.all()} == {2.0}
    assert {one.version for one in question.all()} == {2}
