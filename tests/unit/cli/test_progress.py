"""progress: the display during grading, in which names of submissions are only names."""

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from autograder.cli.progress import MAX_ROWS, Progress
from autograder.grading.wire import Graded
from autograder.records.facts import SubmissionId
from autograder.records.marks import Grade, Mark

HOSTILE = "[red]ada[/red]:warning:\x1b[2J\r\n[link=http://a.example]x[/link]"


def graded(name: str, *, right: bool = True, skipped: bool = False) -> Graded:
    marks = (
        Mark("port", 8, 8 if right else 0, ""),
        Mark("copy_first", 12, 3, ""),
        Mark("why", 6, None, "", by_hand=True),
    )
    grade = Grade(SubmissionId(name, "notebook", "0" * 64), marks)
    return Graded(name, Path(name), grade, seconds=1.26, skipped=skipped)


def shown(
    total: int, submissions: list[Graded], *, terminal: bool, title: str = "Attention"
) -> str:
    """Return everything written while these are added, including escapes."""
    console = Console(force_terminal=terminal, file=StringIO(), width=100, highlight=False)
    with Progress(console, title, total) as progress:
        for item in submissions:
            progress.add(item)
    return console.file.getvalue()  # type: ignore[attr-defined]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_lines_where_there_is_no_terminal() -> None:
    """Each line has the marks; then come the numbers of graded, skipped and unusable ones."""
    unusable = Graded("carl", Path(), complaint="carl.ipynb: it is not a notebook")
    submissions = [graded("ada"), graded("ben", right=False, skipped=True), unusable]
    first, second, counts = shown(3, submissions, terminal=False).splitlines()
    assert first == "ada: 11/26 port=8/8 copy_first=3/12 why=?/6 (1.3 s)"
    assert second == "ben: 3/26 port=0/8 copy_first=3/12 why=?/6 (already graded)"
    assert re.fullmatch(
        r"3 of 3 done, 1 graded, 1 already graded, 1 without marks in \d+ s", counts
    )


def test_what_staff_should_look_at_is_below_the_table() -> None:
    """This holds with and without a terminal; a note is as harmless as a name."""
    looked = replace(graded(HOSTILE), note=f"another homework's {HOSTILE}")
    for terminal in (True, False):
        text = shown(2, [looked, graded("ben")], terminal=terminal)
        (line,) = (line for line in plain(text).splitlines() if "Look at " in line)
        assert "another homework's [red]ada[/red]:warning:" in line
        assert "link=http" in line.split("another homework's")[1]


def test_many_lines_say_how_far_it_is() -> None:
    """From a hundred submissions on, each tenth shows how many are done, and the time left."""
    lines = shown(100, [graded(f"s{n}") for n in range(100)], terminal=False).splitlines()
    assert len(lines) == 100 + 9 + 1
    far = [line for line in lines if "left" in line]
    assert re.fullmatch(r"10 of 100 done, 10 graded in \d+ s, about \d+ s left", far[0])
    assert far[-1].startswith("90 of 100 done")
    assert lines[10] == far[0]


def test_few_on_a_terminal_are_a_table() -> None:
    """At the end, each submission has a line, ordered by name."""
    text = plain(shown(2, [graded("ben"), graded("ada")], terminal=True))
    rows = (line.split() for line in text.splitlines())
    ada, ben = (row for row in rows if row[:1] in (["ada"], ["ben"]))
    assert ada == ["ada", "8", "3", "?", "11"]
    assert ben[0] == "ben"
    assert "2 of 2 done" in text


def test_more_than_a_page_is_summed_up() -> None:
    """Beyond forty submissions there is one line per question: passed, partly, failed, waiting."""
    number = MAX_ROWS + 1
    submissions = [graded(f"student{n}", right=n > 0) for n in range(number)]
    text = plain(shown(number, submissions, terminal=True))
    assert "student" not in text
    rows = [line.split() for line in text.splitlines()]
    assert ["port", str(number - 1), "1"] in rows
    assert ["copy_first", str(number)] in rows
    assert ["why", str(number)] in rows
    assert f"{number} of {number} done, {number} graded in 0 s" in text


def test_a_live_page_shows_the_bar_and_the_questions() -> None:
    """During the run, a terminal shows how many are done, and the results of each question."""
    console = Console(force_terminal=True, file=StringIO(), width=100)
    with Progress(console, "Attention", 5) as progress:
        progress.add(graded("ada"))
        with console.capture() as capture:
            console.print(progress.page())
        page = plain(capture.get())
    assert "1/5" in page
    assert ["port", "1"] in [line.split() for line in page.splitlines()]


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("number", [2, MAX_ROWS + 1])
def test_no_name_is_markup(*, terminal: bool, number: int) -> None:
    """Brackets, escapes and line ends in a name or a title are shown, and have no effect."""
    names = [HOSTILE, *(f"s{n}" for n in range(number - 1))]
    text = shown(number, [graded(name) for name in names], terminal=terminal, title=HOSTILE)
    assert "\x1b[2J" not in text
    assert "\x1b]8" not in text
    assert "\r\n[link" not in text
    if terminal or number == 2:
        assert "[red]" in text
        assert ":warning:" in text


def test_nothing_graded_says_nothing() -> None:
    """Without anything to grade, nothing is counted."""
    assert shown(0, [], terminal=False) == ""
    assert "done" not in shown(0, [], terminal=True)
