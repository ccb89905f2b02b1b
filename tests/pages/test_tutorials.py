"""Every command of the tutorials is executed, in its order, and prints what the page shows."""

import subprocess
from pathlib import Path

import pytest

from tests.helpers import ROOT
from tests.pages.examples import BIN, differences, run

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]

TUTORIALS = ROOT / "docs" / "tutorials"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what git knows, or would take, of this project, with its environment as if just made."""
    words = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    place = tmp_path / "kit"
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes((ROOT / name).read_bytes())
    (place / ".venv").mkdir()
    (place / ".venv" / "bin").symlink_to(BIN)
    (place / ".venv" / "ready").touch()
    return place


@pytest.mark.parametrize("tutorial", sorted(path.name for path in TUTORIALS.glob("*.md")))
def test_a_tutorial_is_true(tutorial: str, copy: Path) -> None:
    """In an empty folder, or in a fresh copy of the project for the one that begins with `make`."""
    place = copy
    if tutorial != "start.md":
        place = copy.parent / "empty"
        place.mkdir()
    for commands, different in run(TUTORIALS / tutorial, place):
        assert different == [], commands


def test_a_false_page_is_found() -> None:
    """A line that is not printed, and one that the page does not show."""
    assert differences(["a ... c"], ["a b c"]) == []
    assert differences(["a", "b"], ["b", "a"]) == []
    assert differences(["a", "a"], ["a"]) == ["not printed: a"]
    assert differences(["a"], ["a", "b"]) == ["not shown: b"]
    assert differences(["a", "..."], ["b", "a"]) == []
    assert differences(["1/2 ...", "..."], ["2/2 done"]) == ["not printed: 1/2 ..."]
