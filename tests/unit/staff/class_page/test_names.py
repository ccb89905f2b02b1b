"""A group is named once: its sentence reaches all reports, later ones too, without changing points."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import homework
from autograder.marking.diagnose import with_names
from autograder.records.digests import digest
from autograder.records.errors import UserError
from autograder.records.facts import Common, Outcome
from autograder.records.marks import NamedGroup
from autograder.records.questions import RESULT
from autograder.reports import executed
from autograder.staff.defence import marked_sheets
from autograder.staff.defence.marked_sheets import Defence
from autograder.store import files, results
from tests import fabricated_class
from tests.command_line import run
from tests.graded import waiting
from tests.helpers import TOY
from tests.marking import execute, make_gradebook

pytest.importorskip("scipy", reason="the extra `report` is not installed")

from autograder.staff.class_page import names

SENTENCE = "You count zeros as well: what is > for zero?"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TOY, tmp_path / "course"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fabricated_class.write(tmp_path / "d", 16)


def points(folder: Path) -> dict[str, list[float | None]]:
    grades = {path.name: results.read_grade(path) for path in results.folders(folder)}
    return {who: [mark.earned for mark in grade.marks] for who, grade in grades.items()}


def toml(course: Path) -> Path:
    return course / "source" / "toy" / "staff" / "named.toml"


def test_one_sentence_reaches_the_whole_group_and_changes_no_points(
    course: Path, folder: Path
) -> None:
    """It reaches their reports and marks and no others; unnaming removes it."""
    before = points(folder)
    first, *others = waiting(course, folder)
    done = names.name(course, folder, first.name, SENTENCE, "Try a list with a zero.")
    assert done.students == first.students
    assert len(done.students) > 1
    for path in results.folders(folder):
        told = {
            mark.question
            for mark in results.read_grade(path).marks
            if mark.misconception and mark.misconception.of_group
        }
        assert told == ({first.question} if path.name in first.students else set())
        page = (path / files.REPORT).read_text()
        assert (SENTENCE.replace(">", "&gt;") in page) == bool(told)
        assert ("Try a list with a zero." in page) == bool(told)
    assert points(folder) == before
    assert {one.name for one in waiting(course, folder)} == {one.name for one in others}
    names.unname(course, folder, first.name)
    assert waiting(course, folder)[0].students == first.students
    assert not homework.load(course, "toy").named
    assert points(folder) == before


def test_people_s_marks_and_comments_stay_in_the_reports(course: Path, tmp_path: Path) -> None:
    """A report that gets or loses a name keeps what people gave and what wings add."""
    folder = fabricated_class.write(tmp_path / "d", 6, name="s{:04}")
    book = make_gradebook(tmp_path / "marks.db", 6)
    execute(book, "update grade set manual_score = 1.75, needs_manual_grade = 0")
    execute(book, "update comment set manual_comment = 'Say why.'")
    first = waiting(course, folder)[0]
    for student in first.students:
        files.write(folder / student / files.EXECUTED, executed.notebook(()))
        marked_sheets.write(folder / student, Defence(5, 4.25, {}))
    names.name(course, folder, first.name, SENTENCE, hand_marks=book)
    named = [(folder / student / files.REPORT).read_text() for student in first.students]
    names.unname(course, folder, first.name, hand_marks=book)
    unnamed = [(folder / student / files.REPORT).read_text() for student in first.students]
    for page in (*named, *unnamed):
        assert "Say why." in page
        assert "1.75" in page
        assert "4.25" in page
    for student in first.students:
        shown = json.loads((folder / student / files.RESULTS).read_text())["tests"]
        assert {one.get("score") for one in shown} >= {1.75, 4.25}


def test_a_late_submission_of_the_group_is_told_as_well(course: Path, folder: Path) -> None:
    """Its results decide, whatever the rounding; different values and inputs do not match."""
    first = waiting(course, folder)[0]
    names.name(course, folder, first.name, SENTENCE)
    chosen = homework.load(course, "toy")
    (group,) = chosen.named
    late = next(p for p in results.folders(folder) if p.name in first.students)
    grade = replace(results.read_grade(late))
    bare = replace(grade, marks=tuple(replace(one, misconception=None) for one in grade.marks))

    def told(common: Common) -> list[str]:
        found = with_names(bare, chosen, {group.question: common}).marks
        return [one.misconception.explanation for one in found if one.misconception]

    values = tuple(
        replace(one, numbers=tuple(n * (1 + 1e-7) for n in one.numbers)) for one in group.values
    )
    assert told(Common(group.inputs, values)) == [SENTENCE]
    assert not told(Common("other inputs", group.values))
    other = digest(Outcome(group.question, 0, "returned", {RESULT: fabricated_class.np.ones(3)}))
    assert not told(Common(group.inputs, (other,) * len(group.values)))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, True),
        ({"earned": 2.0}, False),
        ({"by_hand": True}, False),
        ({"fault": "our check failed"}, False),
        ({"misconception": fabricated_class.KNOWN}, False),
    ],
)
def test_only_a_wrong_answer_that_is_no_known_mistake_is_told(
    course: Path, folder: Path, change: dict[str, object], told: bool
) -> None:
    """A known mistake takes precedence; right answers and people's marks have none."""
    path = results.folders(folder)[0]
    grade, log = results.read_grade(path), results.read_log(path)
    mark = replace(grade.marks[0], points=2.0, earned=0.0, misconception=None)
    grade = replace(grade, marks=(replace(mark, **change),))
    common = Common("d", tuple(digest(one) for one in log.outcomes if one.question == "count"))
    one = NamedGroup("count", SENTENCE, "d", common.values, name="zeros")
    chosen = replace(homework.load(course, "toy"), named=(one,))
    (mark,) = with_names(grade, chosen, {"count": common}).marks
    assert (mark.misconception is not None and mark.misconception.of_group) == told
    twice = replace(chosen, named=(one, replace(one, name="again")))
    (mark,) = with_names(grade, twice, {"count": common}).marks
    assert not (mark.misconception and mark.misconception.of_group)


def test_what_people_wrote_in_the_file_stays(course: Path, folder: Path) -> None:
    """A sentence is replaced in its place; comments and other tables stay."""
    first, second = waiting(course, folder)[:2]
    names.name(course, folder, first.name, 'Say "no" to \\ and \u00e9.')
    text = toml(course).read_text()
    marked = f"# Ana looked at these.\n{text}"
    toml(course).write_text(marked, encoding="utf-8-sig")  # as some editors save it
    names.name(course, folder, second.name, "Second.")
    names.name(course, folder, first.name, SENTENCE)
    assert toml(course).read_text().startswith("# Ana looked at these.\n# Wrong answers")
    found = {one.name: one.sentence for one in homework.load(course, "toy").named}
    assert found == {first.name: SENTENCE, second.name: "Second."}
    names.unname(course, folder, first.name)
    assert {one.name for one in homework.load(course, "toy").named} == {second.name}


def test_tables_and_the_class_page_have_it(
    capsys: pytest.CaptureFixture[str], course: Path, folder: Path
) -> None:
    """The verb updates mistakes.csv and class.html, which lists each unnamed group."""
    run(capsys, "report", folder, "--course", course)
    first = waiting(course, folder)[0]
    assert f"--name {first.name}" in (folder / "class.html").read_text()
    options = ("explain", folder, "--name", first.name, "=Zeros are counted.", "--course", course)
    status, out, _ = run(capsys, *options)
    assert status == 0
    assert f"{first.name}: {len(first.students)} submissions" in out
    assert (folder / "mistakes.csv").read_text().count("'=Zeros are counted.") == len(
        first.students
    )
    page = (folder / "class.html").read_text()
    assert f"--name {first.name}" not in page
    assert "=Zeros are counted." in page.split('id="known"')[1].split("</section>")[0]
    status, out, _ = run(capsys, "explain", folder, "--unname", first.name, "--course", course)
    assert (status, "no longer has a name" in out) == (0, True)
    assert f"--name {first.name}" in (folder / "class.html").read_text()


@pytest.mark.parametrize(
    ("group", "sentence", "where", "said"),
    [
        ("count-00000000", SENTENCE, "", "has no such group; class.html lists them"),
        ("", SENTENCE, "", "has no such group"),
        ("{}", " \n ", "", "the sentence is empty"),
        ("{}", "x" * 700, "", "the sentence has 700 characters"),
        ("{}", SENTENCE, "y" * 700, "where to look has 700 characters"),
    ],
)
def test_what_cannot_be_named_is_one_line(
    capsys: pytest.CaptureFixture[str],
    course: Path,
    folder: Path,
    group: str,
    sentence: str,
    where: str,
    said: str,
) -> None:
    """It gives status 2, and writes no file."""
    code = group.format(waiting(course, folder)[0].name)
    options = ("--name", code, sentence, "--where", where, "--course", course)
    status, _, errors = run(capsys, "explain", folder, *options)
    assert status == 2
    assert said in errors
    assert "Traceback" not in errors
    assert not toml(course).exists()


def test_a_name_that_nobody_would_read_is_refused(course: Path, folder: Path) -> None:
    """Its answers match a known mistake by now."""
    first = waiting(course, folder)[0]
    for student in first.students:
        grade = results.read_grade(folder / student)
        marks = tuple(
            replace(one, misconception=fabricated_class.KNOWN)
            if one.question == first.question
            else one
            for one in grade.marks
        )
        results.write_grade(folder / student, replace(grade, marks=marks))
    with pytest.raises(UserError, match="would show this"):
        names.name(course, folder, first.name, SENTENCE)
    with pytest.raises(UserError, match="no group of toy has this name"):
        names.unname(course, folder, "nothing")


VALUES = 'values = [{ kind = "a" }]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a\n", "named.toml: "),
        ("a = 3\n", "Expected `object`"),
        (f'[a]\nquestion = "count"\ninputs = "d"\n{VALUES}', "missing required field `sentence`"),
        (
            f'[a]\nquestion = "no"\nsentence = "s"\ninputs = "d"\n{VALUES}',
            "which is not a question",
        ),
        (f'[a]\nquestion = "count"\nsentence = " "\ninputs = "d"\n{VALUES}', "has no sentence"),
        ('[a]\nquestion = "count"\nsentence = "s"\ninputs = "d"\nvalues = 3\n', "Expected `array`"),
    ],
)
def test_a_broken_file_is_one_line(
    capsys: pytest.CaptureFixture[str], course: Path, folder: Path, text: str, said: str
) -> None:
    """Nothing is marked with an unreadable file."""
    toml(course).write_text(text)
    status, _, errors = run(capsys, "regrade", folder, "--course", course)
    assert status == 2
    assert said in errors
    assert "source/toy/staff/named.toml" in errors
    assert "Traceback" not in errors


def test_a_table_in_another_form_is_not_touched(course: Path, folder: Path) -> None:
    """A table that cannot be found again is left to people."""
    first = waiting(course, folder)[0]
    names.name(course, folder, first.name, SENTENCE)
    text = toml(course).read_text().replace("sentence =", "# Seen in 2026.\nsentence =")
    toml(course).write_text(text)
    with pytest.raises(UserError, match="edit the file by hand"):
        names.name(course, folder, first.name, "Other.")
    assert toml(course).read_text() == text
