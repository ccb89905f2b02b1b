"""The verb that brings marks into a learning platform: export."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.report import Collected, GradebookOption
from autograder.cli.shared import CourseOption, complain, note_old_table, stderr, stdout
from autograder.codec import one_line
from autograder.course import course
from autograder.course.course import Course
from autograder.exports import feedback, fill, platforms, sheet
from autograder.exports.fill import Plan
from autograder.marking.mark import number
from autograder.model import Homework, UserError
from autograder.reports.report import with_hand_marks
from autograder.reports.tables import Row
from autograder.store import files, results

verbs = typer.Typer()
SHOWN = 200
"""Lines of changes; a class may have thousands."""


@verbs.command()
def export(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    canvas: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="The gradebook that Canvas exported.", show_default=False),
    ] = None,
    moodle: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="The grading worksheet that Moodle exported.", show_default=False
        ),
    ] = None,
    column: Annotated[
        str, typer.Option(metavar="NAME", help="The assignment's column, or its number in Canvas.")
    ] = "",
    submissions: Annotated[
        Path | None,
        typer.Option(
            metavar="ZIP",
            help="The submissions as Canvas exported them: it takes feedback by their names.",
            show_default=False,
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Leave this submission out; may be repeated."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Overwrite other marks without a question.")
    ] = False,
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Fill the CSV that Canvas or Moodle exported, and write the zip of feedback beside it, into D."""
    if (canvas is None) == (moodle is None):
        raise UserError("give the file that the platform exported: --canvas CSV or --moodle CSV")
    if submissions and not canvas:
        raise UserError("--submissions goes with --canvas; Moodle needs no names of files")
    root = course.find(course_folder)
    settings, people, load = course.read(root), course.roster(root), report.loader(root)
    note_old_table(folder)
    have = report.collect(root, folder, hand_marks)
    rows = _chosen(have, without or ())
    chosen = load(_homework(folder, have))
    if canvas:
        before = sheet.read(canvas)
        columns = platforms.canvas(before, titles=(chosen.title, chosen.name), column=column)
        name = "canvas"
    else:
        assert moodle
        before, name = sheet.read(moodle), "moodle"
        columns = platforms.moodle(before, column=column)
    unfinished = {who: "; ".join(row.missing) for who, row in rows.items() if row.missing}
    scores = {who: row.score for who, row in rows.items()}
    what = fill.plan(before, columns, scores, people, unfinished=unfinished)
    _show(what, columns.platform)
    best = next((grade for grade in have.graded.values() if grade.complete), None)
    if best and columns.most is not None and abs(columns.most - best.possible) > 1e-9:
        stderr.print(
            f"note: {columns.platform} counts {number(columns.most)} points and the homework "
            f"{number(best.possible)}; marks go over as they are",
            markup=False,
        )
    if what.overwritten and not yes:
        _confirm(len(what.overwritten))
    after = fill.filled(before, columns, what)
    if count := fill.formulas_left(after, columns):
        stderr.print(
            f"note: {count} cells that {columns.platform} reads back begin as a formula does and "
            "stay as they were; do not open the file in a spreadsheet",
            markup=False,
        )
    files.write_bytes(folder / f"{name}.csv", after.bytes())
    stdout.print(f"wrote {folder}/{name}.csv", markup=False, soft_wrap=True)
    final = [who for who in what.lines if who not in what.left]
    if canvas and not submissions:
        stdout.print(
            "no feedback: Canvas takes it under the names of what was submitted; give what it "
            "exported with --submissions",
            soft_wrap=True,
        )
        return
    if submissions:
        starts = feedback.uploads(submissions)
        numbers = {who: before.cell(what.lines[who], columns.ids[0]) for who in final}
        named = {who: starts[id] for who, id in numbers.items() if id in starts}
        named |= {who: starts[who] for who in final if who in starts}
        data = feedback.canvas(
            {start: _notebook(folder, who, have, chosen, settings) for who, start in named.items()}
        )
        if lacking := [who for who in final if who not in named]:
            stderr.print(
                f"note: no feedback for {len(lacking)}, of whom {one_line(submissions)} has no "
                f"notebook: {', '.join(map(one_line, lacking[:10]))}",
                markup=False,
            )
    else:
        data = feedback.moodle(_pages(folder, final, what, before))
    files.write_bytes(folder / f"{name}-feedback.zip", data)
    stdout.print(f"wrote {folder}/{name}-feedback.zip", markup=False, soft_wrap=True)


def _chosen(have: Collected, without: Sequence[str]) -> dict[str, Row]:
    """Return the rows of those who are not left out."""
    for name in without:
        if name not in have.rows:
            raise UserError(f"--without {name}: no submission is called so")
    return {who: row for who, row in have.rows.items() if who not in without}


def _homework(folder: Path, have: Collected) -> str:
    """Return the homework that a folder has results of."""
    for who in have.graded:
        if results.has_log(folder / who):
            return results.read_log(folder / who).homework
    raise UserError(f"{folder}: no submission in it could be graded, so there is no mark to export")


def _show(what: Plan, platform: str) -> None:
    """Print what changes."""
    for change in what.changes[:SHOWN]:
        line = f"{change.student}: {change.before or 'empty'} -> {change.after}"
        stdout.print(one_line(line), markup=False, soft_wrap=True)
    if len(what.changes) > SHOWN:
        stdout.print(f"... and {len(what.changes) - SHOWN} more")
    for student, why in what.left.items():
        stderr.print(f"note: {one_line(student)}: no mark goes over ({why})", markup=False)
    stdout.print(
        f"{len(what.changes)} marks are new, {len(what.overwritten)} of them in the place of "
        f"another; {what.same} are in {platform} already; {len(what.left)} do not go over; "
        f"{what.untouched} people have no submission here, and their cells stay",
        markup=False,
        soft_wrap=True,
    )


def _confirm(count: int) -> None:
    """Ask whether other marks are overwritten; UserError where nobody can answer, or says no."""
    if not sys.stdin.isatty():
        raise UserError(
            f"{count} marks would take the place of others, so nothing was written; --yes writes them"
        )
    if not typer.confirm(f"Overwrite {count} marks?", err=True):
        raise UserError("nothing was written")


def _pages(folder: Path, final: list[str], what: Plan, before: sheet.Sheet) -> Mapping[str, bytes]:
    """Return the page of each person by the number that Moodle gives them."""
    found = {}
    for who in final:
        page = folder / who / files.REPORT
        if page.is_file():
            found[platforms.last_number(before.cell(what.lines[who], 0))] = page.read_bytes()
        else:
            complain(f"{page}: it is gone; run `autograder regrade {folder}`")
    return found


def _notebook(folder: Path, who: str, have: Collected, chosen: Homework, settings: Course) -> str:
    grade, given = have.graded[who], have.given.get(who)
    log = results.read_log(folder / who)
    if given:
        grade = with_hand_marks(grade, log, given.points, given.waiting)
    return feedback.notebook(
        grade,
        chosen,
        settings,
        explain=settings.explains(chosen.name, datetime.now(UTC), log.receipt),
        comments=given.comments if given else None,
    )
