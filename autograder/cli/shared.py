"""What the verbs share: where they print, options, and notes that several verbs print."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from autograder.cli import plugins
from autograder.course import course, homework, inputs, late_days
from autograder.course.people import People
from autograder.grading import grader, preflight
from autograder.marking import lateness
from autograder.marking.mark import points
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox import mistake_bank
from autograder.store import files, results

stdout, stderr = Console(highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)

CourseOption = Annotated[
    Path,
    typer.Option(
        "--course", help="A folder of the course; default: the current one.", show_default=False
    ),
]
GradebookOption = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL",
        help="The gradebook, a file or any URL of SQLAlchemy; default: the one that "
        "formgrader opens, gradebook.db in the course.",
        show_default=False,
    ),
]
Names = Annotated[
    list[str] | None, typer.Argument(help="Homework names; default: all.", show_default=False)
]


def say(text: str) -> None:
    """Print a line of results, whatever is in it."""
    stdout.print(text, markup=False, soft_wrap=True)


def note(text: str) -> None:
    """Print what staff should know of, although it changes nothing."""
    stderr.print(f"note: {text}", markup=False)


def complain(text: str) -> None:
    """Print one line: what is wrong, where, and how to mend it."""
    stderr.print(f"autograder: {one_line(text)}", markup=False)


def end_with(complaints: Sequence[str], *, status: int = 2) -> None:
    """Print complaints, and end with a status where there are any."""
    for complaint in complaints:
        complain(complaint)
    if complaints:
        raise SystemExit(status)


def names_or_all(root: Path, names: list[str] | None) -> list[str]:
    """Return the homeworks that were named, or all; UserError where there are none."""
    chosen = names or homework.names(root)
    if not chosen:
        raise UserError("this course has no homework in source/")
    return chosen


def released(root: Path, name: str) -> Homework:
    """Return a homework that students were given; it is released where it was not."""
    place = root / "release" / name / f"{name}.ipynb"
    missing = (root / "source" / name).is_dir() and not place.is_file()
    if missing and (make := plugins.hook("release")):  # which takes seconds to import
        make(root, name)
        note(f"wrote release/{name}, which was missing")
    chosen = homework.load(root, name)
    note_stale_release(root, name)
    note_points(chosen)
    inputs.complain_of_cases(chosen)
    return chosen


def note_stale_release(root: Path, name: str) -> None:
    """Note that a homework was written on since it was released, which students do not have."""
    released = root / "release" / name / f"{name}.ipynb"
    written = [root / "source" / name / f"{name}.{form}" for form in ("py", "ipynb")]
    # Files that were copied have any times, so these only spare a look that takes a second.
    newest = max((path.stat().st_mtime_ns for path in written if path.is_file()), default=0)
    if not released.is_file() or newest <= released.stat().st_mtime_ns:
        return
    if stale := plugins.hook("stale_release"):
        try:
            said = stale(root, name)
        except UserError as error:
            said = str(error)
        if said:
            note(
                f"{said}; `autograder release {name}` makes it again, and answers are graded by "
                f"source/{name} as it is now"
            )


def note_points(chosen: Homework) -> None:
    """Note each question whose points are others than those that students were told."""
    told = {cell.grade_id: cell.points for cell in chosen.cells if cell.points is not None}
    changed = [
        f"{one.id} ({one.points:g}, and students were told {points(told.get(one.id, 0.0))})"
        for one in chosen.questions
        if told.get(one.id) != one.points
    ]
    if changed and chosen.cells:
        note(
            f"source/{chosen.name} has points that release/{chosen.name} has not: "
            f"{', '.join(changed)}; `autograder release {chosen.name}` writes it again"
        )


def note_secret(root: Path) -> None:
    """Make a secret where the course has none, and note what staff should know of it."""
    if text := course.prepare_secret(root):
        note(text)


def note_extensions(settings: course.Course, people: People) -> None:
    """Note each extension in course.toml for an id that roster.csv does not have."""
    for name, dates in settings.homework.items() if people else ():
        for id in dates.extensions:
            if people.find(id) is None:
                note(f"course.toml: [homework.{name}] extensions: roster.csv has no id {id!r}")


def keep_late_days(root: Path, settings: course.Course, folder: Path) -> None:
    """Write how late people were in the homework of a folder, where the course has slip days.

    Slip days that are left in later homeworks follow from it.
    """
    if not settings.late.slip_days:
        return
    days: dict[str, dict[str, int]] = {}
    for path in sorted(folder.glob(f"*/{files.LOG}")):
        with contextlib.suppress(UserError, OSError):
            log = results.read_log(path.parent)
            count = lateness.late_days(log, settings)
            theirs = map(settings.id_of, lateness.people(log))
            days.setdefault(log.homework, {}).update(dict.fromkeys(theirs, count))
    before = after = course.read(root).late_days
    for name, ids in days.items():
        after = late_days.changed(after, name, ids)
    if after == before:
        return
    files.write(root / late_days.FILE, late_days.text(after))
    later = [name for name in settings.homework if set(days) & set(settings.before(name))]
    follow = f"; `autograder regrade` of {', '.join(later)} follows it" if later else ""
    say(f"wrote {late_days.FILE}: late days of {', '.join(days)}{follow}")


def note_old_table(folder: Path) -> None:
    """Note that a folder's table of marks is older than a mark in it."""
    table = folder / files.GRADES
    if table.is_file() and any(
        grade.stat().st_mtime_ns > table.stat().st_mtime_ns
        for grade in folder.glob(f"*/{files.GRADE}")
    ):
        note(
            f"{table} is older than some marks, whose pages lack what people gave; "
            f"`autograder report {folder}` writes both again"
        )


def note_dates(root: Path, folder: Path) -> None:
    """Note that course.toml was changed after the marks in a folder were made."""
    changed = (root / course.FILE).stat().st_mtime_ns
    # What could not be read has no log, and no regrade concerns it.
    graded = [log.with_name(files.GRADE) for log in folder.glob(f"*/{files.LOG}")]
    if any(grade.stat().st_mtime_ns < changed for grade in graded if grade.is_file()):
        note(
            f"course.toml is newer than some marks; `autograder regrade {folder} --diff` prints "
            "which marks change"
        )


def note_losses(task: grader.Task, one: grader.Grader) -> None:
    """Note, before a class is graded, what the instructor's notebook loses on this machine."""
    if text := preflight.losses(task, one):
        note(text)


def note_broken(*banks: mistake_bank.Bank) -> None:
    """Note why no known mistake could be named."""
    for why in {bank.broken for bank in banks} - {""}:
        note(f"no known mistake could be named ({why})")
