"""The command line: exit status, one line per complaint, and no traceback for people's mistakes."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from autograder import __version__
from autograder.cli import report, shared, unattended
from autograder.cli.progress import students
from autograder.course import course, late_days
from autograder.course.people import People
from autograder.grading import selection
from autograder.grading.wire import Graded
from autograder.records import codec
from autograder.records.facts import Receipt, SubmissionId, SubmissionLog
from autograder.records.marks import Grade, HandMarks, Mark
from autograder.store import files
from tests.command_line import run
from tests.graded import put
from tests.helpers import ROOT, TOY

GRADE = ("grade", "toy", TOY / "release", "--course", TOY, "--out")


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """Return the line of a verb that cannot use its arguments: status 2, and nothing else said."""
    status, said, errors = run(capsys, *words)
    assert (status, said) == (2, "")
    (line,) = errors.splitlines()
    return line


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """It comes before any verb, and works anywhere."""
    assert run(capsys, "--version") == (0, f"autograder {__version__}\n", "")
    assert run(capsys, "--version", "grade")[0] == 0


def test_without_a_course_the_complaint_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Outside a course: status 2, one line."""
    assert refusal(capsys, "check", "--course", tmp_path)


def test_an_unknown_homework_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A wrong name: status 2, with the existing names."""
    words = ("grade", "hw9", TOY / "release", "--out", tmp_path, "--course", TOY)
    assert "toy" in refusal(capsys, *words)


def test_an_older_python_is_one_line() -> None:
    """It comes before any import that an old Python cannot read."""
    code = (
        "import runpy, sys; sys.version_info = (3, 10, 13); sys.version = '3.10.13 (main)'; "
        "runpy.run_module('autograder', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 1
    assert done.stderr == "autograder: Python 3.11 or newer is needed; this is 3.10.13\n"


def test_an_extension_for_nobody_is_noted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The id may be mistyped, and somebody would be marked as late."""
    shutil.copytree(TOY, tmp_path / "course")
    with (tmp_path / "course" / "course.toml").open("a") as settings:
        settings.write(
            "[homework.toy]\ndue = 2026-03-02T23:59:00\nextensions = {4711 = 2026-03-09T23:59:00, 12 = 2026-03-09T23:59:00}\n"
        )
    (tmp_path / "course" / "roster.csv").write_text("id,name,email\n4711,Ada,ada@example.org\n")
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    words = ("grade", "toy", nothing, "--out", tmp_path / "out", "--course", tmp_path / "course")
    _, _, errors = run(capsys, *words)
    assert "[homework.toy] extensions: roster.csv has no id '12'" in errors
    assert "4711" not in errors


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--only", "nobody"), "--only nobody: no submission has this name"),
        (("--require", "luck"), "there is no layer 'luck'"),
        (("--insecure-cluster",), "--insecure-cluster needs --scheduler"),
        (("--watch", "--force"), "--watch takes one PATH, and goes only with"),
        (("--watch", "--all-cells"), "--watch takes one PATH, and goes only with"),
        (("--watch", "--require", "luck"), "there is no layer 'luck'"),
        (("--watch", "--commit", "last"), "--watch takes one PATH, and goes only with"),
        (
            ("--scheduler", "tcp://127.0.0.1:9", "-j", 2),
            "omit -j, which counts graders on this machine",
        ),
    ],
)
def test_options_that_say_nothing_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: tuple[object, ...], complaint: str
) -> None:
    """An option without effect is a mistake: one line, status 2, nothing written."""
    assert complaint in refusal(capsys, *GRADE, tmp_path / "out", *options)
    assert not (tmp_path / "out").exists()


def test_a_second_run_into_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """While one run writes there, a second gets one line and status 2."""
    with files.claimed(tmp_path):
        line = refusal(capsys, *GRADE, tmp_path)
    assert line.startswith("autograder: another `autograder grade` or `regrade` is writing into ")


def test_another_homework_into_a_folder_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Otherwise its results would be lost, one student after another."""
    (tmp_path / "ada").mkdir()
    other = SubmissionLog("other", SubmissionId("ada", "notebook", "0"))
    (tmp_path / "ada" / "submission_log.json").write_text(codec.encode_log(other))
    assert "has results of other; give a different --out" in refusal(capsys, *GRADE, tmp_path)


def test_late_days_of_two_runs_that_end_together_are_all_kept(tmp_path: Path) -> None:
    """The second waits until the first has written the course's file, and adds its own days."""
    dates = "".join(f"[homework.{name}]\ndue = 2026-10-01T12:00:00\n" for name in ("one", "two"))
    (tmp_path / "course.toml").write_text(
        f'title = "T"\nterm = "S"\n[late]\nslip_days = 3\n{dates}'
    )
    for name in ("one", "two"):
        (tmp_path / "source" / name).mkdir(parents=True)
    out, path = tmp_path / "graded", tmp_path / late_days.FILE
    receipt = Receipt(datetime(2026, 10, 2, 9, tzinfo=UTC))
    log = SubmissionLog("two", SubmissionId("ada", "notebook", "0" * 64), receipt=receipt)
    (out / "ada").mkdir(parents=True)
    (out / "ada" / files.LOG).write_text(codec.encode_log(log))
    second = threading.Thread(
        target=shared.keep_late_days, args=(tmp_path, course.read(tmp_path), out)
    )
    with files.locked(path):
        second.start()
        second.join(0.2)
        files.write(path, late_days.text({"one": {"ada": 1}}))
    second.join()
    assert late_days.read(tmp_path) == {"one": {"ada": 1}, "two": {"ada": 1}}


def test_ids_that_the_roster_does_not_have_are_noted() -> None:
    """The lines list missing people and strangers, or give advice if nobody matches."""
    people = People.of({"a001": {}, "b002": {}, "c003": {}})
    (said,) = selection.beside_the_roster(["a001", "b002"], people)
    assert said == "1 of 3 people in roster.csv have no submission here: c003"
    (said,) = selection.beside_the_roster(["501", "502"], people)
    assert said.startswith("none of these 2 ids, such as 501, is in roster.csv; use --ids CSV")
    *_, said = selection.beside_the_roster(["a001", "b002", "613"], people)
    assert said == "1 submission by nobody in roster.csv: 613"
    assert not list(selection.beside_the_roster(["perfect"], People()))


def test_a_release_older_than_its_source_is_noted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The students' version must differ from the graded one; times of files do not count."""
    shutil.copytree(TOY, tmp_path / "c")
    source = tmp_path / "c" / "source" / "toy" / "toy.ipynb"
    os.utime(source)
    shared.note_stale_release(tmp_path / "c", "toy")
    assert capsys.readouterr().err == ""
    released = tmp_path / "c" / "release" / "toy" / "toy.ipynb"
    assert (
        released.stat().st_mtime_ns == source.stat().st_mtime_ns
    )  # and the next run does not look
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("Toy", "Toys", 1), encoding="utf-8")
    shared.note_stale_release(tmp_path / "c", "toy")
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith(
        "note: release/toy/toy.ipynb is stale; `autograder release toy` updates it"
    )


def dated(path: Path, seconds: int) -> None:
    """Write an empty file of some time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (seconds, seconds))


def test_marks_older_than_the_dates_are_noted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """So is a table older than marks; nothing appears if all is in order."""
    out = tmp_path / "out"
    dated(out / "ada" / files.LOG, 0)
    dated(out / "refused" / files.GRADE, 0)  # it has no log, and no regrade concerns it
    dated(tmp_path / "course.toml", 1)
    dated(out / "ada" / files.GRADE, 2)
    dated(out / files.GRADES, 3)
    shared.note_dates(tmp_path, out)
    shared.note_old_table(out)
    assert capsys.readouterr().err == ""
    dated(out / "ada" / files.GRADE, 4)
    dated(tmp_path / "course.toml", 5)
    shared.note_dates(tmp_path, out)
    assert "course.toml is newer than some marks" in capsys.readouterr().err
    shared.note_old_table(out)
    assert "is older than some marks" in capsys.readouterr().err


def test_unknown_verbs_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments give status 2, too."""
    assert run(capsys, "grad")[0] == 2
    assert run(capsys, "grade", "toy")[0] == 2


@pytest.mark.parametrize("course", [ROOT, TOY])
def test_release_check_sees_that_all_is_fresh(
    capsys: pytest.CaptureFixture[str], course: Path
) -> None:
    """The committed releases and solutions match their sources."""
    status, _, errors = run(capsys, "release", "--check", "--course", course)
    assert (status, errors) == (0, "")


def test_release_check_writes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An option that writes is refused beside it."""
    to = tmp_path / "published"
    status, _, errors = run(capsys, "release", "--check", "--to", to, "--course", TOY)
    assert (status, "--check writes nothing; leave out" in errors) == (2, True)
    assert not to.exists()


def test_the_course_is_found_from_a_folder_below() -> None:
    """Verbs work from any folder of the course."""
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "release", "--check"],
        cwd=TOY / "source" / "toy",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_table_fits_a_terminal() -> None:
    """At 80 columns, each submission takes one line, with its full name."""
    points = {"port": 8, "port_positions": 8, "port_gradients": 4, "port_vectorised": 4}
    points |= {"identity": 12, "compare_identity": 6, "copy_first": 12, "compare_copy_first": 6}
    marks = tuple(Mark(name, most, most, "") for name, most in points.items())
    marks = (*marks, Mark("unique", 4, 4, "", extra=True))
    grade = Grade(SubmissionId("a_student_of_mine", "notebook", "0" * 64), marks)
    rows = [Graded(f"{letter}_student_of_mine", Path(), grade) for letter in "abc"]
    console = Console(width=80, file=StringIO())
    console.print(students("Homework 2: a transformer, ported and designed by hand", rows))
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    for row in rows:
        (line,) = [line for line in lines if row.name in line]
        assert line.split()[1:] == ["8", "8", "4", "4", "12", "6", "12", "6", "4", "64"]


def test_a_signal_while_an_object_is_cleared_away_is_noted() -> None:
    """Python swallows exceptions raised there, so the run checks after each result."""

    class Cleared:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with unattended.stopped_in_order() as came:
        cleared = Cleared()
        del cleared
        assert came == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert came == [signal.SIGINT, signal.SIGTERM]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_missing_permission_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """It names the path, and the status is 2; other errors of the system keep their traceback."""
    end = shared.end_of(PermissionError(errno.EACCES, "Permission denied", "course/course.toml"))
    assert (type(end), end.args) == (SystemExit, (2,))
    assert "course/course.toml cannot be read or written (Permission denied)" in " ".join(
        capsys.readouterr().err.split()
    )
    other = OSError(errno.EIO, "Input/output error", "course.toml")
    assert shared.end_of(other) is other


def test_late_days_that_are_unknown_or_cannot_be_written_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged log loses only its own late days; without permission, one line has the remedy."""
    root, out = tmp_path / "course", tmp_path / "out"
    (root / "source" / "toy").mkdir(parents=True)
    (root / "course.toml").write_text(
        'title = "A"\nterm = "B"\n[late]\nslip_days = 3\n'
        "[homework.toy]\ndue = 2026-10-01T12:00:00\n"
    )
    receipt = Receipt(datetime(2026, 10, 3, 11, tzinfo=UTC))
    for student in ("ada", "ben"):
        put(out, student, {"mean": 3}, receipt=receipt)
    (out / "ben" / "submission_log.json").write_text("{")
    settings = course.read(root)

    def refuse(path: Path, text: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(files, "write", refuse)
        _, line = shared.keep_late_days(root, settings, out)
    assert "late_days.csv cannot be written (Permission denied); the late days of" in line
    assert line.endswith(f"then run `autograder regrade {out}`")
    (line,) = shared.keep_late_days(root, settings, out)
    assert line.startswith(f"{out / 'ben'}: submission_log.json cannot be read")
    assert line.endswith("its late days are unknown")
    assert (root / "late_days.csv").read_text() == "id,homework,days\nada,toy,2\n"
    (root / "late_days.csv").write_text("id,homework,days\nAda,toy,1\nben,toy,1\n")
    shared.keep_late_days(root, course.read(root), out)  # without a roster, in another spelling
    assert late_days.read(root) == {"toy": {"ada": 2, "ben": 1}}


@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_damaged_log_costs_nobody_else_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: bool
) -> None:
    """One line names it; and no page replaces the page of marks that were given meanwhile."""
    for student in ("ada", "ben"):
        put(tmp_path, student, {"argue": None})
    (tmp_path / "ben" / "submission_log.json").write_text("{")

    def given(*_: object) -> tuple[str, dict[str, HandMarks]]:
        if meanwhile:
            os.utime(tmp_path / "ada" / files.GRADE)
        return "gradebook", {student: HandMarks({"argue": 1.0}) for student in ("ada", "ben")}

    monkeypatch.setattr(report, "given_by_people", given)
    (line,) = report.write(TOY, tmp_path, None)
    assert line.startswith(f"{tmp_path / 'ben'}: submission_log.json cannot be read")
    assert (tmp_path / "grades.csv").read_text(encoding="utf-8-sig").count("\n") == 4
    assert (len((tmp_path / "ada" / files.REPORT).read_text()) < 30) is meanwhile


def test_an_extension_that_nobody_has_is_noted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Without a roster, only the graded submissions can show a typing error."""
    until = datetime(2026, 10, 9, tzinfo=UTC)
    dates = course.Due(due=until, extensions={"Ada": until, "bne": until})
    settings = course.Course(title="A", term="B", homework={"toy": dates})
    put(tmp_path, "ada", {"mean": 3})
    shared.note_unused_extensions(settings, People(), "toy", tmp_path)
    said = capsys.readouterr().err
    assert (
        said
        == "note: course.toml: [homework.toy] extensions: no graded submission has the id 'bne'\n"
    )
