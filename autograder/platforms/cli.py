"""The wing's verbs: export is here, those of Gradescope and nbgrader are in their own packages."""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.shared import CourseOption, GradebookOption, complain, note, note_old_table, say
from autograder.course import course, homework
from autograder.course.course import Course
from autograder.course.people import People, roster
from autograder.marking import lateness
from autograder.marking.mark import counted, number, remarks
from autograder.platforms import canvas as of_canvas
from autograder.platforms import csv_table, feedback_files, fill, mails
from autograder.platforms import moodle as of_moodle
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
"""The most lines of changes to print; a class may have thousands."""


@verbs.command()
def export(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
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
        str,
        typer.Option(
            metavar="NAME", help="The title of the assignment's column, or its number in Canvas."
        ),
    ] = "",
    submissions: Annotated[
        Path | None,
        typer.Option(
            metavar="ZIP",
            help="The submissions exported from Canvas, whose file names the feedback needs.",
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
            help="Also copy or email marks that are not final yet.",
        ),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Overwrite different marks without asking.")
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only print what would change; write nothing.")
    ] = False,
    sender: Annotated[
        str,
        typer.Option(
            "--mail-from",
            metavar="ADDRESS",
            help="Instead, write D/mails.zip: each report as an email to the address in roster.csv.",
            show_default=False,
        ),
    ] = "",
    server: Annotated[
        str,
        typer.Option(
            "--smtp",
            metavar="HOST",
            help="With --mail-from and --yes: send the emails through this server, each report "
            "once.",
            show_default=False,
        ),
    ] = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Fill in the CSV that Canvas or Moodle exported, and write a zip of feedback beside it, in D."""
    if sender or server:
        if canvas or moodle or column or submissions:
            raise UserError(
                "--mail-from writes emails and no platform's file; leave out --canvas, --moodle, "
                "--column and --submissions"
            )
        _mail(
            course.find(course_folder),
            folder,
            hand_marks,
            sender,
            server,
            without=without or (),
            preview=preview,
            yes=yes,
            provisional=provisional,
        )
        return
    if (canvas is None) == (moodle is None):
        raise UserError("give the file that the platform exported: --canvas CSV or --moodle CSV")
    if submissions and not canvas:
        raise UserError(
            "--submissions goes with --canvas; Moodle does not need the names of submitted files"
        )
    root = course.find(course_folder)
    settings, people = course.read(root), roster(root)
    note_old_table(folder)
    have = report.collect(root, folder, hand_marks)
    name, source = ("canvas", canvas) if canvas else ("moodle", moodle or Path())
    target, packed = folder / f"{name}.csv", folder / f"{name}-feedback.zip"
    for earlier in (target, packed):  # the marks now differ from those, even if this export fails
        if not preview and not (earlier.exists() and source.exists() and earlier.samefile(source)):
            earlier.unlink(missing_ok=True)
    for complaint in have.complaints:
        complain(complaint)
    left_out = [people.called(one) for one in without or ()]
    rows = {who: row for who, row in have.rows.items() if who not in left_out}
    chosen = homework.load(root, collected.homework_of(folder, have))
    before = csv_table.read(source)
    columns = (
        of_canvas.columns(before, titles=(chosen.title, chosen.name), column=column)
        if canvas
        else of_moodle.columns(before, column=column)
    )
    best = collected.fullest(have.graded)
    problem = _nobody(left_out, have)
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
            f"the maximum is {number(columns.most)} in {columns.platform} but "
            f"{number(best.possible)} in the homework; marks are copied unchanged"
        )
    if preview:
        say("Nothing was written.")
        return
    if what.overwritten and not yes:
        _confirm(len(what.overwritten))
    after = fill.filled(before, columns, what)
    if count := fill.formulas_left(after, columns):
        note(
            f"cells that {columns.platform} reads back and that look like formulas: "
            f"{count}; they are unchanged, so do not open the file in a spreadsheet"
        )
    final = [who for who in what.lines if who not in what.left]
    contents = {}
    if submissions:
        own = {who: _notebook(folder, who, have, chosen, settings) for who in final}
        numbers = {who: before.cell(what.lines[who], columns.ids[0]) for who in final}
        contents[packed] = _packed(submissions, own, numbers)
    elif moodle:
        contents[packed] = of_moodle.feedback(
            {
                csv_table.last_number(before.cell(what.lines[who], 0)): page.encode()
                for who, page in _pages(folder, final, have, chosen, settings)
            }
        )
    files.write_together({**contents, target: after.bytes()})
    say(f"wrote {target}")
    if contents:
        say(f"wrote {packed}")
    else:
        say(
            "no feedback: Canvas needs the names of the submitted files; give its export "
            "with --submissions"
        )


def _nobody(left_out: Sequence[str], have: Collected) -> str:
    """Return a complaint about names that no submission has, or ""."""
    strangers = ", ".join(one_line(one) for one in left_out if one not in have.rows)
    return f"--without {strangers}: no submission has this name" if strangers else ""


def _mail(
    root: Path,
    folder: Path,
    hand_marks: str | None,
    sender: str,
    server: str,
    *,
    without: Collection[str],
    preview: bool,
    yes: bool,
    provisional: bool,
) -> None:
    """Write emails with reports, or send those that have not been sent yet."""
    if not sender:
        raise UserError("--smtp needs --mail-from ADDRESS, the sender's address")
    settings, people = course.read(root), roster(root)
    have = report.collect(root, folder, hand_marks)
    for complaint in have.complaints:
        complain(complaint)
    left_out = [people.called(one) for one in without]
    if problem := _nobody(left_out, have):
        raise UserError(problem)
    chosen = homework.load(root, collected.homework_of(folder, have))
    best = collected.fullest(have.graded)
    unfinished = {} if provisional else _unfinished(have.rows, best, provisional=False)
    found, complaints = mails.written(
        folder,
        {
            who: grade
            for who, grade in have.graded.items()
            if grade.marks and grade.complete and who not in left_out
        },
        have.given,
        people,
        homework=chosen,
        course=settings,
        sender=sender,
        unfinished=unfinished,
    )
    unread = (who for who, grade in have.graded.items() if not grade.marks)
    complaints += [f"{one_line(who)}: no email (the submission is unreadable)" for who in unread]
    for complaint in complaints:
        note(complaint)
    if preview or (server and not yes):
        new = mails.unsent(folder, found) if server else found
        for one in new:
            say(one_line(f"{one.student}: {one.message['To']}"))
        already = f" ({len(found) - len(new)} already sent)" if server else ""
        verb = "sent" if server else "written"
        say(f"{counted(len(new), 'email')} would be {verb}{already}")
        say("Nothing was written." if preview else "Add --yes to send them.")
    elif not server:
        files.write_bytes(folder / mails.PACKED, mails.archive(found))
        say(f"wrote {folder / mails.PACKED}: {counted(len(found), 'email')}")
    else:
        with files.locked(folder / mails.SENT):  # two people may send at once
            new = mails.unsent(folder, found)
            refused = list(mails.send(folder, new, server, sender))
        for line in refused:
            complain(line)
        say(
            f"{counted(len(new) - len(refused), 'email')} sent, {len(found) - len(new)} already sent"
        )
        if refused:
            raise SystemExit(2)


def _unfinished(
    rows: Mapping[str, Row], best: Grade | None, *, provisional: bool
) -> dict[str, str]:
    """Return the reason that keeps each mark from being copied, or ""."""
    found = {}
    for who, row in rows.items():
        waits = "; ".join(row.missing)
        if provisional and waits and row.score is not None:
            note(f"{one_line(who)}: the mark is provisional ({one_line(waits)})")
            waits = ""
        found[who] = "; ".join(filter(None, (waits, tables.other_maximum(row, best))))
    return found


def _elsewhere(folder: Path, have: Collected, roster: People) -> list[str]:
    """Return everybody with a submission, including people left out or in a group."""
    logs = [results.read_log(folder / who) for who in have.graded if results.has_log(folder / who)]
    return [*have.rows, *(roster.folder(id) for log in logs for id in lateness.people(log))]


def _packed(submissions: Path, notebooks: Mapping[str, str], numbers: Mapping[str, str]) -> bytes:
    """Return the zip for Canvas, and note people without a notebook among the submissions."""
    starts = of_canvas.uploads(submissions)
    named = {who: starts[id] for who, id in numbers.items() if id in starts}
    # A student's own id may be a different person's number in Canvas.
    named |= {who: starts[who] for who in notebooks if who in starts and who.startswith("anon_")}
    if lacking := [who for who in notebooks if who not in named]:
        note(
            f"no feedback for {len(lacking)}, who have no notebook in "
            f"{one_line(submissions)}: {', '.join(map(one_line, lacking[:10]))}"
        )
    return of_canvas.feedback({start: notebooks[who] for who, start in named.items()})


def _show(what: Plan, platform: str) -> None:
    """Print the changes."""
    for change in what.changes[:SHOWN]:
        line = f"{change.student}: {change.before or 'empty'} -> {change.after}"
        say(one_line(line))
    if len(what.changes) > SHOWN:
        say(f"... and {len(what.changes) - SHOWN} more")
    for student, why in what.left.items():
        note(f"{one_line(student)}: no mark is copied ({why})")
    for student, text in what.notes.items():
        note(f"{one_line(student)}: {text}")
    if what.zeros:
        note(
            "people without a submission here get 0 in their empty cells: "
            f"{', '.join(map(one_line, what.zeros))}; check whether any of them submitted in a group, since "
            "the files may name only one member"
        )
    say(
        f"{len(what.changes)} to write, of which {len(what.overwritten)} replace a mark; {what.same} already in "
        f"{platform}; {len(what.left)} not copied; {what.untouched} without a submission here, unchanged"
    )


def _confirm(count: int) -> None:
    """Ask whether to overwrite different marks; raise UserError unless the answer is yes."""
    if not sys.stdin.isatty():
        raise UserError(
            f"{counted(count, 'mark')} would be overwritten, so nothing was written; "
            "--yes overwrites"
        )
    if not typer.confirm(f"Overwrite {counted(count, 'mark')}?", err=True):
        raise UserError("nothing was written")


def _pages(
    folder: Path, final: list[str], have: Collected, chosen: Homework, settings: Course
) -> Iterator[tuple[str, str]]:
    """Yield each person's page, and complain of those that cannot be made."""
    for who in final:
        grade, given = have.graded[who], have.given.get(who)
        try:
            yield who, feedback_files.page(folder / who, grade, given, chosen, settings)
        except UserError as error:
            complain(f"{folder / who}: no feedback ({error})")


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
