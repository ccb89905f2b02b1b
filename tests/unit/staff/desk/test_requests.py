"""requests, dates: a decision is that of the verb, and every date has one form."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import regrade
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId, SubmissionLog
from autograder.records.marks import Grade, Mark
from autograder.staff import regrade_requests
from autograder.staff.desk.activity import dates, requests
from autograder.staff.regrade_requests import Entry, Request
from autograder.store import results
from tests.gradebooks import make_course, run
from tests.helpers import TOY

NOW = datetime(2026, 11, 30, 23, 59)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    log = [
        Entry(
            n, "2026-11-28 07:02", Request(f"s{n}", "mean", "Why?"), 0.0, 0.0, "keep", "As before."
        )
        for n in (1, 2, 3)
    ]
    (tmp_path / regrade_requests.FILE).write_text(regrade_requests.written(log))
    return tmp_path


def test_a_decision_is_that_of_the_verb(folder: Path, tmp_path: Path) -> None:
    """Both write the same line, and keep earlier decisions; decided requests come last."""
    requests.decide(folder, 1, "granted", by="Ana", why="too strict", at=NOW)
    (first,) = requests.asked(folder, "s1")
    assert first.decisions == "2026-11-30 23:59 Ana: granted (too strict)"
    assert [one.number for one in requests.asked(folder)] == [2, 3, 1]
    root = make_course(tmp_path / "course", like=TOY)
    words = ("--refuse", 1, "--by", "Ben", "--why", "it is right")
    status, said = run(root, "explain", folder, *words)
    assert status == 0, said
    before, after = requests.asked(folder, "s1")[0].decisions.splitlines()
    assert before == first.decisions
    assert after[16:] == " Ben: refused (it is right)"


def test_a_decision_made_while_requests_are_judged_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So are requests that came meanwhile; numbers go on, and the same request is in it once."""
    root, judge = make_course(tmp_path / "course", like=TOY), regrade.regrade
    submission = SubmissionId("ada", "notebook", "0" * 64)
    (folder / "ada").mkdir()
    results.write_log(folder / "ada", SubmissionLog("toy", submission, complete=True))
    results.write_grade(folder / "ada", Grade(submission, (Mark("mean", 3, 0, "Wrong."),)))
    form = tmp_path / "form.csv"
    form.write_text("id,question,reason\nada,mean,It is right\nbo,mean,Mine too\n")

    def slowly(*given: Any) -> Iterator[regrade.Regraded | str]:
        requests.decide(folder, 1, "granted", by="Ana", why="too strict", at=NOW)
        log = regrade_requests.entries(folder / regrade_requests.FILE)
        added = replace(log[0], number=4, request=Request("bo", "mean", "Mine too"), decisions="")
        (folder / regrade_requests.FILE).write_text(regrade_requests.written([*log, added]))
        yield from judge(*given)

    monkeypatch.setattr(regrade, "regrade", slowly)
    status, said = run(root, "explain", folder, "--requests", form)
    assert status == 0, said
    assert "5 ada mean: " in said
    log = regrade_requests.entries(folder / regrade_requests.FILE)
    assert log[0].decisions == "2026-11-30 23:59 Ana: granted (too strict)"
    assert [(one.number, one.request.id) for one in log] == [
        *((1, "s1"), (2, "s2"), (3, "s3")),
        *((4, "bo"), (5, "ada")),
    ]


@pytest.mark.parametrize(
    ("number", "word", "why"), [(9, "granted", "w"), (1, "", "w"), (1, "refused", "")]
)
def test_no_request_is_decided_by_mistake(folder: Path, number: int, word: str, why: str) -> None:
    """An unknown number, an unknown word and a missing reason change nothing."""
    before = (folder / regrade_requests.FILE).read_text()
    with pytest.raises(UserError):
        requests.decide(folder, number, word, by="Ana", why=why, at=NOW)
    assert (folder / regrade_requests.FILE).read_text() == before


def test_a_folder_without_requests_has_none(tmp_path: Path) -> None:
    assert requests.asked(tmp_path / "nothing") == []


@pytest.mark.parametrize("at", [NOW, "2026-11-30 23:59", "2026-11-30T23:59:10", "2026-11-30T23:59"])
def test_every_date_has_one_form(at: datetime | str) -> None:
    assert dates.written(at) == "Mon 30 Nov 2026, 23:59"


def test_a_text_that_is_no_date_stays() -> None:
    assert dates.written("") == ""
    assert dates.written("soon") == "soon"
