"""The class page names broken questions and people who need attention; the public one, nobody."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from autograder.program.build import NOT_RUN, UNRELATED
from autograder.records.digests import digest
from autograder.records.facts import NOT_TRAINED, Common, Outcome, Remark
from autograder.records.marks import Mark
from autograder.records.questions import RESULT
from autograder.store import results
from tests import fabricated_class
from tests.active_content import ACTIVE
from tests.command_line import run
from tests.graded import people
from tests.helpers import TOY

pytest.importorskip("scipy", reason="the extra `report` is not installed")

from autograder.staff.class_page import mistakes, questions, write
from autograder.staff.class_page.people import Person, falls, worries
from autograder.store import log_summary

SIX = {f"q{n}": 4.0 for n in range(6)}
BROKEN = "That is nearly always a bug in the check"


@pytest.fixture
def toy_course(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TOY, tmp_path / "course"))


def report(
    capsys: pytest.CaptureFixture[str], folder: Path, course: Path, *options: object
) -> tuple[str, str]:
    """Return class.html, and the verb's complaints."""
    _, _, errors = run(capsys, "report", folder, "--course", course, *options)
    return (folder / write.STAFF).read_text(encoding="utf-8"), errors


def section(page: str, heading: str) -> str:
    return page.split(f'<h2 id="{heading}">')[1].split("</section>")[0]


@pytest.mark.parametrize("turned", ["", "q2", "q5"])
def test_a_broken_question_is_named_and_no_other(tmp_path: Path, turned: str) -> None:
    """In that question, people who know more do worse."""
    fabricated_class.write(tmp_path / "d", 120, points=SIX, turned=turned, by_hand=())
    found = questions.figures(people(tmp_path / "d"))
    named = [one.id for one in found.questions if any(BROKEN in said for said in one.complaints)]
    assert named == [turned] * bool(turned)


def test_the_page_names_the_broken_question(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path
) -> None:
    """A sentence beside its figures names it."""
    points = {**fabricated_class.POINTS, **SIX}
    fabricated_class.write(tmp_path / "d", 60, points=points, turned="q5", by_hand=("argue",))
    page, _ = report(capsys, tmp_path / "d", toy_course)
    look = section(page, "look")
    assert BROKEN in look.split("q5")[1]
    assert look.count(BROKEN) == 1
    assert "counts_zeros" in section(page, "known").replace("<wbr>", "")
    assert page.count("<svg") == len(points)
    assert "figures are uncertain" not in page


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, "There is only one submission"),
        (3, "too few for any conclusion about a question"),
        (12, "all figures are uncertain"),
    ],
)
def test_a_small_class_is_said_to_be_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path, number: int, said: str
) -> None:
    """With fewer than five, the public page shows nothing."""
    fabricated_class.write(tmp_path / "d", number)
    page, _ = report(capsys, tmp_path / "d", toy_course, "--public")
    assert said in page
    public = (tmp_path / "d" / write.PUBLIC).read_text()
    assert ("so nothing is shown" in public) == (number < 5)
    assert ("<table" in public) == (number >= 5)


def test_a_class_without_a_readable_submission_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path
) -> None:
    """The page still exists, and lists the student of that submission."""
    from autograder.grading import unmarked

    (tmp_path / "d").mkdir()
    unmarked.refuse(tmp_path / "d" / "a001", "it is not a notebook")
    page, _ = report(capsys, tmp_path / "d", toy_course, "--public")
    assert "No submission could be graded" in page
    assert "it is not a notebook" in section(page, "attention")


def test_nothing_at_all_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path
) -> None:
    """A folder without results gives status 2."""
    (tmp_path / "d").mkdir()
    status, _, errors = run(capsys, "report", tmp_path / "d", "--course", toy_course)
    assert status == 2
    assert "has no results" in errors


def test_the_page_for_all_has_no_id_no_name_and_no_small_group(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path
) -> None:
    """This holds for classes of any size."""
    for number in (5, 23, 80):
        folder = tmp_path / str(number)
        fabricated_class.write(folder, number, name="person-{:04}")
        lines = [f"person-{n:04},Ada{n} Lovelace,a{n}@b.example" for n in range(number + 3)]
        (toy_course / "roster.csv").write_text("\n".join(["id,name,email", *lines]))
        staff, _ = report(capsys, folder, toy_course, "--public")
        assert "Lovelace" in section(staff, "attention")
        public = (folder / write.PUBLIC).read_text()
        assert not re.search(r"person-|Lovelace|example|report\.html|href", public)
        shown = [int(count) for count in re.findall(r"</th><td>(\d+)</td><td class=.bar", public)]
        assert sum(shown) == number
        assert min(shown) >= 5
        made = re.findall(r"<h3>(\d+) submissions", public)
        assert all(int(count) >= 5 for count in made)


def test_what_a_mistake_is_waits_for_the_due_date_on_the_page_for_all(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path
) -> None:
    """It follows students' own pages; staff see it immediately."""
    fabricated_class.write(tmp_path / "d", 80)
    said = fabricated_class.KNOWN.explanation
    staff, _ = report(capsys, tmp_path / "d", toy_course, "--public")
    public = tmp_path / "d" / write.PUBLIC
    assert said in staff
    assert said not in public.read_text()
    assert fabricated_class.KNOWN.nudge in public.read_text()
    text = (toy_course / "course.toml").read_text()
    (toy_course / "course.toml").write_text('explanations = "at_once"\n' + text)
    report(capsys, tmp_path / "d", toy_course, "--public")
    assert said in public.read_text()


def test_unknown_wrong_answers_are_grouped_by_what_they_gave(tmp_path: Path, toy: object) -> None:
    """Equal results form one group, even if the messages have different numbers."""
    fabricated_class.write(tmp_path / "d", 80)
    found = mistakes.unknown(people(tmp_path / "d"), toy)  # type: ignore[arg-type]
    assert found
    for group in found:
        assert group.same_values
        kinds = {
            results.read_log(tmp_path / "d" / student).common[group.question].values[0].numbers
            for student in group.students
        }
        assert len(kinds) == 1
    wrong = sum(
        mark.verdict in ("failed", "partly") and not mark.misconception and not mark.by_hand
        for person in people(tmp_path / "d")
        for mark in person.grade.marks  # type: ignore[union-attr]
    )
    assert sum(len(group.students) for group in found) == wrong


def test_without_digests_what_is_said_groups_them(tmp_path: Path, toy: object) -> None:
    """Earlier versions' logs have none, and numbers in messages differ."""
    fabricated_class.write(tmp_path / "d", 30)
    for path in (tmp_path / "d").iterdir():
        results.write_log(path, replace(results.read_log(path), common={}))
    found = mistakes.unknown(people(tmp_path / "d"), toy)  # type: ignore[arg-type]
    assert len(found) == 2
    assert not any(group.same_values for group in found)


def test_one_answer_is_a_group_of_its_own(tmp_path: Path, toy: object) -> None:
    """It is not merged with a different mistake of equal values."""
    fabricated_class.write(tmp_path / "d", 3, by_hand=("argue",))
    found = []
    for n, person in enumerate(people(tmp_path / "d")):
        value = digest(Outcome("count", 0, "returned", {RESULT: float(n // 2)}))
        assert person.grade
        marks = (Mark("count", 2, 0, f"Off by {n}."),)
        log = msgspec.structs.replace(person.log, common={"count": Common("d", (value,))})
        found.append(replace(person, grade=replace(person.grade, marks=marks), log=log))
    first, second = mistakes.unknown(found, toy)  # type: ignore[arg-type]
    assert (first.students, first.same_values) == (("s00000", "s00001"), True)
    assert (second.students, second.same_values) == (("s00002",), False)


def test_worries(tmp_path: Path) -> None:
    """This covers each reason to look at somebody."""
    fabricated_class.write(tmp_path / "d", 1)
    (person,) = people(tmp_path / "d")
    assert worries(person) == []
    assert worries(Person("x", why="not a notebook")) == ["not a notebook"]
    ended = (
        log_summary.BriefOutcome("mean", "timed_out"),
        log_summary.BriefOutcome("count", "killed"),
    )
    log = msgspec.structs.replace(
        person.log,
        outcomes=ended,
        passed_here=("count",),
        candidates={"argue": ("a", "b")},
        repairs=(Remark("student", "for them"), Remark("staff", "`f` is defined in 2 cells")),
        written={"argue": "missing"},
    )
    assert person.grade
    marks = (
        Mark("count", 2, 0, ""),
        Mark("mean", 3, 0, ""),
        Mark("argue", 4, None, "", by_hand=True),
    )
    late = replace(person.grade, marks=marks, late="Submitted 2 days after it was due.")
    said = worries(replace(person, log=log, grade=late, failed=True))
    assert said == [
        "the grader itself failed: see failure.txt",
        "`f` is defined in 2 cells",
        "mean did not finish in time",
        "count crashed",
        "the check of count passed in the notebook, but it earned 0",
        "two texts may be the answer to argue",
        "the answer to argue is not in its cell: search the notebook for it",
        "Submitted 2 days after it was due.",
    ]
    unknown = replace(late, late="", time_unknown="Time unknown, so it is not late: 21:00 XYZ.")
    assert worries(replace(person, log=log, grade=unknown))[-1] == unknown.time_unknown
    empty = msgspec.structs.replace(log, outcomes=(), written={"argue": "empty"})
    assert "nothing is answered" in worries(replace(person, points={}, log=empty))
    other = msgspec.structs.replace(
        empty,
        unrelated=True,
        candidates={},
        repairs=(Remark("student", UNRELATED), Remark("staff", NOT_RUN)),
    )
    assert worries(replace(person, points={}, log=other)) == [NOT_RUN]


def test_who_falls_behind_is_named() -> None:
    """Ranks count, since a harder homework is no decline; in a small class, nobody is named."""
    before = {f"s{n}": float(n) for n in range(20)}
    now = {id: points / 10 for id, points in before.items()} | {"s19": -1.0, "new": 5.0}
    assert list(falls(now, before)) == ["s19"]
    assert "ahead of 98 % of the class, and is now ahead of 2 %" in falls(now, before)["s19"]
    assert falls({"s1": 1.0}, before) == {}


def test_an_earlier_homework_without_results_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path
) -> None:
    """One with results is compared."""
    for name, seed in (("d", 0), ("e", 9)):
        fabricated_class.write(tmp_path / name, 40, seed=seed)
    words = ("report", tmp_path / "d", "--course", toy_course, "--earlier")
    status, _, errors = run(capsys, *words, tmp_path)
    assert status == 2
    assert "--earlier" in errors
    page, _ = report(capsys, tmp_path / "d", toy_course, "--earlier", tmp_path / "e")
    assert re.search(r"in e was ahead of \d+ % of the class", section(page, "attention"))


@pytest.mark.parametrize("text", [*ACTIVE, "=cmd()", "\x1b[2J\u202egnp.x", "{{ 7 * 7 }}"])
def test_hostile_words_are_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toy_course: Path, text: str
) -> None:
    """This covers roster names, messages, repairs, errors and the folder's name."""
    student = re.sub(r"[/\x00\n]", "_", text)[:100]
    fabricated_class.write(tmp_path / "d", 1, name="s")
    folder = (tmp_path / "d" / "s").rename(tmp_path / "d" / student)
    log, grade = results.read_log(folder), results.read_grade(folder)
    errors = tuple(replace(one, message=text) for one in log.errors)
    said = Remark("staff", text)
    results.write_log(
        folder,
        replace(
            log, repairs=(said, replace(said, reader="student")), remarks=(said,), errors=errors
        ),
    )
    marks = tuple(
        replace(mark, message=text, earned=0.0, misconception=None) for mark in grade.marks
    )
    results.write_grade(folder, replace(grade, marks=marks, late=text))
    quoted = text.replace('"', '""')
    (toy_course / "roster.csv").write_text(
        f'id,name,email\nx99,"{quoted}",x@y.z\n', encoding="utf-8"
    )
    page, _ = report(capsys, tmp_path / "d", toy_course)
    body = page.split("<body>")[1]
    assert not re.search(
        r"<(script|img|iframe|form|link|meta|details open|b |svg/)", body, re.IGNORECASE
    )
    assert not re.search(r"(href|src)=.(javascript|http|//)", body, re.IGNORECASE)
    assert all(
        re.fullmatch(r"[\w.%~-]+/report\.html", link)
        for link in re.findall(r'href="([^"]*)"', body)
    )
    assert not re.search("[\x00-\x08\x1b\u202e]", page)
    assert "49" not in body


def test_what_was_not_trained_counts_as_answered_by_who_answered_something(tmp_path: Path) -> None:
    """It counts only then, as in the student's report."""
    fabricated_class.write(tmp_path / "d", 1)
    (person,) = people(tmp_path / "d")
    untrained = log_summary.BriefOutcome("mean", "not_run", NOT_TRAINED)
    for others, is_answered in (
        ((log_summary.BriefOutcome("count", "returned"),), True),
        ((), False),
    ):
        log = msgspec.structs.replace(person.log, outcomes=(*others, untrained))
        assert replace(person, log=log).answered("mean") is is_answered
