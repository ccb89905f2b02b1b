"""Has a script, a formula, escapes and line breaks in its file's name.

Deserves nothing; a name is made safe, and a complaint is one line.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING, write, wrong

DESERVES = NOTHING
NAME = "=cmd()<img src=x onerror=alert(1)>\x1b[2J\n@SUM(1).ipynb"


def submission(folder: Path) -> Path:
    """Write a wrong notebook under that name."""
    return write(wrong(), folder, NAME)
