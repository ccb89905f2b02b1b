"""Facts -> marks: judgement, diagnosis and lateness."""

from dataclasses import replace

from autograder.course.course import Course
from autograder.marking.diagnose import KnownMistakes, diagnose, with_names
from autograder.marking.judge import Judge
from autograder.marking.lateness import with_lateness
from autograder.records import versions
from autograder.records.facts import SubmissionLog, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Grade, rounded

REMARKS = 50
"""The most remarks that a student sees on one notebook, which may cause any number of them."""
NOT_FINISHED = "Grading has not finished; these are the marks so far."


def mark(
    homework: Homework,
    log: SubmissionLog,
    course: Course,
    *,
    judge: Judge | None = None,
    bank: KnownMistakes | None = None,
) -> Grade:
    """Return the marks of one submission, always the same for the same log.

    Args:
        homework: Its references and checks.
        log: The submission's results, which may still grow.
        course: Its secret draws the hidden inputs again; its dates decide what is late.
        judge: A judge that has seen an earlier part of this log.
        bank: The known mistakes to match wrong answers with; None names none.
    """
    grade = (judge or Judge(homework, secret=course.secret))(log)
    if bank:
        grade = diagnose(grade, homework, log, secret=course.secret, bank=bank)
        grade = with_names(grade, homework, log.common)
    grade = with_lateness(_with_golf(grade, course.golf.points), log, course)
    return replace(
        grade, remarks=remarks(grade, log), complete=log.complete, version=versions.marks(homework)
    )


def _with_golf(grade: Grade, points: float) -> Grade:
    """Return the grade with the bonus of each answer at or below par."""
    if not points:
        return grade
    marks = tuple(
        replace(one, golf=replace(one.golf, points=points))
        if one.golf and one.golf.count <= one.golf.par
        else one
        for one in grade.marks
    )
    return replace(grade, marks=marks)


def remarks(grade: Grade, log: SubmissionLog) -> tuple[str, ...]:
    """Return the remarks above the marks, most important first."""
    lines = [] if log.complete else [NOT_FINISHED]
    lines += filter(None, (late_words(grade), grade.slip_days))
    if log.submission.kind == "log":
        lines.append(
            "This was graded from a submission_log.json without a notebook, so the "
            f"written answers, {points(grade.waiting)}, are missing: submit the notebook."
        )
    elif grade.waiting:
        lines.append(f"{points(grade.waiting)} are still to be marked by hand.")
    said = said_to((*log.remarks, *log.repairs), "student")
    if more := len(said[REMARKS:]):
        verb = "is" if more == 1 else "are"
        said = (*said[:REMARKS], f"{counted(more, 'more remark')} {verb} not shown.")
    return (*said, *lines) if log.unrelated else (*lines, *said)


def late_words(grade: Grade) -> str:
    """Return the sentences on lateness, with its cost in points so far."""
    if not grade.late_share:
        return grade.late
    which = "" if grade.late_points == "all" else " that the machine gave"
    share = f"{100 * grade.late_share:g} %"
    return f"{grade.late} This costs {share} of the points{which}: {number(grade.penalty)}."


def number(value: float) -> str:
    """Return points as a person writes them: 8, 6.5."""
    return f"{rounded(value):.2f}".rstrip("0").rstrip(".")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, such as "1 mark" or "1,204 marks"; the plural adds an s."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def points(value: float) -> str:
    """Return a number of points in words, such as "1 point" or "6.5 points"."""
    text = number(value)
    return f"{text} point{'' if text == '1' else 's'}"
