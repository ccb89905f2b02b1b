"""Each commit runs a share of the long tests, and every test has its turn."""

import os
import subprocess
import sys

import pytest

from tests.turn import ROOT, Turns, left_out

SHARED = ROOT / "tests" / "integration" / "test_versions.py"


@pytest.mark.parametrize("every", [1, 2, 3, 5])
def test_each_has_its_turn_once(every: int) -> None:
    """Over as many turns as they are shared among; a key keeps its tests together."""
    keys = ["hw1", "hw2", "hw3", "hw1", "hw2", "alone"]
    tests = [*(Turns("a file", key, every) for key in keys), None]
    turns = [left_out(tests, turn=turn) for turn in range(40, 40 + every)]
    for place in range(len(keys)):
        assert sum(not away[place] for away in turns) == 1
    assert all(away[0] == away[3] and away[1] == away[4] and not away[-1] for away in turns)


def test_groups_take_their_turns_by_themselves() -> None:
    """Five files that take turns as a whole get one each, whatever other files contain."""
    files = [Turns("files", f"file {n}", 5) for n in range(5) for _ in range(3)]
    inside = [Turns("file 9", f"test {n}", 3) for n in range(4)]
    for turn in range(15):
        away = left_out([*files, *inside], turn=turn)
        assert away[:15].count(False) == 3
        assert away[15:] == left_out(inside, turn=turn)


def collected(*words: str, turn: int = 0) -> list[str]:
    """Return the tests of a file that a run would have."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *words, str(SHARED)]
    environment = {**os.environ, "TURN": str(turn)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
@pytest.mark.turns(5)
def test_a_run_with_share_leaves_out_what_other_turns_have() -> None:
    """What `make test` runs; without the option nothing is left out."""
    turns = [collected("--share", turn=turn) for turn in range(2)]
    assert all(turns)
    assert sorted(line for turn in turns for line in turn) == sorted(collected())
