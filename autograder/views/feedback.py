"""A step of `nbgrader generate_feedback`: what is for those who mark stays with them."""

from typing import Any

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.views.autograded import RUBRIC


class LeaveOutRubrics(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Take the rubrics out of a notebook; nbgrader_config.py puts it first."""

    def preprocess(
        self, nb: nbformat.NotebookNode, resources: dict[str, Any]
    ) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
        """Return the notebook without the cells that hold a rubric."""
        nb.cells = [
            cell for cell in nb.cells if cell.metadata.get("autograder", {}).get("role") != RUBRIC
        ]
        return nb, resources
