"""The verb that publishes marks: report. `regrade` also ends with it if the folder has a table."""

import collections
import contextlib
import functools
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import plugins
from autograder.cli.shared import (
    CourseOption,
    GradebookOption,
    end_with,
    note,
    note_dates,
    note_extensions,
    say,
)
from autograder.course import course, homework
from autograder.course.course import Course
from autograder.course.people import roster
from autograder.marking.mark import number, points
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.records.marks import Grade, HandMarks, given_by_people, without_added
from autograder.reports import collected, student_files, tables
from autograder.reports.collected import Collected
from autograder.store import files, log_summary, results

verbs = typer.Typer()
NEEDS_SCIPY = "needs scipy: pip install 'attention-homework-kit[report]'"


@verbs.command(name="report")
def report_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    hand_marks: GradebookOption = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--earlier",
            metavar="D2",
            help="Results of an earlier homework, so that class.html can name students who "
            "have fallen behind since; may be repeated.",
            show_default=False,
        ),
    ] = None,
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Also write D/class_public.html, a page for the class without ids, names or "
            "groups of fewer than five.",
        ),
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Write D/grades.csv (with names if there is a roster.csv), D/mistakes.csv and D/class.html.

    class.html shows staff what the class misunderstood, which questions look broken, and who needs
    attention. Marks and comments given by hand also go into each report.html.
    """
    root = course.find(course_folder)
    note_dates(root, folder)
    end_with(list(write(root, folder, hand_marks, earlier=earlier or (), public=public)))


def loader(root: Path) -> Callable[[str], Homework]:
    """Return a function that loads homeworks by name, and each of them only once."""
    return functools.cache(functools.partial(homework.load, root))


def collect(root: Path, folder: Path, hand_marks: str | None) -> Collected:
    """Return the marks of a folder, and note any open ones; the arguments are those of `write`."""
    have = collected.collect(folder, roster(root), _given(folder, hand_marks, root))
    for text in have.notes:
        note(text)
    return have


def write(
    root: Path,
    folder: Path,
    hand_marks: str | None,
    *,
    earlier: Sequence[Path] = (),
    public: bool = False,
) -> Iterator[str]:
    """Write the tables and the pages; yield a line for each submission without a score.

    `hand_marks` is a gradebook's URL; None for formgrader's. `earlier` has the folders of earlier
    homeworks, and `public` also writes the class's public page.
    """
    before = {path.name: _changed_at(path) for path in results.folders(folder)}
    have = collect(root, folder, hand_marks)
    yield from have.complaints
    settings, people, load = course.read(root), roster(root), loader(root)
    note_extensions(settings, people)
    graded, rows, given = have.graded, have.rows, have.given
    yield from _write_pages(folder, graded, given, settings, load, before)
    found = {
        people.id_of(student): {
            one.question: one.misconception for one in grade.marks if one.misconception
        }
        for student, grade in graded.items()
    }
    best = collected.fullest(graded)
    _note_odd_marks(given, best)
    files.write_table(folder / files.GRADES, tables.table(rows, people, best))
    files.write_table(folder / "mistakes.csv", tables.mistakes(found))
    fits = ((question, m.name) for questions in found.values() for question, m in questions.items())
    for (question, name), number_of in collections.Counter(fits).most_common():
        say(f"{question}: {number_of} {'fits' if number_of == 1 else 'fit'} the mistake {name}")
    for name in (files.GRADES, "mistakes.csv"):
        say(f"wrote {folder}/{name}")
    if importlib.util.find_spec("scipy") is None:
        if public or earlier:
            raise UserError(f"class.html {NEEDS_SCIPY}")
        note(f"no class.html: it {NEEDS_SCIPY}")
        return
    write_class_page = plugins.hook("class_page")
    if not write_class_page:
        return
    for path in write_class_page(
        folder,
        {student: without_added(grade) for student, grade in graded.items()},
        rows,
        settings=settings,
        load=load,
        roster=people,
        earlier=earlier,
        public=public,
        given=given,
    ):
        say(f"wrote {path}")


def _given(folder: Path, url: str | None, root: Path) -> Mapping[str, HandMarks] | None:
    if found := given_by_people(root, folder, url):
        say(f"marks given by hand: from {found[0]}")
        return found[1]
    say("marks given by hand: none, since there is no gradebook yet")
    return None


def _write_pages(
    folder: Path,
    graded: Mapping[str, Grade],
    by_people: Mapping[str, HandMarks],
    settings: Course,
    load: Callable[[str], Homework],
    before: Mapping[str, int],
) -> Iterator[str]:
    """Write the pages of marks that have not changed since `before`; yield a line for damaged logs."""
    for student, grade in graded.items():
        given, mine = by_people.get(student), folder / student
        as_it_was = not given and grade == without_added(grade)
        if as_it_was or not grade.complete or not results.has_log(mine):
            continue
        try:
            chosen = load(log_summary.read(mine).homework)
            pages = student_files.current(mine, grade, given, chosen, settings)
        except homework.HomeworkError:
            raise  # it stops all others as well
        except (UserError, OSError) as error:
            yield f"{mine}: {error}"
            continue
        if _changed_at(mine) == before.get(student):  # otherwise somebody grades now, and writes it
            for name, text in pages.items():
                files.write(mine / name, text)


def _changed_at(folder: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        return (folder / files.GRADE).stat().st_mtime_ns
    return 0


def _note_odd_marks(by_people: Mapping[str, HandMarks], best: Grade | None) -> None:
    worth = {one.question: one.points for one in best.marks} if best else {}
    for student, given in by_people.items():
        for question, earned in given.points.items():
            if question in worth and not 0 <= earned <= worth[question]:
                note(
                    f"{student}: {question} was marked by hand: {number(earned)} of "
                    f"{points(worth[question])}"
                )
