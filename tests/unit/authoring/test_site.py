"""site: the contents of the students' pages."""

import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import icalendar
import pytest
from msgspec import structs

from autograder.authoring.site import calendar, documents, write
from autograder.course.course import Course, Due, Late, TotalRules
from autograder.course.homework import load, names
from autograder.marking import lateness
from autograder.platforms.gradescope import instructions
from autograder.records.homework import Cell, Homework
from tests.helpers import ROOT, TOY

SETTINGS = Course(title="Toys", term="Spring")
BERLIN = structs.replace(SETTINGS, time_zone="Europe/Berlin")
DUE = datetime(2026, 3, 2, 23, 59)


def homework(name: str, title: str, before: str) -> Homework:
    """Return a homework whose notebook has a first text and a long cell."""
    table = (
        "| Part | Minutes | Points |\n|---|---|---|\n| 1 | 25 | 2 |\n| | 35 | 3 |\n| Extra | | 1 |"
    )
    text = (
        f"# {title}\n\n**What you will be able to do**\n- count;\n- count on.\n\n"
        f"**Before you begin.** {before}\n\n{table}"
    )
    cells = (
        Cell(id="title", type="markdown", source=text, role="provided"),
        Cell(id="code", type="code", source="x = '```'\n" * (documents.LONG + 1), role="provided"),
    )
    return Homework(title=title, questions=(), name=name, cells=cells)


THREE = [
    homework("hw1_count", "Homework 1: counting", "Nothing."),
    homework("hw2_add", "Homework 2: adding", "Homework 1, and homework 9 of another course."),
    homework("hw3_mean", "Homework 3: means", "Sums (homeworks 1 and 2)."),
]


def pages(settings: Course) -> dict[str, str]:
    """Return the Markdown of the pages about three homeworks, by title."""
    return {one.title: one.markdown for one in documents.documents(settings, THREE)}


def test_a_homework_builds_on_those_that_its_text_mentions() -> None:
    """It goes by the numbers in their names; unknown numbers are ignored."""
    topics = documents.topics(THREE)
    assert [topic.builds_on for topic in topics] == [(), ("hw1_count",), ("hw1_count", "hw2_add")]
    assert [topic.aim for topic in topics] == ["- count;\n- count on."] * 3
    assert [topic.minutes for topic in topics] == [60] * 3


def test_minutes_are_of_their_own_table() -> None:
    """A second table, or a line with fewer columns, does not count."""
    text = THREE[0].cells[0].source + "\n| x |\n\n| Minutes | a |\n|---|---|\n| 700 | b |\n"
    cells = (replace(THREE[0].cells[0], source=text),)
    (topic,) = documents.topics([replace(THREE[0], cells=cells)])
    assert topic.minutes == 60


def test_each_notebook_of_this_course_tells_about_itself() -> None:
    """Aims, prerequisites and minutes are found; each but the first builds on an earlier one."""
    homeworks = [load(ROOT, name) for name in names(ROOT)]
    topics = documents.topics(homeworks)
    assert len(topics) == len(homeworks) == 7
    for topic in topics:
        assert topic.aim.startswith("- ")
        assert topic.before
        assert 120 <= topic.minutes <= 360
        earlier = [one.name for one in homeworks if one.name < topic.name]
        assert set(topic.builds_on) <= set(earlier)
        assert bool(topic.builds_on) == bool(earlier)


def test_the_picture_has_each_homework_below_what_it_builds_on() -> None:
    """The words name each one; the arrow from first to third is implied by the other two."""
    found = write.picture(documents.topics(THREE))
    boxes = found["boxes"]
    assert isinstance(boxes, list)
    assert [box.label for box in boxes] == ["Homework 1", "Homework 2", "Homework 3"]
    assert boxes[0].y < boxes[1].y < boxes[2].y
    arrows = found["arrows"]
    assert isinstance(arrows, list)
    assert [(begin, end) for _, begin, _, end in arrows] == [
        (boxes[0].y + write.BOX_HEIGHT, boxes[1].y),
        (boxes[1].y + write.BOX_HEIGHT, boxes[2].y),
    ]
    assert found["spoken"] == (
        "Homework 1 helps with Homework 2. Homework 1 and Homework 2 help with Homework 3."
    )


def test_a_course_without_mentions_has_no_arrows() -> None:
    """The same goes for notebooks with a different beginning."""
    plain = replace(THREE[0], cells=())
    (topic,) = documents.topics([plain])
    assert (topic.aim, topic.before, topic.minutes, topic.builds_on) == ("", "", 0, ())
    assert write.picture([topic])["arrows"] == []


@pytest.mark.parametrize(
    ("settings", "words", "none"),
    [
        ({}, "takes no points off", "Total"),
        ({"late": Late(rule="deduct", percent_a_day=12.5)}, "costs 12.5 % of the points", "takes no points off"),
        ({"late": Late(slip_days=5, slip_days_at_most=2)}, "5 free late days for the term", "12.5"),
        ({"total": TotalRules(weights={"hw1_count": 2})}, "| Homework 1: counting | 2 |", "dropped"),
        ({"total": TotalRules(drop=1)}, "The 1 homework with the least effect", "homeworks with"),
        ({"explanations": "never"}, "the report gives a hint.\n", "explains"),
    ],
)  # fmt: skip
def test_the_policy_follows_course_toml(settings: dict[str, object], words: str, none: str) -> None:
    """It has each rule that a course sets, and no other."""
    page = pages(structs.replace(SETTINGS, **settings))["Grading"]
    assert words in page
    assert none not in page


@pytest.mark.parametrize(
    "late", [Late(), Late(rule="deduct"), Late(rule="deduct", points="machine")]
)
def test_calendar_and_policy_have_one_rule_for_lateness(late: Late) -> None:
    """Both use the same words, and so does the page on setting up Gradescope."""
    course = structs.replace(SETTINGS, late=late)
    said = pages(course) | {"Gradescope": instructions.first_hour(THREE[0], course)}
    for name in ("Calendar", "Grading", "Gradescope"):
        assert lateness.rule(course) in said[name]


def test_the_calendar_has_the_dates() -> None:
    """They are in the course's time zone."""
    page = pages(structs.replace(SETTINGS, homework={"hw1_count": Due(due=DUE)}))["Calendar"]
    assert "Monday 2 March 2026, 23:59" in page
    assert "equests" not in page


def test_the_calendar_has_the_date_at_which_requests_close() -> None:
    """On the page and for other programs; a homework without it has an empty place."""
    first = Due(due=DUE, requests_until=datetime(2026, 3, 16, 12, 0))
    course = structs.replace(BERLIN, homework={"hw1_count": first, "hw2_add": Due(due=DUE)})
    page = pages(course)["Calendar"]
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("|")]
    assert rows[0][3] == "Requests until"
    assert [row[3] for row in rows[2:]] == ["Monday 16 March 2026, 12:00", "", ""]
    assert {len(row) for row in (rows[0], *rows[2:])} == {6}
    assert "until the requests close" in page
    events = icalendar.Calendar.from_ical(calendar.dates(course, THREE)).walk("VEVENT")
    assert [
        (str(one["summary"]), one["dtstart"].dt.isoformat())
        for one in events
        if "requests" in one["summary"]
    ] == [("Homework 1: counting requests close", "2026-03-16T11:00:00+00:00")]
    assert len({str(one["uid"]) for one in events}) == 3


def test_the_dates_are_a_calendar_for_other_programs() -> None:
    """Times are in UTC; each date is one event, which stays the same in every release."""
    dates = Due(due=DUE, late_due=datetime(2026, 3, 9, 23, 59))
    course = structs.replace(BERLIN, homework={"hw1_count": dates})
    events = icalendar.Calendar.from_ical(calendar.dates(course, THREE)).walk("VEVENT")
    assert [(str(one["summary"]), one["dtstart"].dt.isoformat()) for one in events] == [
        ("Homework 1: counting due", "2026-03-02T22:59:00+00:00"),
        ("Homework 1: counting closes", "2026-03-09T22:59:00+00:00"),
    ]
    assert len({str(one["uid"]) for one in events}) == 2
    assert calendar.dates(course, THREE) == calendar.dates(course, THREE)
    assert calendar.NAME in pages(course)["Calendar"]


def test_a_site_without_the_extra_is_one_line(tmp_path: Path) -> None:
    """Nothing else needs icalendar."""
    code = (
        "import sys; sys.modules['icalendar'] = None\n"
        "import importlib.util as util; real = util.find_spec\n"
        "util.find_spec = lambda name: None if name == 'icalendar' else real(name)\n"
        "import autograder.__main__ as program; program.main()"
    )
    words = ("publish", "--site", tmp_path / "site", "--course", TOY)
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("autograder: icalendar missing: the site needs the extra `pdf`")
    assert done.stderr.count("\n") == 1


def test_without_dates_there_is_no_calendar_for_programs() -> None:
    """There is no link to one either."""
    assert not calendar.dates(SETTINGS, THREE)
    assert calendar.NAME not in pages(SETTINGS)["Calendar"]


def test_a_notebook_is_whole_and_long_code_is_folded() -> None:
    """Its fence is longer than any in the code; a link to Colab needs a repository."""
    (page,) = (one for one in documents.documents(SETTINGS, THREE[:1]) if not one.listed)
    assert str(page.path) == "hw1_count/index.html"
    assert "<details><summary>Code of 42 lines</summary>\n\n````python\nx = '```'" in page.markdown
    assert "colab" not in page.markdown
    address = "https://colab.research.google.com/github/a/b/blob/HEAD/hw1_count/hw1_count.ipynb"
    assert address in pages(structs.replace(SETTINGS, repository="a/b"))[THREE[0].title]


def test_a_page_links_the_files_that_go_beside_the_notebook() -> None:
    """It links pictures and data, whatever their names; without any, no line appears."""
    text = Cell(id="seen", type="markdown", source="![A head](figures/head.svg)", role="provided")
    needy = replace(
        THREE[0], cells=(*THREE[0].cells, text), data={"data/words.csv": "", "data/a b?.csv": ""}
    )
    said = [one.markdown for one in documents.documents(SETTINGS, [needy, THREE[1]])]
    links = "[figures/head.svg](figures/head.svg), [data/words.csv](data/words.csv), [data/a b?.csv](data/a%20b%3F.csv)."
    assert links in said[-2]
    assert "other files" not in said[-1]
