"""The wing's verbs: export is here, and those of Gradescope and nbgrader in their rooms."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.report import GradebookOption
from autograder.cli.shared import CourseOption, complain, note, note_old_table, say
from autograder.course import course
from autograder.course.course import Course
from autograder.course.people import People, roster
from autograder.marking import lateness
from autograder.marking.mark import counted, number, remarks
from autograder.platforms import csv_table, feedback_files, fill
from autograder.platforms.fill import Plan
from autograder.platforms.gradescope import cli as gradescope
from autograder.platforms.nbgrader import cli as nbgrader
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.reports import collected, tables
from autograder.reports.collected import Collected
from autograder.reports.tables import Row
from autograder.store import files, results

verbs = typer.Typer()
for room in (gradescope, nbgrader):
    verbs.add_typer(room.verbs)
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
    provisional: Annotated[
        bool,
        typer.Option(
            "--provisional",
            help="Also copy marks that are not final yet, as they are so far.",
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Overwrite other marks without a question.")
    ] = False,
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Fill the CSV that Canvas or Moodle exported, and write the zip of feedback beside it, into D."""
    from autograder.platforms import canvas as of_canvas
    from autograder.platforms import moodle as of_moodle

    if (canvas is None) == (moodle is None):
        raise UserError("give the file that the platform exported: --canvas CSV or --moodle CSV")
    if submissions and not canvas:
        raise UserError("--submissions goes with --canvas; Moodle needs no names of files")
    root = course.find(course_folder)
    settings, people, load = course.read(root), roster(root), report.loader(root)
    note_old_table(folder)
    have = report.collect(root, folder, hand_marks)
    name, source = ("canvas", canvas) if canvas else ("moodle", moodle or Path())
    target, packed = folder / f"{name}.csv", folder / f"{name}-feedback.zip"
    for earlier in (target, packed):  # its marks are not these, whatever becomes of this export
        if not (earlier.exists() and source.exists() and earlier.samefile(source)):
            earlier.unlink(missing_ok=True)
    for complaint in have.complaints:
        complain(complaint)
    left_out = [people.called(one) for one in without or ()]
    rows = {who: row for who, row in have.rows.items() if who not in left_out}
    chosen = load(collected.homework_of(folder, have))
    before = csv_table.read(source)
    columns = (
        of_canvas.columns(before, titles=(chosen.title, chosen.name), column=column)
        if canvas
        else of_moodle.columns(before, column=column)
    )
    best = collected.fullest(have.graded)
    strangers = ", ".join(one_line(one) for one in left_out if one not in have.rows)
    problem = f"--without {strangers}: no submission has this name" if strangers else ""
    try:
        what = fill.plan(
            before,
            columns,
            {who: row.score for who, row in rows.items()},
            people,
            unfinished=_unfinished(rows, best, provisional=provisional),
            rules=settings.export,
            elsewhere=_elsewhere(folder, have, people) if settings.export.missing == "zero" else (),
        )
    except UserError as error:
        raise UserError("; and ".join(filter(None, (problem, str(error))))) from error
    if problem:
        raise UserError(problem)
    _show(what, columns.platform)
    if best and columns.most is not None and abs(columns.most - best.possible) > 1e-9:
        note(
            f"{columns.platform} counts {number(columns.most)} points and the homework "
            f"{number(best.possible)}; marks are copied as they are"
        )
    if what.overwritten and not yes:
        _confirm(len(what.overwritten))
    after = fill.filled(before, columns, what)
    if count := fill.formulas_left(after, columns):
        note(
            f"cells that {columns.platform} reads back and that begin as a formula does: "
            f"{count}; they stay as they were, so do not open the file in a spreadsheet"
        )
    final = [who for who in what.lines if who not in what.left]
    contents = {}
    if submissions:
        own = {who: _notebook(folder, who, have, chosen, settings) for who in final}
        numbers = {who: before.cell(what.lines[who], columns.ids[0]) for who in final}
        contents[packed] = _packed(submissions, own, numbers)
    elif moodle:
        contents[packed] = of_moodle.feedback(_pages(folder, final, what, before))
    files.write_together({**contents, target: after.bytes()})
    say(f"wrote {target}")
    if contents:
        say(f"wrote {packed}")
    else:
        say(
            "no feedback: Canvas takes it under the names of what was submitted; give what it "
            "exported with --submissions"
        )


def _unfinished(
    rows: Mapping[str, Row], best: Grade | None, *, provisional: bool
) -> dict[str, str]:
    """Return what keeps each mark from being copied; "" where nothing does."""
    found = {}
    for who, row in rows.items():
        waits = "; ".join(row.missing)
        if provisional and waits and row.score is not None:
            note(f"{one_line(who)}: the mark is provisional ({one_line(waits)})")
            waits = ""
        found[who] = "; ".join(filter(None, (waits, tables.other_maximum(row, best))))
    return found


def _elsewhere(folder: Path, have: Collected, roster: People) -> list[str]:
    """Return everybody who has a submission, also those who are left out or are in a group."""
    logs = [results.read_log(folder / who) for who in have.graded if results.has_log(folder / who)]
    return [*have.rows, *(roster.folder(id) for log in logs for id in lateness.people(log))]


def _packed(submissions: Path, notebooks: Mapping[str, str], numbers: Mapping[str, str]) -> bytes:
    """Return the zip that Canvas takes, and note whose notebook is not among the submissions."""
    from autograder.platforms import canvas

    starts = canvas.uploads(submissions)
    named = {who: starts[id] for who, id in numbers.items() if id in starts}
    named |= {who: starts[who] for who in notebooks if who in starts}
    if lacking := [who for who in notebooks if who not in named]:
        note(
            f"no feedback for {len(lacking)}, of whom {one_line(submissions)} has no "
            f"notebook: {', '.join(map(one_line, lacking[:10]))}"
        )
    return canvas.feedback({start: notebooks[who] for who, start in named.items()})


def _show(what: Plan, platform: str) -> None:
    """Print what changes."""
    for change in what.changes[:SHOWN]:
        line = f"{change.student}: {change.before or 'empty'} -> {change.after}"
        say(one_line(line))
    if len(what.changes) > SHOWN:
        say(f"... and {len(what.changes) - SHOWN} more")
    for student, why in what.left.items():
        note(f"{one_line(student)}: no mark is copied ({why})")
    for student, text in what.notes.items():
        note(f"{one_line(student)}: {text}")
    say(
        f"new marks: {len(what.changes)}, of which in the place of another: {len(what.overwritten)}; "
        f"in {platform} already: {what.same}; not copied: {len(what.left)}; people without a "
        f"submission here, whose cells stay: {what.untouched}"
    )


def _confirm(count: int) -> None:
    """Ask whether other marks are overwritten; UserError where nobody can answer, or answers no."""
    if not sys.stdin.isatty():
        raise UserError(
            f"{counted(count, 'mark')} would take the place of {'another' if count == 1 else 'others'}, "
            "so nothing was written; --yes overwrites"
        )
    if not typer.confirm(f"Overwrite {counted(count, 'mark')}?", err=True):
        raise UserError("nothing was written")


def _pages(
    folder: Path, final: list[str], what: Plan, before: csv_table.CsvTable
) -> Mapping[str, bytes]:
    """Return the page of each person by the number that Moodle gives them."""
    found = {}
    for who in final:
        page = folder / who / files.REPORT
        if page.is_file():
            found[csv_table.last_number(before.cell(what.lines[who], 0))] = page.read_bytes()
        else:
            complain(f"{page}: it is gone; run `autograder regrade {folder}`")
    return found


def _notebook(folder: Path, who: str, have: Collected, chosen: Homework, settings: Course) -> str:
    grade, given = have.graded[who], have.given.get(who)
    log = results.read_log(folder / who)
    return feedback_files.notebook(
        replace(grade, remarks=remarks(grade, log)),
        chosen,
        settings,
        explain=settings.explains(chosen.name, datetime.now(UTC), log.receipt),
        comments=given.comments if given else None,
    )
