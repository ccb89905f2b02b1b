"""When a submission came and when it was due -> how late it is, and what that costs.

Nothing here looks at a clock: judged again a year later, a submission is as late as it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from autograder.course import timestamps
from autograder.course.course import Course
from autograder.records.facts import Receipt, SubmissionLog
from autograder.records.marks import Grade

NOT_BY_HOW_MUCH = (
    "The platform calls this submission late, and not by how much: no points are taken for it."
)
NOTHING_TO_GIVE = "Not marked: the submission came so late that it can earn no points."


@dataclass(frozen=True)
class Lateness:
    """How late a submission is.

    Args:
        due: When it was due.
        by: How much later it came.
        days: Days begun after it was due, the minutes of grace left out.
        closed: Whether it came after the last date at which late ones are taken.
    """

    due: datetime
    by: timedelta
    days: int
    closed: bool = False

    def __str__(self) -> str:
        """Return a sentence."""
        when = f"{self.due:%Y-%m-%d %H:%M %Z}"
        text = f"Submitted {_words(self.by)} after it was due ({when})."
        return f"{text} Late submissions were no longer taken then." if self.closed else text


def lateness(receipt: Receipt | None, course: Course, homework: str) -> Lateness | None:
    """Return how late a submission is; None where it is not, or no due date is known.

    A day ends at the hour at which the homework was due, also in the nights in which clocks
    are put forward or back.

    Args:
        receipt: When it came.
        course: Its dates, extensions, time zone and rule.
        homework: The homework's name.
    """
    at = timestamps.taken(receipt, course.zone)
    due, last = course.dates_for(homework, receipt) if receipt else (None, None)
    if at is None or due is None or at <= due:
        return None
    local = due.astimezone(course.zone)
    by = at - due
    after_grace = at - timedelta(minutes=course.late.grace_minutes)
    days = max(0, (after_grace - due).days - 1)  # clocks move by an hour or two, not by a day
    while local + timedelta(days=days) < after_grace:
        days += 1
    return Lateness(local, by, days, closed=last is not None and at > last)


def with_lateness(grade: Grade, log: SubmissionLog, course: Course) -> Grade:
    """Return the grade, with how late it is and, where course.toml sets it, which share that costs.

    `Grade.penalty` applies the share, whoever gave the points and whenever.
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
    """Return the grade with nothing left to mark where lateness takes all points."""
    if not grade.lost:
        return grade
    marks = (
        replace(one, earned=0.0, message=NOTHING_TO_GIVE) if one.earned is None else one
        for one in grade.marks
    )
    return replace(grade, marks=tuple(marks))


def rule(course: Course) -> str:
    """Return what lateness costs, in the words that every page has."""
    late = course.late
    if late.rule == "report":
        said = [
            "The report shows how late a submission is. It takes no points for that; your instructors may."
        ]
    else:
        all_points = late.points == "all"
        which = ", whoever gives them" if all_points else " that the machine gives"
        said = [
            f"Each day begun after the due date takes {late.percent_a_day:g} % of the points{which}.",
            f"A submission that comes when late ones are no longer taken earns nothing"
            f"{'' if all_points else ' from the machine'}.",
        ]
        if late.grace_minutes:
            said.append(f"The first {late.grace_minutes:g} minutes are free.")
    if late.slip_days:
        most = late.slip_days_at_most
        once = f", at most {most} of them in one homework" if most else ""
        said.append(
            f"You have {late.slip_days} late days in the term that cost nothing{once}. They are used in "
            "the order of the due dates, and each report shows how many are left."
        )
    return " ".join(said)


@dataclass(frozen=True)
class SlipDays:
    """Late days of a term that cost nothing: those used in this homework, those left after it."""

    used: int
    left: int
    budget: int

    def __str__(self) -> str:
        """Return a sentence."""
        days = "slip day" if self.budget == 1 else "slip days"
        here = f"Used here: {self.used}. " if self.used else ""
        return f"{here}Left: {self.left} of {self.budget} {days}."


def slip_days(late: Lateness | None, log: SubmissionLog, course: Course) -> SlipDays | None:
    """Return what a homework uses of a person's slip days.

    Days are used in the order in which homeworks are due, as far as they go, and none of them for
    a submission that came when late ones were no longer taken. Of a group, who has fewest left
    decides.

    Args:
        late: How late the submission is; None where it is not.
        log: Of the submission: people and homework.
        course: The budget, the due dates, and how late people were in other homeworks.

    Returns:
        None where the course has no slip days, or course.toml has no date of this homework.
    """
    budget = course.late.slip_days
    if not budget or log.homework not in course.homework:
        return None
    left = min(_left(id, log.homework, course) for id in people(log))
    used = 0 if late is None or late.closed else _used(late.days, left, course)
    return SlipDays(used, left - used, budget)


def people(log: SubmissionLog) -> tuple[str, ...]:
    """Return the ids under which whoever submitted is known."""
    ids = log.receipt.people if log.receipt else ()
    return tuple(dict.fromkeys((*ids, log.submission.student)))


def late_days(log: SubmissionLog, course: Course) -> int:
    """Return the days that slip days may be used for: none where late ones were no longer taken."""
    late = lateness(log.receipt, course, log.homework)
    return 0 if late is None or late.closed else late.days


def slip_days_left(id: str, course: Course) -> int:
    """Return what a person has left of the slip days when all homeworks of course.toml are over."""
    dates = course.homework
    return _after(id, sorted(dates, key=lambda name: course.moment(dates[name].due)), course)


def _left(id: str, homework: str, course: Course) -> int:
    return _after(id, course.before(homework), course)


def _after(id: str, homeworks: Sequence[str], course: Course) -> int:
    left = course.late.slip_days
    for name in homeworks:
        left -= _used(course.late_days.get(name, {}).get(course.id_of(id), 0), left, course)
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
