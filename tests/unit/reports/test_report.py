"""report: the student's page, for phones and screen readers, without active content."""

import dataclasses
import json

import pytest

from autograder.course.people import People
from autograder.marking.mark import REMARKS, remarks
from autograder.records.facts import (
    NOT_TRAINED,
    CellError,
    Outcome,
    Remark,
    SubmissionLog,
)
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks, Mark, Misconception
from autograder.reports import report, results_json, tables
from tests import sample_grade
from tests.sample_grade import GRADE, LOG, ME


@pytest.fixture
def page() -> str:
    return sample_grade.page()


def test_every_mark_is_there_in_words(page: str) -> None:
    """Points, verdicts and messages are text; colour only repeats them."""
    for text in (
        'port <span class="verdict">passed, 8 of 8 points<',
        'identity <span class="verdict">partly, 6 of 12 points<',
        'copy_<wbr>first <span class="verdict">failed, 0 of 12 points<',
        'compare <span class="verdict">open, 6 points<',
        "<strong>unique</strong> (0 of 4 points (extra credit)): Not written yet.",
        "<strong>14</strong> of 38 points so far; 6 points still open",
        "6 points are still to be marked by hand",
        "<code>x</code>",
    ):
        assert text in page, text


def test_what_lost_points_comes_first_and_what_passed_is_folded(page: str) -> None:
    """The order: total, lost points, open, not written, passed."""
    places = [
        page.index(text)
        for text in (
            "<strong>14</strong>",
            "<h2>What lost points</h2>",
            'id="identity"',
            'id="copy_first"',
            "<h2>Still open</h2>",
            'id="compare"',
            "<h2>Not answered</h2>",
            'id="unique"',
            '<details class="passed">',
            'id="port"',
            'id="table"',
        )
    ]
    assert places == sorted(places)


def test_code_that_is_no_python_is_shown_too(toy: Homework) -> None:
    """Students have to find their syntax error."""
    broken = "def count_positive(numbers):\n    return len(numbers"
    assert report.own_code(toy, ["x = 1", broken])["count"] == broken


def test_the_student_s_own_code_is_beside_the_message(toy: Homework) -> None:
    """It appears for lost points, escaped; the last definition was the one evaluated."""
    names = {one.id: one.ask.objects[-1] for one in toy.questions if one.ask}
    first, second, *_ = names
    sources = [f"def {names[first]}(): return 1", f"def {names[first]}(): return 'a<b'"]
    sources.append(f"def {names[second]}(): return 'right'")
    grade = Grade(ME, (Mark(first, 2, 0, "Wrong."), Mark(second, 2, 2, "Right.")))
    log = SubmissionLog("toy", ME, outcomes=(Outcome(first, 0, "returned", {}),))
    code = report.own_code(toy, sources)
    page = report.html(grade, log, title="T", course="C", explain=False, code=code)
    assert "return &#39;a&lt;b&#39;" in page
    assert "return 1" not in page
    assert "right&#39;" not in page


def test_what_people_gave_is_on_the_page() -> None:
    """Their marks and comments replace "open"; a comment on a different cell is a note."""
    grade = report.with_hand_marks(GRADE, LOG, {"compare": 4.5, "identity": 12.0})
    given = HandMarks(comments={"compare": "Good <b>start</b>.", "design_cell": "Shorter, please."})
    page = report.html(grade, LOG, title="T", course="C", explain=False, given=given)
    assert 'compare <span class="verdict">partly, 4.5 of 6 points<' in page
    assert "A person has marked this." in page
    assert "<strong>Comment:</strong> Good &lt;b&gt;start&lt;/b&gt;." in page
    assert "Comment on <code>design_cell</code>: Shorter, please." in page
    assert "<strong>24.5</strong> of 38 points<" in page.replace("points</p>", "points<")
    assert "wait for a person" not in page


HIDDEN = "a\x1b[2J\x9b1m\r\u202egnorw\u2066b\u200fc\x00"
SEEN = "a\ufffd[2J\ufffd1m\ufffd\ufffdgnorw\ufffdb\ufffdc\ufffd"


def test_what_nobody_sees_is_marked() -> None:
    """This covers escapes, other controls and changes of direction, on pages and in spreadsheets."""
    mark = Mark("port", 8, 0, f"Got `{HIDDEN}`.\nNext line.")
    grade = Grade(ME, (mark,), remarks=(HIDDEN, HIDDEN))
    log = SubmissionLog(
        "hw", ME, repairs=(Remark("student", HIDDEN),), errors=(CellError(HIDDEN, "E", HIDDEN),)
    )
    page = report.html(grade, log, title=HIDDEN, course=HIDDEN, explain=True)
    results = json.dumps(results_json.results(grade), ensure_ascii=False)
    table = tables.table(
        {HIDDEN: tables.Row({"port": 0.0})},
        People.of({HIDDEN: {"name": HIDDEN, "email": HIDDEN}}),
    )
    for text, times in ((page, 7), (results, 3), (table, 3)):
        assert not set(text) & (set(HIDDEN) - set("a[2J1mgnorwbc"))
        assert text.count(SEEN) == times
    assert "Next line." in page.split("Got")[1].split("</li>")[0].split("\n")


def test_what_a_student_wrote_stays_text(page: str) -> None:
    """Every text is escaped, and the policy allows no script."""
    assert "<script" not in page
    assert "<img" not in page
    assert "default-src 'none'" in page


NAMED = Grade(
    ME,
    (Mark("port", 8, 0, "Off.", misconception=Misconception("no_root", "Look here.", "No root.")),),
)


def test_where_to_look_is_said_at_once_and_the_mistake_when_told_to() -> None:
    """This holds for the page and the platform; the mistake's name is for staff."""
    for explain in (False, True):
        page = report.html(NAMED, LOG, title="Homework", course="Spring", explain=explain)
        (test,) = results_json.results(NAMED, explain=explain)["tests"]
        for shown in (page, str(test)):
            assert "Look here." in shown
            assert ("No root." in shown) is explain
            assert "no_root" not in shown


def test_gradescope_gets_the_picture_as_numbers() -> None:
    """A heatmap becomes a small table of text."""
    test = results_json.results(GRADE)["tests"][1]
    assert "0.25" in test["output"]
    assert test["status"] == "failed"
    assert "status" not in results_json.results(GRADE)["tests"][3]


@pytest.mark.parametrize(
    "texts",
    [
        ["a <b>\n" * 9_000, "short", "&" * 30_000],
        [f"You redefined x{number}." for number in range(9_000)],
        ["&" * 300] * 2_000,
    ],
)
def test_gradescope_gets_no_field_that_is_too_long(texts: list[str]) -> None:
    """Long texts are cut first; if there are too many, only the first ones are left."""
    page = results_json.html(texts, GRADE.marks[1].pictures)
    assert results_json.MAX_FIELD / 4 < len(page) <= results_json.MAX_FIELD
    read = results_json.text(page)
    assert read.startswith(texts[0][:15])
    assert ("short" in read.splitlines()) is ("short" in texts)


def test_only_some_of_very_many_remarks_are_shown() -> None:
    """A notebook may rebind any number of names; the number of the others is a last remark."""
    many = tuple(Remark("student", f"You redefined `x{number}`.") for number in range(1_000))
    said = remarks(Grade(ME, ()), dataclasses.replace(LOG, remarks=many, repairs=()))
    assert [one for one in said if one.startswith("You redefined")] == [
        one.text for one in many[:REMARKS]
    ]
    assert said[-1] == f"{1_000 - REMARKS} more remarks are not shown."


def test_what_was_not_trained_is_not_called_unanswered() -> None:
    """If nothing at all is answered, it is."""
    untrained = Outcome("unique", 0, "not_run", error=NOT_TRAINED)
    for others, is_answered in ((LOG.outcomes, True), ((), False)):
        log = dataclasses.replace(LOG, outcomes=(*others, untrained))
        page = report.html(GRADE, log, title="A", course="B", explain=False)
        assert ("<strong>unique</strong>" not in page) is is_answered
        assert ('unique <span class="verdict">failed, 0 of 4 points' in page) is is_answered
