"""The verb that gives staff the reasons for a mark: explain."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli import report
from autograder.cli.shared import CourseOption, GradebookOption, end_with, note, say
from autograder.course import course, homework
from autograder.course.people import roster
from autograder.marking.diagnose import is_unknown
from autograder.marking.mark import counted
from autograder.records import digests
from autograder.records.errors import UserError
from autograder.staff.regrade_requests_cli import By, Grant, Refuse, Why, requests_command
from autograder.store import executed, files, results

verbs = typer.Typer()


@verbs.command(name="explain")
def explain_command(
    folder: Annotated[
        Path, typer.Argument(metavar="D", help="The folder that `grade --out D` wrote.")
    ],
    student: Annotated[
        str | None, typer.Argument(metavar="STUDENT", help="The student's id, a folder in D.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="Default: all questions that lost points."),
    ] = None,
    notebook_path: Annotated[
        Path | None,
        typer.Option(
            "--notebook",
            metavar="PATH",
            help=f"Where to write the notebook; default: D/STUDENT/{files.EXPLAINED}.",
        ),
    ] = None,
    rerun: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Run the student's cells again in the sandbox, and print the answer's "
            "results now.",
        ),
    ] = False,
    requests: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Students' requests, with the columns id, question and reason: judge each "
            "again, draft an answer, and keep both in D.",
        ),
    ] = None,
    grant: Grant = None,
    refuse: Refuse = None,
    by: By = "",
    why: Why = "",
    group_name: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--name",
            metavar="GROUP SENTENCE",
            help="Tell each student of a group in class.html, including later ones, in one "
            "sentence what is wrong with their answers.",
        ),
    ] = None,
    where: Annotated[
        str,
        typer.Option(
            "--where", metavar="TEXT", help="With --name: where these students should look."
        ),
    ] = "",
    unname: Annotated[
        str, typer.Option("--unname", metavar="GROUP", help="Remove a group's sentence.")
    ] = "",
    hand_marks: GradebookOption = None,
    course_folder: CourseOption = Path(),
) -> None:
    """Explain a mark to staff: hidden inputs, values, expected values and known mistakes.

    Prints the reference's computation line by line, and writes a notebook with the student's cells
    and these inputs. None of it is for students, except the sentence of --name.
    """
    naming, deciding = group_name or unname, requests or grant or refuse
    if sum(map(bool, (student, naming, deciding))) > 1:
        raise UserError(
            "a STUDENT, decisions on requests and names of groups need a command each; nothing was "
            "written"
        )
    if naming:
        name_command(folder, group_name, where, unname, hand_marks, course_folder)
        return
    if deciding:
        requests_command(folder, requests, grant, refuse, by, why, hand_marks, course_folder)
        return
    if student is None:
        raise UserError(
            "give a STUDENT, or --requests CSV, --grant N, --refuse N, --name GROUP SENTENCE"
        )
    from autograder.staff.explain import notebook, text
    from autograder.staff.explain.collect import explanations

    root = course.find(course_folder)
    there = {path.name for path in folder.glob("*/")}
    student = student if student in there else roster(root).called(student)
    place = folder / student
    if student not in there:
        raise UserError(f"{folder} has no results of {student!r}; use the names of its folders")
    log, grade = results.read_log(place), results.read_grade(place)
    chosen = homework.load(root, log.homework)
    cells = executed.own_sources(place)
    found = explanations(
        root, chosen, log, grade, cells, question=question, out=folder, rerun=rerun
    )
    for item in found:
        for line in text.lines(item):
            say(line)
        if (common := log.common.get(item.question.id)) and is_unknown(item.mark):
            group = digests.group_name(item.question.id, common)
            say(
                f"  to tell everybody with the same result: explain {folder} --name {group} "
                '"one sentence"'
            )
    if not found:
        say("no machine-marked question lost points")
        return
    path = notebook_path or place / files.EXPLAINED
    files.write(path, notebook.notebook(found, cells, chosen))
    say(f"wrote {path}, only for staff; to open it:")
    say(f"  jupyter lab {shlex.quote(str(path))}")
    note(
        "its cells are the student's code and run with your rights; run them where they "
        "can do no harm, such as in a container without the course's secret; --run runs "
        "them in the sandbox"
    )


def name_command(
    folder: Path,
    named: tuple[str, str] | None,
    where: str,
    unnamed: str,
    hand_marks: str | None,
    course_folder: Path,
) -> None:
    """Name a group of wrong answers, or remove its name, and update everything that shows it."""
    from autograder.staff.class_page import names

    root = course.find(course_folder)
    if unnamed:
        names.unname(root, folder, unnamed, hand_marks=hand_marks)
        say(f"{unnamed} no longer has a name")
    if named:
        group, sentence = named
        done = names.name(root, folder, group, sentence, where, hand_marks=hand_marks)
        say(
            f"{done.group.name}: {counted(len(done.students), 'submission')}: {done.group.sentence}"
        )
    end_with(list(report.write(root, folder, hand_marks)))
