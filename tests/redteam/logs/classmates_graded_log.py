"""Is the graded log of a classmate, renamed.

Deserves what the matrices and sources in it are worth: a log shows that they are right, not whose they are.
"""

from pathlib import Path

from tests.redteam.attack import LOGGED

DESERVES = LOGGED


def submission(folder: Path) -> Path:
    """Take the log of the classmate who was graded first."""
    path = folder / "submission_log.json"
    graded = folder.parent.parent / "out" / "right" / "submission_log.json"
    path.write_bytes(graded.read_bytes())
    return path
