"""The verb that grades while nobody is there: watch."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.grading import stopped_in_order
from autograder.cli.shared import (
    CourseOption,
    complain,
    note_extensions,
    note_losses,
    note_secret,
    released,
    stdout,
)
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.grading import grader, watching
from autograder.grading.inbox import Arrivals
from autograder.marking.mark import number, points
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files, results

verbs = typer.Typer()


@verbs.command(name="watch")
def watch_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    place: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="Where submissions come in: a folder as `grade` takes it, or a course's folder in "
            "nbgrader's exchange.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where the results go; for staff only.")],
    returns: Annotated[
        Path | None,
        typer.Option(
            "--return",
            metavar="DIR",
            help="Put each report into DIR/<name>/HW.html; an exchange has a place of its own.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 10.0,
    once: Annotated[bool, typer.Option("--once", help="Grade what is there, and end.")] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Grade submissions as they come, and give their reports back, until a signal ends it."""
    root = course.find(course_folder)
    chosen = released(root, name)
    if not place.is_dir():
        raise UserError(
            f"{place}: there is no such folder; give the one that submissions come into"
        )
    for other in filter(None, (out, returns)):
        if other.resolve().is_relative_to(place.resolve()):
            raise UserError(
                f"{other} is in {place}, so it would be graded; give a folder elsewhere"
            )
    note_secret(root)
    settings = course.read(root)
    people = roster(root)
    note_extensions(settings, people)
    files.make_folder(out)
    results.refuse_others(out, name)
    task = grader.Task(
        root,
        name,
        settings,
        out.resolve(),
        hidden=(place.resolve(), *(one.resolve() for one in (returns,) if one)),
    )
    arrivals = Arrivals(
        *(place, name, people, returns, chosen.collected, homework.names(root)),
        staff=settings.exchange.staff,
    )
    failed, count, complaints = False, 0, 0
    with files.claimed(out), stopped_in_order():
        try:
            with grader.Grader.open(task) as one:
                note_losses(task, one)
                for event in watching.watch(one, arrivals, task.out, every=every, once=once):
                    if event.said:
                        complain(event.said)
                        complaints += 1
                        continue
                    graded = event.graded
                    assert graded is not None
                    failed |= graded.failed
                    count += not graded.skipped
                    if graded.complaint:
                        complain(graded.complaint)
                        complaints += 1
                    elif graded.grade and not graded.skipped:
                        mark = graded.grade
                        earned = sum(line.earned or 0.0 for line in mark.marks)
                        line = f"{graded.name}: {number(earned)} of {points(mark.possible)}"
                        back = f"; its report: {event.returned}" if event.returned else ""
                        look = f"; look at it: {graded.note}" if graded.note else ""
                        stdout.print(one_line(f"{line}{back}{look}"), markup=False, soft_wrap=True)
        except KeyboardInterrupt as stop:
            complain(f"stopped: {count} graded; the same command goes on with the rest")
            raise SystemExit(128 + stop.args[0]) from None
    if complaints:
        raise SystemExit(1 if failed else 2)
