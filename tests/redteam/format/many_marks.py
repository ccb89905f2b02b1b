"""Is a script of 80,000 cells, which its readers may take minutes for.

Deserves nothing, and one line that says so.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the script."""
    path = folder / "submission.py"
    path.write_text("# %%\nx = 1\n" * 80_000)
    return path
