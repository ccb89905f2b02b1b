"""The page that takes an instructor from the zip to a working assignment."""

from autograder.course.course import Course
from autograder.marking import lateness
from autograder.marking.mark import counted, number, points
from autograder.platforms.gradescope.self_test import most
from autograder.records.homework import Homework
from autograder.records.questions import Question


def first_hour(homework: Homework, course: Course) -> str:
    """Return the set-up page of a homework, in Markdown."""
    marked = [q for q in homework.questions if not q.formative]
    machine = [q for q in marked if not q.by_hand and not q.extra]
    extra = [q for q in marked if q.extra and not q.by_hand]
    hand = [q for q in marked if q.by_hand]
    total = sum(q.points for q in machine)
    by_hand = (
        "Switch **manual grading** on." if hand else "Manual grading is not needed: leave it off."
    )
    return f"""\
# {homework.title}: set up on Gradescope

The zip contains the solutions and your course's secret: keep it to yourself.

1. **Create the assignment**: *Programming Assignment*. Autograder points: **{number(total)}**. \
{by_hand}
2. **Configure the autograder**: upload the zip. Any Ubuntu or Debian base image does. The build \
takes some minutes, and its log ends with two graded notebooks and `setup.sh: done`; when it fails, \
the last line is the reason.
3. **Container**: the smallest one (0.5 CPU, 0.75 GB) and 10 minutes are enough; with 1 CPU students \
wait half as long.
4. **Try it**: *Test Autograder* with `source/{homework.name}/{homework.name}.ipynb` gives \
{number(most(homework))}{_golf(homework, course)}, with `release/{homework.name}/{homework.name}.ipynb` 0.
5. **Points by hand**: {_by_hand(hand)}
6. **Extra credit**: {_extra(extra, total)}
7. **Dates and limits**: {_policy(homework, course)} After a change of course.toml or a \
file of staff/, pack again, upload the zip, and choose *Regrade All Submissions*: lateness and limits follow from \
when a submission came, so they stay as they were.
"""


def _golf(homework: Homework, course: Course) -> str:
    bonus = course.golf.points * sum(question.par is not None for question in homework.questions)
    return f" (and up to {number(bonus)} more in attention golf)" if bonus else ""


def _by_hand(hand: list[Question]) -> str:
    if not hand:
        return "there are none."
    rows = "\n".join(
        f"   | `{q.id}`{' (extra credit)' * q.extra} | {number(q.points)} |" for q in hand
    )
    return f"""choose one of two ways, for the whole course, and never both.
   - On Gradescope: in the outline, add one manual question for each of these:

   | Question | Points |
   |---|---|
{rows}

   - In formgrader: add none. *Download Submissions*, then `autograder grade`, `autograder \
gradebook`, mark, `autograder report`, and upload grades.csv to your course's gradebook."""


def _extra(extra: list[Question], total: float) -> str:
    if not extra:
        return "there are none that the machine marks."
    names = ", ".join(f"`{question.id}` ({points(question.points)})" for question in extra)
    return (
        f"{names}. It is in the autograder's score, which may be above {number(total)}; "
        "there is nothing to set."
    )


def _policy(homework: Homework, course: Course) -> str:
    limit = course.gradescope.attempts_a_day
    are = "is" if limit == 1 else "are"
    uploads = f"{counted(limit, 'upload')} of each student {are} graded a day"
    if not limit:
        uploads = "every upload is graded"
    late = "It costs nothing, unless you set a late penalty on Gradescope."
    if course.late.rule == "deduct":
        late = "Do not set a late penalty on Gradescope, or it would be taken in addition."
        if course.late.points == "all" and any(q.by_hand and q.points for q in homework.questions):
            late += (
                " Gradescope takes nothing off points that you give there: give them in "
                'formgrader, or write `points = "machine"` into `[late]` of course.toml.'
            )
    due = course.due(homework.name)
    dates = (
        "Gradescope's dates count, including extensions"
        if due is None
        else f"Gradescope's dates count, or {due.astimezone(course.zone):%Y-%m-%d %H:%M %Z} "
        "if it has none"
    )
    return f"{uploads}. {lateness.rule(course)} {late} {dates}."
