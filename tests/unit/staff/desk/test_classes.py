"""classes, listing: everybody's marks are read again if files change, searched and filtered."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.reports import executed
from autograder.staff.desk import classes as desk
from autograder.staff.desk.classes import Classes
from autograder.staff.desk.listing import listed
from autograder.store import files, results
from tests import fabricated_class
from tests.gradebooks import make_course
from tests.helpers import TOY
from tests.marking import execute, make_gradebook

ROSTER = "id,name,email\n" + "".join(f"s{n:05},Person {n},p{n}@uni.example\n" for n in range(12))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Classes:
    monkeypatch.setattr(desk, "_PAUSE", 0.0)
    root = make_course(tmp_path / "course", like=TOY)
    fabricated_class.write(tmp_path / "out" / "toy", 10)
    (root / "roster.csv").write_text(ROSTER)
    return Classes(root, tmp_path / "out", None)


def rows(course: Classes, **words: str) -> list[str]:
    return [one.id for one in listed(course, words)["rows"]]


def test_everybody_is_listed_once(course: Classes) -> None:
    """The roster's people are in its order, including those without a submission."""
    assert rows(course) == [f"s{n:05}" for n in range(12)]
    assert rows(course, filter="missing") == ["s00010", "s00011"]


def test_a_search_looks_at_ids_names_and_addresses(course: Classes) -> None:
    assert rows(course, q="PERSON 7") == ["s00007"]
    assert rows(course, q="p3@uni") == ["s00003"]
    assert rows(course, q="person nobody") == []


def test_a_search_needs_no_accents_and_puts_whole_words_first(course: Classes) -> None:
    """People without á on their keyboard find Nováková, and Ivan comes before Ivanov."""
    (course.root / "roster.csv").write_text(
        "id,name,canvas,section\n1,Dmitri Ivanov,501,A\n2,Ivan Ivanov,502,B\n"
        "3,Hana Nováková,503,Monday\n4,Jørgen Øst,504,A\n"
    )
    assert rows(course, q="novakova") == rows(course, q="Nováková") == ["3"]
    assert rows(course, q="jorgen ost") == ["4"]
    assert rows(course, q="ivan ivanov") == ["2", "1"]
    assert rows(course, q="503") == rows(course, q="monday") == ["3"]


def test_an_order_is_by_points(course: Classes) -> None:
    found = rows(course, order="toy")
    scores = [e.score for e in course.entries("toy").values() if e.score is not None]
    first = course.entries("toy").get(found[0])
    assert first is None  # who submitted nothing comes first
    assert course.entries("toy")[found[-1]].score == max(scores)


def test_only_what_changed_is_read_again(course: Classes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next look has a changed mark, and opens nobody else's file."""
    course.entries("toy")
    folder = course.place("toy") / "s00004"
    grade = results.read_grade(folder)
    opened: list[str] = []
    whole = desk.read_entry
    monkeypatch.setattr(
        desk, "read_entry", lambda path, *rest: opened.append(path.name) or whole(path, *rest)
    )
    results.write_grade(folder, replace(grade, late="An hour late."))
    os.utime(folder / files.GRADE, ns=(1, 1))
    assert rows(course, filter="late") == ["s00004"]
    assert opened == ["s00004"]


def test_a_search_finds_the_newest_marks(course: Classes) -> None:
    """It looks at the times of all files, at each key."""
    assert listed(course, {"filter": "late"})["found"] == 0
    folder = course.place("toy") / "s00004"
    results.write_grade(folder, replace(results.read_grade(folder), late="An hour late."))
    assert listed(course, {"filter": "late"})["found"] == 1


def test_marks_by_hand_are_read_again_if_the_gradebook_or_a_submission_changes(
    course: Classes,
) -> None:
    """Wherever the course has its gradebook, and only then."""
    book = make_gradebook(course.root / "marks.db", 3)
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write('c.CourseDirectory.db_url = "sqlite:///marks.db"\n')
    known = Classes(course.root, course.out / "hand", None)
    place = fabricated_class.write(known.out / "toy", 2, name="s{:04}")

    def marks() -> dict[str, float | None]:
        for folder in place.iterdir():
            if not (folder / files.EXECUTED).exists():
                files.write(folder / files.EXECUTED, executed.notebook(()))
        return {student: one.points["argue"] for student, one in known.entries("toy").items()}

    for _ in range(2):  # the first one makes our tables
        assert 1.75 not in marks().values()
    before = known.given("toy")
    assert 1.75 not in marks().values()
    assert known.given("toy") is before
    execute(book, "update grade set manual_score = 1.75, needs_manual_grade = 0")
    assert marks() == {"s0000": 1.75, "s0001": 1.75}
    fabricated_class.write(known.out / "more", 3, name="s{:04}")
    (known.out / "more" / "s0002").rename(place / "s0002")
    assert marks() == {"s0000": 1.75, "s0001": 1.75, "s0002": 1.75}


def test_who_is_not_in_the_roster_is_named(tmp_path: Path) -> None:
    root = make_course(tmp_path / "course", like=TOY)
    fabricated_class.write(tmp_path / "out" / "toy", 2)
    known = Classes(root, tmp_path / "out", None)
    assert rows(known, filter="unknown") == []  # there is no roster
    (root / "roster.csv").write_text("id,name\ns00000,A\n")
    assert rows(known, filter="unknown") == ["s00001"]


def test_marks_that_cannot_be_read_are_one_line(course: Classes) -> None:
    """A damaged file becomes a note on that person; all others are listed."""
    (course.place("toy") / "s00001" / files.GRADE).write_text("{")
    entry = course.entries("toy")["s00001"]
    assert "unusable" in entry.flags
    assert "cannot be read" in entry.notes[0]
    assert len(course.entries("toy")) == 10


def test_the_homeworks_own_folder_counts(course: Classes) -> None:
    """Results in a folder whose name comes first do not take its place."""
    fabricated_class.write(course.out / "a_second_class", 1)
    assert course.folders() == {"toy": course.out / "toy"}
    assert course.every_folder("toy") == [course.out / "toy", course.out / "a_second_class"]


def test_a_folder_may_have_another_name(course: Classes) -> None:
    """The logs in a folder show its homework."""
    course.place("toy").rename(course.out / "first")
    assert course.folders() == {"toy": course.out / "first"}
