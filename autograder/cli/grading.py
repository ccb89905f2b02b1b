"""The verbs of people who grade: grade, regrade, doctor."""

import contextlib
import functools
import getpass
import signal
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from autograder.cli import report, unattended
from autograder.cli.progress import Progress
from autograder.cli.shared import (
    CourseOption,
    GradebookOption,
    complain,
    end_with,
    keep_late_days,
    note,
    note_broken,
    note_extensions,
    note_falls,
    note_losses,
    note_old_table,
    note_points,
    note_secret,
    note_unused_extensions,
    released,
    say,
    stdout,
)
from autograder.cli.unattended import Every, Once, Require, Returns
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.grading import grader, pool, regrade, selection
from autograder.grading.wire import Graded
from autograder.marking.mark import counted, number, points
from autograder.records import versions
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox import mistake_bank, supervisor
from autograder.sandbox.inside.layers import LAYERS
from autograder.sandbox.supervisor import Sandbox
from autograder.store import files, results
from autograder.submission import discover

verbs = typer.Typer()


@verbs.command()
def grade(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...", help="Notebooks, logs, folders or zips of them, or platform exports."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where the results go; for staff only.")],
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Submissions to grade in parallel; default: all processors."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Grade only the first N submissions.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this submission; * and ? match any letters."),
    ] = None,
    people_list: Annotated[
        Path | None,
        typer.Option(
            "--ids",
            metavar="CSV",
            help="The platform's list of people (its exported gradebook or grading "
            "worksheet), to match submissions with the ids of roster.csv.",
            show_default=False,
        ),
    ] = None,
    times_list: Annotated[
        Path | None,
        typer.Option(
            "--receipts",
            metavar="CSV",
            help="Submission times, if the submissions do not contain them: a list with the "
            "columns id and submitted, or the platform's grading worksheet.",
            show_default=False,
        ),
    ] = None,
    commit: Annotated[
        selection.Commit,
        typer.Option(
            help="For a folder of clones, the commit to grade: the one at the due date, or "
            "the last one that is still accepted, which may be late."
        ),
    ] = "due",
    all_cells: Annotated[
        bool, typer.Option("--all-cells", help="Also run the cells that only illustrate.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Grade again, even if already graded.")
    ] = False,
    require: Require = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Grade on the machines of this Dask cluster."),
    ] = None,
    insecure_cluster: Annotated[
        bool,
        typer.Option(
            "--insecure-cluster", help="Also use machines where student code has network access."
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Keep watching PATH, a folder or a course's folder in an exchange, and grade "
            "each submission that arrives, until a signal stops it.",
        ),
    ] = False,
    returns: Returns = None,
    every: Every = 10.0,
    once: Once = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Grade submissions into OUT/<name>/; skip those already graded."""
    supervisor.require(require or (), {})  # raises for an unknown layer
    if watch:
        unwanted = (jobs, limit, only, people_list, times_list, scheduler)
        others = (force, all_cells, insecure_cluster, commit != "due")
        if any((*unwanted, *others)) or len(paths) != 1:
            raise UserError(
                "--watch takes one PATH, and goes only with --out, --require, --return, --every and "
                "--once"
            )
        unattended.watch_command(name, paths[0], out, returns, every, once, require, course_folder)
        return
    if returns or once:
        raise UserError("--return and --once need --watch")
    if scheduler and jobs:
        raise UserError(
            "omit -j, which counts graders on this machine: --scheduler uses those of its workers"
        )
    if insecure_cluster and not scheduler:
        raise UserError("--insecure-cluster needs --scheduler ADDRESS")
    root = course.find(course_folder)
    chosen = released(root, name)
    note_secret(root)
    settings = course.read(root)
    people = roster(root)
    note_extensions(settings, people)
    picked = selection.select(
        root,
        chosen,
        settings,
        people,
        paths,
        out,
        people_list=people_list,
        times_list=times_list,
        commit=commit,
        only=only or (),
        limit=limit,
    )
    found, complaints = picked.found, [*picked.complaints]
    for text in picked.notes:
        note(text)
    files.make_folder(out)  # also raises if it cannot be read
    task = grader.Task(
        root,
        name,
        settings,
        out.resolve(),
        hidden=tuple(path.resolve() for path in paths),
        all_cells=all_cells,
        force=force,
        require=tuple(require or ()),
    )
    failed, fell = False, list[str]()
    results.refuse_others(out, name)
    with (
        files.claimed(out),
        unattended.stopped_in_order() as stopped,
        Progress(stdout, chosen.title, len(found)) as progress,
        _counted_when_stopped(progress),
    ):
        graded: Generator[Graded, None, None]
        if scheduler:
            cluster = _cluster()
            graded = cluster.grade(
                task,
                found,
                homework=chosen,
                address=scheduler,
                insecure=insecure_cluster,
                note=note,
            )
        elif len(found) == 1:
            graded = _graded_here(task, found, context.obj)
        else:
            if found:
                with _opened(task) as first:
                    note_losses(task, first)
            jobs = jobs or pool.processors()
            graded = pool.grade(task, found, jobs=jobs, limits=chosen.limits)
        with contextlib.closing(graded):  # end this run before the next one may write here
            for result in graded:
                failed |= result.failed
                fell += result.fell
                if result.complaint:
                    complaints.append(result.complaint)
                progress.add(result)
                if stopped:
                    raise KeyboardInterrupt(stopped[0])
    complaints += keep_late_days(root, settings, out)
    if any(out.glob("*/report.html")):
        say(
            f"Reports: {out}/<name>/report.html; `autograder report {out}` writes a table of "
            "all marks"
        )
    note_falls(fell, out)
    note_unused_extensions(settings, people, name, out)
    note_old_table(out)
    end_with(complaints, status=1 if failed else 2)


def _cluster() -> ModuleType:
    try:
        from autograder.grading import cluster
    except ImportError as error:
        raise UserError(
            "--scheduler needs the extra `cluster` (pip install 'attention-homework-kit[cluster]')"
        ) from error
    return cluster


def _graded_here(
    task: grader.Task, found: Sequence[discover.Found], launched: Sandbox | None
) -> Generator[Graded, None, None]:
    with _opened(task, launched) as one:
        yield from one.grade_all(found, task.out)


@contextlib.contextmanager
def _counted_when_stopped(progress: Progress) -> Iterator[None]:
    """When a signal stops the run, say how many were graded; the exit status names the signal.

    However it ends, note if known mistakes could not be recognised.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        complain(f"stopped: {progress.counts()}; run the same command again to grade the rest")
        raise SystemExit(128 + (stop.args or (signal.SIGINT,))[0]) from None
    finally:
        note_broken(progress.broken)


@contextlib.contextmanager
def _opened(task: grader.Task, launched: Sandbox | None = None) -> Iterator[grader.Grader]:
    with grader.Grader.open(task, launched) as one:
        for layer, why in supervisor.gaps(one.sandbox.missing).items():
            note(f"not here: {LAYERS[layer]} ({why})")
        yield one


@verbs.command(name="regrade")
def regrade_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    diff: Annotated[
        bool,
        typer.Option("--diff", help="Only print whose marks would rise or fall; write nothing."),
    ] = False,
    allow_lower: Annotated[
        bool,
        typer.Option(
            "--allow-lower", help="Write all marks even if some fall; otherwise none is written."
        ),
    ] = False,
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="NAME", help="Your name, for D/changes.csv; default: your login."
        ),
    ] = "",
    why: Annotated[
        str, typer.Option("--why", metavar="TEXT", help="The reason, for D/changes.csv.")
    ] = "regrade",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Mark the logs in D again without running student code, and update D's table if it has one."""
    root = course.find(course_folder)
    settings = course.read(root)
    results.folders(folder)  # raises where there are none, before a lock is left there

    @functools.cache
    def load(name: str) -> Homework:
        chosen = homework.load(root, name)
        note_points(chosen)
        return chosen

    # Otherwise marks of an upload could be written over those of a newer one.
    with contextlib.nullcontext() if diff else files.claimed(folder):
        items: list[regrade.Regraded] = []
        complaints: list[str] = []
        with contextlib.ExitStack() as stack:
            bank = functools.cache(
                lambda name: stack.enter_context(mistake_bank.bank(root, load(name)))
            )
            for item in regrade.regrade(folder, load, settings, bank):
                if isinstance(item, str):
                    complaints.append(item)
                    continue
                items.append(item)
                _say_changes(item)
            note_broken(bank(name).broken for name in {item.log.homework for item in items})
        for name, number_of in Counter(i.log.homework for i in items if i.outdated).items():
            note(
                f"{name}: its notebook, data, adapters or limits have changed since "
                f"{counted(number_of, 'submission')} ran; `autograder grade` runs them again"
            )
        gains = [item.difference for item in items if item.difference > 0]
        losses = [-item.difference for item in items if item.difference < 0]
        say(
            f"{len(items)} submission{'s' * (len(items) != 1)}: {len(gains)} gain {points(sum(gains))}, "
            f"{len(losses)} lose {points(sum(losses))}, {sum(bool(i.stale) for i in items)} to run again"
        )
        lower = sum(change.lowers for item in items for change in item.changes)
        if diff:
            say("Nothing was written.")
        elif lower and not allow_lower:
            complaints.append(
                f"{lower} mark{'s' * (lower != 1)} would be lower, so nothing was written; "
                "--allow-lower writes all marks, even the lower ones"
            )
        else:
            for item in items:
                regrade.write(item, load(item.log.homework), settings, by=by or _login(), why=why)
            complaints += keep_late_days(root, settings, folder)
            if (folder / files.GRADES).is_file():  # also the pages that show people's marks
                complaints += report.write(root, folder, hand_marks)
    end_with(complaints)


def _say_changes(item: regrade.Regraded) -> None:
    student = item.log.submission.student
    for change in item.changes:
        marks = f"{number(change.before)} -> {number(change.after)}"
        line = f"{student} {change.question}: {marks}: {change.why}"
        say(one_line(line.split("\n")[0]))
    for question in item.stale:
        say(f"{student} {question}: run again (its hidden inputs have changed)")
    for question in item.untried:
        note(
            f"{one_line(student)} {question}: wrong at its check cell, but perhaps right at the end "
            "of the notebook; `autograder grade --force` runs it again"
        )


def _login() -> str:
    with contextlib.suppress(OSError, KeyError):  # In a container, the user may have no name.
        return getpass.getuser()
    return "unknown"


@verbs.command()
def doctor(course_folder: CourseOption = Path()) -> None:
    """Print what is installed, and which layers of the sandbox work here."""
    root = course.find(course_folder)
    for name, version in versions.everything().items():
        say(f"{name} {version}")
    with Sandbox(hidden=course.private(root)) as sandbox:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for column in ("layer", "works", "what it does, or why it is missing"):
            table.add_column(column)
        for name, meaning in LAYERS.items():
            why = sandbox.missing.get(name)
            row = (name, "no" if why else "yes", f"{meaning}. Not here: {why}" if why else meaning)
            if stdout.is_terminal:
                table.add_row(*map(escape, row))
            else:
                say(" | ".join(row))
        if stdout.is_terminal:
            stdout.print(table)
