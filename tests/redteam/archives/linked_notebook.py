"""Is a symbolic link to a classmate's right notebook.

Deserves nothing: links are not followed.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Link to the classmate who was graded first."""
    path = folder / "submission.ipynb"
    path.symlink_to(folder.parent / "right" / "right.ipynb")
    return path
