"""The verb that opens the desk: desk."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.shared import CourseOption, GradebookOption, note, say
from autograder.course import course, homework
from autograder.marking.mark import counted
from autograder.records.errors import UserError
from autograder.store import files, results

verbs = typer.Typer()
MarkerOption = Annotated[
    str,
    typer.Option("--marker", metavar="NAME", help="Your name, or that of the person at the page."),
]
PortOption = Annotated[int, typer.Option("--port", help="A port of this machine.")]
HostOption = Annotated[
    str,
    typer.Option(
        "--host",
        metavar="NAME",
        help="The host name under which your own TLS proxy serves the page to a team.",
        show_default=False,
    ),
]


@verbs.command(name="desk")
def desk_command(
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The folder with each homework's results, in OUT/NAME."),
    ],
    marker: MarkerOption = "staff",
    with_names: Annotated[
        bool, typer.Option("--names", help="Show whose answer it is while you mark.")
    ] = False,
    port: PortOption = 8765,
    host: HostOption = "",
    url: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Open one page for staff on this machine, to bring in, grade, view, mark and return work.

    It shows the contents of OUT, the gradebook and course.toml, and starts other commands, which
    continue after it is closed.
    """
    root = course.find(course_folder)
    try:
        from autograder.platforms.nbgrader import settings
        from autograder.staff.desk.marking import Marking
        from autograder.staff.desk.server import Desk
        from autograder.staff.marking_page import start
    except ModuleNotFoundError as error:
        raise UserError(
            f"{error.name} missing: the desk needs the extras `mark` and `report` "
            "(pip install 'attention-homework-kit[mark,report]')"
        ) from error
    if any(out.glob(f"*/{files.LOG}")):
        name = results.homework_of(results.folders(out), out)
        raise UserError(
            f"{out} has the results of {name} itself; give the folder above it: {out.resolve().parent}"
        )
    if not homework.names(root):
        raise UserError(f"{root} has no homework yet; run `autograder new homework NAME`")
    files.make_folder(out)
    url = settings.absolute(url) if url else ""  # since each job has a folder of its own
    book = url or settings.gradebook_url(root)
    with start.listening(port) as place, closing(Marking(root, book, named=with_names)) as marking:
        say("Reading the results ...")
        desk = Desk(root, out.resolve(), book, url, marking)
        for name in desk.classes.folders():
            note(f"{name}: {counted(len(desk.classes.entries(name)), 'submission')}")
        say("The desk is open until you press Ctrl+C, for everybody who has this link:")
        start.serve(desk.application(), out, place, host=host, marker=marker, say=say)
