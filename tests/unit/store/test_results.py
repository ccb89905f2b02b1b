"""results: they are read back as written; missing or broken ones are reported, never zero."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import inputs
from autograder.records import versions
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.store import embedded_log, files, results
from tests.helpers import SECRET
from tests.sample_grade import GRADE, LOG, ME

WHOLE = replace(LOG, complete=True)


def written(folder: Path) -> Path:
    folder.mkdir()
    results.write_log(folder, WHOLE)
    results.write_grade(folder, GRADE)
    return folder


def test_facts_and_marks_come_back(tmp_path: Path) -> None:
    """All come back, including facts that need no complete reading."""
    folder = written(tmp_path / "anna")
    assert results.read_log(folder) == WHOLE
    assert results.read_grade(folder) == GRADE == results.found_grade(folder)
    assert results.has_log(folder)
    assert results.has_marks(folder)
    assert results.complete(folder)
    assert results.holds(folder, ME.sha256)
    assert not results.holds(folder, "f" * 64)


def test_marks_of_another_upload_are_not_done(toy: Homework, tmp_path: Path) -> None:
    """Facts with an earlier upload's marks beside them are graded again, so the damage does not stay."""
    drawn = inputs.digests(toy, submission=ME, secret=SECRET)
    log = replace(WHOLE, homework=toy.name, versions=versions.facts(toy), inputs=drawn, remarks=())
    folder = written(tmp_path / "anna")
    results.write_log(folder, log)
    for name in files.NEEDED[1:]:
        files.write(folder / name, "{}")
    submission = Submission(ME, ())
    assert results.done(folder, submission, toy, SECRET) is not None
    results.write_grade(folder, replace(GRADE, submission=replace(ME, sha256="f" * 64)))
    assert results.done(folder, submission, toy, SECRET) is None


def test_what_is_not_finished_is_not_complete(tmp_path: Path) -> None:
    """A log that was still being written does not count as done."""
    folder = written(tmp_path / "anna")
    results.write_log(folder, replace(WHOLE, complete=False))
    assert not results.complete(folder)
    assert not results.holds(folder, ME.sha256)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "it has no grade.json: an earlier version graded it; run `autograder regrade`"),
        ("{", "grade.json cannot be read"),
        ('{"marks": 3}', "grade.json cannot be read"),
    ],
)
def test_marks_that_are_missing_or_broken_are_told(
    tmp_path: Path, text: str | None, complaint: str
) -> None:
    """One line has the remedy; nobody gets zero points for it."""
    folder = written(tmp_path / "anna")
    (folder / files.GRADE).unlink()
    if text is not None:
        (folder / files.GRADE).write_text(text)
    with pytest.raises(UserError, match=complaint) as error:
        results.read_grade(folder)
    assert "\n" not in str(error.value)
    assert results.found_grade(folder) is None
    assert not results.has_marks(folder)


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    """It has neither facts nor marks, and reading either says what is missing."""
    assert not results.has_log(tmp_path)
    assert not results.complete(tmp_path)
    with pytest.raises(UserError, match=r"it has neither submission_log.json nor results.json"):
        results.read_log(tmp_path)
    with pytest.raises(UserError, match=r"it has no grade.json; run `autograder grade` again"):
        results.read_grade(tmp_path)


def test_folders_of_all_versions_are_found_in_order(tmp_path: Path) -> None:
    """Any of log, marks or Gradescope's page is enough; other folders do not count."""
    with pytest.raises(UserError, match="has no results"):
        results.folders(tmp_path)
    for name, file in (("carl", files.LOG), ("anna", files.GRADE), ("bob", files.RESULTS)):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text("{}")
    (tmp_path / "pages").mkdir()
    assert [one.name for one in results.folders(tmp_path)] == ["anna", "bob", "carl"]


def test_results_of_another_homework_are_not_overwritten(tmp_path: Path) -> None:
    """One line names it; an unreadable log stops nobody."""
    written(tmp_path / "anna")
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / files.LOG).write_text("{")
    results.refuse_others(tmp_path, "hw")
    with pytest.raises(UserError, match="has results of hw; give a different --out for other"):
        results.refuse_others(tmp_path, "other")


def test_gradescopes_page_carries_the_log(tmp_path: Path) -> None:
    """No other file is kept there; a cut or missing log is reported."""
    page = embedded_log.with_log({"extra_data": {"kept": 1}, "tests": []}, WHOLE)
    (tmp_path / files.RESULTS).write_text(json.dumps(page))
    assert page["extra_data"]["kept"] == 1
    assert results.has_log(tmp_path)
    assert results.read_log(tmp_path) == WHOLE
    for broken in ("not base64", page["extra_data"]["log"][:40]):
        page["extra_data"]["log"] = broken
        with pytest.raises(UserError, match="cannot be read"):
            embedded_log.log(page)
    for none in (None, [], {}, {"extra_data": None}, {"extra_data": {"log": None}}):
        with pytest.raises(UserError, match="contains no log"):
            embedded_log.log(none)


def test_points_of_an_earlier_version_are_read_from_its_page(tmp_path: Path) -> None:
    """Questions marked by hand are not included."""
    tests = [
        {"score": 2.5, "extra_data": {"question": "mean"}},
        {"output": "A TA will mark this.", "extra_data": {"question": "argue"}},
    ]
    page = {"tests": tests, "extra_data": {"late_penalty": 1}}
    (tmp_path / files.RESULTS).write_text(json.dumps(page))
    assert embedded_log.points(tmp_path) == ({"mean": 2.5}, 1.0)
    (tmp_path / files.RESULTS).write_text('{"tests": 3}')
    with pytest.raises(UserError, match=r"results.json cannot be read"):
        embedded_log.points(tmp_path)
