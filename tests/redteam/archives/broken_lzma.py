"""Is a zip packed in another way, with its bytes turned over.

Deserves nothing, and one line that says why.
"""

import json
import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING, right

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the zip, then spoil it."""
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a/hw2.ipynb", json.dumps(right()))
        archive.writestr("b/hw2.py", "# %%\nx = 1\n" * 100)
    data = bytearray(path.read_bytes())
    for place in range(60, 260):
        data[place] ^= 255
    path.write_bytes(data)
    return path
