"""lateness: it depends only on dates, and costs what course.toml says."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.course import Course, Due, Late
from autograder.course.people import People
from autograder.marking.lateness import (
    NOTHING_TO_GIVE,
    late_days,
    lateness,
    people,
    rule,
    slip_days,
    slip_days_left,
    with_lateness,
)
from autograder.marking.mark import late_words, remarks
from autograder.records.facts import Receipt, SubmissionId, SubmissionLog
from autograder.records.marks import Grade, Mark
from autograder.reports import report
from autograder.reports.tables import row
from autograder.submission import receipts

NAME = "hw1"
VIENNA = Course(
    title="T",
    term="X",
    time_zone="Europe/Vienna",
    late=Late(rule="deduct", percent_a_day=10),
    homework={
        NAME: Due(due=datetime(2026, 10, 24, 23, 59), late_due=datetime(2026, 10, 31, 23, 59))
    },
)


def at(text: str) -> Receipt:
    """Return the receipt of a moment, written with its UTC offset."""
    return Receipt(datetime.fromisoformat(text))


@pytest.mark.parametrize(
    ("when", "days"),
    [
        ("2026-10-24T23:59:00+02:00", 0),
        ("2026-10-24T23:59:01+02:00", 1),
        # Clocks are put back in the night to the 25th: this day has 25 hours.
        ("2026-10-25T23:30:00+01:00", 1),
        ("2026-10-25T23:59:00+01:00", 1),
        ("2026-10-25T23:59:01+01:00", 2),
        ("2026-10-25T17:00:00-05:00", 1),  # the same moment, said elsewhere
        ("2026-10-31T23:59:00+01:00", 7),
    ],
)
def test_a_day_ends_at_the_hour_at_which_it_was_due(when: str, days: int) -> None:
    """That is in the course's zone, whatever the offset and the length of the night."""
    late = lateness(at(when), VIENNA, NAME)
    assert (late.days if late else 0) == days
    assert not (late and late.closed)


def test_clocks_put_forward_make_no_day_longer() -> None:
    """29 March 2026 has 23 hours in Vienna."""
    dates = {NAME: Due(due=datetime(2026, 3, 28, 12, 0))}
    course = msgspec.structs.replace(VIENNA, homework=dates)
    on_time, late = (lateness(at(f"2026-03-29T12:0{n}:00+02:00"), course, NAME) for n in (0, 1))
    assert on_time
    assert late
    assert (on_time.days, late.days) == (1, 2)


def test_what_the_platform_says_goes_before_the_file() -> None:
    """Students see the platform's dates; a later extension in the file counts."""
    platform = Receipt(
        datetime(2026, 11, 3, 12, tzinfo=UTC),
        due=datetime(2026, 11, 2, 12, tzinfo=UTC),
        late_due=datetime(2026, 11, 3, 0, tzinfo=UTC),
        people=("4711", "4712"),
    )
    late = lateness(platform, VIENNA, NAME)
    assert late
    assert (late.days, late.closed) == (1, True)
    for extension, days in ((datetime(2026, 11, 1), 1), (datetime(2026, 11, 3, 12), 1)):
        dates = {NAME: Due(due=datetime(2026, 1, 1), extensions={"4712": extension})}
        late = lateness(platform, msgspec.structs.replace(VIENNA, homework=dates), NAME)
        assert late
        assert late.days == days
    longer = {NAME: Due(due=datetime(2026, 1, 1), extensions={"4711": datetime(2026, 11, 4)})}
    assert lateness(platform, msgspec.structs.replace(VIENNA, homework=longer), NAME) is None


def test_nothing_is_late_without_a_date_or_a_receipt() -> None:
    """Grading files from a folder has neither."""
    assert lateness(None, VIENNA, NAME) is None
    assert lateness(at("2030-01-01T00:00:00Z"), VIENNA, "hw9") is None


def test_the_last_moment_of_all_is_only_late() -> None:
    """A commit may have any date."""
    late = lateness(Receipt(datetime.max.replace(tzinfo=UTC)), VIENNA, NAME)
    assert late is not None
    assert late.closed


ME = SubmissionId("4711", "notebook", "0" * 64)
PORT = Mark("port", 48.0, 40.0, "Right.")


def graded(when: str, course: Course) -> Grade:
    log = SubmissionLog(NAME, ME, receipt=at(when))
    marks = (PORT, Mark("words", 12.0, None, "", by_hand=True))
    return with_lateness(Grade(ME, marks), log, course)


@pytest.mark.parametrize(
    ("when", "score"),
    [
        ("2026-10-24T12:00:00+02:00", 40.0),
        ("2026-10-25T12:00:00+01:00", 36.0),
        ("2026-10-28T12:00:00+01:00", 24.0),
        ("2026-11-02T12:00:00+01:00", 0.0),  # later than late ones are taken
    ],
)
def test_lateness_costs_a_share_of_the_points(when: str, score: float) -> None:
    """Each started day costs; marks stay, and none is open if no points are possible."""
    grade = graded(when, VIENNA)
    assert grade.score == pytest.approx(score)
    assert [mark.earned for mark in grade.marks] == [40.0, None if score else 0.0]
    assert bool(grade.late) is (score < 40)
    assert grade.lost is (not score)


ON_TIME, LATE, TOO_LATE = (
    "2026-10-24T12:00:00+02:00",
    "2026-10-26T12:00:00+01:00",
    "2026-11-02T12:00:00+01:00",
)


@pytest.mark.parametrize(
    ("when", "points", "score"),
    [
        (ON_TIME, "all", 40 + 9.13 + 7.5),
        (LATE, "all", 40 + 9.13 + 7.5 - 11.33),  # 20 % of 56.63
        (TOO_LATE, "all", 0),
        (ON_TIME, "machine", 40 + 9.13 + 7.5),
        (LATE, "machine", 32 + 9.13 + 7.5),
        (TOO_LATE, "machine", 9.13 + 7.5),
    ],
)
def test_whoever_gave_the_points(
    when: str, points: Literal["all", "machine"], score: float
) -> None:
    """They may come from the machine, a person or a defence; course.toml may limit the cost."""
    late = Late(rule="deduct", points=points)
    grade = graded(when, msgspec.structs.replace(VIENNA, late=late))
    defence = Mark("defence", 10, 7.5, "", by_hand=True)
    grade = report.with_points(replace(grade, marks=(*grade.marks, defence)), {"words": 9.13})
    assert grade.score == pytest.approx(score)
    assert sum(one.earned or 0 for one in grade.marks) - grade.penalty == pytest.approx(score)
    assert not grade.waiting


def test_a_rule_that_only_reports_takes_nothing_however_late_it_is() -> None:
    """The course's rule decides, even after the last date for late submissions."""
    grade = graded(TOO_LATE, msgspec.structs.replace(VIENNA, late=Late()))
    assert (grade.score, grade.waiting, grade.penalty) == (40, 12, 0)
    assert grade.late.endswith("Late submissions were no longer accepted by then.")


def test_a_lost_submission_waits_for_nobody() -> None:
    """Neither a defence nor a changed text is still to be marked."""
    defence = Mark("defence", 10, None, "", by_hand=True)
    grade = graded(TOO_LATE, VIENNA)
    grade = report.with_points(
        replace(grade, marks=(*grade.marks, defence)), {"words": 9}, ("words",)
    )
    assert (grade.score, grade.waiting) == (0, 0)
    assert [one.message for one in grade.marks[1:]] == [report.MARKED, NOTHING_TO_GIVE]
    assert late_words(grade).endswith("This costs 100 % of the points: 49.")


def test_points_below_zero_are_no_gain() -> None:
    """A defence may be below zero, but lateness adds nothing."""
    grade = replace(graded(LATE, VIENNA), marks=(Mark("defence", 10, -2.0, ""),))
    assert (grade.penalty, grade.score) == (0, -2)


@pytest.mark.parametrize(
    ("late", "said"),
    [
        (Late(), ["takes no points off"]),
        (
            Late(rule="deduct", percent_a_day=12.5, grace_minutes=10),
            ["12.5 % of the points.", "earns nothing.", "first 10 minutes"],
        ),
        (
            Late(rule="deduct", points="machine", slip_days=5, slip_days_at_most=2),
            ["the machine gives.", "earns nothing from the machine.", "at most 2 of them"],
        ),
    ],
)
def test_the_rule_in_words(late: Late, said: list[str]) -> None:
    """The policy page, the calendar and Gradescope's page have them."""
    words = rule(msgspec.structs.replace(VIENNA, late=late))
    assert all(one in words for one in said)


def test_a_time_in_the_course_s_own_zone_is_late() -> None:
    """It is written with `%Z`; one from elsewhere is not late, and staff see why."""
    for text, score, unknown in (
        ("2026-10-25 12:00:00 CET", 36, ""),
        ("2026-10-25 12:00:00 PST", 40, "Time unknown"),
    ):
        log = SubmissionLog(NAME, ME, receipt=Receipt(local=text))
        grade = with_lateness(Grade(ME, (PORT,)), log, VIENNA)
        assert grade.score == score
        assert grade.time_unknown.startswith(unknown)
        assert bool(grade.time_unknown) is bool(unknown)
        assert bool(row(grade).notes) is True
        assert not any("Time unknown" in line for line in remarks(grade, log))  # for staff alone


def test_it_may_only_be_said() -> None:
    """This is the default, since the platform may also deduct."""
    said = graded("2026-10-26T01:30:00+01:00", msgspec.structs.replace(VIENNA, late=Late()))
    assert said.score == 40.0
    assert said.late == "Submitted 1 day and 2 hours after it was due (2026-10-24 23:59 CEST)."


def test_what_a_platform_only_calls_late_costs_nothing_and_says_so() -> None:
    """Canvas writes LATE into the name, without a time."""
    log = SubmissionLog(NAME, ME, receipt=Receipt(late=True))
    grade = with_lateness(Grade(ME, (PORT,)), log, VIENNA)
    assert grade.score == 40.0
    assert row(grade).notes == (grade.late,)
    assert grade.late == (
        "The platform marks this submission as late but not by how much: no points are taken off."
    )
    assert VIENNA.explains(NAME, datetime(2026, 11, 2, tzinfo=UTC), log.receipt)


def test_grace_is_no_day() -> None:
    """During grace a late submission costs nothing; afterwards, days count as usual."""
    course = msgspec.structs.replace(VIENNA, late=Late(rule="deduct", grace_minutes=10))
    assert graded("2026-10-25T00:09:00+02:00", course).score == 40.0
    assert graded("2026-10-25T00:09:01+02:00", course).score == 36.0
    assert "after it was due" in graded("2026-10-25T00:09:00+02:00", course).late


@pytest.mark.parametrize(("minutes", "score"), [(10, 40.0), (11, 0.0)])
@pytest.mark.parametrize(
    ("extension", "late_due"),
    [
        (None, datetime(2026, 10, 24, 12)),  # no late submissions
        (None, datetime(2026, 10, 24, 12, 5)),
        (datetime(2026, 11, 6, 12), datetime(2026, 10, 31, 12)),  # an extension beyond them
    ],
)
def test_nothing_is_closed_during_grace(
    minutes: int, score: float, extension: datetime | None, late_due: datetime
) -> None:
    """It begins at the due date that applies to a person; afterwards, the last date counts."""
    due = datetime(2026, 10, 24, 12)
    dates = Due(due=due, late_due=late_due, extensions={"4711": extension} if extension else {})
    late = Late(rule="deduct", grace_minutes=10)
    course = msgspec.structs.replace(VIENNA, late=late, homework={NAME: dates})
    came = course.moment((extension or due) + timedelta(minutes=minutes))
    log = SubmissionLog(NAME, ME, receipt=Receipt(came, people=("4711",)))
    assert with_lateness(Grade(ME, (PORT,)), log, course).score == score
    # Nor are explanations shown while an upload may still count.
    assert course.explains(NAME, came, log.receipt) is (score == 0)


@given(st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)), st.integers(0, 10**7))
def test_days_never_shrink_as_time_goes_on(due: datetime, seconds: int) -> None:
    """For any date, later is never less late, and a day more is a day more."""
    course = msgspec.structs.replace(VIENNA, homework={NAME: Due(due=due)})
    moment = due.replace(tzinfo=UTC) + timedelta(seconds=seconds)
    first = lateness(Receipt(moment), course, NAME)
    later = lateness(Receipt(moment + timedelta(hours=25)), course, NAME)
    assert later is not None or first is None
    if first and later:
        assert 1 <= later.days - first.days <= 2


DATES = {
    "hw0": Due(due=datetime(2026, 10, 1, 12)),
    NAME: Due(due=datetime(2026, 10, 10, 12), late_due=datetime(2026, 10, 15, 12)),
    "hw2": Due(due=datetime(2026, 10, 20, 12)),
}


def slipping(at_most: int | None = None, **late_days: int) -> Course:
    """Return a course with four slip days, and 4711's late days in its homeworks."""
    late = Late(rule="deduct", percent_a_day=10, slip_days=4, slip_days_at_most=at_most)
    days = {name: {"4711": count} for name, count in late_days.items()}
    return msgspec.structs.replace(VIENNA, homework=DATES, late=late, late_days=days)


@pytest.mark.parametrize(
    ("when", "course", "score", "said"),
    [
        ("2026-10-10T11:00:00+02:00", slipping(), 40, "4 of 4 slip days left."),
        ("2026-10-10T13:00:00+02:00", slipping(), 40, "1 slip day used; 3 of 4 left."),
        ("2026-10-12T13:00:00+02:00", slipping(2), 36, "2 slip days used; 2 of 4 left."),
        ("2026-10-12T13:00:00+02:00", slipping(hw0=3), 32, "1 slip day used; 0 of 4 left."),
        ("2026-10-12T13:00:00+02:00", slipping(hw0=9), 28, "0 of 4 slip days left."),
        ("2026-10-11T11:00:00+02:00", slipping(2, hw0=9), 40, "1 slip day used; 1 of 4 left."),
        # What comes later uses nothing yet, and a submission that is not taken any more neither.
        ("2026-10-12T11:00:00+02:00", slipping(hw2=4), 40, "2 slip days used; 2 of 4 left."),
        ("2026-10-16T13:00:00+02:00", slipping(), 0, "4 of 4 slip days left."),
    ],
)
def test_slip_days_are_used_in_the_order_of_due_dates(
    when: str, course: Course, score: float, said: str
) -> None:
    """They cost nothing while they last; each report shows what is left."""
    grade = graded(when, course)
    assert grade.score == pytest.approx(score)
    assert grade.slip_days == said
    assert (
        remarks(grade, SubmissionLog(NAME, grade.submission))[-2 if grade.waiting else -1] == said
    )


def test_of_a_group_who_has_fewest_left_decides() -> None:
    """The same holds for several ids of one person."""
    submission = SubmissionId("team", "notebook", "0" * 64)
    receipt = Receipt(datetime(2026, 10, 12, 9, tzinfo=UTC), people=("4711", "4712"))
    log = SubmissionLog(NAME, submission, receipt=receipt)
    course = slipping(hw0=3)
    found = slip_days(lateness(receipt, course, NAME), log, course)
    assert found
    assert (found.used, found.left) == (1, 0)
    assert people(log) == ("4711", "4712", "team")
    assert late_days(log, course) == 2


def test_an_id_in_another_spelling_is_the_same_person() -> None:
    """Without a roster, the spelling of an id matters neither here nor for extensions."""
    course = msgspec.structs.replace(slipping(), late_days={"hw0": {"Ana@x.edu": 3}})
    assert [slip_days_left(id, course) for id in ("ana@x.edu", "Ana@x.edu", "ben")] == [1, 1, 4]


def test_without_a_budget_or_a_date_nothing_is_said() -> None:
    """A course without slip days has the same reports as before."""
    assert graded("2026-10-25T12:00:00+01:00", VIENNA).slip_days == ""
    assert slip_days(None, SubmissionLog("hw9", ME), slipping()) is None


@pytest.mark.parametrize(
    ("zone", "due", "came", "hours", "days"),
    [
        ("Europe/Vienna", "2026-10-25T01:30", "2026-10-25 03:00", 2.5, 1),
        ("Europe/Vienna", "2026-03-29T01:30", "2026-03-29 03:30", 1, 0),
        ("America/New_York", "2026-11-01T00:30", "2026-11-01 02:30", 3, 1),
        ("America/New_York", "2026-10-31T23:30", "2026-11-01 23:30", 25, 1),
        ("Australia/Lord_Howe", "2026-04-05T00:45", "2026-04-05 02:15", 2, 0),
    ],
)
@pytest.mark.parametrize("moodle", [False, True])
def test_a_list_s_times_are_as_late_as_when_they_are_read_back(
    tmp_path: Path, zone: str, due: str, came: str, hours: float, days: int, moodle: bool
) -> None:
    """When clocks change, the log that is read back has no zone, only UTC."""
    local = datetime.fromisoformat(came)
    rows = [
        "Identifier,Last modified (submission)",
        f'Participant 4711,"{local:%A, %d %B %Y, %H:%M}"',
    ]
    path = tmp_path / "times.csv"
    path.write_text("\n".join(rows if moodle else ["id,submitted", f"4711,{came}"]))
    receipt = receipts.of_list(path, zone, People())["4711"]
    course = msgspec.structs.replace(
        VIENNA,
        time_zone=zone,
        homework={NAME: Due(due=datetime.fromisoformat(due))},
        late=Late(rule="deduct", grace_minutes=120),
    )
    again = msgspec.json.decode(msgspec.json.encode(receipt), type=Receipt)
    for one in (receipt, again):
        late = lateness(one, course, NAME)
        assert late
        assert (late.by, late.days) == (timedelta(hours=hours), days)
