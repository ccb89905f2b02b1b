"""report: the page a student reads, on a phone, with a screen reader, without anything active."""

import json
from pathlib import Path

import pytest

from autograder.model import (
    CellError,
    Grade,
    Heatmap,
    Mark,
    Misconception,
    Submission,
    SubmissionLog,
)
from autograder.reports import report, results_json, tables

EVIL = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
ME = Submission("someone", "notebook", "0" * 64)
PICTURE = Heatmap("Weights on A B", ("A", "B"), ("A", "B"), ((0.5, 0.5), (0.25, 0.75)))
GRADE = Grade(
    ME,
    (
        Mark("port", 8, 8, "Equal."),
        Mark("identity", 12, 6, f"Half: `x` {EVIL}", pictures=(PICTURE,)),
        Mark("copy_first", 12, 0, "Wrong.\n" + "a_very_long_word" * 40),
        Mark("compare", 6, None, "A person marks this.", by_hand=True),
        Mark("unique", 4, 0, "Not written yet.", extra=True),
    ),
)
LOG = SubmissionLog(
    "hw", ME, repairs=(f"Mended {EVIL}",), errors=(CellError("the cell 'a'", "NameError", EVIL),)
)


@pytest.fixture
def page() -> str:
    return report.html(
        GRADE, LOG, title=f"Homework {EVIL}", course="Attention, Spring", explain=False
    )


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
    grade = Grade(ME, (mark,), late=HIDDEN)
    log = SubmissionLog("hw", ME, repairs=(HIDDEN,), errors=(CellError(HIDDEN, "E", HIDDEN),))
    page = report.html(grade, log, title=HIDDEN, course=HIDDEN, explain=True)
    results = json.dumps(results_json.results(grade, remarks=(HIDDEN,)), ensure_ascii=False)
    table = tables.table({HIDDEN: {"port": 0.0}}, {HIDDEN: {"name": HIDDEN, "email": HIDDEN}})
    for text, times in ((page, 8), (results, 2), (table, 3)):
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


@pytest.mark.slow
def test_it_fits_a_phone_and_runs_nothing(browser: object, page: str, tmp_path: Path) -> None:
    """In Chromium at 360 pixels nothing sticks out sideways, and no script ran."""
    path = tmp_path / "report.html"
    path.write_text(page)
    view = browser.new_page(viewport={"width": 360, "height": 740})  # type: ignore[attr-defined]
    view.goto(path.as_uri())
    assert view.evaluate("document.documentElement.scrollWidth") <= 360
    assert view.title().startswith("Homework <script>")
    view.close()


@pytest.mark.slow
def test_a_screen_reader_can_use_it(browser: object, page: str, tmp_path: Path) -> None:
    """axe-core finds nothing to complain about."""
    from axe_playwright_python.sync_playwright import Axe

    path = tmp_path / "report.html"
    # axe has to be let in; the policy itself is tested above.
    path.write_text(page.replace("default-src 'none'; ", ""))
    view = browser.new_page(viewport={"width": 360, "height": 740})  # type: ignore[attr-defined]
    view.goto(path.as_uri())
    found = Axe().run(view)
    assert found.violations_count == 0, found.generate_report()
    view.close()
