"""Is a zip whose directory lies about sizes and checksums, and is encrypted in part.

Deserves nothing, and one line that says why.
"""

import json
import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING, right

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the zip."""
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw2.ipynb", json.dumps(right()))
    data = bytearray(path.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    data[central + 16 : central + 28] = b"\x01" * 12
    data[central + 8] |= 1
    path.write_bytes(data)
    return path
