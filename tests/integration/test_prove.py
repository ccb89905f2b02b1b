"""`check --large` counts what it tries, and each of its tables can fall short."""

import shutil
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar

import pytest

from autograder.authoring.calibrate import prove
from autograder.authoring.calibrate.rejections import smallest_mistakes, styles
from autograder.course import homework as homeworks
from autograder.kit import Close
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from tests.command_line import run
from tests.helpers import TOY

pytestmark = [pytest.mark.slow, pytest.mark.turns(5)]


def with_tolerance(toy: Homework, tolerance: float) -> Homework:
    """Return the toy homework with another tolerance of its numbers."""
    questions = tuple(
        replace(q, check=replace(q.check, tolerance=tolerance)) if isinstance(q.check, Close) else q
        for q in toy.questions
    )
    return replace(toy, questions=questions)


def test_each_part_tries_something_or_says_that_there_is_nothing() -> None:
    """The toy course trains nothing, and has no random right values."""
    tables = list(prove.prove(TOY, "toy", draws=20, starts=1))
    assert [table.short for table in tables] == [[]] * len(prove.PARTS)
    tried = dict(zip(prove.PARTS, tables, strict=True))
    assert {part for part, table in tried.items() if not table.tried} == {"drawn", "bands"}
    assert tried["bands"].text().endswith("0 tried, nothing to try")
    fewer = next(prove.prove(TOY, "toy", ["styles"], draws=10))
    assert tried["styles"].tried > fewer.tried


def test_a_tolerance_that_is_too_large_falls_short() -> None:
    """A known mistake is nearly right by it; one that is too small is tried with a real homework."""
    toy = homeworks.load(TOY, "toy")
    assert not smallest_mistakes(TOY, toy, draws=1).short
    assert smallest_mistakes(TOY, with_tolerance(toy, 10.0), draws=1).short


@dataclass(frozen=True)
class Heavy(Close):
    """A check whose cases take long."""

    heavy: ClassVar[bool] = True


def test_a_heavy_question_is_tried_on_a_tenth_of_the_draws() -> None:
    """The table says so."""
    toy = homeworks.load(TOY, "toy")
    check = next(q.check for q in toy.questions if isinstance(q.check, Close))
    heavy = Heavy(**{field.name: getattr(check, field.name) for field in fields(check)})
    questions = tuple(replace(q, check=heavy) if q.check is check else q for q in toy.questions)
    slow, quick = (styles(TOY, one, draws=20) for one in (replace(toy, questions=questions), toy))
    assert not slow.short
    assert "(2 draws)" in slow.text()
    assert "draws)" not in quick.text()
    assert slow.tried < quick.tried


def test_a_question_with_large_inputs_is_tried_on_a_tenth_of_the_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of its draws already has the numbers of ten others."""
    toy = homeworks.load(TOY, "toy")
    monkeypatch.setattr("autograder.authoring.calibrate.rejections.LARGE", 1)
    table = styles(TOY, toy, draws=20)
    assert not table.short
    assert "(2 draws)" in table.text()


def test_a_course_may_want_more_right_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`forms_at_least` in its course.toml."""
    course = shutil.copytree(TOY, tmp_path / "course")
    settings = course / "course.toml"
    settings.write_text(settings.read_text() + "\n[rules]\nforms_at_least = 30\n")
    (table,) = prove.prove(course, "toy", ["styles"], draws=1)
    assert table.short
    assert all("fewer than 30 styles" in sentence for sentence in table.short)
    status, out, err = run(capsys, "prove", "toy", "styles", "--draws", "1", "--course", course)
    assert status == 2
    assert "1 tables fell short" in out
    assert err.startswith("autograder: fell short: toy: right answers in other styles")


def test_an_unknown_part_is_refused_in_one_line() -> None:
    """With the names that there are."""
    with pytest.raises(
        UserError, match=r"there is no part 'colours'; choose from drawn, .*, bands"
    ):
        next(prove.prove(TOY, "toy", ["colours"]))
