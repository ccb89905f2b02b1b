"""What nbgrader_config.py of a course sets, so that plain nbgrader commands keep to the kit's rules."""

from pathlib import Path

import sqlalchemy
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.model import UserError

CONFIG = "nbgrader_config.py"


def gradebook_url(root: Path) -> str:
    """Return the URL of the gradebook that formgrader opens, without importing nbgrader.

    Args:
        root: The course's folder, in which nbgrader's commands start.

    Raises:
        UserError: nbgrader_config.py fails, or its URL is none.
    """
    default = f"sqlite:///{root / 'gradebook.db'}"
    if not (root / CONFIG).is_file():
        return default
    try:
        config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
        named = str(config.get("CourseDirectory", {}).get("db_url", default))
        url = sqlalchemy.make_url(named)
    except Exception as error:  # it is a program
        raise UserError(f"{CONFIG}: {type(error).__name__}: {error}") from error
    if url.get_backend_name() != "sqlite" or not url.database or ":" in url.database:
        return named
    return f"sqlite:///{root / url.database}"


def use_kit(c: Config) -> None:
    """Set what nbgrader's commands and formgrader need.

    Args:
        c: What `get_config()` returns in nbgrader_config.py.
    """
    # staff/ has references and known-wrong answers; `+=` is a TypeError on this trait.
    c.CourseDirectory.ignore.append("staff")
    c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
    # `nbgrader autograde` grades in the sandbox: what students wrote never runs in its own kernel.
    c.Autograde.sanitize_preprocessors = ["autograder.gradebook.autograde.GradeInSandbox"]
    c.Autograde.autograde_preprocessors = [
        "autograder.gradebook.feedback.LatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    # A lab's table beside the reference's figures is for staff.
    c.GenerateAssignment.preprocessors.insert(0, "autograder.gradebook.feedback.LeaveOutStaff")
    # Feedback is the page that `autograder report` writes, with the marks and comments of people.
    # Rubrics are in autograded/ for those who mark, and are left out of it.
    c.GenerateFeedback.exporter_class = "autograder.gradebook.feedback.StudentPage"
    c.GenerateFeedback.preprocessors.insert(0, "autograder.gradebook.feedback.LeaveOutRubrics")
