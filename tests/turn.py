"""The tests of one turn: each commit runs a different share of tests that take too long together.

The commit's hash chooses, so that nobody does; TURN=number repeats a run of another commit.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.authoring.contract.sampling import Share

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


class Turns(NamedTuple):
    """How a test takes turns.

    Args:
        group: The tests that share their turns: those of a file, or all that are long.
        key: What this one shares with those that run when it does, such as an expensive fixture.
        every: How many turns the group is shared among.
    """

    group: str
    key: str
    every: int


def left_out(tests: Sequence[Turns | None], *, turn: int = TURN) -> list[bool]:
    """Return of each test whether another turn has it; each key has its turn once in `every`.

    Args:
        tests: None for one that always runs.
        turn: Which one.
    """
    groups: dict[tuple[str, int], dict[str, bool]] = {}
    for one in filter(None, tests):
        keys = groups.setdefault((one.group, one.every), {})
        keys.setdefault(one.key, (len(keys) + turn) % one.every != 0)
    return [bool(one and groups[one.group, one.every][one.key]) for one in tests]


if __name__ == "__main__":
    # python -m tests.turn 3 FILE... prints a third of the files.
    every, *files = sys.argv[1:]
    print(*share(int(every)).of(files))
