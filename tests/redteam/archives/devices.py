"""Is a folder with a pipe, a socket and links named like notebooks.

Deserves nothing, and does not wait for ever.
"""

import os
from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Make files that are none."""
    os.mkfifo(folder / "a.ipynb")
    (folder / "b.ipynb").symlink_to("/dev/zero")
    (folder / "c.ipynb").mkdir()
    (folder / "submission_log.json").symlink_to("/dev/stdin")
    return folder
