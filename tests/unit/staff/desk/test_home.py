"""home, jobs: outdated reports, and the contents of a job's output."""

import errno
import sys
import time
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from autograder.staff.desk import classes as desk
from autograder.staff.desk import home
from autograder.staff.desk.classes import Classes
from autograder.staff.desk.jobs import Command, Jobs
from autograder.store import files, results
from tests import fabricated_class
from tests.gradebooks import make_course, run
from tests.helpers import TOY

PRINTED = """\
note: the secret is the public one
s1: 3/9 count=1/2 mean=2/3
autograder: /graded/.desk/inbox/17/new.zip/s2.ipynb (s2): it is not a notebook
s3: -0.5/9 count=0/2
"""


def test_reports_are_out_of_date_where_a_mark_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are outdated without a table, and after any change of a mark, whoever gave it."""
    monkeypatch.setattr(desk, "_PAUSE", 0.0)
    root = make_course(tmp_path / "course", like=TOY)
    place = fabricated_class.write(tmp_path / "out" / "toy", 4)
    (root / "roster.csv").write_text("id,name\ns00000,Ana\n+1,Bo\n")  # which no table has as it is
    (place / "s00001").rename(place / "_1")
    known = Classes(root, tmp_path / "out", None)
    assert home.stale(known, "toy")
    status, said = run(root, "report", place)
    assert status == 0, said
    assert not home.stale(known, "toy")
    grade = results.read_grade(place / "s00002")
    first = replace(grade.marks[0], earned=(grade.marks[0].earned or 0.0) + 0.25)
    results.write_grade(place / "s00002", replace(grade, marks=(first, *grade.marks[1:])))
    assert home.stale(known, "toy")
    assert not home.stale(Classes(root, tmp_path / "nothing", None), "toy")


@pytest.mark.parametrize(
    "saved",
    ["id;score\ns1;1,5\n".encode("utf-8-sig"), b"id,name\ns1,M\xfcller\n", b"score,id\n1\n"],
)
def test_a_table_that_a_spreadsheet_saved_is_written_again(tmp_path: Path, saved: bytes) -> None:
    """German Excel puts semicolons, or another encoding; no page of the desk fails for it."""
    place = fabricated_class.write(tmp_path / "out" / "toy", 1)
    (place / files.GRADES).write_bytes(saved)
    assert home.stale(
        Classes(make_course(tmp_path / "course", like=TOY), tmp_path / "out", None), "toy"
    )


@pytest.mark.parametrize(
    ("end", "previewed"),
    [
        ("Nothing was written.\n", True),
        ("autograder: it has no line for s9; nothing was written. Export it again\n", False),
    ],
)
def test_a_jobs_output_is_read(tmp_path: Path, end: str, previewed: bool) -> None:
    """It shows graded people, newest first, complaints, and whether a preview finished."""
    folder = tmp_path / "1"
    folder.mkdir()
    command = Command("Grade toy", ("grade", "toy"), at=5.0, then=Command("Write", ("export",)))
    files.write_bytes(folder / "job.json", msgspec.json.encode(command))
    files.write(folder / "output.txt", PRINTED + end)
    files.write(folder / "status", "2")
    job = Jobs(tmp_path, tmp_path).get(1)
    assert job.command == command
    assert job.graded == [("s3", "-0.5/9"), ("s1", "3/9")]
    assert job.complaints[0] == "new.zip/s2.ipynb (s2): it is not a notebook"
    assert len(job.complaints) == 2 - previewed
    assert (job.running, job.status, job.previewed) == (False, 2, previewed)


@pytest.mark.parametrize("left", [None, b"", b'{"title":'])
def test_a_job_that_was_never_written_hides_no_other(tmp_path: Path, left: bytes | None) -> None:
    """The desk was killed while it made the folder, or the disk was full."""
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
    command = msgspec.json.encode(Command("Grade toy", ("grade", "toy"), homework="toy"))
    files.write_bytes(tmp_path / "1" / "job.json", command)
    if left is not None:
        files.write_bytes(tmp_path / "2" / "job.json", left)
    jobs = Jobs(tmp_path, tmp_path)
    assert [job.number for job in jobs.recent()] == [1]
    assert [job.number for job in jobs.recent("toy")] == [1]
    with pytest.raises(KeyError):
        jobs.get(2)


def test_a_job_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        Jobs(tmp_path, tmp_path / "jobs").start(Command("Grade toy", ("grade", "toy")))
    assert not list((tmp_path / "jobs").iterdir())


def test_marks_are_kept_by_whoever_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ben goes on after Ana's preview, or tries again what she started."""
    monkeypatch.setattr(sys, "executable", "/bin/echo")
    jobs = Jobs(tmp_path, tmp_path / "jobs")
    number = jobs.start(Command("Keep these marks", ("regrade", "D"), by="Ben"))
    while jobs.get(number).running:
        time.sleep(0.01)
    assert jobs.get(number).output.endswith(" --by Ben\n")
