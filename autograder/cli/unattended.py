"""Unattended grading: `grade --watch`."""

import contextlib
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from autograder.cli.shared import (
    CourseOption,
    complain,
    keep_late_days,
    note_broken,
    note_extensions,
    note_falls,
    note_losses,
    note_secret,
    released,
    say,
)
from autograder.course import course, homework
from autograder.grading import grader, watching
from autograder.grading.inbox import Arrivals
from autograder.marking.mark import number, points
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.store import files, results

verbs = typer.Typer()
Require = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LAYER", help="Refuse to grade without this layer; `doctor` lists the layers."
    ),
]
Returns = Annotated[
    Path | None,
    typer.Option(
        "--return",
        metavar="DIR",
        help="With --watch: put each report into DIR/<name>/HW.html; an exchange has its own "
        "place for them.",
        show_default=False,
    ),
]
Every = Annotated[
    float,
    typer.Option(min=0.1, help="With --watch: the number of seconds between checks for new files."),
]
Once = Annotated[
    bool,
    typer.Option("--once", help="With --watch: grade the submissions that are there, and stop."),
]


@contextlib.contextmanager
def stopped_in_order() -> Iterator[list[int]]:
    """Let Ctrl-C end the run cleanly, and also SIGTERM, which batch systems send when time is up.

    Yields the signals received. A signal that arrives while Python frees an object is only noted:
    exceptions raised there are lost.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        while frame:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt(number)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield came
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _until_stopped(
    events: Iterator[watching.Event], stopped: Sequence[int]
) -> Iterator[watching.Event]:
    """Yield events until a signal has been noted; each is dealt with before the end."""
    for event in events:
        yield event
        if stopped:
            raise KeyboardInterrupt(stopped[0])


@verbs.command(name="watch", hidden=True)
def watch_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    place: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder where submissions arrive: any folder that `grade` accepts, or a "
            "course's folder in an exchange.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where the results go; for staff only.")],
    returns: Returns = None,
    every: Every = 10.0,
    once: Once = False,
    require: Require = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Grade submissions as they arrive, and return their reports, until a signal stops it."""
    root = course.find(course_folder)
    chosen = released(root, name)
    if not place.is_dir():
        raise UserError(
            f"{place}: there is no such folder; give the folder where submissions arrive"
        )
    for other in filter(None, (out, returns)):
        if other.resolve().is_relative_to(place.resolve()):
            raise UserError(
                f"{other} is in {place}, so it would be graded; choose a folder elsewhere"
            )
    note_secret(root)
    settings = watching.Settings(root)
    note_extensions(settings.course, settings.people)
    files.make_folder(out)
    results.refuse_others(out, name)
    task = grader.Task(
        root,
        name,
        settings.course,
        out.resolve(),
        hidden=(place.resolve(), *(one.resolve() for one in (returns,) if one)),
        require=tuple(require or ()),
    )
    arrivals = Arrivals(
        *(place, name, settings.people, returns, chosen.collected, homework.names(root)),
        staff=settings.course.exchange.staff,
    )
    failed, count, complaints = False, 0, 0
    broken = {""}
    with files.claimed(out), stopped_in_order() as stopped:
        try:
            with grader.Grader.open(task) as one:
                note_losses(task, one)
                # A run that was killed may have left some.
                for text in keep_late_days(root, settings.course, out):
                    complain(text)
                    complaints += 1
                events = watching.watch(one, arrivals, task.out, settings, every=every, once=once)
                for event in _until_stopped(events, stopped):
                    if event.said:
                        complain(event.said)
                        complaints += 1
                        continue
                    graded = event.graded
                    if graded is None:
                        continue
                    if graded.broken not in broken:
                        broken.add(graded.broken)
                        note_broken([graded.broken])
                    note_falls(graded.fell, out)
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
                        look = f"; needs a look: {graded.note}" if graded.note else ""
                        say(one_line(f"{line}{back}{look}"))
                    mine = graded.folder
                    for text in (
                        [] if graded.skipped else keep_late_days(root, settings.course, mine)
                    ):
                        complain(text)
                        complaints += 1
        except KeyboardInterrupt as stop:
            complain(f"stopped: {count} graded; run the same command again to continue")
            raise SystemExit(128 + stop.args[0]) from None
    if complaints:
        raise SystemExit(1 if failed else 2)
