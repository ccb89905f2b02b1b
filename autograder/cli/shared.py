"""Things that the verbs share: output, options, and notes that several verbs print."""

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from autograder.cli import plugins
from autograder.course import course, homework, inputs, late_days
from autograder.course.people import People, key
from autograder.grading import grader, preflight
from autograder.marking import lateness
from autograder.marking.mark import counted, points
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog
from autograder.records.homework import Homework
from autograder.sandbox.run import SandboxFault
from autograder.store import files, log_summary, mark_changes

SHOWN = 5
"""The most marks that one line names."""
stdout, stderr = Console(highlight=False), Console(stderr=True, highlight=False, soft_wrap=True)

CourseOption = Annotated[
    Path,
    typer.Option(
        "--course",
        help="The course folder or a folder in it; default: the current one.",
        show_default=False,
    ),
]
GradebookOption = Annotated[
    str | None,
    typer.Option(
        "--gradebook",
        "--db",
        metavar="URL",
        help="The gradebook of marks that people gave, a file or any SQLAlchemy URL; default: the "
        "one that formgrader opens, gradebook.db in the course.",
        show_default=False,
    ),
]
Names = Annotated[
    list[str] | None, typer.Argument(help="Homework names; default: all.", show_default=False)
]


def say(text: str) -> None:
    """Print a line of results, with any special characters as they are."""
    stdout.print(text, markup=False, soft_wrap=True)


def note(text: str) -> None:
    """Print something that staff should know, although it changes nothing."""
    stderr.print(f"note: {text}", markup=False)


def complain(text: str) -> None:
    """Print one line: the problem, its place, and how to fix it."""
    stderr.print(f"autograder: {one_line(text)}", markup=False)


def end_with(complaints: Sequence[str], *, status: int = 2) -> None:
    """Print complaints, and exit with a status if there are any."""
    for complaint in complaints:
        complain(complaint)
    if complaints:
        raise SystemExit(status)


def end_of(error: Exception) -> BaseException:
    """Print an error's line and return the exception that ends the program.

    The exit status is 2 for a UserError, a full disk and a missing permission, and 1 for a fault of
    our own; unexpected errors keep their traceback.
    """
    if isinstance(error, UserError):
        complain(str(error))
        return SystemExit(2)
    if isinstance(error, SandboxFault):
        complain(f"stopped, because the grader itself failed: {error}")
        return SystemExit(1)
    if isinstance(error, OSError) and error.errno in files.FULL:
        where = f" ({error.filename})" if error.filename else ""
        complain(f"the disk is full{where}; free some space, and run the same command again")
        return SystemExit(2)
    if isinstance(error, OSError) and error.errno in files.REFUSED and error.filename:
        complain(
            f"{error.filename} cannot be read or written ({error.strerror}); change its permissions, "
            "or choose a different place"
        )
        return SystemExit(2)
    return error


def names_or_all(root: Path, names: list[str] | None) -> list[str]:
    """Return the named homeworks, or all of them; raise UserError if there are none."""
    chosen = names or homework.names(root)
    if not chosen:
        raise UserError("this course has no homework in source/")
    return chosen


def released(root: Path, name: str) -> Homework:
    """Return a homework as students received it, releasing it first if necessary."""
    place = root / "release" / name / f"{name}.ipynb"
    missing = (root / "source" / name).is_dir() and not place.is_file()
    if missing and (make := plugins.hook("release")):  # because the import takes seconds
        make(root, name)
        note(f"wrote release/{name}, which was missing")
    chosen = homework.load(root, name)
    note_stale_release(root, name)
    note_points(chosen)
    inputs.complain_of_cases(chosen)
    return chosen


def note_stale_release(root: Path, name: str) -> None:
    """Note that a homework has changed since its release, so students do not have the changes."""
    released = root / "release" / name / f"{name}.ipynb"
    written = [root / "source" / name / f"{name}.{form}" for form in ("py", "ipynb")]
    # Copied files have arbitrary times, so newer times only mean that a slow comparison is needed.
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
                f"{said}; `autograder release {name}` updates it, and answers are graded "
                f"by source/{name} as it is now"
            )
        else:  # so that later runs skip the check until the source changes
            with contextlib.suppress(OSError):
                os.utime(released, ns=(newest, newest))


def note_points(chosen: Homework) -> None:
    """Note each question whose points differ from those that students were told."""
    told = {cell.grade_id: cell.points for cell in chosen.cells if cell.points is not None}
    changed = [
        f"{one.id} ({one.points:g}, but students were told {points(told.get(one.id, 0.0))})"
        for one in chosen.questions
        if told.get(one.id) != one.points
    ]
    if changed and chosen.cells:
        note(
            f"points in source/{chosen.name} differ from those in release/{chosen.name}: "
            f"{', '.join(changed)}; `autograder release {chosen.name}` updates the "
            "release"
        )


def note_secret(root: Path) -> None:
    """Create a secret if the course has none, and print any note about it."""
    if text := course.prepare_secret(root):
        note(text)


def note_extensions(settings: course.Course, people: People) -> None:
    """Note each extension or excuse in course.toml for an id that is missing from roster.csv."""
    if not people:
        return
    for name, dates in settings.homework.items():
        for id in dates.extensions:
            if people.find(id) is None:
                note(f"course.toml: [homework.{name}] extensions: roster.csv has no id {id!r}")
    for name, ids in settings.total.excused.items():
        for id in ids:
            if people.find(id) is None:
                note(f"course.toml: [total] excused: {name}: roster.csv has no id {id!r}")


def note_unused_extensions(settings: course.Course, people: People, name: str, out: Path) -> None:
    """Without a roster, note each extension for an id that no graded submission has."""
    dates = settings.homework.get(name)
    if people or not dates or not dates.extensions:
        return
    seen = set[str]()
    for path in out.glob(f"*/{files.LOG}"):
        with contextlib.suppress(UserError, OSError):
            brief = log_summary.read(path.parent)
            log = SubmissionLog(brief.homework, brief.submission, receipt=brief.receipt)
            seen.update(map(key, lateness.people(log)))
    for id in dates.extensions:
        if key(id) not in seen:
            note(
                f"course.toml: [homework.{name}] extensions: no graded submission has the id {id!r}"
            )


def keep_late_days(root: Path, settings: course.Course, folder: Path) -> list[str]:
    """Record how late people submitted the homework in a folder, if the course has slip days.

    The slip days left for later homeworks depend on it. The folder may also be one submission's.
    Returns one line for each submission whose late days are unknown or cannot be written.
    """
    complaints: list[str] = []
    days: dict[str, dict[str, int]] = {}
    paths = (*folder.glob(files.LOG), *sorted(folder.glob(f"*/{files.LOG}")))
    for path in paths if settings.late.slip_days else ():
        try:
            brief = log_summary.read(path.parent)
        except (UserError, OSError) as error:
            complaints.append(f"{path.parent}: {error}; its late days are unknown")
            continue
        log = SubmissionLog(brief.homework, brief.submission, receipt=brief.receipt)
        count = lateness.late_days(log, settings)
        theirs = map(settings.id_of, lateness.people(log))
        days.setdefault(log.homework, {}).update(dict.fromkeys(theirs, count))
    try:
        if days:
            _write_late_days(root, settings, days)
    except (UserError, OSError) as error:
        why = str(error)
        if isinstance(error, OSError):
            why = f"{error.filename} cannot be written ({error.strerror})"
        out = folder.parent if (folder / files.LOG).exists() else folder
        complaints.append(
            f"{why}; the late days of {folder} are not in {late_days.FILE}: fix this, then run "
            f"`autograder regrade {out}`"
        )
    return complaints


def _write_late_days(
    root: Path, settings: course.Course, days: Mapping[str, Mapping[str, int]]
) -> None:
    with files.locked(root / late_days.FILE):
        before = after = course.read(root).late_days
        for name, ids in days.items():
            now = {*map(key, ids)}  # without a roster, spellings of an id may differ
            others = {id: n for id, n in after.get(name, {}).items() if key(id) not in now}
            after = late_days.changed({**after, name: others}, name, ids)
        if after == before:
            return
        files.write(root / late_days.FILE, late_days.text(after))
    later = [name for name in settings.homework if set(days) & set(settings.before(name))]
    follow = f"; run `autograder regrade` for {', '.join(later)} next" if later else ""
    say(f"wrote {late_days.FILE}: late days of {', '.join(days)}{follow}")


def note_old_table(folder: Path) -> None:
    """Note that a folder's table of marks is older than some of the marks."""
    table = folder / files.GRADES
    if table.is_file() and any(
        grade.stat().st_mtime_ns > table.stat().st_mtime_ns
        for grade in folder.glob(f"*/{files.GRADE}")
    ):
        note(
            f"{table} is older than some marks, and some reports lack marks given by hand; "
            f"`autograder report {folder}` updates both"
        )


def note_dates(root: Path, folder: Path) -> None:
    """Note that course.toml has changed since the marks in a folder were given."""
    changed = (root / course.FILE).stat().st_mtime_ns
    # An unreadable submission has no log, so a regrade does not concern it.
    graded = [log.with_name(files.GRADE) for log in folder.glob(f"*/{files.LOG}")]
    if any(grade.stat().st_mtime_ns < changed for grade in graded if grade.is_file()):
        note(
            f"course.toml is newer than some marks; `autograder regrade {folder} --diff` "
            "prints the marks that change"
        )


def note_losses(task: grader.Task, one: grader.Grader) -> None:
    """Before grading a class, note any points that the instructor's notebook loses on this machine."""
    if text := preflight.losses(task, one):
        note(text)


def note_falls(fell: Sequence[str], out: Path) -> None:
    """Note the marks that are lower than an earlier grading gave the same files."""
    if fell:
        more = f" and {len(fell) - SHOWN} more" if len(fell) > SHOWN else ""
        note(
            f"{counted(len(fell), 'mark')} fell since the last grading: "
            f"{', '.join(fell[:SHOWN])}{more}; {out / mark_changes.FILE} has each change"
        )


def note_broken(reasons: Iterable[str]) -> None:
    """Note why known mistakes cannot be recognised; "" is no reason."""
    for why in sorted({*reasons} - {""}):
        note(f"known mistakes cannot be recognised ({why})")
