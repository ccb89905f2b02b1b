"""Is a zip with a right notebook in a folder, and rubbish beside it.

Deserves everything.
"""

import json
import zipfile
from pathlib import Path

from tests.redteam.attack import EVERYTHING, right

DESERVES = EVERYTHING


def submission(folder: Path) -> Path:
    """Write the zip."""
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ada/hw2.ipynb", json.dumps(right()))
        archive.writestr("__MACOSX/ada/._hw2.ipynb", b"\x00\x05")
        archive.writestr("ada/.DS_Store", b"\x00")
        archive.writestr("ada/notes.txt", "hello")
    return path
