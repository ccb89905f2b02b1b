"""second: blind second marking changes no first mark, and agreement is Cohen's kappa."""

from pathlib import Path

import numpy as np
import pytest
import sqlalchemy

from autograder.staff.marking_page.marks import double_marking
from autograder.staff.marking_page.marks.claims import Claims
from autograder.staff.marking_page.marks.connection import connect
from autograder.staff.marking_page.marks.double_marking import LEAST, Second, agreement, kappa
from autograder.staff.marking_page.marks.question import Question
from autograder.staff.marking_page.marks.records import Conflict
from tests.marking import HOMEWORK, QUESTION, execute, in_formgrader, make_gradebook, score

CLASS = 30


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a gradebook in which ana has given every answer 1 point; tests leave it alone."""
    return marked(tmp_path_factory.mktemp("first") / "gradebook.db")


def marked(path: Path) -> str:
    url = make_gradebook(path, CLASS)
    question = first(url)
    question.begin([(1.0, "Says so."), (1.0, "Says why.")])
    ids = [one.id for one in question.all()]
    question.set_item(ids[0], question.items()[0].id, on=True, marker="ana", version=0)
    question.copy(ids[0], ids, marker="ana")
    return url


def first(url: str) -> Question:
    return Question(connect(url), HOMEWORK, QUESTION, worth=2)


def second(url: str, marker: str = "ben") -> Second:
    return Second(connect(url), HOMEWORK, QUESTION, 2, marker)


def test_enough_are_drawn_and_nothing_of_the_first_mark_is_in_them(url: str) -> None:
    """They are the same each time; the first marker of an answer does not get it."""
    drawn = second(url).all()
    assert len(drawn) == LEAST < CLASS
    assert drawn == second(url, "chi").all()
    assert {(one.score, one.items, one.marker, one.comment) for one in drawn} == {
        (None, frozenset(), "", "")
    }
    assert all(one.waiting for one in drawn)
    assert second(url, "ana").all() == []


def test_a_tenth_of_a_large_class_is_drawn(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a tenth is enough for an agreement, nobody reads more."""
    monkeypatch.setattr(double_marking, "LEAST", 2)
    assert len(second(url).all()) == CLASS // 10


def test_a_gradebook_that_is_made_again_has_the_same_tenth(url: str, tmp_path: Path) -> None:
    """Grade ids are new then; a different question has different draws."""
    again = marked(tmp_path / "gradebook.db")
    execute(again, "update autograder_hand_mark set grade_id = 'new ' || grade_id")
    execute(again, "update grade set id = 'new ' || id")
    before, drawn = second(url).all(), second(again).all()
    assert {one.id for one in drawn} == {f"new {one.id}" for one in before}
    assert {one.student for one in drawn} == {one.student for one in before}
    execute(again, "update base_cell set name = 'another'")
    another = Second(connect(again), HOMEWORK, "another", 2, "ben").all()
    assert {one.student for one in another} != {one.student for one in drawn}


def test_a_second_mark_counts_for_nobody(tmp_path: Path) -> None:
    """Neither nbgrader's tables nor the first mark change; it can be undone, and marking goes on."""
    url = marked(tmp_path / "gradebook.db")
    blind, before = second(url), [(one.id, one.score) for one in first(url).all()]
    ids, (_, why) = [one.id for one in blind.all()], blind.items()
    claims = Claims(blind)
    assert claims.first(ids, "page") == ids[0]
    given = blind.set_item(ids[0], why.id, on=True, marker="ben", version=0)
    assert (given.score, given.items, given.done) == (1, {why.id}, True)
    assert blind.adjust(ids[0], 0.5, marker="ben", version=1).score == 1.5
    assert blind.progress().markers == {"ben": 1}
    assert claims.first(ids, "page") == ids[1]
    blind.give_nothing(ids[1], marker="ben", version=0)
    assert blind.one(ids[1]).score == 0
    assert blind.undo("ben", request="a key") == ("a second mark", [ids[1]])
    assert blind.undo("ben", request="a key") == ("a second mark", [ids[1]])  # it is repeated
    assert blind.one(ids[0]).score == 1.5
    assert blind.one(ids[1]).waiting
    assert [(one.id, one.score) for one in first(url).all()] == before
    assert score(url, ids[0]) == (1, False, None)
    with pytest.raises(Conflict, match="second mark"):
        blind.say(ids[0], "Good.", marker="ben", seen="")
    with pytest.raises(Conflict, match="second mark"):
        blind.change_item(why.id, 0.5, "Says it.", marker="ben")


def test_what_formgrader_marked_is_not_marked_twice(tmp_path: Path) -> None:
    """Its marker is unknown."""
    url = marked(tmp_path / "gradebook.db")
    drawn = [one.id for one in second(url).all()]
    in_formgrader(url, drawn[0], 0.25)
    assert [one.id for one in second(url).all()] == drawn[1:]
    with pytest.raises(KeyError):
        second(url).one(drawn[0])


def test_agreement_follows_the_items(tmp_path: Path) -> None:
    """Severity is the mean difference; an item's new points change both marks."""
    url = marked(tmp_path / "gradebook.db")
    blind, question = second(url), first(url)
    says, why = blind.items()
    ids = [one.id for one in blind.all()]
    assert agreement(question).answers == 0
    assert agreement(question).kappa is None
    for id in ids:
        blind.set_item(id, says.id, on=True, marker="ben", version=0)
    blind.set_item(ids[0], why.id, on=True, marker="ben", version=1)
    found = agreement(question)
    assert (found.answers, found.same) == (len(ids), len(ids) - 1)
    assert found.severity == {
        "ana": (pytest.approx(-1 / len(ids)), len(ids)),
        "ben": (pytest.approx(1 / len(ids)), len(ids)),
    }
    assert found.kappa == pytest.approx(0)
    question.change_item(why.id, 0.0, why.words, marker="ana")
    assert agreement(question).same == len(ids)
    assert agreement(question).kappa is None
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(sqlalchemy.text("select count(*) from autograder_second_mark"))
        assert rows.scalar() == len(ids)
    engine.dispose()
    execute(url, "update grade set manual_score = 2 where id = :id", id=ids[1])
    assert agreement(question).answers == len(ids) - 1


def test_kappa_is_that_of_textbooks() -> None:
    """Two readers of 50 proposals (20 both yes, 15 both no, 5 and 10 apart) have 0.4; so do tables."""
    proposals = [(1.0, 1.0)] * 20 + [(1.0, 0.0)] * 5 + [(0.0, 1.0)] * 10 + [(0.0, 0.0)] * 15
    assert kappa(proposals) == pytest.approx(0.4)
    counts = np.array([[11, 3, 1], [2, 9, 4], [0, 2, 8]])
    pairs = [(float(a), float(b)) for a in range(3) for b in range(3) for _ in range(counts[a, b])]
    weights = np.array([[(a - b) ** 2 for b in range(3)] for a in range(3)])
    expected = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    assert kappa(pairs) == pytest.approx(1 - (weights * counts).sum() / (weights * expected).sum())
    assert kappa([(1.0, 1.0)] * 5) is None
    assert kappa([(0.0, 1.0), (1.0, 0.0)]) == pytest.approx(-1)
