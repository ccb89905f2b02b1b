"""Has escapes and line breaks in the name of a file that cannot be read.

Deserves nothing; the complaint is one line of plain text.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write no notebook under that name."""
    path = folder / "\x1b]0;owned\x07\r\n=1+1.ipynb"
    path.write_text("no notebook")
    return path
