"""regrade: the facts stay, the marks follow the checks of today, and nobody loses unseen."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from autograder.cli.main import app
from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import NOT_TRAINED
from autograder.store import embedded_log
from autograder.store.files import claimed
from tests.helpers import TOY, write_class
from tests.redteam import attack

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]
NAME = "toy"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of its own with two graded submissions."""
    folder = tmp_path_factory.mktemp("courses") / "course"
    shutil.copytree(TOY, folder, ignore=shutil.ignore_patterns("__pycache__"))
    submissions = write_class(folder / "class")
    submissions = [str(submissions / f"{name}.ipynb") for name in ("perfect", "wrong")]
    assert run(folder, "grade", NAME, *submissions, "--out", str(folder / "graded"))[0] == 0
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


def fresh(course: Path, *words: str) -> tuple[int, str]:
    """Run a verb in a process that has loaded no spec.py before."""
    command = [sys.executable, "-m", "autograder", *words, "--course", str(course)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr


def perfect(course: Path, answer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the notebook of a submission in which all is right, and an answer's cell in it."""
    notebook = json.loads((course / "class" / "perfect.ipynb").read_text())
    (cell,) = (one for one in notebook["cells"] if one["id"] == answer)
    return notebook, cell


def score(course: Path, name: str) -> float:
    return float(json.loads((course / "graded" / name / "results.json").read_text())["score"])


def change(course: Path, before: str, after: str) -> None:
    spec = course / "source" / NAME / "staff" / "spec.py"
    text = spec.read_text()
    assert before in text
    spec.write_text(text.replace(before, after))


def milder(course: Path) -> None:
    """Let any count pass."""
    change(
        course,
        "Close(reference.count, 0.0, describe)",
        "type('Milder', (Check,), {'__call__': lambda *_: Verdict(1.0, 'Milder.')})()",
    )
    change(course, "from autograder.kit import", "from autograder.kit import Check, Verdict,")


def test_what_was_not_trained_is_graded_and_not_judged(course: Path) -> None:
    """A check that passes more lets a question count that was left out: only a run can tell its mark."""
    staff = course / "source" / NAME / "staff" / "spec.py"
    text = staff.read_text()
    text = text.replace("HOMEWORK =", "class Learned(Close):\n    trains = True\n\n\nHOMEWORK =")
    text = text.replace("Close(reference.mean, 1e-6, describe)", "Learned(reference.mean, 1e-6)")
    staff.write_text(text.replace("if_right=", 'needs=("count",),\n            if_right='))
    wrong = course / "class" / "counted_wrong.ipynb"
    notebook, answer = perfect(course, "count_answer")
    answer["source"] = "def count_positive(numbers):\n    return 3"
    wrong.write_text(json.dumps(notebook))
    words = ("grade", NAME, str(wrong), "--out", str(course / "again"))
    assert fresh(course, *words)[0] == 0
    log = (course / "again" / "counted_wrong" / "submission_log.json").read_text()
    assert NOT_TRAINED in log
    change(course, "Close(reference.count, 0.0, describe)", "Close(reference.count, 9.0, describe)")
    status, complaint = fresh(course, "regrade", str(course / "again"))
    assert status == 2
    assert (
        "mean: training was skipped before, but can earn points now; run `autograder grade`"
        in complaint
    )
    assert fresh(course, *words)[0] == 0
    page = json.loads((course / "again" / "counted_wrong" / "results.json").read_text())
    assert float(page["score"]) == 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a disk of its own size")
@pytest.mark.parametrize("verb", ["regrade", "report"])
def test_a_full_disk_is_one_line(course: Path, tmp_path: Path, verb: str) -> None:
    """What it was writing, and that the same command goes on; no mark is lost."""
    (tmp_path / "disk").mkdir()
    # In a namespace of mounts of its own: nothing that is mounted is left behind.
    script = (
        'mount -t tmpfs -o size=400k none "$1/disk" && cp -r "$2/graded" "$1/disk" && '
        'cat /dev/zero > "$1/disk/fill" 2>/dev/null; '
        'cp -r "$1/disk/graded" "$1/before" && '
        '"$3" -m autograder "$4" "$1/disk/graded" --course "$2"; status=$?; '
        'diff -r "$1/before" "$1/disk/graded" && exit $status'
    )
    words = ["unshare", "-m", "sh", "-c", script, "sh", tmp_path, course, sys.executable, verb]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    assert done.returncode == 2, done.stderr + done.stdout
    (complaint,) = (line for line in done.stderr.splitlines() if line.startswith("autograder"))
    assert re.fullmatch(
        r"autograder: the disk is full \(.*\); free some space, and run .* again", complaint
    )
    assert "Traceback" not in done.stderr


def test_nothing_changes_when_nothing_did(course: Path) -> None:
    """The same checks on the same facts give the same marks and the same files."""
    files = {p: p.read_bytes() for p in (course / "graded").rglob("*") if p.is_file()}
    status, said, _ = run(course, "regrade", str(course / "graded"))
    assert status == 0
    assert "2 submissions: 0 gain 0 points, 0 lose 0 points, 0 to run again" in said
    assert files == {p: p.read_bytes() for p in (course / "graded").rglob("*") if p.is_file()}


def test_nothing_is_written_while_somebody_grades(course: Path) -> None:
    """An earlier upload's marks must not replace those of a newer one; --diff only reads."""
    milder(course)
    files = {p: p.read_bytes() for p in (course / "graded").rglob("*.json")}
    with claimed(course / "graded"):
        status, said, complaint = run(course, "regrade", str(course / "graded"))
        assert (status, said) == (2, "")
        assert "another `autograder grade` or `regrade` is writing into" in complaint
        assert run(course, "regrade", str(course / "graded"), "--diff")[0] == 0
    assert files == {p: p.read_bytes() for p in (course / "graded").rglob("*.json")}
    (course / "none").mkdir()
    assert "has no results" in run(course, "regrade", str(course / "none"))[2]
    assert not list((course / "none").iterdir())


def test_a_milder_check_is_announced_and_then_written(course: Path) -> None:
    """--diff names each gain with its reason, and writes nothing; without it the marks are there."""
    milder(course)
    status, said, _ = run(course, "regrade", str(course / "graded"), "--diff")
    assert status == 0
    assert "wrong count: 0 -> 2: Milder." in said
    assert "1 gain 2 points, 0 lose 0 points" in said
    assert score(course, "wrong") == 3
    assert run(course, "regrade", str(course / "graded"))[0] == 0
    assert score(course, "wrong") == 5
    assert "Milder." in (course / "graded" / "wrong" / "report.html").read_text()


def test_nobody_loses_unless_it_is_allowed(course: Path) -> None:
    """A stricter check is refused with the number of lower marks, and nothing is written."""
    change(course, "Close(reference.mean", "Close(reference.count")
    status, _, complaint = run(course, "regrade", str(course / "graded"))
    assert status == 2
    assert "2 marks would be lower, so nothing was written" in complaint
    assert score(course, "perfect") == 5
    assert run(course, "regrade", str(course / "graded"), "--allow-lower")[0] == 0
    assert score(course, "perfect") == 2


@pytest.mark.parametrize("carried", [False, True])
def test_what_may_be_right_at_the_end_is_noted_and_can_be_run(course: Path, carried: bool) -> None:
    """An answer that passed at its check cell was not tried at the end; a later cell may improve it."""
    later = course / "class" / "later.ipynb"
    notebook, answer = perfect(course, "mean_answer")
    right = "".join(answer["source"])
    answer["source"] = right.replace("def mean_positive", "def mean_of_positive") + (
        "\n\ndef mean_positive(numbers):\n    return mean_of_positive(numbers) * (1 + 1e-4)\n"
    )
    notebook["cells"].append(attack.new_cell(right))
    later.write_text(json.dumps(notebook))
    change(course, "reference.mean, 1e-6", "reference.mean, 0.01")
    words = ("grade", NAME, str(later), "--out", str(course / "again"))
    assert fresh(course, *words)[0] == 0
    folder = course / "again" / "later"
    if carried:  # as Gradescope returns it
        log = codec.decode_log((folder / "submission_log.json").read_bytes())
        page = embedded_log.with_log(json.loads((folder / "results.json").read_text()), log)
        (folder / "results.json").write_text(json.dumps(page))
        (folder / "grade.json").unlink()
    change(course, "reference.mean, 0.01", "reference.mean, 1e-6")
    status, _, complaint = run(course, "regrade", str(course / "again"), "--allow-lower")
    assert status == 0
    assert "later mean: wrong at its check cell, but perhaps right at the end" in complaint
    assert "`autograder grade --force` runs it again" in complaint
    assert run(course, *words, "--force")[0] == 0
    assert json.loads((folder / "results.json").read_text())["score"] == 5
    assert "the end of the notebook counts" in (folder / "report.html").read_text()
    assert run(course, "regrade", str(course / "again"))[0] == 0


def test_other_hidden_inputs_keep_the_old_mark(course: Path) -> None:
    """Values that answered other inputs are not judged; the question is to be run again."""
    change(
        course,
        "Close(reference.count, 0.0, describe),\n            cases",
        "Close(reference.count, 0.0, describe),\n            lambda rng: cases(rng)[:3]",
    )
    status, said, _ = run(course, "regrade", str(course / "graded"))
    assert status == 0
    assert "perfect count: run again (its hidden inputs have changed)" in said
    assert "2 to run again" in said
    assert score(course, "perfect") == 5


def test_bad_folders_and_logs_are_one_line(course: Path, tmp_path: Path) -> None:
    """No results, an unfinished log, a broken one: a line each, and the others are judged."""
    assert "has no results" in run(course, "regrade", str(tmp_path / "nothing"))[2]
    path = course / "graded" / "perfect" / "submission_log.json"
    path.write_text(path.read_text().replace('"complete": true', '"complete": false'))
    (course / "graded" / "zoe").mkdir()
    (course / "graded" / "zoe" / "submission_log.json").write_text("{}")
    gone = shutil.copytree(course / "graded" / "perfect", course / "graded" / "gone")
    (gone / "submission_log.json").unlink()
    status, said, complaints = run(course, "regrade", str(course / "graded"))
    assert status == 2
    assert "1 submission: 0 gain" in said
    assert "did not finish" in complaints
    assert "not a submission log" in complaints
    assert "gone/submission_log.json: the file is missing" in complaints


def test_a_broken_homework_is_one_line_for_the_whole_class(course: Path) -> None:
    """It is not one line per submission; existing results stay as they are."""
    change(course, "HOMEWORK =", "HOMEWORK = =")
    files = {p: p.read_bytes() for p in (course / "graded").rglob("*") if p.is_file()}
    status, said, complaints = run(course, "regrade", str(course / "graded"), "--diff")
    assert status == 2
    assert len(complaints.strip().splitlines()) == 1
    assert "spec.py" in complaints
    assert "0 submissions" in said
    assert files == {p: p.read_bytes() for p in (course / "graded").rglob("*") if p.is_file()}


def test_facts_are_not_touched(course: Path) -> None:
    """The log records facts, not points."""
    log = course / "graded" / "perfect" / "submission_log.json"
    before = log.read_bytes()
    change(course, "Close(reference.mean", "Close(reference.count")
    assert run(course, "regrade", str(course / "graded"), "--allow-lower")[0] == 0
    assert log.read_bytes() == before


LATE = """
[late]
rule = "deduct"
percent_a_day = 10
[homework.toy]
due = {}
"""


def test_a_page_of_gradescope_s_container_carries_its_log(course: Path) -> None:
    """results.json alone is judged again; once it is written, the log is beside it."""
    folder = course / "graded" / "wrong"
    log = folder / "submission_log.json"
    facts = log.read_bytes()
    page = json.loads((folder / "results.json").read_text())
    carrying = embedded_log.with_log(page, codec.decode_log(facts))
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
    """They had no grade.json: `report` prints that, `regrade` makes it, and no mark changes."""
    marks = [course / "graded" / name / "grade.json" for name in ("perfect", "wrong")]
    before = [path.read_bytes() for path in marks]
    for path in marks:
        path.unlink()
    status, _, complaints = run(course, "report", str(course / "graded"))
    assert status == 2
    assert complaints.count("an earlier version graded it; run `autograder regrade`") == 2
    status, said, _ = run(course, "regrade", str(course / "graded"))
    assert status == 0
    assert f"wrote {course / 'graded' / 'grades.csv'}" in said  # it was there, and is never old
    assert "2 submissions: 0 gain 0 points, 0 lose 0 points" in said
    assert [path.read_bytes() for path in marks] == before
    assert run(course, "report", str(course / "graded"))[0] == 0


def test_a_later_date_is_followed(course: Path, tmp_path: Path) -> None:
    """Lateness is in the facts: a new date changes what it costs, and no mark of a question."""
    export = tmp_path / "assignment_7_export"
    (export / "submission_1").mkdir(parents=True)
    shutil.copy(course / "class" / "wrong.ipynb", export / "submission_1" / "toy.ipynb")
    person = {":name": "Ben", ":sid": "b002", ":email": "ben@example.org"}
    entry = {":submitters": [person], ":created_at": "2026-03-04 05:06:07.123456789 Z"}
    (export / "submission_metadata.yml").write_text(yaml.safe_dump({"submission_1": entry}))
    settings = course / "course.toml"
    text = 'time_zone = "Europe/Vienna"\n' + settings.read_text()
    settings.write_text(text + LATE.format("2026-03-02T12:00:00"))
    graded = course / "graded"
    assert run(course, "grade", NAME, str(export), "--out", str(graded))[0] == 0
    results = json.loads((graded / "b002" / "results.json").read_text())
    whole = score(course, "wrong")
    assert results["score"] == pytest.approx(0.8 * whole)
    assert results["output"].startswith(
        "<p>Submitted 1 day and 18 hours after it was due (2026-03-02"
    )
    assert "This costs 20 % of the points" in (graded / "b002" / "report.html").read_text()
    settings.write_text(text + LATE.format("2026-03-04T00:00:00"))
    status, said, _ = run(course, "regrade", str(graded))
    assert status == 0
    assert f"b002 late: -{0.2 * whole:g} -> -{0.1 * whole:g}: Submitted 6 hours" in said
    assert "3 submissions: 1 gain" in said
    assert score(course, "b002") == pytest.approx(0.9 * whole)
    settings.write_text(text + LATE.format("2026-03-05T00:00:00"))
    assert "-> 0: No longer late." in run(course, "regrade", str(graded))[1]
    assert score(course, "b002") == whole
