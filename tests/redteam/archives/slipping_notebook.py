"""Is a zip whose only notebook has a name that climbs out and hits a classmate's results.

Deserves nothing: no name leads out of a zip, so there is no notebook in it.
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
        archive.writestr("../../out/right/hw2.ipynb", json.dumps(right()))
    return path
