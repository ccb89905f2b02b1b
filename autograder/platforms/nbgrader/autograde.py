"""The grading step of `nbgrader autograde`, in the sandbox instead of nbgrader's kernel.

nbgrader_config.py uses it instead of nbgrader's own steps, which would clear the student's outputs
and run the notebook in a kernel with all the rights of the person who grades.
"""

import atexit
import contextlib
import functools
import logging
import shutil
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.cli.shared import keep_late_days
from autograder.course import course
from autograder.course.people import People, roster
from autograder.grading.grader import Grader, Task
from autograder.platforms.nbgrader import database, exchange
from autograder.records.errors import UserError
from autograder.sandbox import supervisor
from autograder.sandbox.inside.layers import LAYERS
from autograder.store import files, results
from autograder.submission import discover, opening
from autograder.submission.archives import Entry


class GradeInSandbox(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """A preprocessor that grades into graded/<hw>/ like `autograder grade`, and fills the gradebook."""

    def preprocess(
        self,
        nb: nbformat.NotebookNode,  # noqa: ARG002
        resources: dict[str, Any],
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the notebook for people who mark, made from the submitted file.

        Raises:
            UserError: the submission cannot be graded; nbgrader prints that and goes on with the next.

        """
        names = resources["nbgrader"]
        root = course.find(Path.cwd())  # nbgrader enters the course folder before it starts
        place = database.directory(root)
        student, name = names["student"], names["assignment"]
        if names["notebook"] != name:
            raise UserError(f"{names['notebook']}.ipynb is not a notebook of {name}")
        folder = Path(place.format_path(place.submitted_directory, student, name))
        _only(Path(place.format_path(place.autograded_directory, student, name)), f"{name}.ipynb")
        engine = _engine(root, name, self.log)
        out = root / "graded" / name
        people = roster(root)
        with files.claimed(out):
            done = engine.grade(_found(student, folder, name, people), out)
            for complaint in keep_late_days(root, engine.course, done.folder):
                self.log.warning(complaint)
        if done.complaint and done.grade is None:
            raise UserError(done.complaint)
        with database.connect(names["db_url"], place.course_id) as book:
            _, notebook = database.record(
                database.read(done.folder),
                engine.homework,
                engine.course,
                book=book,
                place=place,
                roster=people,
                student=student,
            )
        return notebook, resources


def _only(folder: Path, notebook: str) -> None:
    """Remove files that nbgrader copied beside the notebook: formgrader would serve them as is.

    The time and the secret stay: `nbgrader release_feedback` needs them to place a page.
    """
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in (notebook, exchange.TIMESTAMP, exchange.SECRET) or path.is_symlink():
            path.unlink()


@functools.cache
def _engine(root: Path, name: str, log: logging.Logger) -> Grader:
    """Start the grader, and log what `autograder grade` would print; it ends with the command."""
    out = root / "graded" / name
    out.parent.mkdir(mode=0o700, exist_ok=True)
    files.make_folder(out)
    results.refuse_others(out, name)
    if note := course.prepare_secret(root):
        log.warning("%s", note)
    with contextlib.ExitStack() as stack:
        grader = stack.enter_context(Grader.open(Task(root, name, course.read(root), out)))
        atexit.register(stack.pop_all().close)
    for layer, why in supervisor.gaps(grader.sandbox.missing).items():
        log.warning("not here: %s (%s)", LAYERS[layer], why)
    return grader


def _found(student: str, folder: Path, name: str, people: People) -> discover.Found:
    submitted = opening.given(folder)
    beside = [Entry(file, (), file.name) for file in submitted.inside()]
    receipt = exchange.receipt(student, beside)
    return discover.find_only(
        submitted, student=people.folder(student), homework=name, receipt=receipt
    )
