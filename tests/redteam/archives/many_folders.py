"""Is a zip of fifty thousand empty folders and one right notebook.

Deserves everything, and soon.
"""

import json
import zipfile
from pathlib import Path

from tests.redteam.attack import EVERYTHING, right

DESERVES = EVERYTHING


def submission(folder: Path) -> Path:
    """Write the zip."""
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(50_000):
            archive.writestr(f"{number}/", "")
        archive.writestr("a/hw2.ipynb", json.dumps(right()))
    return path
