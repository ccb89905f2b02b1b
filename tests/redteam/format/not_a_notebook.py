"""Is a list, not a notebook.

Deserves nothing, and one line that says why.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write some JSON."""
    path = folder / "submission.ipynb"
    path.write_text('[{"score": 1000}]')
    return path
