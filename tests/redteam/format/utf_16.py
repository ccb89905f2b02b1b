"""Is written in UTF-16.

Deserves nothing, and one line that says how to save it.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING, right, write

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write a right notebook in another encoding."""
    path = write(right(), folder)
    path.write_text(path.read_text(), encoding="utf-16")
    return path
