"""The verb that asks students about their own answers: defend."""

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from autograder.cli.shared import CourseOption, complain, end_with, note, say
from autograder.course import course, homework
from autograder.course.people import People, roster
from autograder.grading import pool
from autograder.marking.mark import counted, number, points
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.staff.defence import batch, keys, marked_sheets, marks
from autograder.staff.defence.interview import classmate, page, selection
from autograder.staff.defence.interview import questions as questions_of
from autograder.staff.defence.marked_sheets import Defence, DefenceRules
from autograder.staff.defence.scans import doubts
from autograder.staff.defence.scans import files as files_of_scans
from autograder.staff.defence.scans.records import PageSeen
from autograder.staff.defence.sheets import forms, printed, quiz, sheet
from autograder.staff.paper import pdf
from autograder.store import files, results

verbs = typer.Typer()
_TYPED = "answers.csv"


@verbs.command(name="defend")
def defend_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    out: Annotated[
        Path, typer.Option(metavar="F", help="Where the sheets go, and the key, in F/staff.")
    ],
    questions: Annotated[
        int, typer.Option(min=1, max=8, help="How many questions a sheet has.")
    ] = 5,
    round_: Annotated[
        int, typer.Option("--round", min=1, help="2 makes a second sheet, with other questions.")
    ] = 1,
    mark: Annotated[
        Path | None,
        typer.Option(
            metavar="ANSWERS",
            help="Mark what came back: F/staff/answers.csv with the letters typed in, a notebook, "
            "or a folder of notebooks.",
            show_default=False,
        ),
    ] = None,
    scans: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Read sheets that came back on paper: a scanner's PDF, a picture, or a zip or folder "
            "of them. F/staff/doubtful.html shows you the answers that are unclear.",
            show_default=False,
        ),
    ] = None,
    interview: Annotated[
        bool,
        typer.Option(
            "--interview",
            help="Write F/staff/interviews.html instead, for staff: a page with keys for each student with "
            "high marks and a low sheet.",
        ),
    ] = False,
    student: Annotated[
        list[str] | None,
        typer.Option(
            "--student",
            metavar="ID",
            help="With --interview: this student; repeat it for several.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="How many at a time; default: all processors."),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Make a sheet of questions for each student, on the answers that they submitted; or mark sheets.

    Keys are found by running a student's own code in the sandbox, and found again in a fresh
    process. F/<student>/ is for the student, F/staff/ for staff alone.
    """
    root = course.find(course_folder)
    course.read(root)  # refuses errors in any table
    rules = course.table(root, marked_sheets.TITLE, DefenceRules)
    if interview and (mark or scans):
        raise UserError(
            "--interview asks students, and --mark and --scans mark their sheets; give one"
        )
    if mark and scans and mark.resolve() != (out / keys.FOLDER / doubts.CSV).resolve():
        raise UserError(
            f"{mark}: --scans reads letters from {out / keys.FOLDER / doubts.CSV} alone; mark other "
            "answers in a second run, without --scans"
        )
    if student and not interview:
        raise UserError("--student names people for --interview; give both")
    if interview:
        _interview(root, folder, out, rules, student or (), jobs or pool.processors())
        return
    if mark or scans:
        key, people = keys.read(out), roster(root)
        complaints: list[str] = []
        if scans:
            hidden = [*course.private(root), folder, out]
            found = files_of_scans.read(scans, hidden, jobs or pool.processors())
            every = _sorted_out(found, key, people, out, complaints)
        else:
            assert mark
            every = list(marks.read(mark, complaints.append))
        _mark(rules, people, folder, key, every, complaints)
        return
    if round_ > rules.sheets:
        raise UserError(
            f"--round {round_}: course.toml lets a person take {rules.sheets} "
            f"(write sheets = {round_} below [defence])"
        )
    _make(root, folder, out, questions, round_, jobs or pool.processors())


def _class(folder: Path, out: Path, people: People) -> tuple[list[str], str]:
    """Return a folder's students and homework; raise UserError if sheets cannot be made."""
    each, complaints = people.one_each([p.parent for p in folder.glob(f"*/{files.LOG}")])
    students = sorted(path.name for path in each)
    for complaint in complaints:
        complain(complaint)
    if not students:
        raise UserError(f"{folder} has no results; give the folder that `autograder grade` wrote")
    if keys.FOLDER in students:
        raise UserError(
            f"{folder / keys.FOLDER}: a student's id is also the name of the folder with the keys; call that "
            "submission something else, and grade it again"
        )
    if out.resolve() == folder.resolve():
        raise UserError(f"{out} contains the results; choose a separate folder with --out")
    return students, results.homework_of([folder / student for student in students], folder)


def _refuse_typed(out: Path) -> None:
    """Raise UserError if people have typed letters of earlier sheets, which would be lost."""
    place = out / keys.FOLDER
    known = keys.read(out) if (place / keys.NAME).is_file() else None
    for path in (place / _TYPED, place / doubts.CSV):
        lines = doubts.typed(path, known) if known else []
        if any(cell != doubts.OPEN for line in lines for cell in line.cells):
            raise UserError(
                f"{path} has letters of sheets that were handed out; to make new ones, move it "
                "elsewhere or give a different --out"
            )


def _make(root: Path, folder: Path, out: Path, questions: int, round_: int, jobs: int) -> None:
    settings, people = course.read(root), roster(root)
    students, name = _class(folder, out, people)
    keys.refuse_others(out, name, round_)
    _refuse_typed(out)
    task = batch.Task(root, name, settings.secret, folder.resolve(), round_)
    found = {}
    for student, own_made in batch.each(task, students, jobs, batch.one):
        found[student] = own_made
        line = f"{student}: {counted(len(own_made.items), 'question')} can be asked"
        say(one_line(line))
    chosen = sheet.chosen(found, questions)
    title, called = homework.load(root, name).title, f"{settings.title}, {settings.term}"
    made = {
        student: sheet.sheet(student, items, title=title, course=called)
        for student, items in chosen.items()
        if items
    }
    sheets = [one for one, _ in made.values()]
    files.make_folder(out)
    files.make_folder(out / keys.FOLDER)
    # Marks are read with the new key, so nobody may print sheets of an earlier run any more.
    (out / "sheets.pdf").unlink(missing_ok=True)
    for student in students:
        for file in ("sheet.html", "sheet.ipynb"):
            (out / student / file).unlink(missing_ok=True)
    for one in sheets:
        files.make_folder(out / one.student)
        files.write(out / one.student / "sheet.html", forms.page(one))
        files.write(out / one.student / "sheet.ipynb", forms.notebook(one))
    none = {
        student: found[student].why_none
        or f"only {counted(len(found[student].items), 'question')} could be decided"
        for student in students
        if student not in made
    }
    record = keys.Keys(
        name,
        round_,
        {student: keys.SheetKey(one.code, tuple(own)) for student, (one, own) in made.items()},
        none,
        {student: one.without for student, one in found.items() if one.without},
        sum(one.dropped for one in found.values()),
    )
    if before := keys.write(out, record):
        note(f"{out}: sheets of an earlier run have changed; their key is now {before}")
    files.write_table(out / keys.FOLDER / _TYPED, forms.blank(sheets, people))
    files.write(out / keys.FOLDER / "moodle.gift.txt", quiz.gift(made.values()))
    for student, why in none.items():
        note(f"{student}: no sheet: {one_line(why)}")
    if sheets:
        _print(root, out, sheets, people, record)
    say(
        f"wrote {out}: {counted(len(made), 'sheet')} of {counted(questions, 'question')}, "
        f"{counted(len(none), 'student')} without; "
        f"the key is in {out}/{keys.FOLDER}, for staff alone"
    )


def _interview(
    root: Path, folder: Path, out: Path, rules: DefenceRules, named: Sequence[str], jobs: int
) -> None:
    settings, people = course.read(root), roster(root)
    students, name = _class(folder, out, people)
    earlier = keys.read(out) if (out / keys.FOLDER / keys.NAME).is_file() else None
    called = [one if one in students else people.called(one) for one in named]
    chosen = selection.selected(folder, students, list(dict.fromkeys(called)), rules, earlier)
    loaded = homework.load(root, name)
    task = batch.Task(root, name, settings.secret, folder.resolve(), 0)
    classmates = classmate.of_class(loaded, folder, students if chosen else ())
    missed = {one.student: one.missed for one in chosen}
    prepare = functools.partial(questions_of.prepared, missed=missed, classmates=classmates)
    found = batch.each(task, list(missed), jobs, prepare)
    pages, complaints = [], []
    for person, (student, prepared) in zip(chosen, found, strict=True):
        if prepared.why_none:
            complaints.append(
                f"{student}: no answer can be asked about: {one_line(prepared.why_none)}"
            )
            continue
        own, key = sheet.sheet(
            student,
            prepared.items,
            title=loaded.title,
            course=f"{settings.title}, {settings.term}",
        )
        name_of = people.name_of(student)
        pages.append(
            page.Interview(person, name_of, own, key, prepared.answers, prepared.difference)
        )
        say(f"{student}: {person.why}")
    place = out / keys.FOLDER / page.NAME
    place.unlink(missing_ok=True)  # from earlier results
    if pages:
        files.make_folder(out)
        files.make_folder(out / keys.FOLDER)
        files.write(place, page.page(pages))
    if not chosen:
        say("nobody has high marks and a low sheet; name students with --student ID")
    elif pages:
        say(f"wrote {place}: {counted(len(pages), 'page')} to print, only for staff")
    end_with(complaints)


def _print(
    root: Path, out: Path, made: list[sheet.Sheet], people: People, record: keys.Keys
) -> None:
    try:
        with pdf.typesetting([*course.private(root), out.resolve()]) as sandbox:
            whole = printed.printed(
                made, people, sandbox, homework=record.homework, round=record.round
            )
            files.write_bytes(out / "sheets.pdf", whole)
    except UserError as error:
        note(f"no {out}/sheets.pdf: {one_line(error)}")


def _sorted_out(
    pages: Sequence[PageSeen],
    key: keys.Keys,
    people: People,
    out: Path,
    complaints: list[str],
) -> list[marks.Returned]:
    """Return the clear answers in scans, and write the doubtful ones for a person to look at."""
    place = out / keys.FOLDER / doubts.CSV
    earlier = doubts.typed(place, key)
    found = doubts.sorted_out(pages, key, earlier)
    known = {line.sheet or line.place for line in earlier}
    kept = [one for one in found.lines if one.is_open or (one.sheet or one.place) in known]
    files.write_table(place, doubts.table(replace(found, lines=tuple(kept)), people))
    files.write(place.with_name(doubts.PAGE), doubts.page(found, people))
    for line in found.notes:
        note(line)
    complaints += found.complaints
    every = list(found.returned)
    waiting = sum(one.is_open for one in found.lines)
    say(
        f"read {counted(len(pages), 'page')}: {counted(len(every), 'sheet')} plain, {waiting} doubtful"
    )
    if waiting:
        say(
            f"open {place.with_name(doubts.PAGE)}, type letters into {place}, and run the same "
            "command again"
        )
    return every


def _mark(
    rules: DefenceRules,
    people: People,
    folder: Path,
    key: keys.Keys,
    found: Sequence[marks.Returned],
    complaints: list[str],
) -> None:
    count = 0
    every = (
        replace(
            one, student=one.student if one.student in key.sheets else people.called(one.student)
        )
        for one in found
    )
    for one_read in marks.of_each(every, complaints.append):
        try:
            one = marks.marked(one_read, key)
            place = folder / one_read.student
            if not place.is_dir():
                raise UserError(f"{folder} has no results of {one_read.student!r}")
            before = marked_sheets.read(place)
        except UserError as error:
            complaints.append(str(error))
            continue
        kept = msgspec.structs.replace(one, score=round(one.score, 4))
        all_sheets = {**(before.sheets if before else {}), key.round: kept}
        earned = marks.earned(
            [item.score for item in all_sheets.values()], rules.points, rules.pass_mark
        )
        marked_sheets.write(place, Defence(rules.points, earned, all_sheets))
        count += 1
        line = f"{one_read.student}: {one.right} right, {one.wrong} wrong, {number(earned)} of {points(rules.points)}"
        say(one_line(line))
    # An open mark: otherwise a student with a bad sheet would gain by never returning it.
    out_still = [
        s for s in key.sheets if (folder / s).is_dir() and not marked_sheets.answered(folder / s)
    ]
    for student in out_still:
        marked_sheets.write(folder / student, Defence(rules.points, None, {}))
    say(
        f"marked {counted(count, 'sheet')}; not back, with a mark that waits: {len(out_still)} of "
        f"{len(key.sheets)}; `autograder report {folder}` puts them into its table"
    )
    end_with(complaints)
