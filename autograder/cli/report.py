"""The verbs that give marks out, and reasons for them: report, explain. `regrade` calls it, too, where its table is there."""

import collections
import functools
import importlib.util
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.cli.shared import (
    CourseOption,
    complain,
    note_dates,
    note_extensions,
    stderr,
    stdout,
)
from autograder.codec import one_line
from autograder.course import course, homework
from autograder.course.course import Course
from autograder.course.people import People, roster
from autograder.marking.mark import number, points, remarks
from autograder.model import Grade, Homework, UserError
from autograder.reports import report, tables, views
from autograder.store import defences, executed, files, results

if TYPE_CHECKING:
    from autograder.gradebook import database

verbs = typer.Typer()
NEEDS_SCIPY = "needs scipy: pip install 'attention-homework-kit[report]'"
GradebookOption = Annotated[
    str | None,
    typer.Option(
        "--gradebook",
        metavar="URL",
        help="Count what people gave in this gradebook, a file or any URL of SQLAlchemy; default: "
        "the one that formgrader opens, where there is one.",
        show_default=False,
    ),
]


@verbs.command(name="report")
def report_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    hand_marks: GradebookOption = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--earlier",
            metavar="D2",
            help="Results of an earlier homework: class.html names people who fell behind since; may be "
            "repeated.",
            show_default=False,
        ),
    ] = None,
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Write D/class_public.html, too: a page that may be shown to the class, without "
            "ids, names and groups of fewer than five.",
        ),
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Write D/grades.csv, with the names of roster.csv if there is one, D/mistakes.csv and D/class.html.

    class.html shows staff what the class misunderstood, which questions look broken, and who needs
    attention. Marks and comments that people gave go into each report.html, too.
    """
    root = course.find(course_folder)
    note_dates(root, folder)
    if complaints := list(write(root, folder, hand_marks, earlier=earlier or (), public=public)):
        for complaint in complaints:
            complain(complaint)
        raise SystemExit(2)


@verbs.command(name="explain")
def explain_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="The id, a folder in D.")],
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION", help="Default: all that lost points.", show_default=False
        ),
    ] = None,
    notebook_path: Annotated[
        Path | None,
        typer.Option(
            "--notebook",
            metavar="PATH",
            help=f"Where the notebook goes; default: D/STUDENT/{files.EXPLAINED}.",
            show_default=False,
        ),
    ] = None,
    rerun: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Run the student's cells again, in the sandbox, and print what the answer gives now.",
        ),
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Explain a mark to staff: hidden inputs, the student's values and the expected ones, known mistakes.

    Prints what the reference computes, line by line, and writes a notebook with the student's cells
    and these inputs. None of it is for students.
    """
    from autograder.explaining import notebook, text
    from autograder.explaining.collect import explanations

    root = course.find(course_folder)
    there = {path.name for path in folder.glob("*/")}
    student = student if student in there else roster(root).called(student)
    place = folder / student
    if student not in there:
        raise UserError(f"{folder} has no results of {student!r}; its folders' names are the ids")
    log, grade = results.read_log(place), results.read_grade(place)
    chosen = homework.load(root, log.homework)
    cells = executed.own_sources(place)
    found = explanations(
        root, chosen, log, grade, cells, question=question, out=folder, rerun=rerun
    )
    for item in found:
        for line in text.lines(item):
            stdout.print(line, markup=False, soft_wrap=True)
    if not found:
        stdout.print("no machine-marked question lost points")
        return
    path = notebook_path or place / files.EXPLAINED
    files.write(path, notebook.notebook(found, cells, chosen))
    stdout.print(f"wrote {path}, for staff alone; to open it:", markup=False, soft_wrap=True)
    stdout.print(f"  jupyter lab {shlex.quote(str(path))}", markup=False, soft_wrap=True)
    stderr.print(
        "note: its cells are the student's code and run with your rights; run them where that does "
        "no harm, such as in a container without the course's secret; --run runs them in the sandbox"
    )


@dataclass(frozen=True)
class Collected:
    """The marks of a folder, a machine's and people's.

    Args:
        graded: Each submission's marks by machine, people and defence, where they can be read.
        rows: The same as lines of a table, and what they still lack.
        given: What people gave, by submission.
        complaints: A line for each submission without a score.
    """

    graded: Mapping[str, Grade]
    rows: Mapping[str, tables.Row]
    given: "Mapping[str, database.Given]"
    complaints: Sequence[str]


def loader(root: Path) -> Callable[[str], Homework]:
    """Return what loads a homework by its name, each once."""
    return functools.cache(functools.partial(homework.load, root))


def collect(root: Path, folder: Path, hand_marks: str | None) -> Collected:
    """Return the marks of a folder; the arguments are those of `write`."""
    graded: dict[str, Grade] = {}
    rows: dict[str, tables.Row] = {}
    people = roster(root)
    folders, complaints = people.one_each(results.folders(folder))
    for path in folders:
        try:
            graded[path.name] = defences.with_defence(results.read_grade(path), path)
        except UserError as error:
            complaints.append(f"{path}: {error}")
            rows[path.name] = tables.Row({}, (one_line(error),))
    for student, grade in graded.items():
        if grade.marks and not grade.complete:
            line = "grading had not finished, so it has no score; run `autograder grade`"
            complaints.append(f"{folder / student}: {line}")
    by_people = _given(folder, hand_marks, root, people)
    given = by_people or {}
    total, wait = 0, set()
    for student, grade in graded.items():
        one = given.get(student)
        points_of, again = (one.points, one.waiting) if one else ({}, ())
        graded[student] = grade = report.with_points(grade, points_of, again)
        row = rows[student] = tables.row(grade)
        open_marks = {question for question, earned in row.points.items() if earned is None}
        if open_marks and not one:
            wait.add(student)
        if count := len(open_marks if grade.lost else open_marks | set(again)):
            total += count
            rows[student] = replace(row, missing=(*row.missing, _waiting(count)))
    if by_people is not None and wait:
        stderr.print(
            f"note: without marks by hand: {len(wait)} of {len(rows)} submissions, which are not "
            "in this gradebook or cannot be read; `autograder gradebook` puts them there or prints "
            "why not"
        )
    if total:
        stderr.print(f"note: {_waiting(total)} for a person")
    return Collected(graded, dict(sorted(rows.items())), given, complaints)


def _waiting(count: int) -> str:
    return "1 mark still waits" if count == 1 else f"{count} marks still wait"


def fullest(graded: Mapping[str, Grade]) -> Grade | None:
    """Return the marks of somebody who has all questions; None where nobody's are complete."""
    complete = [grade for grade in graded.values() if grade.complete]
    return max(complete, key=lambda grade: len(grade.marks), default=None)


def write(
    root: Path,
    folder: Path,
    hand_marks: str | None,
    *,
    earlier: Sequence[Path] = (),
    public: bool = False,
) -> Iterator[str]:
    """Write the tables and the pages; yield a line for each submission without a score.

    Args:
        root: The course's folder.
        folder: What `grade --out` wrote.
        hand_marks: A gradebook's URL; None for the one that formgrader opens.
        earlier: Results of earlier homeworks.
        public: Whether to write the page that may be shown to the class, too.
    """
    have = collect(root, folder, hand_marks)
    yield from have.complaints
    settings, people, load = course.read(root), roster(root), loader(root)
    note_extensions(settings, people)
    graded, rows, given = have.graded, have.rows, have.given
    _write_pages(folder, graded, given, settings, load)
    found = {
        people.id_of(student): {
            one.question: one.misconception for one in grade.marks if one.misconception
        }
        for student, grade in graded.items()
    }
    best = fullest(graded)
    _note_odd_marks(given, best)
    files.write_table(folder / files.GRADES, tables.table(rows, people, best))
    files.write_table(folder / "mistakes.csv", tables.mistakes(found))
    fits = ((question, m.name) for questions in found.values() for question, m in questions.items())
    for (question, name), number_of in collections.Counter(fits).most_common():
        stdout.print(
            f"{question}: {number_of} {'fits' if number_of == 1 else 'fit'} the mistake {name}",
            markup=False,
            soft_wrap=True,
        )
    for name in (files.GRADES, "mistakes.csv"):
        stdout.print(f"wrote {folder}/{name}", markup=False, soft_wrap=True)
    if importlib.util.find_spec("scipy") is None:
        if public or earlier:
            raise UserError(f"the page on the class {NEEDS_SCIPY}")
        stderr.print(f"note: no class.html: it {NEEDS_SCIPY}", markup=False)
        return
    from autograder.class_page import write as class_page  # scipy takes a second to import

    for path in class_page.write(
        folder,
        {student: defences.without(grade) for student, grade in graded.items()},
        rows,
        settings=settings,
        load=load,
        roster=people,
        earlier=earlier,
        public=public,
    ):
        stdout.print(f"wrote {path}", markup=False, soft_wrap=True)


def _given(
    folder: Path, url: str | None, root: Path, people: People
) -> "Mapping[str, database.Given] | None":
    """Return what people gave in a gradebook, by submission, and say which; None without one."""
    from autograder.gradebook import database

    place = url or database.existing(root)
    if not place:
        stdout.print("marks by hand: none, since there is no gradebook yet")
        return None
    stdout.print(f"marks by hand: from {database.shown(place)}", markup=False, soft_wrap=True)
    with database.connect(place, make=False) as book:
        return database.given(book, folder, loader(root), people)


def _write_pages(
    folder: Path,
    graded: Mapping[str, Grade],
    by_people: "Mapping[str, database.Given]",
    settings: Course,
    load: Callable[[str], Homework],
) -> None:
    """Write the pages again of each submission on which a person had a say, or whose student did."""
    for student, grade in graded.items():
        given, mine = by_people.get(student), folder / student
        if not (given or defences.is_in(grade)) or not grade.complete or not results.has_log(mine):
            continue
        log = results.read_log(mine)
        pages = views.views(
            replace(grade, remarks=remarks(grade, log)),
            log,
            load(log.homework),
            settings,
            executed.own_sources(mine),
            comments=given.comments if given else None,
            answers=_code_of(mine, load(log.homework)) if given else None,
        )
        for name, text in pages.items():
            files.write(mine / name, text)


def _code_of(folder: Path, chosen: Homework) -> dict[str, str]:
    """Return the answers of one submission that are code and that people mark."""
    from autograder.gradebook import answers

    try:
        result = executed.read_brief(folder)
        return {id: one.code for id, one in answers.answers(result, chosen).items() if one.code}
    except UserError:  # the report has the comments as words then
        return {}


def _note_odd_marks(by_people: "Mapping[str, database.Given]", best: Grade | None) -> None:
    """Note marks of people that are below 0 or above what a question is worth."""
    worth = {one.question: one.points for one in best.marks} if best else {}
    for student, given in by_people.items():
        for question, earned in given.points.items():
            if question in worth and not 0 <= earned <= worth[question]:
                stderr.print(
                    f"note: {student}: a person gave {question} {number(earned)} of "
                    f"{points(worth[question])}",
                    markup=False,
                )
