"""Grade and log -> report.html, the page that a student reads."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from autograder.course.cells import defined_names
from autograder.marking.lateness import NOTHING_TO_GIVE, settled
from autograder.marking.mark import number, points, remarks
from autograder.records.facts import SubmissionLog, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks, added_titles
from autograder.reports import line_comments
from autograder.reports.templates import environment

_environment = environment("autograder", "reports")

MARKED = "A person has marked this."
MARKED_BEFORE = "A person marked an earlier version of this, and will look at it again."
MAX_CODE = 6_000
"""Characters of one answer's code."""


def html(
    grade: Grade,
    log: SubmissionLog,
    *,
    title: str,
    course: str,
    explain: bool,
    code: Mapping[str, str] | None = None,
    given: HandMarks | None = None,
) -> str:
    """Return a self-contained page without scripts or external files.

    Questions that lost points come first, then those still to be marked by hand; passed ones are
    folded.

    Args:
        grade: The marks.
        log: Their evidence: remarks, repairs and failing cells.
        title: The homework's title.
        course: The course's title and term.
        explain: Whether to name the mistakes that answers match; the hint where to look is always there.
        code: Question -> the student's own code for it.
        given: People's comments, also by nbgrader's names of other cells, and the code that they marked.

    """
    ended = ("timed_out", "killed")
    answered = {o.question for o in log.outcomes if o.says_something or o.status in ended}
    if answered:  # nobody knows whether untrained answers are written
        answered |= log.not_trained
    answered |= {question for question, state in log.written.items() if state == "answered"}
    answered |= added_titles()
    lost = [mark for mark in grade.marks if mark.verdict in ("failed", "partly")]
    written = [mark for mark in lost if mark.earned or mark.question in answered]
    given = given or HandMarks()
    comments, lined = dict(given.comments), dict[str, list[tuple[str, str]]]()
    for mark in grade.marks:
        lines = given.code.get(mark.question, "").splitlines()
        if mark.message != MARKED_BEFORE:  # for others, the comments may be about a different text
            comments[mark.question], on_lines = line_comments.parted(
                comments.get(mark.question, ""), len(lines)
            )
            if on_lines:
                lined[mark.question] = [
                    (line, on_lines.get(number, "")) for number, line in enumerate(lines, start=1)
                ]
    shown: dict[str, str] = {}
    for mark in written:  # a cell that several questions share appears once
        own = (code or {}).get(mark.question, "")[:MAX_CODE]
        if own not in shown.values():
            shown[mark.question] = own
    questions = {mark.question for mark in grade.marks}
    # Repairs cost nothing, so they are below the marks; an unrelated notebook shows none.
    repairs = () if log.unrelated else said_to(log.repairs, "student")
    notes = [remark for remark in grade.remarks if remark not in repairs]
    return _environment.get_template("report.html.jinja").render(
        title=title,
        course=course,
        grade=grade,
        banner=notes[0] if log.unrelated and notes else "",
        notes=notes[1:] if log.unrelated else notes,
        repairs=repairs,
        log=log,
        explain=explain,
        points=points,
        number=number,
        parts=[
            ("What lost points", written),
            ("Still open", [mark for mark in grade.marks if mark.verdict == "waiting"]),
        ],
        unwritten=[mark for mark in lost if mark not in written],
        passed=[mark for mark in grade.marks if mark.verdict == "passed"],
        code=shown,
        lined=lined,
        comments=comments,
        other_comments={cell: said for cell, said in comments.items() if cell not in questions},
    )


def own_code(homework: Homework, sources: Sequence[str]) -> dict[str, str]:
    """Return the cell, if any, that defines the object of each question.

    The sources are those of the code cells, in the order in which they ran.
    """
    found = {name: source for source in sources for name in _BEGINS.findall(source)}
    found |= {name: source for source in sources for name in _BOUND.findall(source)}
    defined = found | {name: source for source in sources for name in defined_names(source)}
    asked = {
        one.id: one.ask.objects[-1] for one in homework.questions if one.ask and one.ask.objects
    }
    return {id: defined[name] for id, name in asked.items() if name in defined}


_BOUND = re.compile(r"^(\w+)\s*=(?!=)", re.MULTILINE)
_BEGINS = re.compile(r"^(?:def|class)\s+(\w+)", re.MULTILINE)  # even if the rest is not Python


def with_hand_marks(
    grade: Grade, log: SubmissionLog, given: Mapping[str, float], waiting: Collection[str] = ()
) -> Grade:
    """Return what `with_points` does, and adjust the sentences above the marks."""
    grade = with_points(grade, given, waiting)
    return replace(grade, remarks=remarks(grade, log))


def with_points(grade: Grade, given: Mapping[str, float], waiting: Collection[str] = ()) -> Grade:
    """Return the grade with all points so far, people's replacing the machine's.

    `waiting` are the questions that a person has to look at again.
    """
    waiting = () if grade.lost else waiting
    marks = tuple(
        replace(
            mark,
            earned=given[mark.question],
            message=MARKED_BEFORE
            if mark.question in waiting
            else MARKED
            if mark.earned is None or mark.message == NOTHING_TO_GIVE
            else mark.message,
        )
        if mark.question in given
        else mark
        for mark in grade.marks
    )
    return settled(replace(grade, marks=marks))
