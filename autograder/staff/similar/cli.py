"""The verb that compares submissions with each other: similar."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.shared import CourseOption, note, say
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.staff.similar import page, pairs, read, table
from autograder.store import files, results

verbs = typer.Typer()
PAIRS = 30


@verbs.command(name="similar")
def similar_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--earlier",
            metavar="D2",
            help="Results of the same homework in an earlier class, to compare its submissions "
            "with this class's; may be repeated.",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--pairs", min=1, help="The number of pairs to show.")
    ] = PAIRS,
    with_names: Annotated[
        bool, typer.Option("--names", help="Also show the names of roster.csv.")
    ] = False,
    course_folder: CourseOption = Path(),
) -> None:
    """Write D/similar.html: pairs of submissions that share things few others have, side by side.

    D/similar.csv lists the same pairs. Neither changes a mark or gives a verdict.
    """
    root = course.find(course_folder)
    settings = course.read(root)
    groups = {"": folder} | {
        f"earlier: {one_line(path.resolve().name)}": path for path in earlier or ()
    }
    if len(groups) <= len(earlier or ()) or folder.resolve() in [
        p.resolve() for p in earlier or ()
    ]:
        raise UserError(
            "--earlier: give each folder once, all with different names, and not D itself"
        )
    found = {group: results.folders(path) for group, path in groups.items()}
    chosen = homework.load(root, results.homework_of(found[""], folder))
    known = read.names(chosen)
    works, left_out = [], []
    for group, paths in found.items():
        for path in paths:
            try:
                works.append(read.work(path, chosen, known, group))
            except UserError as error:
                left_out.append(f"{path.name}{f' ({group})' if group else ''}: {one_line(error)}")
                note(f"{path}: not compared: {one_line(error)}")
    ranked = pairs.compare(works, read.given(root, chosen))
    count = sum(not work.group for work in works)
    text = page.html(
        ranked,
        title=chosen.title,
        course=f"{settings.title}, {settings.term}",
        count=count,
        earlier=len(works) - count,
        most=most,
        left_out=left_out,
        people=roster(root) if with_names else None,
    )
    files.write(folder / page.NAME, text)
    files.write_table(folder / table.NAME, table.table(ranked[:most]))
    line = (
        f"wrote {folder}/{page.NAME}: {min(most, len(ranked))} of {len(ranked)} pairs that "
        f"share something, from {count} submissions"
    )
    say(line)
