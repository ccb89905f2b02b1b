"""The verb that adds up a term: term."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.shared import (
    CourseOption,
    GradebookOption,
    end_with,
    note,
    note_extensions,
    say,
)
from autograder.course import course
from autograder.course.course import Course
from autograder.course.people import People, roster
from autograder.marking import lateness
from autograder.marking.mark import late_words
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.marks import without_added
from autograder.reports import collected
from autograder.reports.collected import Collected
from autograder.staff.term import page, table, totals
from autograder.staff.term.totals import Part
from autograder.store import files, results
from autograder.submission.opening import given

verbs = typer.Typer()


@verbs.command(name="term")
def term_command(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="D...", help="The folders that `grade --out D` wrote, one for each homework."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where to write term.csv and a page for each person.")],
    moodle: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="A Moodle grading worksheet: also write the zip of pages for it."
        ),
    ] = None,
    column: Annotated[
        str, typer.Option(metavar="NAME", help="The worksheet's column for the grade.")
    ] = "",
    submissions: Annotated[
        Path | None,
        typer.Option(
            metavar="ZIP",
            help="Submissions of an assignment, exported from Canvas: also write the zip of "
            "pages as feedback on them.",
        ),
    ] = None,
    people_list: Annotated[
        Path | None,
        typer.Option(
            "--ids",
            metavar="CSV",
            help="The gradebook exported from Canvas, if roster.csv lacks Canvas's numbers.",
        ),
    ] = None,
    exchanged: Annotated[
        str,
        typer.Option(
            "--nbgrader",
            metavar="HW",
            help="Also write OUT/feedback/<student>/HW/, from which `nbgrader "
            "release_feedback HW` takes pages.",
            show_default=False,
        ),
    ] = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write OUT/term.csv with each person's total for the term, and a page for each person."""
    root = course.find(course_folder)
    settings, people = course.read(root), roster(root)
    note_extensions(settings, people)
    load = report.loader(root)
    parts: dict[str, dict[str, Part]] = {person.id: {} for person in people}
    late: dict[str, dict[str, int]] = {}
    titles: dict[str, str] = {}
    complaints: list[str] = []
    from_folder: dict[tuple[str, str], Path] = {}
    for folder in folders:
        have = report.collect(root, folder, hand_marks)
        complaints += have.complaints
        name = collected.homework_of(folder, have)
        titles[name] = load(name).title
        possible = max(without_added(grade).possible for grade in have.graded.values())
        for who in have.rows:
            id = people.id_of(who)
            if (id, name) in from_folder:
                complaints.append(
                    f"{one_line(id)} has two submissions of {name}: "
                    f"{from_folder[id, name]} and {folder / who}; "
                    f"{from_folder[id, name].parent} counts, so move the other one away"
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
        raise UserError("--ids needs --submissions, the submissions exported from Canvas")
    rules = settings.total
    if without := [name for name in titles if rules.weights and name not in rules.weights]:
        raise UserError(f"course.toml: [total.weights] has no weight for {without[0]}")
    before = {name: settings.before(name) for name in settings.homework}
    names = totals.order(list(titles), rules, before)
    if unseen := [name for name in rules.weights if name not in titles]:
        note(f"no folder of {', '.join(unseen)}: the total covers the others")
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
    budget = settings.late.slip_days
    sheets = {
        id: page.sheet(
            id,
            one,
            parts[id],
            {name: titles[name] for name in names},
            rules,
            course=f"{settings.title}, {settings.term}",
            slip_days=f"Slip days left: {left[id]} of {budget}." if left is not None else "",
        )
        for id, one in found.items()
    }
    pages = {id: page.html(sheet) for id, sheet in sheets.items()}
    from autograder.staff.term import returned

    zips: dict[Path, bytes] = {}
    if moodle:
        data, lacking = returned.for_moodle(moodle, column, pages, people)
        zips[out / "moodle-feedback.zip"] = data
        _note_without(lacking, f"{one_line(moodle)} has no line for them")
    if submissions:
        notebooks = {id: page.notebook(sheet) for id, sheet in sheets.items()}
        data, lacking = returned.for_canvas(submissions, people_list, notebooks, people)
        zips[out / "canvas-feedback.zip"] = data
        _note_without(lacking, f"{one_line(submissions)} has no notebook")
    files.make_folder(out)
    files.write_table(out / "term.csv", table.table(found, parts, names, people, slip_days=left))
    for id, text in pages.items():
        files.make_folder(out / people.folder(id))
        files.write(out / people.folder(id) / "term.html", text)
    files.write_together(zips)
    waiting = sum(bool(one.open) for one in found.values())
    say(
        f"wrote {out}/term.csv: people: {len(found)}, homeworks: {len(names)}, "
        f"unfinished totals: {waiting}; {out}/<id>/term.html for each"
    )
    for place in zips:
        say(f"wrote {place}")
    if exchanged:
        lacking = _write_exchanged(root, out, exchanged, pages, from_folder, people)
        say(f"wrote {out}/feedback")
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
    from autograder.platforms.nbgrader import database, exchange

    lacking = []
    place = database.directory(root)
    ids = database.known_as(database.collected(place), people)
    for id, text in pages.items():
        who = ids(from_folder[id, name].name) if (id, name) in from_folder else ""
        submitted = Path(place.format_path(place.submitted_directory, who, name))
        written = exchange.feedback(name, text, given(submitted)) if who else {}
        for called, content in written.items():
            files.make_folder(out / "feedback" / who / name)
            files.write(out / "feedback" / who / name / called, content)
        lacking += [] if written else [id]
    return lacking


def _note_without(ids: Sequence[str], why: str) -> None:
    if ids:
        more = f" and {len(ids) - 10} more" if len(ids) > 10 else ""
        note(f"no page for {len(ids)}, because {why}: {', '.join(map(one_line, ids[:10]))}{more}")


def _part(folder: Path, who: str, have: Collected, possible: float, settings: Course) -> Part:
    """Return one submission's result in a term; `possible` is for people without marks."""
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
