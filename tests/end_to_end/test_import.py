"""`autograder import`: nbgrader's own example course, graded here and there, with the same marks."""

import csv
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import v4

from tests.benchmarks.mutated import filled

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, whole=True)]

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
"""With the programs beside Python: nbgrader calls alembic."""
SECRET_WORDS = ("31337", "hidden_word", "never seen")
Marks = dict[str, float | None]

IMPORTED = tomllib.loads(Path(__file__).with_name("imported.toml").read_text(encoding="utf-8"))
SOURCES = ("averages", "words", "doubles")
"""Notebooks of cells there. Tests of the last one use what hidden tests above them bind."""
NAMES = ("problem1", "problem2", "averages", "words", "doubles")
ANSWERS: Mapping[str, Mapping[str, str]] = IMPORTED["answers"]
UNREADABLE = {
    **ANSWERS["right"],
    "average": f"{ANSWERS['right']['average']}\n\naverage([1, 2)",
    "guess": "guess = 'a'\nguess = = 'a'",
}
"""Right answers, in two cells that Python cannot read."""


def notebook(name: str) -> nbformat.NotebookNode:
    """Return a notebook of nbgrader's source form."""
    cells = []
    for row in IMPORTED[name]:
        id, kind, source = row.get("id", ""), row.get("kind", ""), row["source"]
        text = kind == "written" or (source.startswith("#") and not id)
        cell = (v4.new_markdown_cell if text else v4.new_code_cell)(source)
        if id:
            written = str(kind).startswith("written")
            test = not written and kind != "solution"
            cell.metadata["nbgrader"] = {
                "grade": test or written,
                "grade_id": id,
                "locked": test,
                "schema_version": 3,
                "solution": not test,
                "task": False,
                **({"points": kind if test else 2} if kind != "solution" else {}),
            }
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def run(*words: object, place: Path) -> str:
    """Run a module of Python; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=place,
        capture_output=True,
        text=True,
        env={**os.environ, "AUTOGRADER_SECRET": "", "PATH": PATH},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return nbgrader's example course with two notebooks more, released, with three submissions."""
    folder = tmp_path_factory.mktemp("theirs") / "course_id"
    run("nbgrader", "quickstart", "course_id", place=folder.parent)
    source = folder / "source" / "ps1"
    for name in SOURCES:
        nbformat.write(notebook(name), source / f"{name}.ipynb")
    run("nbgrader", "generate_assignment", "ps1", place=folder)
    for student, answers in {**ANSWERS, "unreadable": UNREADABLE}.items():
        inbox = folder / "submitted" / student / "ps1"
        inbox.mkdir(parents=True)
        for path in (folder / "release" / "ps1").glob("*.ipynb"):
            (inbox / path.name).write_text(filled(path, answers))
    return folder


@pytest.fixture(scope="module")
def their_marks(theirs: Path) -> dict[str, dict[str, Marks]]:
    """Return nbgrader's marks: notebook -> student -> grade_id -> points; None to be marked."""
    from nbgrader.api import Gradebook

    run("nbgrader", "autograde", "ps1", place=theirs)
    found: dict[str, dict[str, Marks]] = {}
    with Gradebook(f"sqlite:///{theirs}/gradebook.db") as gradebook:
        for student in (*ANSWERS, "unreadable"):
            for one in gradebook.find_submission("ps1", student).notebooks:
                found.setdefault(one.name, {})[student] = {
                    grade.name: None if grade.needs_manual_grade else grade.score
                    for grade in one.grades
                }
    return found


@pytest.fixture(scope="module")
def course(theirs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course of ours that imported them all."""
    folder = tmp_path_factory.mktemp("ours") / "course"
    run("autograder", "new", "course", folder, place=folder.parent)
    said = run("autograder", "import", theirs / "source" / "ps1", place=folder)
    assert "jupyter.png beside problem1.ipynb was not copied" in said
    assert "was not written" not in said
    assert "double_hidden (`right` of double_first), double_seen (`right` of double_first)" in said
    return folder


@pytest.fixture(scope="module")
def our_marks(course: Path, theirs: Path) -> dict[str, dict[str, Marks]]:
    """Return our marks for the same folder, as nbgrader collected it."""
    found: dict[str, dict[str, Marks]] = {}
    inbox = theirs / "submitted"
    for name in NAMES:
        out = course / "graded" / name
        run("autograder", "grade", f"ps1_{name}", inbox, "--out", out, "-j", "1", place=course)
        for student in ANSWERS:
            marks = json.loads((out / student / "grade.json").read_text())["marks"]
            found.setdefault(name, {})[student] = {m["question"]: m["earned"] for m in marks}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_an_imported_homework_is_sound(course: Path, name: str) -> None:
    """Every clause that can be kept is; each question that is its test tells what makes it strong."""
    said = run("autograder", "check", f"ps1_{name}", place=course)
    assert " | NO | " not in said
    tests = {"problem1": 4, "problem2": 0, "averages": 13, "words": 2, "doubles": 5}[name]
    assert said.count("10 asserted") == tests
    by_hand = {"problem1": 3, "problem2": 2, "averages": 2, "words": 0, "doubles": 0}[name]
    assert said.count("10 rubrics parse") == by_hand
    assert said.count("Half marks, No marks") == by_hand


@pytest.mark.parametrize("name", NAMES)
def test_marks_are_nbgrader_s(
    name: str,
    our_marks: dict[str, dict[str, Marks]],
    their_marks: dict[str, dict[str, Marks]],
) -> None:
    """Question by question, those that a person marks included: nothing for an empty answer."""
    for student in ANSWERS:
        ours, wanted = our_marks[name][student], their_marks[name][student]
        assert ours == wanted, student


def test_some_of_them_are_partial(our_marks: dict[str, dict[str, Marks]]) -> None:
    """Otherwise all of them might agree on zeros."""
    assert our_marks["averages"]["right"]["average_partly"] == 3
    assert our_marks["averages"]["half"]["average_partly"] == 1
    assert our_marks["averages"]["half"]["average_half"] == 0.5
    assert our_marks["averages"]["half"]["average_quiet"] == 0
    assert our_marks["averages"]["right"]["twice"] == 1
    assert our_marks["averages"]["right"]["guess_right"] == 1
    assert our_marks["averages"]["half"]["guess_right"] == 0
    assert our_marks["averages"]["unfilled"]["middle_right"] == 0
    assert our_marks["doubles"]["right"]["double_data"] == 1
    assert our_marks["doubles"]["half"]["double_first"] == 0
    assert our_marks["doubles"]["half"]["double_hidden"] == 2
    assert our_marks["words"]["half"] == {"longest_test": 0, "longest_number": 1}


def test_no_text_of_a_hidden_test_is_in_what_a_student_gets(
    course: Path, our_marks: dict[str, dict[str, Marks]]
) -> None:
    """The class of the error is, and a visible test's message."""
    assert our_marks
    out = course / "graded" / "words"
    run("autograder", "report", out, place=course)
    kinds = (".html", ".json", ".ipynb", ".csv")
    texts = [
        path for path in out.glob("[!.]*/**/*") if path.suffix in kinds
    ]  # .instructor is staff's
    texts += [path for path in out.iterdir() if path.suffix in kinds]
    assert len(texts) > 6
    for path in texts:
        assert not [word for word in SECRET_WORDS if word in path.read_text()], path
    marks = json.loads((out / "half" / "grade.json").read_text())["marks"]
    assert marks[0]["message"] == "A hidden test failed (AssertionError)."
    assert "hidden test failed (AssertionError)" in (out / "half" / "report.html").read_text()
    released = (course / "release" / "ps1_words" / "ps1_words.ipynb").read_text()
    assert not [word for word in SECRET_WORDS if word in released]


def test_the_proof_refuses_what_no_student_can_submit(course: Path) -> None:
    """A hidden test that uses a hidden one above: the source notebook has its names, the release not."""
    folder = course / "source" / "ps1_doubles"
    text = (folder / "ps1_doubles.ipynb").read_text()
    nodes = json.loads(text)
    for cell in nodes["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "double_hidden":
            cell["source"] = next(
                row["source"] for row in IMPORTED["doubles"] if row.get("id") == "double_hidden"
            )
    (folder / "ps1_doubles.ipynb").write_text(json.dumps(nodes))
    run("autograder", "release", "ps1_doubles", "--execute", place=course)
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "check", "ps1_doubles"],
        cwd=course,
        capture_output=True,
        text=True,
    )
    (folder / "ps1_doubles.ipynb").write_text(text)
    run("autograder", "release", "ps1_doubles", "--execute", place=course)
    assert done.returncode == 2
    (line,) = [line for line in done.stdout.splitlines() if " | NO | " in line]
    assert "instructor earns all | instructor | NO | loses double_hidden; double_hidden:" in line
    assert "double_hidden (`right` of double_first): only hidden tests bind or change these" in line


def test_what_python_cannot_read_loses_where_the_homework_says_so(
    course: Path, theirs: Path, their_marks: dict[str, dict[str, Marks]]
) -> None:
    """With mend=False marks are nbgrader's; else the rest of such a cell runs. Nothing else changes."""
    spec = course / "source" / "ps1_averages" / "staff" / "spec.py"
    text = spec.read_text()
    marks: dict[bool, Marks] = {}
    submission = theirs / "submitted" / "unreadable" / "ps1" / "averages.ipynb"
    for mend in (True, False):
        spec.write_text(text.replace("Homework(\n", f"Homework(\n    mend={mend},\n"))
        out = course / "graded" / f"unreadable-{mend}"
        run("autograder", "grade", "ps1_averages", submission, "--out", out, place=course)
        (grade,) = out.glob("[!.]*/grade.json")
        nodes = json.loads(grade.read_text())
        marks[mend] = {mark["question"]: mark["earned"] for mark in nodes["marks"]}
    spec.write_text(text)
    assert marks[False] == their_marks["averages"]["unreadable"]
    assert marks[False]["average_half"] == marks[False]["guess_right"] == 0
    assert marks[False]["again_right"] == marks[False]["middle_right"] == 1
    assert marks[True]["average_half"] == 2
    run("autograder", "report", out, place=course)
    (page,) = out.glob("[!.]*/report.html")
    assert "did not run: Python cannot read it (line 4: " in page.read_text()


def test_a_draft_becomes_a_strong_question(course: Path, tmp_path: Path) -> None:
    """Its draft comes from a test that compares calls with lists, and lacks only one case."""
    staff = course / "source" / "ps1_problem1" / "staff"
    spec, drafted = (staff / "spec.py").read_text(), (staff / "draft.py").read_text()
    strong = "next(one for one in QUESTIONS if one.id == 'correct_squares')"
    (staff / "spec.py").write_text(
        spec.replace(
            "import Asserted, Homework, Question",
            "import Asserted, Homework, Question\n\nfrom .draft import QUESTIONS",
        ).replace('Question("correct_squares", check=Asserted())', strong)
    )
    run("autograder", "release", "ps1_problem1", "--execute", place=course)
    released = course / "release" / "ps1_problem1" / "ps1_problem1.ipynb"
    scores = {}
    for name, body in (("right", "[i * i for i in range(1, n + 1)]"), ("wrong", "[1, 4][:n]")):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(filled(released, {"squares": f"def squares(n):\n    return {body}"}))
        out = tmp_path / f"out-{name}"
        run("autograder", "grade", "ps1_problem1", path, "--out", out, place=course)
        (grade,) = out.rglob("grade.json")
        marks = {m["question"]: m for m in json.loads(grade.read_text())["marks"]}
        scores[name] = marks["correct_squares"]
    (staff / "spec.py").write_text(spec)
    run("autograder", "release", "ps1_problem1", "--execute", place=course)
    assert "def squares(n):" in drafted
    assert scores["right"]["earned"] == 1
    assert scores["wrong"]["earned"] == 0
    assert "reference" not in scores["wrong"]["message"]


HOSTILE: Mapping[str, str] = {
    "exits": "import os\ndef longest(words):\n    os._exit(0)",
    "loops": "def longest(words):\n    while True:\n        pass",
    "eats": "def longest(words):\n    held = []\n    while True:\n        held.append(bytes(10**8))",
    "patches": "import builtins\nget_ipython().run_cell = None\nbuiltins.AssertionError = OSError\n"
    "def longest(words):\n    raise SystemExit(words)",
}


def test_what_is_hostile_loses_and_nobody_else_does(course: Path) -> None:
    """It ends its own questions, and the right one beside it keeps all."""
    spec = course / "source" / "ps1_words" / "staff" / "spec.py"
    text = spec.read_text()
    limits = "Limits(cell_seconds=4, question_seconds=3, submission_seconds=40)"
    short = text.replace("Homework(\n", f"Homework(\n    limits={limits},\n")
    spec.write_text(short.replace("import Asserted, Homework", "import Asserted, Homework, Limits"))
    inbox = course / "collected" / "hostile"
    inbox.mkdir(parents=True)
    released = course / "release" / "ps1_words" / "ps1_words.ipynb"
    for student, answer in {**HOSTILE, "right": ANSWERS["right"]["longest"]}.items():
        (inbox / f"{student}.ipynb").write_text(filled(released, {"longest": answer}))
    out = course / "graded" / "hostile"
    run("autograder", "grade", "ps1_words", inbox, "--out", out, "-j", "1", place=course)
    run("autograder", "report", out, place=course)
    spec.write_text(text)
    rows = {
        row["id"]: row
        for row in csv.DictReader((out / "grades.csv").read_text(encoding="utf-8-sig").splitlines())
    }
    scores = {student: float(rows[student]["score"]) for student in (*HOSTILE, "right")}
    assert scores == {**dict.fromkeys(HOSTILE, 0.0), "right": 3.0}


def mangled(change: Callable[[Any], None]) -> nbformat.NotebookNode:
    made = notebook("words")
    change(made.cells)
    return made


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda cells: cells[2].metadata.nbgrader.update(grade_id=""), "without a grade_id"),
        (lambda cells: cells[3].metadata.nbgrader.update(grade_id="longest_test"), "a second time"),
        (lambda cells: cells[2].metadata.nbgrader.update(points="many"), "the points 'many'"),
        (lambda cells: cells[2].update(source="### AUTOTEST longest(['a'])"), "an `### AUTOTEST`"),
        (lambda cells: cells[2].update(cell_type="markdown"), "is a test but not code"),
        (lambda cells: cells[1].update(source="### BEGIN HIDDEN TESTS"), "but is not a test"),
        (lambda cells: cells[2].update(source="### BEGIN HIDDEN TESTS"), "do not match"),
        (lambda cells: cells[1].update(source="### BEGIN SOLUTION"), "do not match"),
        (lambda cells: cells.__delitem__(slice(1, None)), "no cell is graded"),
    ],
)
def test_what_cannot_be_imported_is_one_line(
    course: Path, tmp_path: Path, change: Callable[[Any], None], said: str
) -> None:
    """File, cell and what to change; and nothing is left of it."""
    path = tmp_path / "odd.ipynb"
    path.write_text(json.dumps(mangled(change)))
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "import", path, "--name", "odd"],
        cwd=course,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert said in line
    assert not (course / "source" / "odd").exists()


def test_older_metadata_and_notebooks_become_today_s(course: Path, tmp_path: Path) -> None:
    """With nbgrader's own code; a name is made an identifier, and said where it is taken."""
    made = notebook("words")
    for cell in made.cells:
        if marks := cell.metadata.get("nbgrader"):
            marks["schema_version"] = 1
            marks.pop("task")
    folder = tmp_path / "2019 tasks"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "words.txt").write_text("a\n")
    (folder / "week 1.ipynb").write_text(json.dumps(made))
    run("autograder", "import", folder, place=course)
    source = course / "source" / "hw_2019_tasks_week_1"
    nodes = json.loads((source / f"{source.name}.ipynb").read_text())
    marks = [cell["metadata"]["nbgrader"] for cell in nodes["cells"] if cell["metadata"]]
    assert {one["schema_version"] for one in marks} == {3}
    assert (source / "data" / "words.txt").read_text() == "a\n"
    again = subprocess.run(
        [sys.executable, "-m", "autograder", "import", folder],
        cwd=course,
        capture_output=True,
        text=True,
    )
    assert again.returncode == 2
    assert "already exists; choose a different name with --name" in again.stderr
