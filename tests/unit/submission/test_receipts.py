"""receipts: the time when nbgrader received a submission decides its lateness."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from autograder.course import timestamps
from autograder.course.people import People, Person
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission import discover, ids, opening, receipts
from tests.exports import unpacked
from tests.helpers import found_in

NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-04 05:06:07.000000 UTC",
        "2026-03-04 06:06:07 Europe/Vienna\n",
        "2026-03-04 06:06:07 +0100",
        "2026-03-04T05:06:07Z",
    ],
)
def test_a_moment_with_a_zone(text: str) -> None:
    """This covers each form that nbgrader has written."""
    assert receipts.moment(text) == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-03-04 05:06:07", "2026-13-04 05:06 UTC", "2026-03-04 05:06 X/Y"]
)
def test_without_a_zone_it_is_no_moment(text: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ValueError, match=r".+"):
        receipts.moment(text)


def test_the_timestamp_of_nbgrader_is_the_receipt(tmp_path: Path) -> None:
    """An unreadable one is kept as an unknown time, and the submission is graded."""
    files = {
        "ada/port/port.ipynb": NOTEBOOK,
        "ada/port/timestamp.txt": b"2026-03-04 05:06:07 UTC",
        "ben/port/port.ipynb": NOTEBOOK,
        "ben/port/timestamp.txt": b"\xff\xfe",
        "chi/port/port.ipynb": NOTEBOOK,
        "dan/port/port.ipynb": NOTEBOOK,
        "dan/port/timestamp.txt": b"2026-03-04 05:06:07.000000 PST\n",
    }
    ada, ben, chi, dan = found_in(unpacked(tmp_path / "submitted", files), homework="port")
    assert ada.receipt is not None
    assert (ada.receipt.at.hour, ada.receipt.people, ada.note) == (5, ("ada",), "")
    assert (ben.receipt, ben.note) == (Receipt(people=("ben",), local="��"), "")
    assert (chi.receipt, chi.note) == (None, "")
    assert dan.receipt == Receipt(people=("dan",), local="2026-03-04 05:06:07.000000 PST")


@pytest.mark.parametrize(
    "text",
    [
        b"2026-10-26 23:00:00 Central European Standard Time",
        b"2026-06-30 21:00:00 UTC+02:00",
        b"2026-06-30 21:00:00 CEST (UTC+0200)",
        b"2026-13-04 05:06:07 CET",
        b"2026-03-04 05:06:07",
        b"0001-01-01 00:00 +14:00",
        b"yesterday",
        b"<b>\x1b[31m\n=1+1",
        b"\xff\xfe",
        b" \n",
    ],
)
def test_a_time_that_nobody_understands_is_unknown(tmp_path: Path, text: bytes) -> None:
    """Staff see this beside the marks, at grading and at regrading."""
    files = {"ada/port/port.ipynb": NOTEBOOK, "ada/port/timestamp.txt": text}
    (one,), _ = discover.find([unpacked(tmp_path / "submitted", files)], homework="port")
    again = msgspec.json.decode(msgspec.json.encode(one.receipt), type=Receipt)
    for receipt in (one.receipt, again):
        assert timestamps.taken(receipt, ZoneInfo("Europe/Vienna")) is None
        said = timestamps.unknown(receipt, ZoneInfo("Europe/Vienna"))
        assert said.startswith("Time unknown, so it is not late: ")
        assert said.isprintable()


MOODLE = """Identifier,Full name,Status,Grade,Last modified (submission)
Participant 501,Ada,Submitted,,"Wednesday, 4 March 2026, 6:06 AM"
Participant 502,Ben,Submitted,,"Wednesday, 4 March 2026, 18:06"
Participant 503,Chi,No submission,,-
"""


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        (
            "id,submitted\n501,2026-03-04 06:06\n502,2026-03-04T17:06:00Z\n503,\n",
            {"501": 5, "502": 17},
        ),
        ("Time;Name;ID\n2026-03-04 06:06 UTC;Ada;501\n", {"501": 6}),
        (MOODLE, {"501": 5, "502": 17}),
    ],
)
def test_a_list_of_ids_and_times(tmp_path: Path, text: str, hours: dict[str, int]) -> None:
    """It may be hand-made or Moodle's; times without a zone are in the course's."""
    path = tmp_path / "times.csv"
    path.write_text(text, encoding="utf-8-sig")
    found = receipts.of_list(path, "Europe/Vienna", People())
    assert {id: one.at.astimezone(UTC).hour for id, one in found.items() if one.at} == hours


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "its first line has to name"),
        ("id,name\n", "its first line has to name"),
        ("id,time,submitted\n", "its first line has to name"),
        ("id,submitted\n501,soon\n", "line 2: 'soon' is not a date and time; write it as 2026"),
        (MOODLE.replace("Wednesday, 4 March", "Mittwoch, 4. März"), "line 2: 'Mittwoch"),
        ("id,time\na,2026-01-01 10:00\na,2026-01-02 10:00\n", "line 3: a has two times"),
        ("id,time\na,2026-01-01 10:00\n ,2026-01-02 10:00\n", "line 3: it has a time but no id"),
        ("time,id\n2026-01-02 10:00\n", "line 2: it has a time but no id; write whose time it is"),
        (
            "id,time\na,2026-11-30 21:00 PST\n",
            "line 2: '2026-11-30 21:00 PST': the time zone 'PST' is not in use in UTC then; write its "
            "offset, as in 2026-",
        ),
        ("id,time\na,2026-11-30 21:00 X/Y\n", "there is no time zone 'X/Y'; write its offset"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """An unreadable time could make somebody late, or not."""
    path = tmp_path / "times.csv"
    path.write_text(text)
    with pytest.raises(UserError) as complaint:
        receipts.of_list(path, "UTC", People())
    assert said in str(complaint.value)


def test_what_the_platform_said_beside_the_time_stays(tmp_path: Path) -> None:
    """Its due date and people stay; lateness now follows from the time."""
    due = datetime(2026, 3, 1, tzinfo=UTC)
    at = datetime(2026, 3, 4, tzinfo=UTC)
    before = Receipt(due=due, people=("77",), late=True)
    after = receipts.with_time(before, "501", {"501": Receipt(at, people=("501",))})
    assert after == Receipt(at, due, people=("77", "501"))
    assert receipts.with_time(before, "502", {"501": after}) is before
    (item,) = ids.renamed(
        [discover.Found("501", opening.given(tmp_path), receipt=after)],
        {"501": Person("a001", "a001")},
    )
    assert item.receipt
    assert item.receipt.people == ("77", "501", "a001")
