"""Verbs for those who mark and give marks out: report, gradebook, pdf."""

import collections
import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.cli.shared import CourseOption, complain, names_or_all, note_dates, stderr, stdout
from autograder.codec import one_line
from autograder.course import course, homework
from autograder.model import Grade, UserError
from autograder.printing import pdf
from autograder.printing.sheet import Sheet
from autograder.reports import report, tables, views
from autograder.sandbox import supervisor
from autograder.sandbox.inside.layers import LAYERS
from autograder.store import executed, files, results

if TYPE_CHECKING:
    from autograder.gradebook import database

verbs = typer.Typer()


@verbs.command(name="report")
def report_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    hand_marks: Annotated[
        str | None,
        typer.Option(
            "--gradebook",
            metavar="URL",
            help="Count what people gave in this gradebook, a file or any URL of SQLAlchemy; default: "
            "the one that formgrader opens, where there is one.",
            show_default=False,
        ),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write D/grades.csv, with the names of roster.csv if there is one, and D/mistakes.csv.

    Marks and comments that people gave go into each report.html, too.
    """
    root = course.find(course_folder)
    names = (
        files.GRADE,
        files.RESULTS,
    )  # the latter alone is of an earlier version, or of Gradescope
    folders = sorted({path.parent for name in names for path in folder.glob(f"*/{name}")})
    if not folders:
        raise UserError(f"{folder} holds no results; give the folder that `autograder grade` wrote")
    graded: dict[str, Grade] = {}
    rows: dict[str, tables.Row] = {}
    complaints = []
    for path in folders:
        try:
            graded[path.name] = results.read_grade(path)
            rows[path.name] = tables.row(graded[path.name])
        except UserError as error:
            complaints.append(f"{path}: {error}")
            rows[path.name] = tables.Row({}, (one_line(error),))
    complaints += [
        f"{folder / student}: grading had not finished, so it has no score; run `autograder grade`"
        for student, grade in graded.items()
        if grade.marks and not grade.complete
    ]
    settings = course.read(root)
    note_dates(root, folder)
    load = functools.cache(functools.partial(homework.load, root))
    for student, given in _add_hand_marks(rows, folder, hand_marks, root).items():
        log = results.read_log(folder / student)
        page = views.page(
            report.with_hand_marks(graded[student], log, given.points),
            log,
            load(log.homework),
            settings,
            executed.own_sources(folder / student),
            comments=given.comments,
        )
        files.write(folder / student / files.REPORT, page)
    found = {
        student: {one.question: one.misconception for one in grade.marks if one.misconception}
        for student, grade in graded.items()
    }
    best = next((grade for grade in graded.values() if grade.complete), None)
    people = course.roster(root)
    files.write(folder / files.GRADES, tables.table(rows, people, best))
    files.write(folder / "mistakes.csv", tables.mistakes(found))
    fits = ((question, m.name) for questions in found.values() for question, m in questions.items())
    for (question, name), number_of in collections.Counter(fits).most_common():
        stdout.print(
            f"{question}: {number_of} fit the mistake {name}", markup=False, soft_wrap=True
        )
    for name in (files.GRADES, "mistakes.csv"):
        stdout.print(f"wrote {folder}/{name}", markup=False, soft_wrap=True)
    for complaint in complaints:
        complain(complaint)
    if complaints:
        raise SystemExit(2)


def _add_hand_marks(
    rows: dict[str, tables.Row], folder: Path, url: str | None, root: Path
) -> "Mapping[str, database.Given]":
    """Put what people gave in a gradebook in the place of the machine's marks; say which it is.

    Returns:
        What they gave, by the submissions that the gradebook has.
    """
    from autograder.gradebook import database

    url = url or database.existing(root)
    by_people: Mapping[str, database.Given] = {}
    if url:
        stdout.print(f"marks of people: from {database.shown(url)}", markup=False, soft_wrap=True)
        with database.connect(url, make=False) as book:
            by_people = database.given(book, folder)
        if absent := len(rows.keys() - by_people.keys()):
            stderr.print(
                f"note: without marks of people: {absent} of {len(rows)} submissions, which are not "
                "in this gradebook or cannot be read; `autograder gradebook` puts them there or says "
                "why not"
            )
    else:
        stdout.print("marks of people: none, since there is no gradebook yet")
    total = 0
    for student, row in rows.items():
        given = by_people.get(student, database.Given())
        points = {**row.points, **given.points}
        open_marks = {question for question, earned in points.items() if earned is None}
        if waiting := len(open_marks | set(given.waiting)):
            total += waiting
            row = replace(row, missing=(*row.missing, _waiting(waiting)))
        rows[student] = replace(row, points=points)
    if total:
        stderr.print(f"note: {_waiting(total)} for a person")
    return by_people


def _waiting(count: int) -> str:
    return "1 mark still waits" if count == 1 else f"{count} marks still wait"


@verbs.command(name="gradebook")
def gradebook_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    url: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="URL",
            help="The gradebook, a file or any URL of SQLAlchemy; default: the one that "
            "formgrader opens, gradebook.db in the course.",
            show_default=False,
        ),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Put marks and written answers into nbgrader's gradebook, to mark by hand in formgrader."""
    from autograder.gradebook import database

    root = course.find(course_folder)
    place = database.directory(root)
    done: list[database.Recorded] = []
    complaints: list[str] = []
    with database.connect(url or place.db_url, place.course_id) as book:
        for item in database.fill(
            folder,
            functools.cache(functools.partial(homework.load, root)),
            course.read(root),
            book=book,
            place=place,
            roster=course.roster(root),
        ):
            if isinstance(item, str):
                complaints.append(item)
                continue
            done.append(item)
            if item.again:
                line = f"{item.student}: look again, it changed: {', '.join(item.again)}"
                stdout.print(line, markup=False, soft_wrap=True)
        for name in sorted({item.homework for item in done}):
            if left := database.left(book, folder, name):
                line = f"note: not in {folder}, and in the gradebook as before: {', '.join(left)}"
                stderr.print(line, markup=False)
    waiting = sum(len(item.waiting) for item in done)
    stdout.print(
        f"{len(done)} submission{'s' * (len(done) != 1)} in the gradebook, "
        f"{waiting} answer{'s' * (waiting != 1)} to mark by hand",
        markup=False,
        soft_wrap=True,
    )
    for complaint in complaints:
        complain(complaint)
    if complaints:
        raise SystemExit(2)


@verbs.command(name="pdf")
def pdf_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A notebook, a folder or zip of submissions, or, with --blank, a homework's name.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="A PDF; of a folder, where they go. Default: beside it.",
            show_default=False,
        ),
    ] = None,
    blank: Annotated[
        bool, typer.Option("--blank", help="The same pages without answers: a template.")
    ] = False,
    together: Annotated[
        bool, typer.Option("--together", help="Of a folder: one PDF of all, with an index.")
    ] = False,
    with_names: Annotated[
        bool, typer.Option("--names", help="Print the names of roster.csv, too.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option("--homework", metavar="HW", help="Default: the one that the notebook fits."),
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Typeset written answers, each question on the same page for everybody."""
    root = course.find(course_folder)
    sheets: Iterable[tuple[str, Sheet]]
    complaints: list[str] = []
    path = Path(source)
    many = not blank and (path.is_dir() or path.suffix.lower() == ".zip")
    if together and not many:
        raise UserError("--together puts the PDFs of a folder or zip into one; give such a folder")
    if blank:
        sheets = [("", pdf.blank(homework.load(root, source)))]
    else:
        names = names_or_all(root, [name] if name else None)
        homeworks = [homework.load(root, known) for known in names]
        people = course.roster(root) if with_names else {}
        sheets = (
            pdf.sheets(path, homeworks, people, complaints, recognised=bool(name))
            if many
            else [("", pdf.sheet(path, homeworks, recognised=bool(name)))]
        )
    default = Path(f"{source}-blank.pdf") if blank else path.with_suffix(".pdf")
    target = out or (Path(f"{path.with_suffix('')}-pdf") if many and not together else default)
    if not many or together:
        pdf.complain_of(target)
    hidden = [*course.private(root), *([] if blank else [path])]
    printed: list[tuple[str, bytes]] = []
    title = ""
    with pdf.typesetting(hidden) as sandbox:
        for layer, why in supervisor.gaps(sandbox.missing).items():
            stderr.print(f"note: not here: {LAYERS[layer]} ({why})", markup=False)
        for student, sheet in sheets:
            try:
                one = pdf.print_sheet(sheet, sandbox)
            except UserError as error:
                complaints.append(str(error))
                continue
            if one.note:
                whose = f"{sheet.student}: " * many
                line = f"note: {whose}this is no PDF/UA-1, only a tagged PDF ({one.note})"
                stderr.print(line, markup=False)
            if together:
                printed.append((sheet.student, one.pdf))
                title = sheet.title
                continue
            place = target / f"{student}.pdf" if many else target
            if many:
                files.make_folder(target)
            pdf.write(place, one.pdf)
            stdout.print(f"wrote {place}", markup=False, soft_wrap=True)
        if printed:
            pdf.write(target, pdf.together(title, printed, sandbox))
            stdout.print(
                f"wrote {target}: {len(printed)} submissions", markup=False, soft_wrap=True
            )
    for complaint in complaints:
        complain(complaint)
    if complaints:
        raise SystemExit(2)
