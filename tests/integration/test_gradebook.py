"""gradebook: marks go in, what people gave stays, and what cannot go in is one line."""

import csv
import io
import json
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder.course import course as courses
from autograder.course import homework as homeworks
from autograder.grading import unmarked
from autograder.marking.lateness import settled
from autograder.platforms.nbgrader import autograded, database
from autograder.records.facts import Submission
from autograder.records.homework import Cell, Homework
from autograder.reports import report
from autograder.staff.defence import marked_sheets
from autograder.store import files, results
from tests import sums
from tests.gradebooks import call, comment, from_log, give, gradebook, grades, make_course, put, run
from tests.helpers import TOY, of_code, with_cells

NAME = "toy"
ANSWER = "It is 0 / 0, for which numpy gives nan, and then 1.03 + nan is nan, too."


@pytest.fixture
def mine(tmp_path: Path, empty_gradebook: bytes) -> Path:
    """Return a course of the test's own."""
    place = make_course(tmp_path / "course", like=TOY)
    (place / "gradebook.db").write_bytes(empty_gradebook)
    return place


@pytest.fixture
def answered(toy: Homework) -> Submission:
    """Return the release with one written answer."""
    return with_cells(of(toy), argue=ANSWER)


@pytest.fixture
def folder(mine: Path, toy: Homework, answered: Submission) -> Path:
    """Return the results of this submission, which are not in the gradebook yet."""
    return put(mine / "graded", "a001", answered, toy)


def fill(course: Path) -> tuple[int, str]:
    """Put all results into the gradebook."""
    return run(course, "gradebook", course / "graded")


def of(homework: Homework) -> Submission:
    """Return a submission of the release as it is."""
    return replace(of_code(), cells=homework.cells)


def table(course: Path) -> str:
    """Return the table that `report` wrote."""
    return (course / "graded" / "grades.csv").read_text(encoding="utf-8-sig")


def earn(folder: Path, *questions: str, late_share: float = 0.0) -> None:
    """Give full points for some questions, as a milder check would."""
    grade = results.read_grade(folder)
    marks = [replace(m, earned=m.points) if m.question in questions else m for m in grade.marks]
    results.write_grade(
        folder, replace(grade, marks=tuple(marks), late="Late.", late_share=late_share)
    )


def test_marks_and_the_queue(mine: Path, folder: Path, toy: Homework) -> None:
    """A person is needed for what was written, and for nothing else."""
    put(mine / "graded", "b002", of(toy), toy)
    status, said = fill(mine)
    assert (status, said) == (0, "2 submissions in the gradebook, 1 answer to mark by hand\n")
    marks = grades(mine, "a001")
    assert marks.pop("argue") == (None, None, None, True)
    assert set(marks.values()) == {(0.0, None, None, False)}
    assert set(marks) | {"argue"} == {question.id for question in toy.questions}
    assert grades(mine, "b002")["argue"] == (0.0, None, None, False)
    assert comment(mine, "b002", "argue")[0] == ("Not written: the cell is unchanged.")
    assert comment(mine, "a001", "argue") == (None, None)


def test_a_defence_is_a_question_of_its_own(mine: Path, folder: Path, toy: Homework) -> None:
    """Marked later than the code, for one of two students, and marked again; formgrader's total has it."""
    put(mine / "graded", "b002", of(toy), toy)
    fill(mine)
    assert "defence" not in grades(mine, "a001")
    for earned in (6.0, -2.0):
        sheet = marked_sheets.MarkedSheet("0123AB", ("A", "B"), 1, 1, earned / 10)
        marked_sheets.write(folder, marked_sheets.Defence(10, earned, {1: sheet}))
        status, said = fill(mine)
        assert (status, said) == (0, "2 submissions in the gradebook, 1 answer to mark by hand\n")
        assert grades(mine, "a001")["defence"] == (earned, None, None, False)
        assert grades(mine, "b002")["defence"] == (None, None, None, False)
        with database.connect(str(mine / "gradebook.db")) as book:
            one, other = (book.find_submission("toy", who) for who in ("a001", "b002"))
            assert one.score == other.score + earned
            assert one.max_score == sum(q.points for q in toy.questions if not q.extra) + 10
    page = mine / "autograded" / "a001" / "toy" / "toy.ipynb"
    grade, _ = autograded.graded(nbformat.read(page, as_version=4))  # generate_feedback shows it
    assert [m.earned for m in grade.marks if m.question == "defence"] == [-2.0]
    folder.joinpath("defence.json").unlink()
    assert fill(mine)[0] == 0
    assert grades(mine, "a001")["defence"] == (None, None, None, False)


def test_a_rerun_changes_nothing_that_a_person_gave(
    mine: Path, folder: Path, toy: Homework, answered: Submission
) -> None:
    """Score and comment stay, and nobody is asked again; even if the code has changed."""
    fill(mine)
    give(mine, "a001", "argue", 1.5, "Which number?")
    put(mine / "graded", "a001", with_cells(answered, count_answer="x = 1"), toy)
    assert fill(mine) == (
        0,
        "1 submission in the gradebook, 0 answers to mark by hand\n",
    )
    assert grades(mine, "a001")["argue"] == (None, 1.5, None, False)
    assert comment(mine, "a001", "argue") == (None, "Which number?")


def test_another_text_is_flagged_until_a_person_has_looked(
    mine: Path, folder: Path, toy: Homework, answered: Submission
) -> None:
    """Score and comment stay; the flag stays over reruns, and goes when a person confirms the mark."""
    fill(mine)
    give(mine, "a001", "argue", 1.5, "Which number?")
    put(mine / "graded", "a001", with_cells(answered, argue=f"{ANSWER} Or 0.87."), toy)
    for _ in range(2):
        _, said = fill(mine)
        assert "a001: look again, since the answer changed: argue\n" in said
        assert grades(mine, "a001")["argue"] == (None, 1.5, None, True)
    assert comment(mine, "a001", "argue") == (None, "Which number?")
    give(mine, "a001", "argue", 1.5, "Which number?")
    fill(mine)
    assert grades(mine, "a001")["argue"] == (None, 1.5, None, False)
    put(mine / "graded", "a001", of(toy), toy)  # now nothing is written any more
    fill(mine)
    assert grades(mine, "a001")["argue"] == (0.0, 1.5, None, True)


def test_a_text_that_moved_out_of_its_cell_is_noticed(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """Where the answer may be in any cell, all of them are looked at."""
    cells = [cell for cell in answered.cells if cell.id != "argue"]
    added = Cell("mine", "markdown", ANSWER)
    put(mine / "graded", "a001", replace(answered, cells=(added, *cells)), toy)
    fill(mine)
    assert grades(mine, "a001")["argue"] == (None, None, None, True)
    give(mine, "a001", "argue", 1)
    other = replace(added, source=ANSWER.replace("1.03", "1.04"))
    put(mine / "graded", "a001", replace(answered, cells=(other, *cells)), toy)
    fill(mine)
    assert grades(mine, "a001")["argue"] == (None, 1, None, True)


def test_a_text_that_goes_on_below_its_cell_is_noticed(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """An answer may be split into two cells."""
    cells = list(answered.cells)
    place = [cell.id for cell in cells].index("argue") + 1
    for text in ("And so on.", "And so forth."):
        more = Cell("more", "markdown", text)
        submission = replace(answered, cells=(*cells[:place], more, *cells[place:]))
        put(mine / "graded", "a001", submission, toy)
        fill(mine)
        waits = grades(mine, "a001")["argue"][-1]
        assert waits
        give(mine, "a001", "argue", 1)


def test_a_regrade_arrives_and_an_overruled_mark_is_flagged(mine: Path, folder: Path) -> None:
    """The machine's new mark goes in; where a person overruled the old one, they look again."""
    fill(mine)
    give(mine, "a001", "mean", 1)
    earn(folder, "mean", "count")
    _, said = fill(mine)
    assert "a001: look again, since the answer changed: mean\n" in said
    marks = grades(mine, "a001")
    assert marks["mean"] == (3, 1, None, True)
    assert marks["count"] == (2, None, None, False)


def test_extra_credit_adds_to_the_new_mark(mine: Path, folder: Path) -> None:
    """After a regrade, `report` counts the machine's new mark, not the gradebook's old one."""
    fill(mine)
    with gradebook(mine) as database:
        database.execute("update grade set extra_credit = 0.5")
    earn(folder, "count", "mean", late_share=0.1)
    assert run(mine, "report", mine / "graded")[0] == 0
    assert table(mine).splitlines()[2].startswith('"a001","2.5","3.5","0.5","-0.65","5.85",')
    with gradebook(mine) as database:
        (penalty,) = database.execute("select late_submission_penalty from submitted_notebook")
    assert penalty == (pytest.approx(0.65),)


def test_totals_are_ours_and_extra_credit_is_extra(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """A perfect score with extra credit is 7 of 4, in nbgrader's own sums."""
    spec = mine / "source" / NAME / "staff" / "spec.py"
    spec.write_text(spec.read_text().replace("if_right=", "extra=True, if_right="))
    folder = put(mine / "graded", "a001", answered, homeworks.load(mine, NAME))
    earn(folder, "count", "mean")
    fill(mine)
    give(mine, "a001", "argue", 2)
    with database.connect(str(mine / "gradebook.db")) as book:
        submission = book.find_submission(NAME, "a001")
        assert (submission.score, submission.max_score) == (7, 4)
        assert not submission.needs_manual_grade


@pytest.mark.parametrize(
    ("given", "extra", "late", "total"),
    [
        (1.125, None, 0, 1.13),
        (0.005, None, 0, 0.01),
        (1.285, 0.005, 0, 1.3),
        (1.125, None, 0.1, 1.02),
    ],
)
def test_a_mark_by_hand_is_rounded_in_the_gradebook(
    mine: Path, folder: Path, given: float, extra: float | None, late: float, total: float
) -> None:
    """Half up, as in all tables: nbgrader's own sums are those of grades.csv."""
    earn(folder, late_share=late)
    fill(mine)
    give(mine, "a001", "argue", given)
    with database.connect(str(mine / "gradebook.db")) as book:
        (grade,) = [
            g for g in book.find_submission(NAME, "a001").notebooks[0].grades if g.name == "argue"
        ]
        grade.extra_credit = extra
        book.db.commit()
    for verb in ("report", "gradebook"):
        assert run(mine, verb, mine / "graded")[0] == 0
        assert sums.of_gradebook(mine / "gradebook.db", NAME)["a001"] == pytest.approx(total)
    assert sums.of_table(table(mine))["a001"].total == total


def test_lateness_is_nbgraders_late_penalty(mine: Path, folder: Path) -> None:
    """A share of all points is taken from the sum; `report` brings it up to what people gave."""
    earn(folder, "count", late_share=0.1)
    assert fill(mine)[0] == 0
    give(mine, "a001", "argue", 2)
    with database.connect(str(mine / "gradebook.db")) as book:
        submission = book.find_submission(NAME, "a001")
        assert submission.score == 4
        assert submission.late_submission_penalty == pytest.approx(0.2)
    status, _ = run(mine, "report", mine / "graded", "--gradebook", mine / "gradebook.db")
    header, _, row = table(mine).splitlines()
    assert status == 0
    assert header.endswith('"late","score","state"')
    assert row.endswith('"-0.4","3.6","complete; Late. This costs 10 % of the points: 0.4."')
    with database.connect(str(mine / "gradebook.db")) as book:
        submission = book.find_submission(NAME, "a001")
        assert submission.score - submission.late_submission_penalty == pytest.approx(3.6)


def test_what_came_too_late_is_not_in_the_queue(mine: Path, folder: Path) -> None:
    """It can earn nothing; when it can again, it is, and a mark that was given stays."""
    on_time = results.read_grade(folder)
    late = settled(replace(on_time, late="Too late.", late_share=1.0))
    for grade, count in ((late, 0), (on_time, 1), (late, 0), (on_time, 1)):
        results.write_grade(folder, grade)
        status, said = fill(mine)
        assert (status, said) == (
            0,
            f"1 submission in the gradebook, {count} answer{'s' * (count != 1)} to mark by hand\n",
        )
        _, said = run(mine, "report", mine / "graded", "--gradebook", mine / "gradebook.db")
        assert ("1 answer is not marked yet" in said) is bool(count)
    give(mine, "a001", "argue", 2)
    results.write_grade(folder, late)
    fill(mine)
    run(mine, "report", mine / "graded", "--gradebook", mine / "gradebook.db")
    assert table(mine).endswith(
        '"-2","0","complete; Too late. This costs 100 % of the points: 2."\n'
    )


def test_a_question_worth_nothing_is_never_in_the_queue(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """An answer without points needs no marker."""
    for path in (
        mine / "source" / NAME / f"{NAME}.ipynb",
        mine / "release" / NAME / f"{NAME}.ipynb",
    ):
        text = path.read_text()
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "argue":
                cell["metadata"]["nbgrader"]["points"] = 0
        path.write_text(json.dumps(notebook))
    homework = homeworks.load(mine, NAME)
    put(mine / "graded", "a001", answered, homework)
    assert "0 answers to mark" in fill(mine)[1]
    assert grades(mine, "a001")["argue"] == (0.0, None, None, False)
    assert comment(mine, "a001", "argue") == (None, None)


def test_names_and_dates_come_from_the_course(
    mine: Path, folder: Path, toy: Homework, answered: Submission
) -> None:
    """Names from roster.csv and nowhere else, without tags; due dates in UTC; submission times from nbgrader's own file."""
    (mine / "roster.csv").write_text("id,name,email\na001,Ada <b>de Example,ada@example.org\n")
    settings = (mine / "course.toml").read_text()
    (mine / "course.toml").write_text(
        f'time_zone = "Europe/Vienna"\n{settings}\n[homework.{NAME}]\ndue = 2026-11-30T23:59:00\n'
    )
    collected = mine / "submitted" / "a001" / NAME
    collected.mkdir(parents=True)
    (collected / "timestamp.txt").write_text("2026-11-30 22:00:00 UTC")
    put(mine / "graded", "b002", answered, toy)
    fill(mine)
    with gradebook(mine) as database:
        people = database.execute("select id, first_name, last_name, email from student").fetchall()
        (due,) = database.execute("select duedate from assignment").fetchone()
        received = database.execute("select student_id, timestamp from submitted_assignment")
        times = dict(received.fetchall())
    assert sorted(people) == [
        ("a001", "Ada bde", "Example", "ada@example.org"),
        ("b002", None, None, None),
    ]
    assert due.startswith("2026-11-30 22:59:00")
    assert times["a001"].startswith("2026-11-30 22:00:00")
    assert times["b002"] is None
    assert "Ada" not in "".join(path.read_text() for path in (mine / "autograded").rglob("*.ipynb"))


def test_who_is_not_in_the_folder_stays_as_before(
    mine: Path, folder: Path, toy: Homework, answered: Submission
) -> None:
    """One line mentions it, without a complaint."""
    fill(mine)
    put(mine / "later", "b002", answered, toy)
    status, said = run(mine, "gradebook", mine / "later")
    assert status == 0
    assert said.startswith("note: not in ")
    assert said.splitlines()[0].endswith("/later, but still in the gradebook: a001")
    assert grades(mine, "a001")["argue"] == (None, None, None, True)


def test_report_counts_what_people_gave(
    mine: Path, folder: Path, toy: Homework, answered: Submission
) -> None:
    """Hand marks, overruled marks and extra credit are in grades.csv, and a line names their source."""
    put(mine / "graded", "b002", answered, toy)
    put(mine / "graded", "c003", answered, toy)
    put(mine / "graded", "e005", of(toy), toy)
    fill(mine)
    give(mine, "a001", "argue", 1.5)
    give(mine, "b002", "mean", 2)
    (mine / "graded" / "c003" / "executed.ipynb").unlink()
    put(mine / "graded", "d004", answered, toy)
    put(mine / "graded", "f006", of(toy), toy)  # there is no answer that a person could mark
    status, said = run(mine, "report", mine / "graded")  # formgrader's gradebook is the usual one
    assert status == 0, said
    assert f"marks given by hand: from {mine / 'gradebook.db'}" in said
    assert "note: without marks given by hand: 2 of 6 submissions" in said
    assert "note: 3 answers are not marked yet" in said
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(table(mine)))}
    by_hand = {
        id: row["argue"] for id, row in rows.items() if id in ("a001", "b002", "c003", "e005")
    }
    assert by_hand == {"a001": "1.5", "b002": "", "c003": "", "e005": "0"}
    assert (rows["a001"]["score"], rows["a001"]["state"]) == ("1.5", "complete")
    assert (rows["b002"]["mean"], rows["b002"]["state"]) == ("2", "1 answer is not marked yet")
    page = (mine / "graded" / "a001" / "report.html").read_text()
    assert 'argue <span class="verdict">partly, 1.5 of 2 points<' in page


def marked(course: Path, submission: Submission, toy: Homework) -> Path:
    """Return the page of a submission whose written answer a person gave 1.5 points."""
    folder = put(course / "graded", "a001", submission, toy)
    fill(course)
    give(course, "a001", "argue", 1.5)
    return folder / "report.html"


def test_a_regrade_keeps_what_people_gave_on_the_pages(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """Where there is a table, the pages and the table are written again, with marks and comments."""
    page = marked(mine, answered, toy)
    with database.connect(str(mine / "gradebook.db")) as book:
        book.find_comment("argue", toy.name, toy.name, "a001").manual_comment = "Well argued."
        book.db.commit()
    assert run(mine, "regrade", mine / "graded")[0] == 0
    assert "Well argued." not in page.read_text()  # no table was there: nobody has seen any mark
    run(mine, "report", mine / "graded")
    before = page.read_text(), table(mine)
    assert "Well argued." in before[0]
    status, said = run(mine, "regrade", mine / "graded")
    assert (status, "marks given by hand: from" in said) == (0, True), said
    assert before == (page.read_text(), table(mine))


def test_another_text_is_not_marked_before_the_gradebook_has_it(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """The mark stays, and table and page say that it was given for another text."""
    page = marked(mine, answered, toy)
    put(mine / "graded", "a001", with_cells(answered, argue="Another text altogether."), toy)
    for verbs in (("report",), ("gradebook", "report")):
        for verb in verbs:
            said = run(mine, verb, mine / "graded")[1]
        assert "note: 1 answer is not marked yet" in said
        assert re.search(r'"a001".*"1.5".*"1 answer is not marked yet"', table(mine))
        assert report.MARKED_BEFORE in page.read_text()


def test_whose_id_is_a_path_is_not_left_out(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """The gradebook knows such a student by the name of their folder."""
    (mine / "roster.csv").write_text("id,name\nCS/2020/014,Ada\nx/../y,Bo\n")
    for folder in ("CS_2020_014", "x_.._y"):
        put(mine / "graded", folder, answered, toy)
    for _ in range(2):
        assert "as before" not in fill(mine)[1]


def test_marks_that_no_question_has_are_noted(mine: Path, folder: Path) -> None:
    """A slip of the hand: above what the question is worth, or below 0."""
    fill(mine)
    give(mine, "a001", "argue", 15)
    said = run(mine, "report", mine / "graded")[1]
    assert "note: a001: argue was marked by hand: 15 of 2 points" in said


def test_another_database_is_no_gradebook(mine: Path, folder: Path) -> None:
    """Nothing is written into it, and no mark is lost by it."""
    run(mine, "report", mine / "graded")
    table = (mine / "graded" / "grades.csv").read_bytes()
    (mine / "empty.db").touch()
    with sqlite3.connect(mine / "other.db") as other:
        other.execute("create table birds (name text)")
    other.close()
    before = (mine / "other.db").read_bytes()
    for verb, option, name, word in (
        ("report", "--gradebook", "empty.db", "is empty, so it is not a gradebook"),
        ("report", "--gradebook", "other.db", "has other tables (birds), so it is not a gradebook"),
        ("gradebook", "--db", "other.db", "has other tables (birds), so it is not a gradebook"),
    ):
        status, said = run(mine, verb, mine / "graded", option, mine / name)
        assert (status, word in said) == (2, True), said
    assert (mine / "empty.db").stat().st_size == 0
    assert (mine / "other.db").read_bytes() == before
    assert (mine / "graded" / "grades.csv").read_bytes() == table


def test_each_that_cannot_go_in_is_one_line(
    mine: Path, toy: Homework, answered: Submission
) -> None:
    """Refused, unfinished, broken, older and unknown ones; the others go in, status 2."""
    graded = mine / "graded"
    put(graded, "good", answered, toy)
    (graded / "refused").mkdir()
    unmarked.refuse(graded / "refused", "it is empty")
    log = put(graded, "unfinished", answered, toy) / "submission_log.json"
    log.write_text(log.read_text().replace('"complete": true', '"complete": false'))
    (put(graded, "broken", answered, toy) / "submission_log.json").write_text("{")
    old = put(graded, "older", answered, toy) / "executed.ipynb"
    old.write_text(old.read_text().replace('"stands_for"', '"other"'))
    put(graded, "unknown", answered, replace(toy, name="hw9"))
    marks = put(graded, "questions", answered, toy) / "grade.json"
    marks.write_text(marks.read_text().replace('"count"', '"number"'))
    put(graded, "log_alone", from_log(of_code()), toy)
    status, said = run(mine, "gradebook", graded)
    lines = [line for line in said.splitlines() if line.startswith("autograder: ")]
    assert status == 2
    assert "2 submissions in the gradebook" in said
    words = {
        "refused": "it is empty",
        "unfinished": "grading did not finish",
        "broken": "submission_log.json: it is not JSON",
        "older": "from an earlier version; run `autograder grade` again",
        "unknown": "there is no homework 'hw9'",
        "questions": "different questions",
    }
    assert len(lines) == len(words), said
    for name, word in words.items():
        assert sum(f"/{name}: " in line and word in line for line in lines) == 1, name


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("://", "not a database URL"),
        ("nonsense://host/name", "nonsense"),
        ("sqlite:////nowhere/at/all.db", "No such file"),
        ("postgresql+psycopg://someone:hunter2@127.0.0.1:1/x", "refused"),
    ],
)
def test_a_gradebook_that_cannot_be_opened_is_one_line(
    mine: Path, folder: Path, url: str, word: str
) -> None:
    """Status 2, and no password."""
    status, said = run(mine, "gradebook", mine / "graded", "--db", url)
    assert status == 2
    assert re.match(r"UserError: (the gradebook|/nowhere/at/all\.db) cannot be opened: ", said)
    assert word in said
    assert "hunter2" not in said
    assert "\n" not in said.strip()


def test_no_gradebook_is_one_line(mine: Path, folder: Path) -> None:
    """A file that is none, a folder without results, and a typing error in report."""
    (mine / "other.db").write_text("This is no database. " * 100)
    status, said = run(mine, "gradebook", mine / "graded", "--db", mine / "other.db")
    assert (status, "file is not a database" in said) == (2, True), said
    status, said = run(mine, "gradebook", mine / "source")
    assert (status, "has no results" in said) == (2, True)
    status, said = run(mine, "report", mine / "graded", "--gradebook", mine / "gradebok.db")
    assert (status, "No such file" in said) == (2, True)
    assert not (mine / "gradebok.db").exists()


@pytest.mark.slow
def test_a_locked_gradebook_is_one_line(mine: Path, folder: Path) -> None:
    """Somebody else writes; nothing is lost, and the next run puts it in."""
    other = sqlite3.connect(mine / "gradebook.db", isolation_level=None)
    other.execute("begin exclusive")
    status, said = fill(mine)
    assert status == 2
    assert "database is locked; close the program that writes to it" in said
    assert "\n" not in said.strip()
    other.rollback()
    other.close()
    assert fill(mine)[0] == 0


def test_a_gradebook_with_questions_that_are_gone_is_one_line(mine: Path, folder: Path) -> None:
    """Their points would still count: another gradebook is needed."""
    fill(mine)
    with gradebook(mine) as database:
        database.execute("update base_cell set name = 'gone' where name = 'mean'")
    status, said = fill(mine)
    assert status == 2
    assert "the gradebook counts 'gone'" in said


@pytest.mark.slow
@pytest.mark.turns(3)
def test_a_new_gradebook_is_for_staff_alone(tmp_path: Path, empty_gradebook: bytes) -> None:
    """Names go into it: others on the machine cannot read it."""
    with database.connect(str(tmp_path / "new.db")):
        pass
    assert (tmp_path / "new.db").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_autograde_records_late_days_and_waits_for_nobody(mine: Path) -> None:
    """As `grade` does, which may not write into the folder at the same time."""
    (mine / "gradebook.db").unlink()
    with (mine / "course.toml").open("a") as settings:
        settings.write("[late]\nslip_days = 3\n[homework.toy]\ndue = 2026-03-01T12:00:00\n")
    inbox = mine / "submitted" / "a001" / NAME
    shutil.copytree(mine / "release" / NAME, inbox)
    (inbox / "timestamp.txt").write_text("2026-03-02 13:00:00 UTC")
    call(mine, "generate_assignment", NAME, "--force")
    out = mine / "graded" / NAME
    out.mkdir(parents=True)
    with files.claimed(out):
        assert "is writing into" in call(mine, "autograde", NAME, fails=True)
    call(mine, "autograde", NAME)
    assert "a001" in (mine / "late_days.csv").read_text()


def test_the_courses_own_settings_say_which_gradebook(mine: Path) -> None:
    """The default is the one that formgrader opens."""
    config = mine / "nbgrader_config.py"
    config.write_text(config.read_text() + "c.CourseDirectory.db_url = 'sqlite:///other.db'\n")
    assert database.directory(mine).db_url == f"sqlite:///{mine}/other.db"
    assert database.directory(mine).course_id == "attention"
    config.write_text("nonsense")
    status, said = run(mine, "gradebook", mine / "source")
    assert status == 2
    assert "nbgrader_config.py: NameError: name 'nonsense' is not defined" in said


def test_what_no_student_may_read(mine: Path) -> None:
    """The gradebook and all submissions are private, as solutions and the secret are."""
    (mine / "submitted").mkdir()
    names = {str(path.relative_to(mine)) for path in courses.private(mine)}
    assert {"course.toml", "gradebook.db", "submitted"} <= names
    assert {f"source/{NAME}/staff/reference.py", f"source/{NAME}/{NAME}.ipynb"} <= names


@pytest.mark.parametrize("name", ["a?b=c", "50% #1; x@y:z é"])
def test_a_course_s_path_may_have_any_signs(
    tmp_path: Path, empty_gradebook: bytes, toy: Homework, answered: Submission, name: str
) -> None:
    """A URL that is written from a path ends at a question mark: marks went beside the course."""
    mine = make_course(tmp_path / name, like=TOY)
    (mine / "gradebook.db").write_bytes(empty_gradebook)
    put(mine / "graded", "a001", answered, toy)
    status, said = fill(mine)
    assert status == 0, said
    give(mine, "a001", "argue", 5.125)
    status, said = run(mine, "report", mine / "graded")
    assert status == 0, said
    assert f"marks given by hand: from {mine / 'gradebook.db'}" in said
    assert '"5.13"' in table(mine)
    assert "5.12" not in table(mine) + (mine / "graded" / "a001" / "report.html").read_text()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    status, said = run(mine, "gradebook", mine / "graded", "--db", mine / "other.db")
    assert status == 0, said
    assert (mine / "other.db").stat().st_mode & 0o077 == 0
