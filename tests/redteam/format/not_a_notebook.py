"""Is a list, not a notebook.

Deserves nothing, and one line that says why.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def hand_in(folder: Path) -> Path:
    """Write some JSON."""
    path = folder / "hand_in.ipynb"
    path.write_text('[{"score": 1000}]')
    return path
