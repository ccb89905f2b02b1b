"""The verb for Gradescope, gradescope: pack writes the zip, try treats it as the platform does."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import plugins
from autograder.cli.shared import CourseOption, note_secret, released, say, stderr
from autograder.course import course
from autograder.records.errors import UserError

verbs = typer.Typer()
gradescope = typer.Typer(help="Write the zip for Gradescope, and try it out.", no_args_is_help=True)
verbs.add_typer(gradescope, name="gradescope")


@gradescope.command(name="pack")
@verbs.command(name="pack", hidden=True)
def pack_command(
    name: Annotated[str, typer.Argument(metavar="HW", help="The homework's name.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="ZIP", help="Default: HW-gradescope.zip.")
    ] = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Write the zip for Gradescope, and explain how to set up the assignment."""
    from autograder.platforms.gradescope import pack

    root = course.find(course_folder)
    chosen = released(root, name)
    stale_release = plugins.hook("stale_release")
    if stale := stale_release and stale_release(root, name):
        raise UserError(f"{stale}; run `autograder release {name}` first")
    note_secret(root)
    settings = course.read(root)
    target = out or Path(f"{name}-gradescope.zip")
    packed = pack.pack(root, chosen, settings, target)
    say(packed.page)
    say(
        f"wrote {target}: {packed.size / 1e6:.1f} MB; the image takes "
        f"{packed.image / 1e9:.1f} GB more than its base. The zip contains this page as "
        f"{pack.PAGE}."
    )


@gradescope.command(name="try")
@verbs.command(name="simulate", hidden=True)
def simulate_command(
    archive: Annotated[
        Path, typer.Argument(metavar="ZIP", help="The zip that `gradescope pack` wrote.")
    ],
    submission: Annotated[
        Path, typer.Argument(metavar="SUBMISSION", help="A file or folder to submit.")
    ],
    metadata: Annotated[
        Path | None, typer.Option(help="A submission_metadata.json; default: none.")
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(help="Where to build and keep the image; default: a temporary folder."),
    ] = None,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="The image's folder is a whole Linux system; needs root."),
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="The platform's time limit.")] = 600.0,
) -> None:
    """Treat a zip and a submission as Gradescope does, and show what a student would see."""
    from autograder.platforms.gradescope import simulate

    for path in filter(None, (archive, metadata)):
        if not path.is_file():
            raise UserError(f"{path}: there is no such file")
    if not submission.exists():
        raise UserError(f"{submission}: there is no such file or folder")
    said = metadata.read_text(encoding="utf-8", errors="replace") if metadata else None
    if not whole:  # without it, the image is a separate system
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
        say(line)
    if shown.complaint:
        raise UserError(shown.complaint)
