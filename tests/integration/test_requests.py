"""requests: a mark is judged again after the check was mended, and the log goes on."""

from pathlib import Path

import pytest

from autograder.store import results
from tests.command_line import run
from tests.gradebooks import make_course
from tests.helpers import TOY, write_class

pytestmark = pytest.mark.slow


def test_requests_are_judged_again_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Marks stay as they are until `regrade`; the same file twice adds nothing."""
    course = make_course(tmp_path / "course", like=TOY)
    submissions = write_class(tmp_path / "class")
    out = course / "graded"
    words = (submissions / "perfect.ipynb", "--out", out, "--course", course)
    status, _, err = run(capsys, "grade", "toy", *words)
    assert status == 0, err
    grade = results.read_grade(out / "perfect")
    lower = tuple(
        mark if mark.question != "mean" else type(mark)("mean", mark.points, 0.0, "Wrong.")
        for mark in grade.marks
    )
    results.write_grade(out / "perfect", type(grade)(grade.submission, lower))
    csv = tmp_path / "form.csv"
    csv.write_text("id,question,reason\nperfect,mean,It is right\nzoe,mean,=cmd()\n")
    status, said, err = run(capsys, "requests", out, csv, "--course", course)
    assert status == 0, err
    assert "1 perfect mean: raise to 3" in said
    assert "2 zoe mean: no submission" in said
    assert results.read_grade(out / "perfect").marks == lower
    again = ("requests", out, csv, "--grant", "1", "--by", "ana", "--course", course)
    status, said, err = run(capsys, *again)
    assert status == 0, err
    assert "2 requests, 1 without a decision" in said
    text = (out / "requests.csv").read_text(encoding="utf-8-sig")
    assert "ana: granted" in text
    assert "'=cmd()" in text
    for wrong, why in [
        (("requests", out), "give a CSV of requests, or a decision"),
        (("requests", out, "--grant", "1"), "name the person who decided with --by"),
        (("requests", out, "--refuse", "7", "--by", "ana"), "there is no request 7"),
    ]:
        status, _, err = run(capsys, *wrong, "--course", course)
        assert status == 2
        assert why in err
