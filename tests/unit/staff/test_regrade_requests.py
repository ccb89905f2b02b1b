"""requests: forms are read, answers are drafted from facts, and decisions are kept."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.course.people import People
from autograder.grading.regrade import Regraded
from autograder.records.errors import UserError
from autograder.records.facts import Outcome, Remark, SubmissionId, SubmissionLog
from autograder.records.marks import Grade, Mark, Misconception
from autograder.staff import regrade_requests
from autograder.staff.regrade_requests import Entry, Request

ME = SubmissionId("a001", "notebook", "0" * 64)
FITS = Misconception("columns", "Which entries sum to one?", "A softmax over the queries.")
MARKS = (
    Mark("port", 8, 8, "Equal."),
    Mark("identity", 12, 0, "Wrong numbers.", misconception=FITS),
    Mark("argue", 6, None, "A person marks this.", by_hand=True),
    Mark("fast", 4, 0, "Later."),
)
LOG = SubmissionLog(
    "hw",
    ME,
    repairs=(Remark("student", "A cell was moved up."),),
    passed_here=("identity",),
    outcomes=(Outcome("identity", 0, "returned", {}), Outcome("identity", 1, "raised")),
)
ITEM = Regraded(Path("a001"), LOG, Grade(ME, MARKS), (), ("fast",))
BEFORE = {"port": 6.0, "identity": 0.0, "argue": 4.0, "fast": 0.0}


@pytest.mark.parametrize(
    ("question", "now", "proposal", "said"),
    [
        (
            "port",
            8.0,
            "raise to 8",
            "Judged again, it earns 8 of 8 points; before, it had 6. Equal.",
        ),
        ("Identity", 0.0, "keep", "as before. Wrong numbers. Where to look: Which entries"),
        (
            "argue",
            None,
            "a person looks again",
            "This is marked by hand: 4 of 6 points. The comment",
        ),
        ("fast", None, "run again", "because its hidden inputs have changed"),
        ("nine", None, "no such question", "choose from: port, identity, argue, fast"),
    ],
)
def test_an_answer_is_drafted_from_the_facts(
    question: str, now: float | None, proposal: str, said: str
) -> None:
    """It has the new points and the report's words, and the mistake only if it may be shown."""
    request = Request("a001", question, "why?")
    _, has, what, answer = regrade_requests.answered(
        request, ITEM, BEFORE, explain=False, given={"argue": "Too short."}
    )
    assert (has, what) == (now, proposal)
    assert said in answer
    assert "softmax over the queries" not in answer
    if question == "Identity":
        assert "2 hidden cases (1 returned, 1 raised)" in answer
        assert "The check in your notebook passed" in answer
        assert "A cell was moved up." in answer
        told = regrade_requests.answered(request, ITEM, BEFORE, explain=True, given={})[3]
        assert "softmax over the queries" in told


def test_a_mark_that_would_fall_and_a_submission_that_is_not_there() -> None:
    """Both are reported, and a person decides."""
    found = regrade_requests.answered(
        Request("a001", "port", ""), ITEM, BEFORE | {"port": 9.0}, explain=False, given={}
    )
    assert found[:3] == (9.0, 8.0, "lower to 8")
    none = regrade_requests.answered(Request("zoe", "port", ""), None, {}, explain=False, given={})
    assert none[:3] == (None, None, "no submission")
    _, _, proposal, answer = regrade_requests.answered(
        Request("zo", "port", ""), None, {}, explain=False, given={}, stranger=True
    )
    assert proposal == "nobody in roster.csv has this id"
    assert answer.startswith("The course has nobody with the id zo.")


def test_a_form_s_export_is_read(tmp_path: Path) -> None:
    """Other columns are ignored; an address maps to its id in roster.csv."""
    path = tmp_path / "form.csv"
    path.write_text(
        "Timestamp,Email Address,Which question,Why\n"
        "1,ada@example.org,port, It is right. \n2,zoe@example.org,port,\n,,,\n"
    )
    roster = People.of({"a001": {"name": "Ada", "email": "ada@example.org"}})
    found = regrade_requests.read(path, roster)
    assert found == [
        Request("a001", "port", "It is right."),
        Request("zoe_example.org", "port", ""),
    ]
    path.write_text("id,question\n")
    with pytest.raises(UserError, match="has to name the columns id, question and reason"):
        regrade_requests.read(path, {})


def test_microsoft_s_column_of_numbers_is_nobody_s_id(tmp_path: Path) -> None:
    """Its `ID` counts the answers, and both dates have one order."""
    path = tmp_path / "form.csv"
    path.write_text(
        "ID,Start time,Completion time,Email,Name,Question,Reason\n"
        "1,4/11/26 20:00:00,4/11/26 21:05:07,ada@example.org,Ada,port,why\n"
        "2,4/13/26 20:00:00,4/13/26 21:05:07,ada@example.org,Ada,argue,why\n"
    )
    roster = People.of({"a001": {"name": "Ada", "email": "ada@example.org"}, "1": {"name": "Ben"}})
    first, second = regrade_requests.read(path, roster, "UTC")
    assert (first.id, second.id) == ("a001", "a001")
    assert first.at == datetime(2026, 4, 11, 21, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "table",
    [
        "Timestamp,Email Address,id,question,reason\n1,x@example.org,a001,port,why\n",
        "Timestamp,Email Address,Student,question,reason\n1,ada@example.org,A. Ada,port,why\n",
        "ID,Completion time,Email,Name,question,reason,id\n1,2,anonymous,,port,why,a001\n",
        "ID,Completion time,Email,Name,id2,question,reason\n1,2,anonymous,,a001,port,why\n",
        "Timestamp,Email Address,Student ID,question,reason\n1,ada@example.org,b002,port,why\n",
        "ID,Completion time,Email,id2,question,reason\n1,2,ada@example.org,b002,port,why\n",
    ],
)
def test_of_several_ids_the_first_in_the_roster_counts(tmp_path: Path, table: str) -> None:
    """A form may collect addresses that roster.csv lacks, and ask for the id as well.

    An address that it has counts more than any id that somebody types.
    """
    path = tmp_path / "form.csv"
    path.write_text(table)
    roster = People.of({"a001": {"email": "ada@example.org"}, "1": {"name": "Ben"}, "b002": {}})
    assert regrade_requests.read(path, roster) == [Request("a001", "port", "why")]


def test_the_log_keeps_requests_and_every_decision(tmp_path: Path) -> None:
    """It comes back as written; no cell is a formula; a later decision adds a line."""
    evil = Request("a001", "port", '=cmd() "quoted",\nsecond line')
    log = [Entry(1, "2026-01-01 10:00", evil, 6.0, None, "keep", "=1+1")]
    at = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    path = tmp_path / regrade_requests.FILE
    for word, by in (("refused", "ana"), ("granted", "ben")):
        log = regrade_requests.decided(log, 1, word, by=by, why="seen", at=at)
        path.write_text(regrade_requests.written(log))
        log = regrade_requests.entries(path)
    (one,) = log
    assert one.decisions.splitlines() == [
        "2026-01-02 03:04 ana: refused (seen)",
        "2026-01-02 03:04 ben: granted (seen)",
    ]
    assert (one.before, one.now, one.answer[0], one.request.reason[0]) == (6.0, None, "'", "'")
    assert regrade_requests.is_in(evil, log)
    assert not regrade_requests.is_in(Request("a001", "port", "other"), log)
    with pytest.raises(UserError, match="there is no request 9"):
        regrade_requests.decided(log, 9, "granted", by="x", why="", at=at)
    path.write_text(path.read_text() + "damaged\n")
    with pytest.raises(UserError, match="line"):
        regrade_requests.entries(path)
    assert regrade_requests.entries(tmp_path / "none.csv") == []


CLOSES = datetime(2026, 12, 5, 22, 59, tzinfo=UTC)
VIENNA = ZoneInfo("Europe/Vienna")


@pytest.mark.parametrize("column", ["Timestamp", "at", "submitted"])
@pytest.mark.parametrize(
    ("said", "late"),
    [
        ("2026-12-05 23:59", False),
        ("2026-12-06 00:00", True),
        ("2026-12-05 23:00:00 +00:00", True),
        ("2026-12-05 22:59:00 UTC", False),
    ],
)
def test_requests_close_at_a_date(tmp_path: Path, column: str, said: str, late: bool) -> None:
    """This uses the form's own time, in the course's zone by default."""
    path = tmp_path / "form.csv"
    path.write_text(f"{column},id,question,reason\n{said},a001,port,why\n")
    (request,) = regrade_requests.read(path, People(), VIENNA.key)
    answer = regrade_requests.too_late(request, CLOSES + timedelta(days=9), CLOSES, VIENNA)
    closed = "Requests on this homework closed on 05 December 2026 at 23:59."
    assert answer == closed * late
    assert not regrade_requests.too_late(request, CLOSES, None, VIENNA)


def test_a_request_without_a_time_came_when_it_is_read(tmp_path: Path) -> None:
    """A hand-made file has no times."""
    path = tmp_path / "mine.csv"
    path.write_text("id,question,reason\na001,port,why\n")
    (request,) = regrade_requests.read(path, People(), VIENNA.key)
    assert not regrade_requests.too_late(request, CLOSES, CLOSES, VIENNA)
    assert regrade_requests.too_late(request, CLOSES + timedelta(seconds=1), CLOSES, VIENNA)


@pytest.mark.parametrize(
    "said", ["4/11/2026 23:58:10", "31/30/2026 23:58", "yesterday", "2026-13-01 10:00"]
)
def test_a_time_that_cannot_be_read_is_one_line_where_requests_close(
    tmp_path: Path, said: str
) -> None:
    """Otherwise times are not needed."""
    path = tmp_path / "form.csv"
    path.write_text(f"Timestamp,id,question,reason\n{said},a001,port,why\n")
    assert regrade_requests.read(path, People())[0].at is None
    with pytest.raises(
        UserError, match=r"line 2: .* is not a date and time to compare with requests_until"
    ):
        regrade_requests.read(path, People(), VIENNA.key)
