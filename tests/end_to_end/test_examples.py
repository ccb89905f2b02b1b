"""The five example submissions, from the command line to the report, and their logs as submissions."""

import json
import stat
from pathlib import Path

import pytest

from autograder.grading.grader import Grader
from autograder.grading.wire import Graded
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover
from tests.helpers import COURSE, EXAMPLES, earned
from tests.redteam.attack import EVERYTHING as FULL
from tests.schemas import all_fit

pytestmark = pytest.mark.slow

ZERO = dict.fromkeys(
    (
        "port",
        "port_positions",
        "port_gradients",
        "port_vectorised",
        "identity",
        "copy_first",
        "unique",
    ),
    0,
)
WAITING = {"compare_identity": None, "compare_copy_first": None}
UNWRITTEN = {"compare_identity": 0, "compare_copy_first": 0}
DESERVED = {
    "as_in_the_source": FULL | {"port_vectorised": 0, "copy_first": 0, "unique": 0} | WAITING,
    "perfect": FULL | WAITING,
    "different_but_right": FULL | WAITING,
    "unfilled": ZERO | UNWRITTEN,
    "crashes_midway": FULL | {"identity": 0, "unique": 0} | UNWRITTEN,
}


def grade(paths: list[Path], hw2: Homework, out: Path) -> dict[str, Graded]:
    found, complaints = discover.find(paths)
    assert not complaints
    with Sandbox() as sandbox:
        return {item.name: item for item in Grader(hw2, COURSE, sandbox).grade_all(found, out)}


@pytest.fixture(scope="module")
def results(hw2: Homework, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graded]:
    return grade([EXAMPLES], hw2, tmp_path_factory.mktemp("out") / "graded")


def text(graded: Graded, name: str) -> str:
    return (graded.folder / name).read_text(encoding="utf-8")


def test_every_file_has_its_form(results: dict[str, Graded]) -> None:
    """It fits the JSON Schemas in the package."""
    (out,) = {graded.folder.parent for graded in results.values()}
    assert all_fit(out) == 3 * len(DESERVED)


@pytest.mark.parametrize("name", DESERVED)
def test_each_earns_what_it_deserves(results: dict[str, Graded], name: str) -> None:
    """The marks of all five, question by question."""
    marks = results[name].grade
    assert isinstance(marks, Grade)
    assert earned(marks) == DESERVED[name]


def test_the_wrong_copy_first_is_named_and_drawn(results: dict[str, Graded]) -> None:
    """The report names the all-equal keys and shows 0.50 beside 0.50; the log has the averages."""
    report = text(results["as_in_the_source"], "report.html")
    assert "all keys are equal" in report
    assert report.count(">0.50</td>") == 4
    log = json.loads(text(results["as_in_the_source"], "submission_log.json"))
    assert log["attention_by_position"] == pytest.approx([0.5, 0.5, 0] * 4)
    golden = [0.05171018, -0.13633826, 0.12136830, 0.01215127, -0.20202653]
    assert log["torch_transformer_shape"] == [8, 3]
    assert log["torch_transformer_value"] == pytest.approx(golden, abs=1e-6)


def test_unfilled_is_told_what_to_write(results: dict[str, Graded]) -> None:
    """Every question of an empty notebook tells what is missing."""
    marks = results["unfilled"].grade
    assert marks is not None
    for mark in marks.marks:
        assert mark.message.startswith("Not written"), mark


def test_a_crash_is_named_where_it_hurts(results: dict[str, Graded]) -> None:
    """The lost question names its own cell's error, not the unrelated one before it."""
    marks = results["crashes_midway"].grade
    assert marks is not None
    (mark,) = (m for m in marks.marks if m.question == "identity")
    assert "'identity_answer' failed with NameError: name 'nmp' is not defined" in mark.message


def test_results_keep_gradescopes_form(results: dict[str, Graded]) -> None:
    """Top-level score always; hand-marked questions have neither score nor status."""
    for name, graded in results.items():
        page = json.loads(text(graded, "results.json"))
        assert page["score"] == sum(v or 0 for v in DESERVED[name].values())
        for test in page["tests"]:
            question = test["extra_data"]["question"]
            assert ("score" in test) == ("status" in test) == (question not in WAITING)
            if "score" in test:
                assert test["max_score"] == FULL[question]
            assert len(test["output"]) < 100_000


def test_files_are_for_staff_and_name_nobodys_machine(results: dict[str, Graded]) -> None:
    """The folder is 0700, and nothing in it has a path of this machine."""
    folder = results["perfect"].folder.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in written} == {
        "submission_log.json",
        "results.json",
        "report.html",
        "executed.ipynb",
        "grade.json",
    }
    for path in written:
        content = path.read_text(encoding="utf-8")
        for place in (str(Path.home()), str(Path.cwd()), "/tmp/", "/site-packages"):
            assert place not in content, (path, place)


def test_skipped_cells_say_that_they_were_not_run(results: dict[str, Graded]) -> None:
    """executed.ipynb marks the demos, and has no HTML or script."""
    notebook = json.loads(text(results["perfect"], "executed.ipynb"))
    outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", [])]
    skipped = [o for o in outputs if "Not run by the grader" in "".join(o.get("text", ""))]
    assert len(skipped) == 10
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds <= {"text/plain", "image/png"}


def test_a_second_run_grades_nothing_again(results: dict[str, Graded], hw2: Homework) -> None:
    """What is done is skipped, with the same marks."""
    again = grade([EXAMPLES], hw2, results["perfect"].folder.parent)
    assert all(item.skipped for item in again.values())
    for name, item in again.items():
        assert item.grade == results[name].grade


@pytest.mark.parametrize("name", ["perfect", "as_in_the_source", "different_but_right"])
def test_a_graded_log_handed_in_takes_the_whole_path(
    results: dict[str, Graded], hw2: Homework, tmp_path: Path, name: str
) -> None:
    """Our own log, submitted, is graded anew from its matrices and sources; its outcomes are not believed."""
    log = json.loads(text(results[name], "submission_log.json"))
    for outcome in log["outcomes"]:
        outcome |= {"status": "returned", "value": None}
    folder = tmp_path / "handed_in"
    folder.mkdir()
    (folder / "submission_log.json").write_text(json.dumps(log))
    (item,) = grade([folder], hw2, tmp_path / "graded").values()
    assert item.grade is not None
    assert earned(item.grade) == DESERVED[name] | WAITING | {"unique": 0}
    report = text(item, "report.html")
    assert "the written answers, 12 points, are missing" in report


def test_a_forged_log_earns_nothing_for_what_it_forges(
    results: dict[str, Graded], hw2: Homework, tmp_path: Path
) -> None:
    """Right outputs beside wrong matrices: that question is zero and tells why."""
    log = json.loads(text(results["as_in_the_source"], "submission_log.json"))
    log["attention_by_position"] = [1.0, 0.0, 0.0] * 4
    path = tmp_path / "submission_log.json"
    path.write_text(json.dumps(log))
    (item,) = grade([path], hw2, tmp_path / "graded").values()
    assert item.grade is not None
    (mark,) = (m for m in item.grade.marks if m.question == "copy_first")
    assert mark.earned == 0
    assert mark.message == "The outputs in this log were not made by these matrices."
    assert earned(item.grade)["identity"] == 12
