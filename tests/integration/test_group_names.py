"""A group of wrong answers is named once: everybody of it reads the sentence, those who come later as well."""

import csv
import json
from pathlib import Path

import pytest

from autograder.records.errors import UserError
from autograder.staff.class_page import names
from autograder.store import results
from tests.gradebooks import make_course, run
from tests.helpers import TOY

pytestmark = pytest.mark.slow

SENTENCE = "You count one number too many: look at where you add 1."
ONE_MORE = "def count_positive(numbers):\n    return int((numbers > 0).sum()) + 1"
ALSO = "def count_positive(numbers):\n    return 1 + sum(1 for one in numbers if one > 0)"
OTHER = "def count_positive(numbers):\n    return int((numbers > 0).sum()) + 2"


def submit(root: Path, student: str, count: str) -> None:
    """Put a notebook with the instructor's answers, but for one, where `grade` finds it."""
    notebook = json.loads((TOY / "solutions" / "toy" / "toy.ipynb").read_text())
    for cell in notebook["cells"]:
        if "".join(cell["source"]).startswith("def count_positive"):
            cell["source"] = count
    place = root / "collected" / student
    place.mkdir(parents=True)
    (place / "toy.ipynb").write_text(json.dumps(notebook))


def grade(root: Path) -> None:
    status, said = run(root, "grade", "toy", root / "collected", "--out", root / "out")
    assert status == 0, said


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = make_course(tmp_path / "course", like=TOY)
    for student, count in (("ana", ONE_MORE), ("bo", ALSO), ("cy", OTHER)):
        submit(root, student, count)
    grade(root)
    return root


def points(root: Path) -> dict[str, float]:
    return {path.name: results.read_grade(path).score for path in results.folders(root / "out")}


def reads(root: Path, student: str) -> bool:
    return "one number too many" in (root / "out" / student / "report.html").read_text()


def test_a_sentence_reaches_all_who_gave_the_same(course: Path) -> None:
    """Two ways to write one mistake are one group; a late one and a regrade have the sentence, and no mark changes."""
    before = points(course)
    (group,) = names.waiting(course, course / "out")
    assert set(group.students) == {"ana", "bo"}
    status, said = run(
        course, "explain", course / "out", "--name", group.name, SENTENCE, "--where", "Line 2."
    )
    assert status == 0, said
    assert "2 submissions" in said
    assert [reads(course, one) for one in ("ana", "bo", "cy")] == [True, True, False]
    assert points(course) == before
    table = list(csv.reader((course / "out" / "mistakes.csv").read_text().splitlines()))
    assert {row[0] for row in table if SENTENCE in row} == {"ana", "bo"}
    assert names.waiting(course, course / "out") == []

    submit(course, "di", ALSO)  # comes later
    grade(course)
    assert reads(course, "di")
    status, said = run(course, "regrade", course / "out")
    assert status == 0, said
    assert all(reads(course, one) for one in ("ana", "bo", "di"))

    path = course / "source" / "toy" / "staff" / "named.toml"
    path.write_text(path.read_text().replace("one number too many", "one too many"))
    run(course, "regrade", course / "out")
    assert "You count one too many" in (course / "out" / "ana" / "report.html").read_text()

    (named,) = names.named(course, course / "out")
    assert set(named.students) == {"ana", "bo", "di"}
    status, said = run(course, "explain", course / "out", "--unname", group.name)
    assert status == 0, said
    assert "one too many" not in (course / "out" / "ana" / "report.html").read_text()
    assert {**points(course), "di": 0.0} == {**before, "di": 0.0}


def test_what_cannot_be_named_is_one_line(course: Path) -> None:
    """No such group, no sentence, a table that is broken or of no question."""
    (group,) = names.waiting(course, course / "out")
    for words, said in (
        (("--name", "count-00000000", SENTENCE), "no such group"),
        (("--name", group.name, "  "), "the sentence is empty"),
        (("--name", group.name, "x" * 700), "write one sentence"),
        (("--unname", "nobody"), "no group of toy has this name"),
    ):
        status, text = run(course, "explain", course / "out", *words)
        assert status == 2
        assert said in text
        assert "Traceback" not in text
    path = course / "source" / "toy" / "staff" / "named.toml"
    for text, said in (
        ("[a\n", "named.toml"),
        (
            '[a]\nquestion = "nothing"\nsentence = "x"\ninputs = "x"\nvalues = []\n',
            "not a question",
        ),
        ('[a]\nquestion = "count"\n', "named.toml"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=said):
            names.waiting(course, course / "out")
