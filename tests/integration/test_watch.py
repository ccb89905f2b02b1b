"""`autograder watch`: graded as they come, returned, ended by a signal, and gone on with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.grading.inbox import Arrivals
from autograder.submission import discover
from tests import runs
from tests.command_line import run
from tests.gradebooks import make_course
from tests.helpers import TOY, write_class

pytestmark = pytest.mark.slow


def put(source: Path, place: Path, student: str) -> None:
    """Submit a notebook, by a clock that is ahead of ours."""
    target = place / student / "toy.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    ahead = time.time() + 3_600
    os.utime(target, (ahead, ahead))


def put_late(source: Path, place: Path) -> None:
    """Submit a notebook of ada's on October 3."""
    target = place / "ada" / "toy" / "toy.ipynb"
    target.parent.mkdir(parents=True)
    shutil.copy(source, target)
    (target.parent / "timestamp.txt").write_text("2026-10-03 11:00:00 UTC")


def late_course(folder: Path, rule: str) -> Path:
    """Make a course whose homework is due on October 1."""
    course = make_course(folder, like=TOY)
    with (course / "course.toml").open("a") as settings:
        settings.write(f"\n[late]\n{rule}\n[homework.toy]\ndue = 2026-10-01T12:00:00\n")
    return course


def test_a_watch_grades_what_comes_and_goes_on_after_a_signal(tmp_path: Path) -> None:
    """SIGTERM ends it with status 143 and one line; the next one grades the new ones alone."""
    solved = write_class(tmp_path / "class") / "perfect.ipynb"
    place, back, out = tmp_path / "in", tmp_path / "back", tmp_path / "out"
    place.mkdir()
    words = [sys.executable, "-m", "autograder", "watch", "toy", str(place), "--out", str(out)]
    words += ["--return", str(back), "--every", "0.2", "--course", str(TOY)]

    def graded(*students: str) -> tuple[int, str, str]:
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
        )
        for student in students:
            put(solved, place, student)
            runs.wait_until((back / student / "toy.html").is_file, process)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        return runs.ended(process)

    status, shown, errors = graded("ada", "ben")
    assert status == 143
    assert [line.split(";")[0] for line in shown.splitlines()] == [
        "ada: 5 of 7 points",
        "ben: 5 of 7 points",
    ]
    assert "stopped: 2 graded; run the same command again to continue" in errors
    before = (out / "ada" / "submission_log.json").stat().st_mtime_ns
    status, shown, errors = graded("chi")
    assert status == 143
    assert shown.startswith("chi: 5 of 7 points")
    assert "stopped: 1 graded" in errors
    assert (out / "ada" / "submission_log.json").stat().st_mtime_ns == before


def test_the_days_limit_is_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The second upload of a day waits where one is graded; what was graded stays, and is found."""
    notebooks = write_class(tmp_path / "class")
    course = make_course(tmp_path / "course", like=TOY)
    settings = course / "course.toml"
    text = settings.read_text()
    assert "[gradescope]" not in text
    settings.write_text(f"{text}\n[gradescope]\nattempts_a_day = 1\n")
    place, out = tmp_path / "in", tmp_path / "out"
    put(notebooks / "perfect.ipynb", place, "ada")
    words = ("watch", "toy", place, "--out", out, "--once", "--course", course)
    status, shown, _ = run(capsys, *words)
    assert (status, shown.split(";")[0].strip()) == (0, "ada: 5 of 7 points")
    first = json.loads((out / "ada" / "submission_log.json").read_text())["submission"]["sha256"]
    assert run(capsys, *words)[0] == 0
    other = next(path for path in sorted(notebooks.glob("*.ipynb")) if path.stem != "perfect")
    put(other, place, "ada")
    status, shown, errors = run(capsys, *words)
    assert (status, shown) == (2, "")
    assert "ada: the daily limit is reached; the submission waits" in errors
    now = json.loads((out / "ada" / "submission_log.json").read_text())["submission"]["sha256"]
    assert now == first


def test_late_days_are_kept_as_submissions_come(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Otherwise slip days could be used again in the next homework."""
    solved = write_class(tmp_path / "class") / "perfect.ipynb"
    course = late_course(tmp_path / "course", "slip_days = 3")
    place, out = tmp_path / "in", tmp_path / "out"
    put_late(solved, place)
    words = ("watch", "toy", place, "--out", out, "--once", "--course", course)
    status, shown, errors = run(capsys, *words)
    assert status == 0, errors
    assert "wrote late_days.csv: late days of toy" in shown
    lines = (course / "late_days.csv").read_text().splitlines()
    assert lines == ["id,homework,days", "ada,toy,2"]
    (course / "late_days.csv").unlink()  # a run that was killed may not have got so far
    assert "wrote late_days.csv: late days of toy" in run(capsys, *words)[1]
    assert (course / "late_days.csv").read_text().splitlines() == lines


@pytest.mark.parametrize(
    ("until", "late", "complaint"),
    [
        ("2026-10-09T12:00:00", "", ""),
        ("soon", "Submitted 1 day and 23 hours", "until this is fixed, the earlier settings count"),
    ],
)
def test_an_extension_that_is_given_meanwhile_counts(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: str,
    late: str,
    complaint: str,
) -> None:
    """A change of course.toml counts from the next look; an error in it keeps the earlier settings."""
    solved = write_class(tmp_path / "class") / "perfect.ipynb"
    course = late_course(tmp_path / "course", 'rule = "deduct"')
    place, out = tmp_path / "in", tmp_path / "out"
    put_late(solved, place)
    text = (course / "course.toml").read_text()
    new = Arrivals.new

    def look(arrivals: Arrivals) -> tuple[list[discover.Found], list[str]]:
        (course / "course.toml").write_text(f"{text}[homework.toy.extensions]\nada = {until}\n")
        return new(arrivals)

    monkeypatch.setattr(Arrivals, "new", look)
    status, _, errors = run(
        *(capsys, "watch", "toy", place, "--out", out, "--once", "--course", course)
    )
    assert status == (2 if complaint else 0), errors
    assert complaint in " ".join(errors.split())
    assert json.loads((out / "ada" / "grade.json").read_text())["late"][:28] == late


def test_a_report_that_cannot_be_returned_costs_nobody_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One line says which; the marks are there, and so is the next person's report."""
    solved = write_class(tmp_path / "class") / "perfect.ipynb"
    place, back, out = tmp_path / "in", tmp_path / "back", tmp_path / "out"
    for student in ("ada", "ben"):
        put(solved, place, student)
    (back / "ada" / "toy.html").mkdir(parents=True)
    words = ("watch", "toy", place, "--out", out, "--return", back, "--once", "--course", TOY)
    status, shown, errors = run(capsys, *words)
    assert status == 2
    assert f"{back / 'ada' / 'toy.html'} cannot be written" in " ".join(errors.split())
    assert "ben: 5 of 7 points; its report:" in shown
    assert (out / "ada" / "report.html").is_file()
    assert (back / "ben" / "toy.html").is_file()


class Cleared:
    """An object that is freed while a signal arrives: what a handler raises there is lost."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_that_cannot_be_raised_ends_the_watch_all_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service that only notes it would go on, and be killed in the middle of a submission."""
    looks: list[int] = []
    new = Arrivals.new

    def look(arrivals: Arrivals) -> tuple[list[discover.Found], list[str]]:
        looks.append(len(looks))
        assert len(looks) < 4, "it goes on"
        if len(looks) == 2:
            one = Cleared()
            del one
        return new(arrivals)

    monkeypatch.setattr(Arrivals, "new", look)
    (tmp_path / "in").mkdir()
    words = ("watch", "toy", tmp_path / "in", "--out", tmp_path / "out", "--every", "0.1")
    status, shown, errors = run(capsys, *words, "--course", TOY)
    assert (status, shown) == (143, "")
    assert "stopped: 0 graded; run the same command again to continue" in errors
    assert looks == [0, 1]


def test_what_cannot_be_watched_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """No folder, or results among the submissions."""
    words = ("watch", "toy", tmp_path / "none", "--out", tmp_path / "out", "--course", TOY)
    assert "there is no such folder" in run(capsys, *words)[2]
    words = ("watch", "toy", tmp_path, "--out", tmp_path / "out", "--course", TOY)
    status, _, errors = run(capsys, *words)
    assert (status, "so it would be graded; choose a folder elsewhere" in errors) == (2, True)


def test_a_watch_needs_the_layers_that_grading_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a required layer, it ends with one line and status 2 before it grades anything."""
    monkeypatch.setattr(shutil, "which", lambda *_: None)  # as if bubblewrap were not installed
    solved = write_class(tmp_path / "class") / "perfect.ipynb"
    put(solved, tmp_path / "in", "ada")
    words = ("grade", "toy", tmp_path / "in", "--watch", "--once", "--out", tmp_path / "out")
    status, _, errors = run(capsys, *words, "--require", "namespaces", "--course", TOY)
    assert status == 2
    assert "the layer 'namespaces' is required but does not work here" in errors
    assert not (tmp_path / "out" / "ada").exists()
