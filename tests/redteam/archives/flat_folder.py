"""Is a folder that holds a zip of one person's, and a notebook that bears a wrong name.

Deserves everything: the zip is opened, and the other file costs one line.
"""

import json
import zipfile
from pathlib import Path

from tests.redteam.attack import EVERYTHING, right, write, wrong

DESERVES = EVERYTHING


def submission(folder: Path) -> Path:
    """Write the folder."""
    top = folder / "submission"
    top.mkdir()
    with zipfile.ZipFile(top / "submission.zip", "w") as archive:
        archive.writestr("work/hw2.ipynb", json.dumps(right()))
    write(wrong(), top, "other.ipynb.txt")
    return top
