"""Lies in a right log beside a wrong notebook.

Deserves nothing: the notebook is graded.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING, log, log_file, write, wrong

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write both."""
    write(wrong(), folder)
    log_file(log())(folder)
    return folder
