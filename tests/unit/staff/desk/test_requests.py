"""requests, dates: a decision is that of the verb, and every date has one form."""

from datetime import datetime
from pathlib import Path

import pytest

from autograder.records.errors import UserError
from autograder.staff import regrade_requests
from autograder.staff.desk.activity import dates, requests
from autograder.staff.regrade_requests import Entry, Request
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
