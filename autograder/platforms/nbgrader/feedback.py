"""The steps of nbgrader's commands that nbgrader_config.py names, and the page for students."""

import functools
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import Exporter
from nbgrader.preprocessors import AssignLatePenalties, NbGraderPreprocessor

from autograder.course import course, homework
from autograder.platforms.nbgrader import autograded, database
from autograder.reports import report, student_files


class _LeaveOut(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    role = ""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the notebook without the cells of a role."""
        nb.cells = [
            cell
            for cell in nb.cells
            if cell.metadata.get("autograder", {}).get("role") != self.role
        ]
        return nb, resources


class LeaveOutRubrics(_LeaveOut):
    """A preprocessor that removes cells for markers from a notebook that becomes feedback."""

    role = autograded.RUBRIC


class LeaveOutStaff(_LeaveOut):
    """A preprocessor that removes cells for staff from a release; nbgrader_config.py puts it first."""

    role = "staff"


class LatePenalties(AssignLatePenalties):  # type: ignore[misc]
    """nbgrader's plugin for lateness, which takes no points: course.toml decides."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the notebook; the cost of lateness is already in the gradebook."""
        if course.read(course.find(Path.cwd())).late.rule == "deduct":
            return nb, resources
        taken: tuple[nbformat.NotebookNode, dict[str, Any]] = super().preprocess(nb, resources)
        return taken


class StudentPage(Exporter):
    """An exporter for `nbgrader generate_feedback`: report.html with people's marks and comments."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any] | None = None, **words: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page.

        Raises:
            UserError: the notebook was not written by `autograder mark --fill` or `nbgrader autograde`.

        """
        nb, found = super().from_notebook_node(nb, resources, **words)
        names = found["nbgrader"]
        root = course.find(Path.cwd())  # nbgrader enters the course folder before it starts
        grade, log = autograded.graded(nb)
        with database.connect(names["db_url"], make=False) as book:
            given = database.given_to(book, names["student"], names["assignment"])
        page = student_files.page(
            report.with_hand_marks(grade, log, given.points, given.waiting),
            log,
            _homework(root, names["assignment"]),
            course.read(root),
            [cell.source for cell in nb.cells if cell.cell_type == "code"],
            given,
        )
        return page, found


_homework = functools.cache(homework.load)
