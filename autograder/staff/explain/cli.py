"""The verb that gives staff the reasons for a mark: explain."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.report import GradebookOption
from autograder.cli.shared import CourseOption, note, say
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.records.errors import UserError
from autograder.staff.regrade_requests_cli import By, Grant, Refuse, Why, requests_command
from autograder.store import executed, files, results

verbs = typer.Typer()


@verbs.command(name="explain")
def explain_command(
    folder: Annotated[Path, typer.Argument(metavar="D", help="What `grade --out D` wrote.")],
    student: Annotated[
        str | None,
        typer.Argument(metavar="STUDENT", help="The id, a folder in D.", show_default=False),
    ] = None,
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION", help="Default: all that lost points.", show_default=False
        ),
    ] = None,
    notebook_path: Annotated[
        Path | None,
        typer.Option(
            "--notebook",
            metavar="PATH",
            help=f"Where the notebook goes; default: D/STUDENT/{files.EXPLAINED}.",
            show_default=False,
        ),
    ] = None,
    rerun: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Run the student's cells again, in the sandbox, and print what the answer gives now.",
        ),
    ] = False,
    requests: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="What students ask about, with the columns id, question and reason: judge each again, "
            "draft an answer, and keep both in D.",
            show_default=False,
        ),
    ] = None,
    grant: Grant = None,
    refuse: Refuse = None,
    by: By = "",
    why: Why = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Explain a mark to staff: hidden inputs, the student's values and the expected ones, known mistakes.

    Prints what the reference computes, line by line, and writes a notebook with the student's cells
    and these inputs. None of it is for students.
    """
    if requests or grant or refuse:
        requests_command(folder, requests, grant, refuse, by, why, hand_marks, course_folder)
        return
    if student is None:
        raise UserError("give a STUDENT, or --requests CSV, --grant N or --refuse N")
    from autograder.staff.explain import notebook, text
    from autograder.staff.explain.collect import explanations

    root = course.find(course_folder)
    there = {path.name for path in folder.glob("*/")}
    student = student if student in there else roster(root).called(student)
    place = folder / student
    if student not in there:
        raise UserError(f"{folder} has no results of {student!r}; its folders' names are the ids")
    log, grade = results.read_log(place), results.read_grade(place)
    chosen = homework.load(root, log.homework)
    cells = executed.own_sources(place)
    found = explanations(
        root, chosen, log, grade, cells, question=question, out=folder, rerun=rerun
    )
    for item in found:
        for line in text.lines(item):
            say(line)
    if not found:
        say("no machine-marked question lost points")
        return
    path = notebook_path or place / files.EXPLAINED
    files.write(path, notebook.notebook(found, cells, chosen))
    say(f"wrote {path}, for staff alone; to open it:")
    say(f"  jupyter lab {shlex.quote(str(path))}")
    note(
        "its cells are the student's code and run with your rights; run them where that does "
        "no harm, such as in a container without the course's secret; --run runs them in the sandbox"
    )
