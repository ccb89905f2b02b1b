"""Verbs for grading while nobody is there: watch, and for Gradescope pack and simulate."""

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
    stderr,
    stdout,
)
from autograder.codec import one_line
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.grading import grader, watching
from autograder.grading.arrivals import Arrivals
from autograder.marking.mark import number, points
from autograder.model import UserError
from autograder.store import files, results

verbs = typer.Typer()


@verbs.command(name="pack")
def pack_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="ZIP", help="Default: HW-gradescope.zip.")
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write the zip that Gradescope takes, and say how to set the assignment up."""
    from autograder.authoring import release
    from autograder.gradescope import pack

    root = course.find(course_folder)
    chosen = released(root, name)
    if stale := release.stale_release(root, name):
        raise UserError(f"{stale}; run `autograder release {name}` first")
    note_secret(root)
    settings = course.read(root)
    target = out or Path(f"{name}-gradescope.zip")
    packed = pack.pack(root, chosen, settings, target)
    stdout.print(packed.page, markup=False, soft_wrap=True)
    stdout.print(
        f"wrote {target}: {packed.size / 1e6:.1f} MB; the image takes {packed.image / 1e9:.1f} GB "
        f"more than its base. This page is in it, as {pack.PAGE}.",
        markup=False,
        soft_wrap=True,
    )


@verbs.command(name="simulate")
def simulate_command(
    archive: Annotated[Path, typer.Argument(metavar="ZIP", help="What `pack` wrote.")],
    submission: Annotated[
        Path, typer.Argument(metavar="SUBMISSION", help="A file, or a folder of what is submitted.")
    ],
    metadata: Annotated[
        Path | None, typer.Option(help="A submission_metadata.json; default: none.")
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            help="Where the image is built, and found again the next time; default: a folder that is removed."
        ),
    ] = None,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="The image's folder is a whole Linux system; needs root."),
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="The platform's limit.")] = 600.0,
) -> None:
    """Do with a zip and a submission what Gradescope does, and show what a student would see."""
    from autograder.gradescope import simulate

    for path in filter(None, (archive, submission, metadata)):
        if not path.exists():
            raise UserError(f"{path}: there is no such file or folder")
    said = metadata.read_text(encoding="utf-8", errors="replace") if metadata else None
    if not whole:  # else the image is a system of its own
        simulate.look_first(archive)
    with simulate.platform(image, whole=whole) as platform:
        try:
            built = platform.build_once(archive)
        except simulate.BuildFailed as error:
            stderr.print(error.last, markup=False, soft_wrap=True)
            raise
        if built:
            stderr.print(built.rstrip(), markup=False, soft_wrap=True)
        shown = platform.submit(submission, said, seconds=seconds)
    if shown.said:
        stderr.print(f"the scripts printed: {shown.said.rstrip()}", markup=False, soft_wrap=True)
    for line in shown.lines():
        stdout.print(line, markup=False, soft_wrap=True)
    if shown.complaint:
        raise UserError(shown.complaint)


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
