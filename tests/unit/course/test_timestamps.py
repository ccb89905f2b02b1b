"""timestamps: platforms' times, in the course's zone if an abbreviation needs it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from autograder.course import timestamps
from autograder.course.course import Course
from autograder.records.facts import Receipt


@pytest.mark.parametrize(
    ("text", "zone", "hour"),
    [
        ("2026-11-30 21:00:00.123456 PST", "America/Los_Angeles", 5),
        ("2026-07-01 21:00:00 PDT", "America/Los_Angeles", 4),
        ("2026-07-01 21:00:00 CEST", "Europe/Vienna", 19),
        ("2026-12-01 21:00 CET", "Europe/Madrid", 20),
        ("2026-12-01 21:00:00 EST", "America/New_York", 2),
        ("2026-12-01 21:00:00 AEDT", "Australia/Sydney", 10),
        ("2026-12-01 21:00:00 ChST", "Pacific/Guam", 11),
        ("2026-12-01 21:00:00 WITA", "Asia/Makassar", 13),
        ("2026-12-01 21:00:00 IST", "Asia/Kolkata", 15),
        # Clocks are put back: the hour from 1 to 2 comes twice.
        ("2026-11-01 01:30:00 PDT", "America/Los_Angeles", 8),
        ("2026-11-01 01:30:00 PST", "America/Los_Angeles", 9),
        ("2026-10-25 02:30:00 CEST", "Europe/Vienna", 0),
        ("2026-10-25 02:30:00 CET", "Europe/Vienna", 1),
        # `%Z` of a zone without an abbreviation is its offset, whatever the course's zone is.
        ("2026-12-01 21:00:00 -03", "Europe/Vienna", 0),
        ("2026-12-01 21:00:00 +0545", "Europe/Vienna", 15),
        ("2026-12-01 21:00:00 GMT", "Europe/Vienna", 21),
        ("2026-12-01 21:00:00 UTC", "America/Los_Angeles", 21),
        ("2026-12-01 21:00:00 Europe/Vienna", "America/Los_Angeles", 20),
    ],
)
def test_an_abbreviation_is_meant_as_the_course_s_zone_has_it(
    text: str, zone: str, hour: int
) -> None:
    """It is the zone at that moment; other forms determine their moment themselves."""
    receipt = Receipt(local=text) if timestamps.is_local(text) else Receipt(timestamps.moment(text))
    at = timestamps.taken(receipt, ZoneInfo(zone))
    assert at is not None
    assert at.astimezone(UTC).hour == hour
    assert timestamps.unknown(receipt, ZoneInfo(zone)) == ""


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2026-11-30 21:00:00 PST", "Europe/Vienna"),
        ("2026-11-30 21:00:00 EST", "Europe/Vienna"),  # tzdata has a zone of this name
        ("2026-07-01 21:00:00 PST", "America/Los_Angeles"),  # which has PDT then
        ("2026-11-30 21:00:00 CET", "UTC"),
        ("2026-11-30 21:00:00 XYZ", "America/Los_Angeles"),
    ],
)
def test_an_abbreviation_of_elsewhere_is_no_moment(text: str, zone: str) -> None:
    """Nothing is guessed; staff see the reason in one line."""
    receipt = Receipt(local=text)
    assert timestamps.is_local(text)
    assert timestamps.taken(receipt, ZoneInfo(zone)) is None
    said = timestamps.unknown(receipt, ZoneInfo(zone))
    assert said.startswith(f"Time unknown, so it is not late: {text} is not a time in {zone}; ")
    assert "\n" not in said


def test_a_date_that_is_none_is_no_local_time() -> None:
    """This holds in any time zone."""
    with pytest.raises(ValueError, match="month"):
        timestamps.is_local("2026-13-04 05:06:07 PST")
    assert not timestamps.is_local("yesterday PST")
    assert timestamps.taken(None, ZoneInfo("UTC")) is None
    assert timestamps.taken(Receipt(datetime(2026, 1, 1, tzinfo=UTC)), ZoneInfo("UTC"))


def test_an_impossible_commit_is_only_very_late() -> None:
    """Old logs have the last moment of year 9999, which some zones do not."""
    at = timestamps.taken(Receipt(datetime.max.replace(tzinfo=UTC)), ZoneInfo("Europe/Vienna"))
    assert at == timestamps.LATEST


@pytest.mark.parametrize("zone", ["Europe/Vienna", "America/Los_Angeles", "Australia/Lord_Howe"])
@pytest.mark.parametrize("text", ["2026-10-25 03:00", "2026-11-01 01:30", "2026-04-05 01:45"])
def test_each_moment_is_in_utc(text: str, zone: str) -> None:
    """Python compares two times in one zone by local clock time, which jumps back at times."""
    local = datetime.fromisoformat(text)
    course = Course(title="T", term="X", time_zone=zone)
    for at in (timestamps.moment(text, zone=zone), course.moment(local)):
        assert at.tzinfo is UTC
        assert at == local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    for said in ("0001-01-01 00:00 +14:00", "9999-12-31 23:59 -12:00"):
        with pytest.raises(ValueError, match="is not a date"):
            timestamps.moment(said)
