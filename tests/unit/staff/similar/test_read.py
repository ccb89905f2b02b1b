"""read: a folder of results becomes works, and provided texts are known."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import known_answers
from autograder.program.build import build
from autograder.records.facts import Receipt, Submission, SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.marks import Grade
from autograder.reports import executed
from autograder.staff.similar import pairs, read
from autograder.store import files, results
from tests.command_line import run
from tests.helpers import TOY, with_added, with_cells

ONE = """\
def count_positive(numbers):
    found = sorted(n for n in numbers.tolist() if n > 0)
    return len([one for one in found if one == one]) - len(found[len(found):])
"""


def put(out: Path, name: str, submission: Submission, homework: Homework) -> Path:
    """Write the files that grading leaves and this reads, without running anything."""
    folder = out / name
    folder.mkdir(parents=True)
    id = replace(submission.id, student=name)
    log = SubmissionLog(homework.name, id, complete=True, receipt=Receipt(people=("b", "a")))
    results.write_log(folder, log)
    results.write_grade(folder, Grade(id, ()))
    steps = build(submission, homework).steps
    files.write(folder / files.EXECUTED, executed.notebook(steps, submission.cells))
    return folder


def work(out: Path, name: str, submission: Submission, homework: Homework) -> pairs.Work:
    """Return a submission as it is compared, from the files of its grading."""
    return read.work(put(out, name, submission, homework), homework, read.names(homework))


@pytest.fixture
def alike(solved: Submission) -> Submission:
    return with_cells(solved, count_answer=ONE, argue="Nobody told me about empty sums before.")


def test_what_is_given_leaves_nothing_of_what_is_known(
    tmp_path: Path, toy: Homework, solved: Submission
) -> None:
    """The release, the instructor's notebook and right answers share nothing that counts."""
    submissions = [solved, known_answers.unfilled(toy)]
    submissions += [one.submission for one in known_answers.right(TOY, toy)]
    given = read.given(TOY, toy)
    for number, one in enumerate(submissions):
        known = work(tmp_path, f"known-{number}", one, toy)
        assert known.places
        assert known.places.keys() <= given


def test_a_renamed_copy_is_found(
    tmp_path: Path, toy: Homework, solved: Submission, alike: Submission
) -> None:
    """This covers code and text, among unrelated submissions, and an added cell."""
    renamed = with_cells(alike, count_answer=ONE.replace("found", "values").replace("one", "v"))
    moved = with_added(
        with_cells(alike, count_answer="def count_positive(numbers):\n    return helper(numbers)"),
        ONE.replace("count_positive", "helper"),
    )
    submissions = {"solved": solved, "first": alike, "renamed": renamed, "moved": moved}
    works = [work(tmp_path, name, one, toy) for name, one in submissions.items()]
    works += [replace(works[0], student=f"other-{number}") for number in range(4)]
    found = pairs.compare(works, read.given(TOY, toy))
    assert [(one.first.student, one.second.student) for one in found] == [
        ("first", "renamed"),
        ("first", "moved"),
        ("renamed", "moved"),
    ]
    assert works[1].people == ("a", "b")


def test_a_stored_output_that_two_share_is_found(
    tmp_path: Path, toy: Homework, solved: Submission
) -> None:
    """A time in seconds repeats in a copied file; all outputs together are one place."""

    def with_output(text: str) -> Submission:
        output = {"output_type": "stream", "name": "stdout", "text": text}
        *cells, last = (cell for cell in solved.cells if cell.type == "code")
        return replace(solved, cells=(*cells, replace(last, outputs=(output,)), last))

    said = "trained for 1,000 steps, loss 0.0123, in {} s on this machine"
    times = {"a": "12.431", "b": "12.430", "copy": "12.431", "c": "12.77", "d": "11.02"}
    works = [
        work(tmp_path, name, with_output(said.format(time)), toy) for name, time in times.items()
    ]
    (found,) = pairs.compare(works, read.given(TOY, toy))
    assert (found.first.student, found.second.student) == ("a", "copy")
    assert found.likeness < 1
    (part,) = (part for part in works[0].parts if part.kind == "outputs")
    assert part.source.startswith("the output of ")
    assert part.place == read.OUTPUTS
    short = work(tmp_path, "short", with_output("passed"), toy)
    assert all(part.kind != "outputs" for part in short.parts)


def test_imports_of_wrong_answers_do_not_count(
    tmp_path: Path, toy: Homework, solved: Submission
) -> None:
    """Two with equal imports but different computations share nothing."""
    imports = "import math\nfrom collections import Counter, defaultdict, OrderedDict, deque\n\n"
    body = "def count_positive(numbers):\n    return {}\n"
    works = [
        work(tmp_path, name, with_cells(solved, count_answer=imports + body.format(value)), toy)
        for name, value in (("a", "len(numbers)"), ("b", "math.inf"))
    ]
    assert pairs.compare(works, read.given(TOY, toy)) == []


def test_words_on_sources_are_shown_and_not_compared(
    tmp_path: Path, toy: Homework, solved: Submission
) -> None:
    """This is the cell `collaboration`, if filled in."""
    cell = Cell(read.DECLARED, "markdown", "Name people here: *nobody so far*.")
    homework = replace(toy, cells=(*toy.cells, cell))
    said = replace(cell, source="I worked with four people of my tutorial group on all of it.")
    for name, last in (("silent", cell), ("open", said)):
        submission = replace(solved, cells=(*solved.cells, last))
        one = work(tmp_path, name, submission, homework)
        assert one.declared == (said.source if name == "open" else "")
        assert read.DECLARED not in [part.place for part in one.parts]


def test_prose_in_a_code_cell_is_text(tmp_path: Path, toy: Homework, solved: Submission) -> None:
    """Somebody answered in the wrong kind of cell."""
    submission = with_added(solved, "This is my answer to the third question of all")
    parts = work(tmp_path, "one", submission, toy).parts
    assert [part.kind for part in parts if not part.place] == ["text"]


def test_the_verb_writes_a_page_and_names_what_it_left_out(
    tmp_path: Path,
    toy: Homework,
    alike: Submission,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Broken folders cost one line each; earlier classes have their folder's name."""
    out, earlier = tmp_path / "new", tmp_path / "last_year"
    put(out, "a", alike, toy)
    put(earlier, "old", alike, toy)
    broken = put(out, "broken", alike, toy)
    (broken / files.EXECUTED).write_text("{")
    put(out, "other", alike, replace(toy, name="another"))
    status, said, errors = run(
        capsys, "similar", out, "--earlier", earlier, "--course", TOY, "--pairs", 5
    )
    assert status == 0
    assert "1 of 1 pairs that share something, from 1 submissions" in said
    assert sorted(line.split(":")[1].split("/")[-1] for line in errors.splitlines()) == [
        "broken",
        "other",
    ]
    page = (out / "similar.html").read_text()
    assert "a and old (earlier: last_<wbr>year)" in page
    assert str(tmp_path) not in page


@pytest.mark.parametrize("case", ["nothing", "twice", "itself", "unreadable", "no folder"])
def test_what_cannot_be_compared_is_one_line(
    case: str,
    tmp_path: Path,
    toy: Homework,
    solved: Submission,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It has status 2, and the remedy."""
    out = tmp_path / "out"
    folder = put(out, "a", solved, toy)
    shutil.copytree(out, tmp_path / "old")
    words: dict[str, tuple[object, ...]] = {
        "nothing": (tmp_path / "old" / "a",),
        "twice": (out, "--earlier", tmp_path / "old", "--earlier", tmp_path / "old"),
        "itself": (out, "--earlier", out),
        "unreadable": (out,),
        "no folder": (tmp_path / "absent",),
    }
    if case == "unreadable":
        (folder / files.LOG).write_text("{")
    status, _, errors = run(capsys, "similar", *words[case], "--course", TOY)
    assert status == 2
    assert errors.count("\n") == 1
    assert errors.startswith("autograder: ")
