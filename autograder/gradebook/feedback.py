"""A step of `nbgrader generate_feedback`: what is for those who mark stays with them."""

from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.gradebook.autograded import RUBRIC


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
    """Take the rubrics out of students' feedback; nbgrader_config.py puts it first."""

    role = RUBRIC


class LeaveOutStaff(_LeaveOut):
    """Take what is for staff out of a release; nbgrader_config.py puts it first."""

    role = "staff"
