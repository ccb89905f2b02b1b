"""The red team as a test: all attacks where we stand, a slice of them at the other levels."""

import subprocess
from pathlib import Path

import pytest

from tests.helpers import count
from tests.redteam import attack
from tests.redteam.attack import attacks
from tests.redteam.machine import LEVELS, command
from tests.turn import TURN

ROOT = Path(__file__).parents[2]


def test_there_are_enough_attacks_and_each_says_what_it_tries() -> None:
    """At least 130 are in twelve families, 60 are odd but right, and all are described."""
    known = attacks()
    honest = [one for one in known if one.name.startswith("honest/")]
    assert len(known) - len(honest) >= 130
    assert len(honest) >= 60
    assert len({one.name.split("/")[0] for one in known}) == 13
    assert all(len(one.tries) > 15 for one in known)


@pytest.mark.parametrize(
    "slip",
    [
        {"frist": "x = 1"},
        {"deserves": "nothing much", "last": "x = 1", "loses": ["idenity"]},
        {"deserves": "the port only", "last": "x = 1"},
        {"replace": {"identity_answer": ["not there", "x"]}},
        {"within": {"identity": "x = 1", "no_such_cell": "x = 1"}},
        {},
    ],
)
def test_a_slip_in_a_table_is_no_tame_attack(slip: dict[str, object], tmp_path: Path) -> None:
    """A misspelt or useless change would leave a submission that earns nothing anyway."""
    row = {"tries": "Tries.", "deserves": "nothing", "start": "wrong"} | slip
    with pytest.raises((AssertionError, StopIteration, ValueError)):
        [one.submission(tmp_path) for one in attack.of_row("family/slip", row)]


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_every_attack_gets_what_it_deserves(level: str) -> None:
    """No mark more or less, nothing leaked, changed or left behind (a share: each 60th, another at each level)."""
    words = command(level)
    if isinstance(words, str):
        pytest.skip(f"level {level}: {words}")
    every = count(full=1, slice=20 * len(LEVELS))
    arguments = [
        "-m",
        "tests.redteam",
        "--here",
        "--level",
        level,
        "--every",
        str(every),
        "--turn",
        str(TURN + 20 * LEVELS.index(level)),
    ]
    done = subprocess.run([*words, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 did not" in done.stdout
