"""report: the page a student reads, on a phone, with a screen reader, without anything active."""

import json

import pytest

from autograder.model import (
    CellError,
    Grade,
    Mark,
    Misconception,
    SubmissionLog,
)
from autograder.reports import report, results_json, tables
from tests import sample_grade
from tests.sample_grade import GRADE, LOG, ME


@pytest.fixture
def page() -> str:
    return sample_grade.page()


def test_every_mark_is_there_in_words(page: str) -> None:
    """Points, verdicts and messages are text; colour only repeats them."""
    for text in (
        "port: passed, 8 of 8 points",
        "identity: partly, 6 of 12 points",
        "copy_first: failed, 0 of 12 points",
        "compare: waiting, not marked yet, 6 points",
        "unique: failed, 0 of 4 points (extra credit)",
        "<strong>14</strong> of 38 points",
        "6 points wait for a person",
        "<code>x</code>",
    ):
        assert text in page, text


HIDDEN = "a\x1b[2J\x9b1m\r\u202egnorw\u2066b\u200fc\x00"
SEEN = "a\ufffd[2J\ufffd1m\ufffd\ufffdgnorw\ufffdb\ufffdc\ufffd"


def test_what_nobody_sees_is_marked() -> None:
    """Escapes, other controls and changes of direction: on each page and in a spreadsheet."""
    mark = Mark("port", 8, 0, f"Got `{HIDDEN}`.\nNext line.")
    grade = Grade(ME, (mark,), remarks=(HIDDEN, HIDDEN))
    log = SubmissionLog("hw", ME, repairs=(HIDDEN,), errors=(CellError(HIDDEN, "E", HIDDEN),))
    page = report.html(grade, log, title=HIDDEN, course=HIDDEN, explain=True)
    results = json.dumps(results_json.results(grade), ensure_ascii=False)
    table = tables.table(
        {HIDDEN: tables.Row({"port": 0.0})}, {HIDDEN: {"name": HIDDEN, "email": HIDDEN}}
    )
    for text, times in ((page, 8), (results, 3), (table, 3)):
        assert not set(text) & (set(HIDDEN) - set("a[2J1mgnorwbc"))
        assert text.count(SEEN) == times
    assert "Next line." in page.split("Got")[1].split("</p>")[0].split("\n")


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
    """On the page and on the platform; the mistake's name is for staff."""
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
