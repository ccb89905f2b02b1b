"""Is a folder with a zip whose list of files takes 16 MB.

Deserves nothing: a list that long is not read, and one line says so.
"""

import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the folder."""
    top = folder / "submission"
    top.mkdir()
    with zipfile.ZipFile(top / "submission.zip", "w") as archive:
        for number in range(60_000):
            archive.writestr(f"{number}/{'a' * 200}", "")
    return top
