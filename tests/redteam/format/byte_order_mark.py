"""Begins with a byte order mark, as some editors write it.

Deserves everything: the answers are right.
"""

from pathlib import Path

from tests.redteam.attack import EVERYTHING, right, write

DESERVES = EVERYTHING


def submission(folder: Path) -> Path:
    """Write a right notebook after the mark."""
    path = write(right(), folder)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return path
