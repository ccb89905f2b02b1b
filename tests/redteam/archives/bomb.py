"""Is a zip whose notebook unpacks to 5 GB.

Deserves nothing; no more than the limit is unpacked.
"""

import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the zip."""
    path = folder / "submission.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("hw2.ipynb", "w", force_zip64=True) as file,
    ):
        for _ in range(500):
            file.write(bytes(10_000_000))
    return path
