"""Is a zip in a zip in a zip.

Deserves nothing, and one line: there is no notebook in it.
"""

import io
import json
import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING, right

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write a zip that holds zips."""
    inner = json.dumps(right()).encode()
    for name in ("hw2.ipynb", "inner.zip", "middle.zip"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, inner)
        inner = file.getvalue()
    path = folder / "submission.zip"
    path.write_bytes(inner)
    return path
