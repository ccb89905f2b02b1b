"""Is a script whose header and cell marks are not what their readers expect.

Deserves nothing, and one line that says why.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the script."""
    path = folder / "submission.py"
    header = "# ---\n# jupyter:\n#   kernelspec: 5\n#   jupytext: 5\n# ---\n"
    path.write_text(header + "# %% a=" + "1+" * 5000 + "1\nx = 1\n")
    return path
