"""Receipts and slip days through the verbs: a list of times decides, and the balance goes on."""

from pathlib import Path

import pytest

from autograder.course import late_days
from autograder.store import results
from tests.command_line import run
from tests.gradebooks import make_course
from tests.helpers import TOY, write_class

pytestmark = pytest.mark.slow
SETTINGS = """
[late]
rule = "deduct"
percent_a_day = 10
slip_days = 3
slip_days_at_most = 2
[homework.first]
due = 2026-10-01T12:00:00
[homework.toy]
due = 2026-10-10T12:00:00
"""


def test_slip_days_go_on_from_one_homework_to_the_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A student without any left after the first pays in the second; a regrade follows the file."""
    course = make_course(tmp_path / "course", like=TOY)
    (course / "source" / "first").mkdir()
    text = (course / "course.toml").read_text()
    (course / "course.toml").write_text(text + SETTINGS)
    (course / late_days.FILE).write_text("id,homework,days\nada,first,2\n")
    right = (write_class(tmp_path / "class") / "perfect.ipynb").read_bytes()
    for name in ("ada", "ben", "chi"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "toy.ipynb").write_bytes(right)
    times = tmp_path / "times.csv"
    times.write_text("id,submitted\nada,2026-10-12 11:00\nben,2026-10-12 11:00\n")
    out = course / "graded"
    words = ("toy", tmp_path / "in", "--out", out, "--course", course, "--receipts", times)
    status, said, err = run(capsys, "grade", *words)
    assert status == 0, err
    assert "has no time for 1 of 3 submissions, such as chi" in err
    assert "wrote late_days.csv: late days of toy" in said
    lines = (course / late_days.FILE).read_text().splitlines()
    assert lines == ["id,homework,days", "ada,first,2", "ada,toy,2", "ben,toy,2"]
    ada, ben, chi = (results.read_grade(out / name) for name in ("ada", "ben", "chi"))
    assert ada.slip_days == "1 slip day used; 0 of 3 left."
    assert ben.slip_days == "2 slip days used; 1 of 3 left."
    assert chi.slip_days == "3 of 3 slip days left."
    assert ada.penalty == pytest.approx(0.1 * (ada.score + ada.penalty))
    assert (ben.penalty, chi.penalty) == (0, 0)
    for name, grade in (("ada", ada), ("ben", ben), ("chi", chi)):
        assert grade.slip_days in (out / name / "report.html").read_text()
    (course / late_days.FILE).write_text("id,homework,days\n")
    status, said, err = run(capsys, "regrade", out, "--course", course)
    assert status == 0, err
    assert "ada late: -" in said
    assert results.read_grade(out / "ada").penalty == 0
    assert "ada,toy,2" in (course / late_days.FILE).read_text()
