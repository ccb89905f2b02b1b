"""Verbs that bring marks to people and platforms, and take their questions: export, term, requests."""

import contextlib
import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.report import Collected, GradebookOption
from autograder.cli.shared import CourseOption, complain, end_with, note_old_table, stderr, stdout
from autograder.codec import one_line
from autograder.course import course
from autograder.course.course import Course
from autograder.course.people import People, roster
from autograder.exports import csv_table, feedback, fill, platforms
from autograder.exports.fill import Plan
from autograder.grading import regrade, requests
from autograder.marking import lateness
from autograder.marking.mark import counted, late_words, number, remarks
from autograder.model import Grade, Homework, UserError
from autograder.reports import tables
from autograder.reports.tables import Row
from autograder.sandbox import known_values
from autograder.store import defences, files, results
from autograder.term import page, returned, table, totals
from autograder.term.totals import Part

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
    rows = _chosen(have, [people.called(one) for one in without or ()])
    chosen = load(_homework(folder, have))
    before = csv_table.read(source)
    columns = (
        platforms.canvas(before, titles=(chosen.title, chosen.name), column=column)
        if canvas
        else platforms.moodle(before, column=column)
    )
    best = report.fullest(have.graded)
    what = fill.plan(
        before,
        columns,
        {who: row.score for who, row in rows.items()},
        people,
        unfinished=_unfinished(rows, best, provisional=provisional),
        rules=settings.export,
        elsewhere=_elsewhere(folder, have, people) if settings.export.missing == "zero" else (),
    )
    _show(what, columns.platform)
    if best and columns.most is not None and abs(columns.most - best.possible) > 1e-9:
        stderr.print(
            f"note: {columns.platform} counts {number(columns.most)} points and the homework "
            f"{number(best.possible)}; marks are copied as they are",
            markup=False,
        )
    if what.overwritten and not yes:
        _confirm(len(what.overwritten))
    after = fill.filled(before, columns, what)
    if count := fill.formulas_left(after, columns):
        stderr.print(
            f"note: cells that {columns.platform} reads back and that begin as a formula does: "
            f"{count}; they stay as they were, so do not open the file in a spreadsheet",
            markup=False,
        )
    final = [who for who in what.lines if who not in what.left]
    contents = {}
    if submissions:
        own = {who: _notebook(folder, who, have, chosen, settings) for who in final}
        numbers = {who: before.cell(what.lines[who], columns.ids[0]) for who in final}
        contents[packed] = _packed(submissions, own, numbers)
    elif moodle:
        contents[packed] = feedback.moodle(_pages(folder, final, what, before))
    files.write_together({**contents, target: after.bytes()})
    stdout.print(f"wrote {target}", markup=False, soft_wrap=True)
    if contents:
        stdout.print(f"wrote {packed}", markup=False, soft_wrap=True)
    else:
        stdout.print(
            "no feedback: Canvas takes it under the names of what was submitted; give what it "
            "exported with --submissions",
            soft_wrap=True,
        )


def _unfinished(
    rows: Mapping[str, Row], best: Grade | None, *, provisional: bool
) -> dict[str, str]:
    """Return what keeps each mark from being copied; "" where nothing does."""
    found = {}
    for who, row in rows.items():
        waits = "; ".join(row.missing)
        if provisional and waits and row.score is not None:
            note = f"note: {one_line(who)}: the mark is provisional ({one_line(waits)})"
            stderr.print(note, markup=False)
            waits = ""
        found[who] = "; ".join(filter(None, (waits, tables.other_maximum(row, best))))
    return found


def _elsewhere(folder: Path, have: Collected, roster: People) -> list[str]:
    """Return everybody who has a submission, also those who are left out or are in a group."""
    logs = [results.read_log(folder / who) for who in have.graded if results.has_log(folder / who)]
    return [*have.rows, *(roster.folder(id) for log in logs for id in lateness.people(log))]


def _packed(submissions: Path, notebooks: Mapping[str, str], numbers: Mapping[str, str]) -> bytes:
    """Return the zip that Canvas takes, and note whose notebook is not among the submissions."""
    starts = feedback.uploads(submissions)
    named = {who: starts[id] for who, id in numbers.items() if id in starts}
    named |= {who: starts[who] for who in notebooks if who in starts}
    if lacking := [who for who in notebooks if who not in named]:
        stderr.print(
            f"note: no feedback for {len(lacking)}, of whom {one_line(submissions)} has no "
            f"notebook: {', '.join(map(one_line, lacking[:10]))}",
            markup=False,
        )
    return feedback.canvas({start: notebooks[who] for who, start in named.items()})


def _chosen(have: Collected, without: Sequence[str]) -> dict[str, Row]:
    """Return the rows of those who are not left out."""
    for name in without:
        if name not in have.rows:
            raise UserError(f"--without {name}: no submission has this name")
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
        stderr.print(f"note: {one_line(student)}: no mark is copied ({why})", markup=False)
    for student, note in what.notes.items():
        stderr.print(f"note: {one_line(student)}: {note}", markup=False)
    stdout.print(
        f"new marks: {len(what.changes)}, of which in the place of another: {len(what.overwritten)}; "
        f"in {platform} already: {what.same}; not copied: {len(what.left)}; people without a "
        f"submission here, whose cells stay: {what.untouched}",
        markup=False,
        soft_wrap=True,
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
            found[platforms.last_number(before.cell(what.lines[who], 0))] = page.read_bytes()
        else:
            complain(f"{page}: it is gone; run `autograder regrade {folder}`")
    return found


def _notebook(folder: Path, who: str, have: Collected, chosen: Homework, settings: Course) -> str:
    grade, given = have.graded[who], have.given.get(who)
    log = results.read_log(folder / who)
    return feedback.notebook(
        replace(grade, remarks=remarks(grade, log)),
        chosen,
        settings,
        explain=settings.explains(chosen.name, datetime.now(UTC), log.receipt),
        comments=given.comments if given else None,
    )


@verbs.command(name="term")
def term_command(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="D...", help="What `grade --out D` wrote, one a homework."),
    ],
    out: Annotated[Path, typer.Option(help="Where term.csv and a page for each person go.")],
    moodle: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="A grading worksheet of Moodle: write the zip of pages that it takes, too.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str, typer.Option(metavar="NAME", help="The worksheet's column of the grade.")
    ] = "",
    submissions: Annotated[
        Path | None,
        typer.Option(
            metavar="ZIP",
            help="Submissions of an assignment as Canvas exported them: write the zip of pages that it "
            "takes as their feedback, too.",
            show_default=False,
        ),
    ] = None,
    people_list: Annotated[
        Path | None,
        typer.Option(
            "--ids",
            metavar="CSV",
            help="The gradebook that Canvas exported, where roster.csv does not have Canvas's numbers.",
            show_default=False,
        ),
    ] = None,
    exchanged: Annotated[
        str,
        typer.Option(
            "--nbgrader",
            metavar="HW",
            help="Write OUT/feedback/<student>/HW/, too, from which `nbgrader release_feedback HW` "
            "takes pages.",
            show_default=False,
        ),
    ] = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write OUT/term.csv, the total of a term for each person, and a page of it for each of them."""
    root = course.find(course_folder)
    settings, people = course.read(root), roster(root)
    load = report.loader(root)
    parts: dict[str, dict[str, Part]] = {person.id: {} for person in people}
    late: dict[str, dict[str, int]] = {}
    titles: dict[str, str] = {}
    complaints: list[str] = []
    from_folder: dict[tuple[str, str], Path] = {}
    for folder in folders:
        have = report.collect(root, folder, hand_marks)
        complaints += have.complaints
        name = _homework(folder, have)
        titles[name] = load(name).title
        possible = max(defences.without(grade).possible for grade in have.graded.values())
        for who in have.rows:
            id = people.id_of(who)
            if (id, name) in from_folder:
                complaints.append(
                    f"{one_line(id)} has two submissions of {name}: {from_folder[id, name]} and "
                    f"{folder / who}; {from_folder[id, name].parent} counts, so move the other away"
                )
                continue
            from_folder[id, name] = folder / who
            part = _part(folder, who, have, possible, settings)
            parts.setdefault(id, {})[name] = part
            late.setdefault(name, {})[id] = part.late_days
    if exchanged and exchanged not in titles:
        raise UserError(
            f"--nbgrader {exchanged}: none of these folders has its results; give one of "
            f"{', '.join(titles)}"
        )
    if people_list and not submissions:
        raise UserError("--ids goes with --submissions, the submissions that Canvas exported")
    rules = settings.total
    if without := [name for name in titles if rules.weights and name not in rules.weights]:
        raise UserError(f"course.toml: [total.weights] does not give what {without[0]} counts")
    before = {name: settings.before(name) for name in settings.homework}
    names = totals.order(list(titles), rules, before)
    if unseen := [name for name in rules.weights if name not in titles]:
        stderr.print(
            f"note: no folder of {', '.join(unseen)}: the total is of the others", markup=False
        )
    found = {
        id: totals.total(mine, names, rules, excused=settings.excused(id))
        for id, mine in sorted(parts.items())
    }
    counted = course.with_late_days(settings, late)
    left = (
        {id: lateness.slip_days_left(id, counted) for id in found}
        if settings.late.slip_days
        else None
    )
    sheets: dict[str, page.Sheet] = {}
    for id, one in found.items():
        budget = settings.late.slip_days
        slips = f"Slip days left: {left[id]} of {budget}." if left is not None else ""
        sheets[id] = page.sheet(
            id,
            one,
            parts[id],
            {name: titles[name] for name in names},
            rules,
            course=f"{settings.title}, {settings.term}",
            slip_days=slips,
        )
    pages = {id: page.html(sheet) for id, sheet in sheets.items()}
    zips: dict[Path, bytes] = {}
    if moodle:
        zips[out / "moodle-feedback.zip"] = returned.moodle(moodle, column, pages, people)
    if submissions:
        notebooks = {id: page.notebook(sheet) for id, sheet in sheets.items()}
        data, lacking = returned.canvas(submissions, people_list, notebooks, people)
        zips[out / "canvas-feedback.zip"] = data
        _note_without(lacking, f"{one_line(submissions)} has no notebook")
    files.make_folder(out)
    files.write_table(out / "term.csv", table.table(found, parts, names, people, slip_days=left))
    for id, text in pages.items():
        files.make_folder(out / people.folder(id))
        files.write(out / people.folder(id) / "term.html", text)
    files.write_together(zips)
    waiting = sum(bool(one.open) for one in found.values())
    stdout.print(
        f"wrote {out}/term.csv: people: {len(found)}, homeworks: {len(names)}, totals that are not "
        f"final: {waiting}; {out}/<id>/term.html for each",
        markup=False,
        soft_wrap=True,
    )
    for place in zips:
        stdout.print(f"wrote {place}", markup=False, soft_wrap=True)
    if exchanged:
        lacking = _write_exchanged(root, out, exchanged, pages, from_folder, people)
        stdout.print(f"wrote {out}/feedback", markup=False, soft_wrap=True)
        _note_without(lacking, f"nbgrader collected no submission of {exchanged}")
    end_with(complaints)


def _write_exchanged(
    root: Path,
    out: Path,
    name: str,
    pages: Mapping[str, str],
    from_folder: Mapping[tuple[str, str], Path],
    people: People,
) -> list[str]:
    """Write the folders of feedback that nbgrader releases; return the ids without one."""
    from autograder.gradebook import database

    lacking = []
    place = database.directory(root)
    ids = database.known_as(database.collected(place), people)
    for id, text in pages.items():
        who = ids(from_folder[id, name].name) if (id, name) in from_folder else ""
        submitted = Path(place.format_path(place.submitted_directory, who, name))
        written = returned.nbgrader(name, text, submitted) if who else {}
        for called, content in written.items():
            files.make_folder(out / "feedback" / who / name)
            files.write(out / "feedback" / who / name / called, content)
        lacking += [] if written else [id]
    return lacking


def _note_without(ids: Sequence[str], why: str) -> None:
    """Note who gets no page: the first ten, and how many more there are."""
    if ids:
        more = f" and {len(ids) - 10} more" if len(ids) > 10 else ""
        stderr.print(
            f"note: no page for {len(ids)}, of whom {why}: {', '.join(map(one_line, ids[:10]))}{more}",
            markup=False,
        )


def _part(folder: Path, who: str, have: Collected, possible: float, settings: Course) -> Part:
    """Return what one submission is in a term; `possible` is for one without marks."""
    row, grade, given = have.rows[who], have.graded.get(who), have.given.get(who)
    possible = row.possible or possible
    if grade is None or not results.has_log(folder / who):
        return Part(row.score, possible, missing=row.missing)
    log = results.read_log(folder / who)
    return Part(
        row.score,
        possible,
        extra=sum(mark.earned or 0.0 for mark in grade.marks if mark.extra),
        late=late_words(grade),
        penalty=grade.penalty,
        late_days=lateness.late_days(log, settings),
        missing=row.missing,
        marks=grade.marks,
        comments=given.comments if given else {},
    )


@verbs.command(name="requests")
def requests_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    path: Annotated[
        Path | None,
        typer.Argument(metavar="[CSV]", help="Requests, with the columns id, question and reason."),
    ] = None,
    grant: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Keep that this request was granted.")
    ] = None,
    refuse: Annotated[
        list[int] | None, typer.Option(metavar="N", help="Keep that this request was refused.")
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="NAME", help="The name of the person who decided.")
    ] = "",
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")] = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Judge again what students ask about, draft answers, and keep requests and decisions in D."""
    root = course.find(course_folder)
    place = folder / requests.FILE
    log = requests.entries(place)
    if path is None and not (grant or refuse):
        raise UserError("give a CSV of requests, or a decision on one: --grant N or --refuse N")
    if (grant or refuse) and not by:
        raise UserError("give the name of the person who decided with --by")
    if path is not None:
        log = _with_answers(root, folder, path, log, hand_marks)
    now = datetime.now(course.read(root).zone)
    for word, numbers in (("granted", grant or ()), ("refused", refuse or ())):
        for count in numbers:
            log = requests.decided(log, count, word, by=by, why=why, at=now)
    files.write_table(place, requests.written(log))
    undecided = sum(not one.decisions for one in log)
    stdout.print(
        f"wrote {place}: {counted(len(log), 'request')}, {undecided} without a decision",
        markup=False,
        soft_wrap=True,
    )


def _with_answers(
    root: Path, folder: Path, path: Path, log: list[requests.Entry], hand_marks: str | None
) -> list[requests.Entry]:
    """Return the log with the requests of a file that it did not have, each judged again."""
    settings, load = course.read(root), report.loader(root)
    known = roster(root)
    new: list[requests.Request] = []
    for request in requests.read(path, known):
        if not requests.is_in(request, log) and request not in new:
            new.append(request)
    have = report.collect(root, folder, hand_marks)
    folders = {known.id_of(who): who for who in have.rows}
    wanted = {folders[request.id] for request in new if request.id in folders}
    judged: dict[str, regrade.Regraded] = {}
    with contextlib.ExitStack() as stack:
        bank = functools.cache(
            lambda name: stack.enter_context(known_values.bank(root, load(name)))
        )
        for item in regrade.regrade(folder, load, settings, bank, wanted):
            if isinstance(item, str):
                complain(item)
            else:
                judged[item.folder.name] = item
    came = f"{datetime.now(settings.zone):%Y-%m-%d %H:%M}"
    for request in new:
        who = folders.get(request.id, "")
        given, one = have.given.get(who), judged.get(who)
        before, now, proposal, answer = requests.answered(
            request,
            one,
            have.rows[who].points if who else {},
            explain=one is not None
            and settings.explains(one.log.homework, datetime.now(UTC), one.log.receipt),
            given=given.comments if given else {},
        )
        count = max((entry.number for entry in log), default=0) + 1
        log = [*log, requests.Entry(count, came, request, before, now, proposal, answer)]
        line = f"{count} {request.id} {request.question}: {proposal}"
        stdout.print(one_line(line), markup=False, soft_wrap=True)
    return log
