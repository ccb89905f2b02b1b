"""Is cut off in the middle.

Deserves nothing, and one line that says why.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING, right, write

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write half of a right notebook."""
    path = write(right(), folder)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path
