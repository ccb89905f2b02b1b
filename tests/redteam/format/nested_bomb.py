"""Is nested a million levels deep.

Deserves nothing, and one line that says why.
"""

from pathlib import Path

from tests.redteam.attack import NOTHING

DESERVES = NOTHING


def submission(folder: Path) -> Path:
    """Write brackets only."""
    path = folder / "submission.ipynb"
    path.write_text('{"cells": ' + "[" * 1_000_000 + "]" * 1_000_000 + "}")
    return path
