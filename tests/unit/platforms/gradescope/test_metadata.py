"""metadata and attempts: the platform's data are understood, whatever is missing or renamed."""

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course.course import Course, Due
from autograder.marking.lateness import lateness
from autograder.platforms.gradescope import attempts, metadata
from tests.uploads import VIENNA, ZONE, third, upload

NAME = "hw1"
# Around the night in which Vienna's clocks are put back.
START = datetime(2026, 10, 20, tzinfo=UTC)
PAGE = {"score": 7.0, "output": "<p>before</p>", "tests": [{"name": "a", "score": 7.0}]}


def written(moment: datetime, chance: random.Random) -> str:
    """Write a moment in one of the forms that a platform may use."""
    zone = chance.choice([UTC, ZONE, timezone(timedelta(hours=-7)), timezone(timedelta(hours=5.5))])
    local = moment.astimezone(zone)
    ways: list[Callable[[], str]] = [
        local.isoformat,
        lambda: local.strftime("%Y-%m-%d %H:%M:%S %z"),
        lambda: local.strftime("%Y-%m-%dT%H:%M:%S.000000%z"),
        lambda: moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        lambda: moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
    ]
    return chance.choice(ways)()


def moment(chance: random.Random) -> datetime:
    return START + timedelta(seconds=chance.randrange(14 * 24 * 3600))


def renamed(values: Any, chance: random.Random) -> Any:
    """Join the words of each key in a different way."""
    if isinstance(values, list):
        return [renamed(item, chance) for item in values]
    if not isinstance(values, dict):
        return values
    join = chance.choice(
        [
            lambda words: "_".join(words),
            lambda words: ":" + "_".join(words),
            lambda words: words[0] + "".join(word.title() for word in words[1:]),
            lambda words: "-".join(words).upper(),
        ]
    )
    return {join(key.split("_")): renamed(item, chance) for key, item in values.items()}


@pytest.mark.parametrize("seed", range(200))
def test_random_metadata_gives_the_right_policy(tmp_path: Path, seed: int) -> None:
    """Two hundred files with missing, renamed and null fields, groups, extensions and time zones."""
    chance = random.Random(seed)
    at, due = moment(chance), moment(chance)
    people = chance.choice([0, 1, 1, 1, 2, 3])
    own = [moment(chance) if chance.random() < 0.3 else None for _ in range(people)]
    assignment: dict[str, Any] = {"id": 1, "due_date": written(due, chance)}
    if no_due := chance.random() < 0.2:
        assignment["due_date"] = chance.choice([None, "", "soon", 7])
    users: list[dict[str, Any]] = [
        {"id": 100 + n, "name": "Somebody", "email": "somebody@example.edu"} for n in range(people)
    ]
    for user, date in zip(users, own, strict=True):
        if date:
            user["assignment"] = {"due_date": written(date, chance), "late_due_date": None}
        elif chance.random() < 0.5:
            user["assignment"] = chance.choice([None, {}, {"due_date": None}])
    sids = [f"s{n}" if chance.random() < 0.7 else None for n in range(people)]
    for user, sid in zip(users, sids, strict=True):
        if sid or chance.random() < 0.5:
            user["sid"] = sid
    uploads = []
    graded_today = 0
    for _ in range(chance.randrange(6)):
        when, broken = moment(chance), chance.random() < 0.3
        if chance.random() < 0.7:  # on the very day, as Vienna has it
            begin = at.astimezone(ZONE).replace(hour=0, minute=0, second=1)
            when = begin.astimezone(UTC) + timedelta(seconds=chance.randrange(20 * 3600))
        upload: dict[str, Any] = {"submission_time": written(when, chance), "score": "7.0"}
        if broken or chance.random() < 0.5:
            upload["autograder_error"] = broken
        uploads.append((when, upload))
        same = when.astimezone(ZONE).date() == at.astimezone(ZONE).date()
        graded_today += same and not broken and when.replace(microsecond=0) < at
    uploads.sort(key=lambda pair: pair[0])
    if uploads and not uploads[-1][1].get("autograder_error"):
        uploads[-1][1]["results"] = PAGE
    values: dict[str, Any] = {
        "id": chance.choice([5, "5", None]),
        "created_at": written(at, chance),
        "users": users[0] if people == 1 and chance.random() < 0.3 else users or None,
        "assignment": assignment,
        "previous_submissions": [upload for _, upload in uploads] or None,
        "unheard_of": {"a": [None]},
    }
    if no_time := chance.random() < 0.1:
        values["created_at"] = chance.choice([None, 17, "yesterday", {}])
    path = tmp_path / "submission_metadata.json"
    path.write_text(json.dumps(renamed(values, chance)))

    said = metadata.read(path, ZONE)

    assert not said.note
    named = [sid for sid in sids if sid]
    assert said.student == (
        named[0] if named else "submission" if values["id"] is None else "submission_5"
    )
    assert "omebody" not in repr(said)
    if no_time:
        assert said.receipt is None
        assert attempts.instead(said, VIENNA) is None
        return
    assert said.receipt is not None
    assert said.receipt.at == at
    dates = [date or (None if no_due else due) for date in own] or [None if no_due else due]
    right = max((date for date in dates if date), default=None)
    assert said.receipt.due == right
    late = lateness(said.receipt, VIENNA, NAME)
    assert (late is not None) == (right is not None and at > right)
    shown = attempts.instead(said, VIENNA)
    assert (shown is not None) == (graded_today >= 3)
    if shown:
        assert shown["score"] == 7.0
        assert f"number {graded_today + 1} of" in shown["output"]


KEYS = st.sampled_from(
    "id created_at users assignment due_date late_due_date sid previous_submissions "
    "submission_time score results autograder_error tests extra_data output said".split()
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(
        ["2026-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "1e9"]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=40,
)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(values=st.dictionaries(KEYS, VALUES, max_size=8))
def test_nothing_that_it_may_hold_is_a_crash(values: dict[str, Any]) -> None:
    """There is a result for any form."""
    said = metadata.understood(values, ZONE)
    attempts.instead(said, VIENNA)
    lateness(said.receipt, VIENNA, NAME)


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe", b"{", b"[" * 100_000, b'{"score": NaN}', b"null", b"7"]
)
def test_a_file_that_cannot_be_read_is_a_note(tmp_path: Path, data: bytes) -> None:
    """The note is for staff; then nothing is known."""
    path = tmp_path / "submission_metadata.json"
    path.write_bytes(data)
    said = metadata.read(path, ZONE)
    assert said.receipt is None
    assert said.student == "submission"
    assert metadata.read(tmp_path / "none", ZONE).note


def test_what_stands_for_another_result_may_be_stood_for_again() -> None:
    """The calm message appears once, followed by the earlier words."""
    first = third(upload(8), upload(9, results=PAGE))
    assert first is not None
    again = third(upload(8), upload(9), upload(10, results=first))
    assert again is not None
    assert again["output"].count("This course grades 2 uploads a day") == 1
    assert again["output"].count("before") == 1
    assert "number 4 of 2026-11-01" in again["output"]
    assert again["tests"] == PAGE["tests"]


def test_what_the_grader_failed_on_is_no_attempt() -> None:
    """The platform says so, or our own page does."""
    unfinished = PAGE | {"extra_data": {"finished": False}}
    read_something = PAGE | {"extra_data": {"finished": False, "attempt": True}}
    assert third(upload(8), upload(9, autograder_error=True)) is None
    assert third(upload(8), upload(9, results=unfinished)) is None
    assert third(upload(8), upload(9, results=read_something)) is not None
    shown = third(upload(7), upload(8), upload(9, autograder_error=True))
    assert shown is not None
    assert (shown["score"], shown["tests"]) == (7.0, [])


def test_each_page_tells_the_next_grader_what_was_no_attempt() -> None:
    """The platform shows only the last upload's results."""
    moments = ["2026-11-01T08:00:00+01:00"]
    told = PAGE | {"extra_data": {"attempt": True, "not_counted": moments}}
    assert third(upload(8), upload(9)) is not None
    assert third(upload(8), upload(9, results=told)) is None
    values = {
        "created_at": "2026-11-01T12:00:00+01:00",
        "previous_submissions": [
            upload(8),
            upload(9, autograder_error=True),
            upload(10, results=told),
        ],
    }
    said = metadata.understood(values, ZONE)
    assert set(attempts.not_counted(said)) == {*moments, "2026-11-01T09:00:00+01:00"}


def test_where_nothing_can_be_shown_it_is_graded() -> None:
    """A limit is no reason to lose marks."""
    assert third(upload(8, score=None), upload(9, score=None)) is None
    assert third(upload(8), upload(9, score="?", results=PAGE | {"score": "7"})) is None


def test_dates_of_the_course_count_where_the_platform_has_none() -> None:
    """So does an extension for any member of a group."""
    course = Course(
        title="T",
        term="X",
        time_zone="Europe/Vienna",
        homework={
            NAME: Due(
                due=datetime(2026, 11, 1, 10), extensions={"s2": datetime(2026, 11, 1, 11, 30)}
            )
        },
    )
    for users, minutes in (([{"sid": "s1"}], 120), ([{"sid": "s1"}, {"sid": "s2"}], 30)):
        said = metadata.understood(
            {"created_at": "2026-11-01T12:00:00+01:00", "users": users}, ZONE
        )
        late = lateness(said.receipt, course, NAME)
        assert late is not None
        assert late.by == timedelta(minutes=minutes)
