"""The verb that fills nbgrader's gradebook: gradebook."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.shared import CourseOption, GradebookOption, end_with, note, say
from autograder.course import course
from autograder.course.people import roster
from autograder.marking.mark import counted

verbs = typer.Typer()


@verbs.command(name="gradebook", hidden=True)
def gradebook_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    url: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Put marks and written answers into nbgrader's gradebook, to mark by hand in formgrader."""
    end_with(fill(folder, url, course_folder))


def fill(folder: Path, url: str | None, course_folder: Path) -> list[str]:
    """Put marks and written answers into nbgrader's gradebook; return those that failed."""
    from autograder.platforms.nbgrader import database, settings

    root = course.find(course_folder)
    place = database.directory(root)
    people = roster(root)
    done: list[database.Recorded] = []
    complaints: list[str] = []
    with database.connect(url or settings.gradebook_url(root), place.course_id) as book:
        for item in database.fill(
            folder,
            report.loader(root),
            course.read(root),
            book=book,
            place=place,
            roster=people,
        ):
            if isinstance(item, str):
                complaints.append(item)
                continue
            done.append(item)
            if item.again:
                note(
                    f"{item.student}: look again, since the answer changed: {', '.join(item.again)}"
                )
        for name in sorted({item.homework for item in done}):
            if left := database.left(book, folder, name, people):
                note(f"not in {folder}, but still in the gradebook: {', '.join(left)}")
    waiting = sum(len(item.waiting) for item in done)
    say(
        f"{counted(len(done), 'submission')} in the gradebook, "
        f"{counted(waiting, 'answer')} to mark by hand"
    )
    return complaints
