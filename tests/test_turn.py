"""Of the long tests each commit runs a share, and none is left out for ever."""

import os
import subprocess
import sys

import pytest

from tests.turn import ROOT, chosen

SHARED = ROOT / "tests" / "integration" / "test_states.py"


@pytest.mark.parametrize("every", [1, 2, 3, 5])
def test_each_has_its_turn_once(every: int) -> None:
    """Over as many turns as they are shared among; a parameter keeps its tests together."""
    keys = ["hw1", "hw2", "hw3", "hw1", "hw2", "alone"]
    turns = [chosen(keys, every, turn=turn) for turn in range(40, 40 + every)]
    assert sorted(key for turn in turns for key in turn) == sorted(set(keys))


def collected(*words: str, turn: int = 0) -> list[str]:
    """Return the tests of a file that a run would have."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *words, str(SHARED)]
    environment = {**os.environ, "TURN": str(turn)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_a_run_with_share_leaves_out_what_other_turns_have() -> None:
    """What `make test` runs; without the option nothing is left out."""
    turns = [collected("--share", turn=turn) for turn in range(5)]
    assert all(turns)
    assert sorted(line for turn in turns for line in turn) == sorted(collected())
