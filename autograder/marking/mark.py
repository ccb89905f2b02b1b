"""Facts -> marks, all of it: judged, diagnosed, and lateness taken into account."""

from dataclasses import replace

from autograder.course.course import Course
from autograder.marking.diagnose import KnownMistakes, diagnose
from autograder.marking.judge import Judge
from autograder.marking.lateness import with_lateness
from autograder.records import versions
from autograder.records.facts import SubmissionLog, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Grade, rounded

NOT_FINISHED = "Grading has not finished; these are the marks so far."


def mark(
    homework: Homework,
    log: SubmissionLog,
    course: Course,
    *,
    judge: Judge | None = None,
    bank: KnownMistakes | None = None,
) -> Grade:
    """Return the marks of one submission: the same for the same log, whenever it is called.

    Args:
        homework: Its references and checks.
        log: What the submission gave, which may still grow.
        course: Its secret draws the hidden inputs again; its dates say what is late.
        judge: One that judged this log when it was shorter, and remembers.
        bank: The known mistakes, to name those that wrong answers fit; None names none.
    """
    grade = (judge or Judge(homework, secret=course.secret))(log)
    if bank:
        grade = diagnose(grade, homework, log, secret=course.secret, bank=bank)
    grade = with_lateness(grade, log, course)
    return replace(
        grade, remarks=remarks(grade, log), complete=log.complete, version=versions.marks(homework)
    )


def remarks(grade: Grade, log: SubmissionLog) -> tuple[str, ...]:
    """Return what the student is told above the marks, the most important first."""
    lines = [] if log.complete else [NOT_FINISHED]
    lines += filter(None, (late_words(grade), grade.slip_days))
    if log.submission.kind == "log":
        lines.append(
            "This was graded from a submission_log.json without a notebook: the written answers are "
            f"not in this file, and {points(grade.waiting)} wait for them. Submit the notebook."
        )
    elif grade.waiting:
        lines.append(f"{points(grade.waiting)} wait for a person to read the written answers.")
    said = said_to((*log.remarks, *log.repairs), "student")
    return (*said, *lines) if log.unrelated else (*lines, *said)


def late_words(grade: Grade) -> str:
    """Return the sentences on lateness, with what it takes of the points that are given by now."""
    if not grade.late_share:
        return grade.late
    which = "" if grade.late_points == "all" else " that the machine gave"
    share = f"{100 * grade.late_share:g} %"
    return f"{grade.late} This takes {share} of the points{which}: {number(grade.penalty)}."


def number(value: float) -> str:
    """Return points as a person writes them: 8, 6.5."""
    return f"{rounded(value):.2f}".rstrip("0").rstrip(".")


def counted(count: int, noun: str) -> str:
    """Return "1 mark" or "1,204 marks"; the noun's plural has an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def points(value: float) -> str:
    """Return "1 point" or "6.5 points"."""
    text = number(value)
    return f"{text} point{'' if text == '1' else 's'}"
