"""Steps of nbgrader's commands that nbgrader_config.py names, and the page that students get."""

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
    """Take what is for those who mark out of a notebook that becomes feedback."""

    role = autograded.RUBRIC


class LeaveOutStaff(_LeaveOut):
    """Take what is for staff out of a release; nbgrader_config.py puts it first."""

    role = "staff"


class LatePenalties(AssignLatePenalties):  # type: ignore[misc]
    """Have nbgrader's plugin take points for lateness where course.toml takes none."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the notebook; what course.toml takes is in the gradebook already."""
        if course.read(course.find(Path.cwd())).late.rule == "deduct":
            return nb, resources
        taken: tuple[nbformat.NotebookNode, dict[str, Any]] = super().preprocess(nb, resources)
        return taken


class StudentPage(Exporter):
    """What `nbgrader generate_feedback` writes: report.html, with what people gave in the gradebook."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any] | None = None, **words: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page.

        Raises:
            UserError: the notebook is none that `autograder mark --fill` or `nbgrader autograde` wrote.
        """
        nb, found = super().from_notebook_node(nb, resources, **words)
        names = found["nbgrader"]
        root = course.find(Path.cwd())  # nbgrader goes into the course before it begins
        grade, log = autograded.graded(nb)
        with database.connect(names["db_url"], make=False) as book:
            given = database.given_to(book, names["student"], names["assignment"])
        page = student_files.page(
            report.with_hand_marks(grade, log, given.points, given.waiting),
            log,
            _homework(root, names["assignment"]),
            course.read(root),
            [cell.source for cell in nb.cells if cell.cell_type == "code"],
            comments=given.comments,
        )
        return page, found


_homework = functools.cache(homework.load)
