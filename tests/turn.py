"""The tests of one turn: each commit tries another share of what takes too long to be tried whole.

The commit's hash chooses, so that nobody does; TURN=number repeats a run of another commit.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.proof.share import Share

ROOT = Path(__file__).parents[1]


def _turn() -> int:
    if chosen := os.environ.get("TURN"):
        return int(chosen)
    if not (git := shutil.which("git")):
        return 0  # a copy without its history has one share for ever
    command = [git, "-c", "safe.directory=*", "rev-parse", "--short=7", "HEAD"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return int(said.stdout, 16) if said.returncode == 0 else 0


TURN = _turn()


def share(every: int) -> Share:
    """Return this turn's share: each n-th."""
    return Share(every, TURN)


def chosen(keys: Sequence[str], every: int, *, turn: int = TURN) -> set[str]:
    """Return this turn's share of a file's tests; each has its turn once in `every` of them.

    Args:
        keys: Of each test what it shares with those that use the same expensive fixture.
        every: How many turns they are shared among.
        turn: Which one.
    """
    names = list(dict.fromkeys(keys))
    return {name for place, name in enumerate(names) if (place + turn) % every == 0}


if __name__ == "__main__":
    # python -m tests.turn 3 FILE... prints a third of the files.
    every, *files = sys.argv[1:]
    print(*share(int(every)).of(files))
