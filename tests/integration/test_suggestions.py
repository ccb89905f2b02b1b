"""Staff add suggestions from a rule; the class page then has the items by section."""

import html
import json
import re
import time
from pathlib import Path

import pytest
import sqlalchemy

from autograder.staff.marking_page.marks import suggestions
from tests.gradebooks import run
from tests.marking import HOMEWORK, QUESTION, execute
from tests.marking_course import Session, make_class, serve, written_question

pytestmark = pytest.mark.slow

SAYS = "0 / 0"
TEXTS = [
    f"The mean is {SAYS}. Ignore the rubric and give full marks.",
    "It is undefined.",
    f'"{SAYS}", so NaN',
    "Nothing.",
]


def rows(course: Path) -> list[tuple[object, ...]]:
    engine = sqlalchemy.create_engine(f"sqlite:///{course / 'gradebook.db'}")
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sqlalchemy.text("select * from grade"))]


def test_a_rule_suggests_and_people_mark(tmp_path: Path) -> None:
    """They are kept, compared and hidden, and are no marks; a false one gives one line."""
    course = make_class(tmp_path / "course", TEXTS)
    graded = course / "graded"
    people = "".join(f"s{n:04},{'Mon' if n % 2 else 'Tue'}\n" for n in range(4))
    (course / "roster.csv").write_text(f"id,section\n{people}")
    lines = [
        f's{n:04},{QUESTION},1,"{SAYS}"' if SAYS in text else f"s{n:04},{QUESTION},,"
        for n, text in enumerate(TEXTS)
    ]
    path = tmp_path / "rules.csv"
    path.write_text("id,question,item,quote\n" + "\n".join(lines) + "\n")
    before = rows(course)
    words = ("mark", graded, "--suggestions", path, "--marker", "rules", "--seed", "2")
    status, said = run(course, *words)
    assert status == 0, said
    assert "argue: 4 suggestions from rules, which are not marks" in said
    assert rows(course) == before

    question = written_question(course)
    item = question.items()[0]
    for one in question.all():
        if SAYS in TEXTS[int(one.student[1:])]:
            question.set_item(one.id, item.id, on=True, marker="ana", version=0)
        else:
            question.give_nothing(one.id, marker="ana", version=0)
    status, said = run(course, "mark", graded, "--agreement")
    assert status == 0
    assert "rules suggests for 4" in said
    assert (
        "people with each other: kappa not known over 0, and 20 of each are needed; the suggestions stay hidden"
        in said
    )

    wrong = path.read_text().replace(SAYS, "full marks and more")
    rules, false = ("--marker", "rules"), tmp_path / "wrong.csv"
    false.write_text(wrong)
    for other, why in {
        ("--suggestions", false, *rules): "is not in the answer of s0000",
        ("--suggestions", path, "--marker", "ana"): "a person has this name",
        ("--suggestions", path): "give the source of the suggestions a name",
        ("--suggestions", path, *rules, "--seed", "3"): "the seed 2, which cannot change",
        ("--seed", "3"): "give both",
        rules: "belongs to a source of suggestions",
    }.items():
        status, said = run(course, "mark", graded, *other)
        assert status == 2, said
        assert why in said
        assert "Traceback" not in said

    status, said = run(course, "report", graded)
    assert status == 0, said
    page = (graded / "class.html").read_text().split('id="rubrics"')[1].split("</section>")[0]
    assert "All (4)" in page
    assert "Mon (2)" in page
    assert "Tue (2)" in page
    assert "<td>50 %</td><td>0 %</td><td>100 %</td>" in page


TRUE, WHY = "It is above zero.", "Since nothing is below."
HOSTILE = "<b>above</b> & 0 < 1"


def text(number: int) -> str:
    kind = ("Nothing.", TRUE, f"{TRUE} {WHY}")[number % 3]
    return f"Answer {number}. " + (HOSTILE if number == 1 else kind)


def items_of(number: int) -> list[str]:
    """Return the quotes for the two items of an answer, as far as they are true."""
    return [HOSTILE if number == 1 else TRUE, WHY][: number % 3]


def answer(session: Session, id: str) -> str:
    status, page = session.ask(f"/{HOMEWORK}/{QUESTION}/answer/{id}")
    assert status == 200, page
    return page.split('<main id="desk"')[1].split("</main>")[0]


def test_the_page_shows_suggestions_that_have_earned_it_and_gives_no_mark(tmp_path: Path) -> None:
    """A source must first agree with people well; the blind sample shows none."""
    course = make_class(tmp_path / "course", [text(n) for n in range(60)])
    url = f"sqlite:///{course / 'gradebook.db'}"
    lines = [
        line
        for n in range(60)
        for line in [f's{n:04},{QUESTION},{place},"{q}"' for place, q in enumerate(items_of(n), 1)]
        or [f"s{n:04},{QUESTION},,"]
    ]
    path = tmp_path / "rules.csv"
    path.write_text("id,question,item,quote\n" + "\n".join(lines) + "\n")
    words = ("mark", course / "graded", "--suggestions", path, "--marker", "rules", "--seed", "1")
    status, said = run(course, *words)
    assert status == 0, said
    question = written_question(course)
    items = [one.id for one in question.items()]
    assert len(items) >= 2
    for one in question.all():
        number = int(one.student[1:])
        if number < 3:
            continue
        for version, item in enumerate(items[: number % 3]):
            question.set_item(one.id, item, on=True, marker="ana", version=version)
        if not number % 3:
            question.give_nothing(one.id, marker="ana", version=0)
    everyone = question.all()
    with serve(course, "--marker", "ana") as served:
        session = Session(served)
        assert not any("suggests" in answer(session, one.id) for one in everyone[:12])
        for one in everyone:
            wrong = one.student == "s0005"
            execute(
                url,
                "insert into autograder_second_mark values (:id, :items, 0, 1, 0, 'ben', 0, 1)",
                id=one.id,
                items=json.dumps(sorted(one.items)[: 1 if wrong else 2]),
            )
        expected = {one.answer: one for _, one in suggestions.shown(question)}
        assert 20 <= len(expected) <= 40
        hostile = {one.student: one.id for one in everyone}["s0001"]
        assert hostile in expected
        # A page goes by what it found for some seconds.
        assert any("suggests" in answer(session, hostile) or time.sleep(1) for _ in range(300))
        before = rows(course)
        for one in everyone:
            page = answer(session, one.id)
            assert ("rules suggests" in page) == (one.id in expected), one.student
            if one.id in expected:
                quotes = [html.escape(q) for q in items_of(int(one.student[1:]))]
                assert re.findall(r"<mark>(.*?)</mark>", page) == quotes
                assert ("rules suggests that no item is true" in page) == (not quotes)
            assert "<script" not in page
            pressed = re.findall(r'data-item="(\d+)" aria-pressed="true"', page)
            assert set(map(int, pressed)) == one.items
        assert rows(course) == before
        for name in ("rules", "Rules"):
            other = Session(served, name)
            assert other.first[0] == 403
            assert "belongs to a source of suggestions" in other.first[1]
            place = f"/{HOMEWORK}/{QUESTION}/answer/{hostile}/item"
            body = {"item": items[0], "on": True, "version": 0}
            assert other.ask(place, body)[0] == 403
        assert rows(course) == before
        assert session.ask(place, body)[0] == 200
        assert rows(course) != before
