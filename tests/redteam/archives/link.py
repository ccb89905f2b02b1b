"""Is a zip with symbolic links to secrets and to a classmate's notebook.

Deserves nothing: links are not followed.
"""

import zipfile
from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write the zip."""
    path = folder / "submission.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, target in (
            ("hw2.ipynb", "../right/right.ipynb"),
            ("a/hw2.ipynb", "/etc/passwd"),
            ("b", "/"),
        ):
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, target)
    return path
