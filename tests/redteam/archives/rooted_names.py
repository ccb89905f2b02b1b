"""Is a zip with names that begin with slashes, which send some readers round in circles.

Deserves nothing, and one line: there is no notebook in it.
"""

import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the zip."""
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("//x.ipynb", "/", "/x.ipynb", "a//x.ipynb", "a\\x.ipynb", "C:/../x.ipynb"):
            archive.writestr(name, "{}")
    return path
