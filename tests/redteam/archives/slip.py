"""Is a zip whose names climb out of the folder, or are absolute.

Deserves everything: it is read where it stands, and nothing is unpacked.
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
        archive.writestr("a/hw2.ipynb", json.dumps(right()))
        for name in ("../redteam-left", "../../../../tmp/redteam-left", "/tmp/redteam-left"):
            archive.writestr(name, "x")
    return path
