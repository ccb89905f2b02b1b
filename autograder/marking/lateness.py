"""Lateness: how late a submission is, from its date and due date, and what that costs.

Nothing here reads a clock: a submission judged again a year later is just as late.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from autograder.course import timestamps
from autograder.course.course import Course
from autograder.records.facts import Receipt, SubmissionLog
from autograder.records.marks import Grade

NOT_BY_HOW_MUCH = (
    "The platform marks this submission as late but not by how much: no points are taken off."
)
NOTHING_TO_GIVE = "Not marked: the submission came too late to earn points."


@dataclass(frozen=True)
class Lateness:
    """The lateness of a submission.

    Args:
        due: When it was due.
        by: How much later it was submitted.
        days: Days started after the due date, not counting the minutes of grace.
        closed: Whether it came after the last date for late submissions.
    """

    due: datetime
    by: timedelta
    days: int
    closed: bool = False

    def __str__(self) -> str:
        """Return a sentence on the lateness."""
        when = f"{self.due:%Y-%m-%d %H:%M %Z}"
        text = f"Submitted {_words(self.by)} after it was due ({when})."
        return f"{text} Late submissions were no longer accepted by then." if self.closed else text


def lateness(receipt: Receipt | None, course: Course, homework: str) -> Lateness | None:
    """Return how late a submission is; None if it is on time or no due date is known.

    A day ends at the hour at which the homework was due, even when daylight saving time begins or
    ends.

    Args:
        receipt: When it was submitted.
        course: Its dates, extensions, time zone and late rule.
        homework: The homework's name.
    """
    at = timestamps.taken(receipt, course.zone)
    due, last = course.dates_for(homework, receipt) if receipt else (None, None)
    if at is None or due is None or at <= due:
        return None
    local = due.astimezone(course.zone)
    by = at - due
    after_grace = at - timedelta(minutes=course.late.grace_minutes)
    days = max(
        0, (after_grace - due).days - 1
    )  # daylight saving time moves clocks by an hour or two, not by a day
    while local + timedelta(days=days) < after_grace:
        days += 1
    return Lateness(local, by, days, closed=last is not None and at > last)


def with_lateness(grade: Grade, log: SubmissionLog, course: Course) -> Grade:
    """Return the grade with its lateness and, if course.toml sets one, the share that this costs.

    `Grade.penalty` applies the share to all points, whenever and by whomever they are given.
    """
    if log.receipt and log.receipt.late:
        until = course.extension(log.homework, log.receipt)
        local = until and until.astimezone(course.zone)
        more = f" There is an extension until {local:%Y-%m-%d %H:%M %Z}." if local else ""
        return replace(grade, late=NOT_BY_HOW_MUCH + more)
    late = lateness(log.receipt, course, log.homework)
    slip = slip_days(late, log, course)
    if slip:
        grade = replace(grade, slip_days=str(slip))
    if late is None:
        return replace(grade, time_unknown=timestamps.unknown(log.receipt, course.zone))
    charged = late.days - (slip.used if slip else 0)
    share = 1.0 if late.closed else min(1.0, charged * course.late.percent_a_day / 100)
    if course.late.rule == "report":
        share = 0.0
    late_grade = replace(grade, late=str(late), late_share=share, late_points=course.late.points)
    return settled(late_grade)


def settled(grade: Grade) -> Grade:
    """Return the grade with nothing left to mark if lateness takes all points."""
    if not grade.lost:
        return grade
    marks = (
        replace(one, earned=0.0, message=NOTHING_TO_GIVE) if one.earned is None else one
        for one in grade.marks
    )
    return replace(grade, marks=tuple(marks))


def rule(course: Course) -> str:
    """Return the cost of lateness in the words that every page uses."""
    late = course.late
    if late.rule == "report":
        said = [
            "The report shows how late a submission is. The grader takes no points off "
            "for lateness; your instructors may."
        ]
    else:
        all_points = late.points == "all"
        which = "" if all_points else " that the machine gives"
        said = [
            f"Each started day after the due date costs {late.percent_a_day:g} % of the points{which}.",
            "A submission after the last date for late ones earns "
            f"nothing{'' if all_points else ' from the machine'}.",
        ]
        if late.grace_minutes:
            said.append(f"The first {late.grace_minutes:g} minutes after the due date are free.")
    if late.slip_days:
        most = late.slip_days_at_most
        once = f", at most {most} of them in one homework" if most else ""
        said.append(
            f"You have {late.slip_days} free late days for the term{once}. They are used "
            "in the order of the due dates, and each report shows how many are left."
        )
    return " ".join(said)


@dataclass(frozen=True)
class SlipDays:
    """The free late days of a term: those used in this homework, and those left after it."""

    used: int
    left: int
    budget: int

    def __str__(self) -> str:
        """Return a sentence on the slip days."""
        used = f"{self.used} slip {'day' if self.used == 1 else 'days'} used; " if self.used else ""
        days = "" if used else f" slip {'day' if self.budget == 1 else 'days'}"
        return f"{used}{self.left} of {self.budget}{days} left."


def slip_days(late: Lateness | None, log: SubmissionLog, course: Course) -> SlipDays | None:
    """Return how many of a person's slip days a homework uses.

    Days are used in the order of the due dates until none is left, but not for a submission that
    was too late to be accepted. In a group, the member with the fewest days left decides.

    Args:
        late: How late the submission is; None if it is on time.
        log: The submission's log: its people and homework.
        course: The budget, the due dates, and how late people were in other homeworks.

    Returns:
        None if the course has no slip days, or course.toml has no date for this homework.
    """
    budget = course.late.slip_days
    if not budget or log.homework not in course.homework:
        return None
    earlier = course.before(log.homework)
    left = min(_after(id, earlier, course) for id in people(log))
    used = _used(_covered(late), left, course)
    return SlipDays(used, left - used, budget)


def people(log: SubmissionLog) -> tuple[str, ...]:
    """Return the ids of the people who submitted."""
    ids = log.receipt.people if log.receipt else ()
    return tuple(dict.fromkeys((*ids, log.submission.student)))


def late_days(log: SubmissionLog, course: Course) -> int:
    """Return the days that slip days can cover: none after the last date for late submissions."""
    return _covered(lateness(log.receipt, course, log.homework))


def _covered(late: Lateness | None) -> int:
    return 0 if late is None or late.closed else late.days


def slip_days_left(id: str, course: Course) -> int:
    """Return how many slip days a person has left after all homeworks of course.toml."""
    dates = course.homework
    return _after(id, sorted(dates, key=lambda name: course.moment(dates[name].due)), course)


def _after(id: str, homeworks: Sequence[str], course: Course) -> int:
    left = course.late.slip_days
    for name in homeworks:
        left -= _used(course.days_late(name, id), left, course)
    return left


def _used(days: int, left: int, course: Course) -> int:
    return min(days, left, course.late.slip_days_at_most or days)


def _words(by: timedelta) -> str:
    minutes = -(-int(by.total_seconds()) // 60)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    said = [f"{number} {unit}{'s' * (number != 1)}" for number, unit in parts if number]
    return " and ".join(said[:2]) or "1 minute"
