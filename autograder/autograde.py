"""The step of `nbgrader autograde` that grades: in the sandbox, never in nbgrader's kernel.

nbgrader_config.py puts it in the place of nbgrader's own steps, which would clear the
student's outputs and run the notebook in a kernel with all rights of whoever grades.
"""

import atexit
import contextlib
import functools
import logging
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder import bulk, course, homework
from autograder.course import Course
from autograder.facts import find, variants
from autograder.facts.layers import LAYERS
from autograder.facts.sandbox import Sandbox
from autograder.facts.variants import Bank
from autograder.model import Homework, UserError
from autograder.views import gradebook, graded


class GradeInSandbox(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Grade a hand-in as `autograder grade` does, into graded/<hw>/, and fill the gradebook."""

    def preprocess(
        self,
        nb: nbformat.NotebookNode,  # noqa: ARG002
        resources: dict[str, Any],
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the notebook for those who mark, made from the file that was handed in.

        Raises:
            UserError: the hand-in cannot be graded; nbgrader says so and goes on with the next.
        """
        names = resources["nbgrader"]
        root = course.find(Path.cwd())  # nbgrader goes into the course before it begins
        place = gradebook.directory(root)
        student, name = names["student"], names["assignment"]
        if names["notebook"] != name:
            raise UserError(f"{names['notebook']}.ipynb is no notebook of {name}")
        folder = Path(place.format_path(place.submitted_directory, student, name))
        _only(Path(place.format_path(place.autograded_directory, student, name)), f"{name}.ipynb")
        engine = _engine(root, name, self.log)
        out = root / "graded" / name
        (done,) = bulk.grade(
            engine.homework,
            [_found(student, folder / f"{name}.ipynb")],
            course=engine.course,
            out=out,
            sandbox=engine.sandbox,
            bank=engine.bank,
        )
        if done.complaint:
            raise UserError(done.complaint)
        with gradebook.connect(names["db_url"], place.course_id) as book:
            _, notebook = gradebook.record(
                graded.read(done.folder),
                engine.homework,
                engine.course,
                book=book,
                place=place,
                roster=course.roster(root),
            )
        return notebook, resources


def _only(folder: Path, notebook: str) -> None:
    """Take away what nbgrader copied beside the notebook: formgrader would serve it as it is."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name not in (notebook, "timestamp.txt") or path.is_symlink():
            path.unlink()


class _Engine(NamedTuple):
    """What grades all hand-ins of one homework: it takes seconds to start."""

    homework: Homework
    course: Course
    sandbox: Sandbox
    bank: Bank


@functools.cache
def _engine(root: Path, name: str, log: logging.Logger) -> _Engine:
    """Start what grades, and log what `autograder grade` would print; it ends with the command."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    chosen = homework.load(root, name)
    out = root / "graded" / name
    out.parent.mkdir(mode=0o700, exist_ok=True)
    bulk.make_folder(out)
    sandbox = stack.enter_context(Sandbox(hidden=[*course.private(root), out]))
    bank = stack.enter_context(variants.bank(root, chosen))
    settings = course.read(root)
    if settings.secret == course.PUBLIC_SECRET:
        log.warning("the secret in course.toml is the public one for trying out")
    for layer, why in sandbox.gaps.items():
        log.warning("not here: %s (%s)", LAYERS[layer], why)
    return _Engine(chosen, settings, sandbox, bank)


def _found(student: str, path: Path) -> find.Found:
    if path.is_symlink():
        raise UserError(f"{path}: a symbolic link is not followed")
    log = path.with_name(find.LOG_NAME)
    there = os.path.lexists(log) and not log.is_symlink()
    return find.Found(student, path, log if there else None)
