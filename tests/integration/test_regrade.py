"""regrade: the facts stay, the marks follow the checks of today, and nobody loses unseen."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from autograder import codec
from autograder.cli.main import app
from autograder.course.course import Course
from autograder.model import UserError
from autograder.store import carried
from tests.helpers import EXAMPLES, ROOT

pytestmark = pytest.mark.slow
NAME = "hw2_transformer"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of its own with two graded hand-ins."""
    folder = tmp_path_factory.mktemp("course")
    for part in ("source", "release"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.toml", folder)
    hand_ins = [str(EXAMPLES / f"{name}.ipynb") for name in ("perfect", "as_in_the_source")]
    assert run(folder, "grade", NAME, *hand_ins, "--out", str(folder / "graded"))[0] == 0
    return folder


@pytest.fixture
def course(graded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded, tmp_path / "course"))


def run(course: Path, *words: str) -> tuple[int, str, str]:
    """Run a verb; return its exit status, what it printed and what it complained of."""
    result = CliRunner().invoke(app, [*words, "--course", str(course)])
    if isinstance(result.exception, UserError):
        return 2, result.stdout, str(result.exception)
    return result.exit_code, result.stdout, result.stderr


def score(course: Path, name: str) -> float:
    return float(json.loads((course / "graded" / name / "results.json").read_text())["score"])


def change(course: Path, before: str, after: str) -> None:
    spec = course / "source" / NAME / "staff" / "spec.py"
    text = spec.read_text()
    assert before in text
    spec.write_text(text.replace(before, after))


def test_nothing_changes_when_nothing_did(course: Path) -> None:
    """The same checks on the same facts give the same marks and the same files."""
    files = {p: p.read_bytes() for p in (course / "graded").rglob("*") if p.is_file()}
    status, said, _ = run(course, "regrade", str(course / "graded"))
    assert status == 0
    assert "2 hand-ins: 0 gain 0 points, 0 lose 0 points, 0 to run again" in said
    assert files == {p: p.read_bytes() for p in (course / "graded").rglob("*") if p.is_file()}


def test_a_milder_check_is_announced_and_then_written(course: Path) -> None:
    """--diff says who gains and why, and writes nothing; without it the marks are there."""
    change(
        course,
        '            Vectorised(("Qm", "Km", "Vm"), OUTPUT_TOLERANCE),\n',
        "            type('Milder', (Check,), {'__call__': lambda *_: Verdict(1.0, 'Milder.')})(),\n",
    )
    change(course, "from autograder.model import", "from autograder.model import Check, Verdict,")
    status, said, _ = run(course, "regrade", str(course / "graded"), "--diff")
    assert status == 0
    assert "as_in_the_source port_vectorised: 0 -> 4: Milder." in said
    assert "1 gain 4 points, 0 lose 0 points" in said
    assert score(course, "as_in_the_source") == 32
    assert run(course, "regrade", str(course / "graded"))[0] == 0
    assert score(course, "as_in_the_source") == 36
    assert "Milder." in (course / "graded" / "as_in_the_source" / "report.html").read_text()


def test_nobody_loses_unless_it_is_allowed(course: Path) -> None:
    """A stricter check is refused with the number of lower marks, and nothing is written."""
    change(course, "max_length=6, v_dim=3, partial=0.5", "max_length=6, v_dim=2, partial=0.5")
    status, _, complaint = run(course, "regrade", str(course / "graded"))
    assert status == 2
    assert "2 marks would be lower, so nothing was written" in complaint
    assert score(course, "perfect") == 52
    assert run(course, "regrade", str(course / "graded"), "--allow-lower")[0] == 0
    assert score(course, "perfect") == 40


def test_other_hidden_inputs_keep_the_old_mark(course: Path) -> None:
    """Values that answered other inputs are not judged; the question is to be run again."""
    change(
        course,
        "    return [*cases, _again(rng, cases[4])]\n\n\ndef port_positions",
        "    return cases\n\n\ndef port_positions",
    )
    status, said, _ = run(course, "regrade", str(course / "graded"))
    assert status == 0
    assert "perfect port: run again (other hidden inputs)" in said
    assert "2 to run again" in said
    assert score(course, "perfect") == 52


def test_bad_folders_and_logs_are_one_line(course: Path, tmp_path: Path) -> None:
    """No results, an unfinished log, a broken one: a line each, and the others are judged."""
    assert "holds no results" in run(course, "regrade", str(tmp_path / "nothing"))[2]
    path = course / "graded" / "perfect" / "submission_log.json"
    path.write_text(path.read_text().replace('"complete": true', '"complete": false'))
    (course / "graded" / "zoe").mkdir()
    (course / "graded" / "zoe" / "submission_log.json").write_text("{}")
    gone = shutil.copytree(course / "graded" / "perfect", course / "graded" / "gone")
    (gone / "submission_log.json").unlink()
    status, said, complaints = run(course, "regrade", str(course / "graded"))
    assert status == 2
    assert "1 hand-in: 0 gain" in said
    assert "had not finished" in complaints
    assert "not a submission log" in complaints
    assert "gone/submission_log.json: it is gone" in complaints


def test_facts_are_not_touched(course: Path) -> None:
    """The log says what was found, not what it is worth."""
    before = codec.decode_log((course / "graded" / "perfect" / "submission_log.json").read_bytes())
    change(course, "partial=0.5", "partial=0.25")
    run(course, "regrade", str(course / "graded"), "--allow-lower")
    assert (
        before.versions
        == codec.decode_log(
            (course / "graded" / "perfect" / "submission_log.json").read_bytes()
        ).versions
    )
    assert isinstance(Course(title="a", term="b").secret, str)


LATE = """
[late]
rule = "deduct"
percent_a_day = 10
[homework.hw2_transformer]
due = {}
"""


def test_a_page_of_gradescope_s_container_carries_its_log(course: Path) -> None:
    """results.json alone is judged again; once it is written, the log stands beside it."""
    folder = course / "graded" / "as_in_the_source"
    log = folder / "submission_log.json"
    facts = log.read_bytes()
    page = json.loads((folder / "results.json").read_text())
    carrying = carried.with_log(page, codec.decode_log(facts))
    log.unlink()
    (folder / "results.json").write_text(json.dumps(carrying))
    status, _, complaints = run(course, "regrade", str(course / "graded"))
    assert (status, complaints) == (0, "")
    assert log.read_bytes() == facts
    log.unlink()
    carrying["extra_data"]["log"] = "AAAA"
    (folder / "results.json").write_text(json.dumps(carrying))
    status, _, complaints = run(course, "regrade", str(course / "graded"))
    assert status == 2
    assert "the log in its results.json cannot be read" in complaints


def test_results_of_an_earlier_version_get_their_marks_from_the_log(course: Path) -> None:
    """They had no grade.json: `report` says so, `regrade` makes it, and no mark changes."""
    marks = [course / "graded" / name / "grade.json" for name in ("perfect", "as_in_the_source")]
    before = [path.read_bytes() for path in marks]
    for path in marks:
        path.unlink()
    status, _, complaints = run(course, "report", str(course / "graded"))
    assert status == 2
    assert complaints.count("an earlier version graded it; run `autograder regrade`") == 2
    status, said, complaints = run(course, "regrade", str(course / "graded"))
    assert (status, complaints) == (0, "")
    assert "2 hand-ins: 0 gain 0 points, 0 lose 0 points" in said
    assert [path.read_bytes() for path in marks] == before
    assert run(course, "report", str(course / "graded"))[0] == 0


def test_a_later_date_is_followed(course: Path, tmp_path: Path) -> None:
    """Lateness is in the facts: a new date changes what it costs, and no mark of a question."""
    export = tmp_path / "assignment_7_export"
    (export / "submission_1").mkdir(parents=True)
    shutil.copy(EXAMPLES / "as_in_the_source.ipynb", export / "submission_1" / "hw2.ipynb")
    person = {":name": "Ben", ":sid": "b002", ":email": "ben@example.org"}
    entry = {":submitters": [person], ":created_at": "2026-03-04 05:06:07.123456789 Z"}
    (export / "submission_metadata.yml").write_text(yaml.safe_dump({"submission_1": entry}))
    settings = course / "course.toml"
    text = settings.read_text().split("# What a late hand-in costs")[0]
    settings.write_text(text + LATE.format("2026-03-02T12:00:00"))
    graded = course / "graded"
    assert run(course, "grade", NAME, str(export), "--out", str(graded))[0] == 0
    results = json.loads((graded / "b002" / "results.json").read_text())
    whole = score(course, "as_in_the_source")
    assert results["score"] == pytest.approx(0.8 * whole)
    assert results["output"].startswith(
        "<p>Handed in 1 day and 18 hours after it was due (2026-03-02"
    )
    assert "This takes 20 % of the points" in (graded / "b002" / "report.html").read_text()
    settings.write_text(text + LATE.format("2026-03-04T00:00:00"))
    status, said, _ = run(course, "regrade", str(graded))
    assert status == 0
    assert f"b002 late: -{0.2 * whole:g} -> -{0.1 * whole:g}: Handed in 6 hours" in said
    assert "3 hand-ins: 1 gain" in said
    assert score(course, "b002") == pytest.approx(0.9 * whole)
    settings.write_text(text + LATE.format("2026-03-05T00:00:00"))
    assert "-> 0: Not late any more." in run(course, "regrade", str(graded))[1]
    assert score(course, "b002") == whole
