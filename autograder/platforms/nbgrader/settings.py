"""Settings for nbgrader_config.py, so that plain nbgrader commands follow the kit's rules."""

import contextlib
from pathlib import Path

import sqlalchemy
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.records.errors import UserError

CONFIG = "nbgrader_config.py"


def of_file(path: Path) -> sqlalchemy.URL:
    """Return the URL of a SQLite file, whatever characters its path contains."""
    return sqlalchemy.URL.create("sqlite", database=str(path.absolute()))


def url_of(text: str | sqlalchemy.URL) -> sqlalchemy.URL:
    """Return a URL; a person may have given the path of a SQLite file."""
    if isinstance(text, str) and "://" not in text:
        return of_file(Path(text))
    return sqlalchemy.make_url(text)


def absolute(text: str) -> str:
    """Return a gradebook's URL or path in a form that means the same in every folder.

    Raises:
        UserError: it is no URL.

    """
    try:
        url = url_of(text)
    except (sqlalchemy.exc.ArgumentError, ValueError) as error:
        raise UserError(
            f"--gradebook {text}: it is no URL; write a file, or a URL such as sqlite:////home/me/x.db"
        ) from error
    if not is_file(url):
        return text
    place = url.set(database=str(Path(str(url.database)).absolute()))
    return place.render_as_string(hide_password=False)


def gradebook_url(root: Path) -> sqlalchemy.URL:
    """Return the URL of the gradebook that formgrader opens, without importing nbgrader.

    Raises:
        UserError: nbgrader_config.py fails, or its URL is invalid.

    """
    try:
        named = configuration(root).get("CourseDirectory", {}).get("db_url", "")
        url = sqlalchemy.make_url(str(named)) if named else of_file(root / "gradebook.db")
    except Exception as error:  # the config file is a program
        raise UserError(f"{CONFIG}: {type(error).__name__}: {error}") from error
    if is_file(url):  # nbgrader's commands start in the course folder, ours anywhere
        return url.set(database=str(root.absolute() / str(url.database)))
    return url


def configuration(root: Path) -> Config:
    """Return the settings in a course's nbgrader_config.py; empty without one."""
    if not (root / CONFIG).is_file():
        return Config()
    with contextlib.chdir(root):  # as in nbgrader's commands, and `use_kit` checks where it runs
        return PyFileConfigLoader(CONFIG, path=str(root)).load_config()


def is_file(url: sqlalchemy.URL) -> bool:
    """Return whether a database is a SQLite file, not in memory or on a server."""
    name = url.database or ":memory:"
    return url.get_backend_name() == "sqlite" and not name.startswith((":memory:", "file:"))


def use_kit(c: Config) -> None:
    """Set up nbgrader's commands and formgrader, with `get_config()` of nbgrader_config.py."""
    here = of_file(Path("gradebook.db"))
    if set("?%") & set(str(here.database)) and "db_url" not in c.CourseDirectory:
        # nbgrader's default puts the bare path into a URL, which ends at any question mark.
        c.CourseDirectory.db_url = here.render_as_string()
    # staff/ has references and known-wrong answers; `+=` raises TypeError on this trait.
    c.CourseDirectory.ignore.append("staff")
    c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
    # `nbgrader autograde` grades in the sandbox: student code never runs in nbgrader's own kernel.
    c.Autograde.sanitize_preprocessors = ["autograder.platforms.nbgrader.autograde.GradeInSandbox"]
    c.Autograde.autograde_preprocessors = [
        "autograder.platforms.nbgrader.feedback.LatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    # A lab's table beside the reference's figures is for staff.
    c.GenerateAssignment.preprocessors.insert(
        0, "autograder.platforms.nbgrader.feedback.LeaveOutStaff"
    )
    # Feedback is the page that `autograder report` writes, with people's marks and comments.
    # Rubrics are in autograded/ for people who mark, and are left out of feedback.
    c.GenerateFeedback.exporter_class = "autograder.platforms.nbgrader.feedback.StudentPage"
    c.GenerateFeedback.preprocessors.insert(
        0, "autograder.platforms.nbgrader.feedback.LeaveOutRubrics"
    )
