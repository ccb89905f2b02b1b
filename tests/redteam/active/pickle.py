"""Submits pickles under the names that graders load: otter's `.OTTER_LOG`, a zip of it, a notebook.

otter's hole: a pickle runs code where it is loaded. Deserves nothing, and nothing is unpickled.
"""

import os
import pickle
from pathlib import Path
from typing import Any

from tests.redteam.attack import NOTHING, write, wrong

DESERVES = NOTHING


class Evil:
    """Runs a command where it is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """Leave a file."""
        return os.system, ("touch /tmp/redteam-left",)


def submission(folder: Path) -> Path:
    """Write the pickle under several names, beside a wrong notebook."""
    for name in (".OTTER_LOG", "submission_log.json", "hw2.pkl", "data.npy", "weights.pt"):
        (folder / name).write_bytes(pickle.dumps(Evil()))
    write(wrong(), folder)
    return folder
