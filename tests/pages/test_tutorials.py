"""Every command of the tutorials is executed, in its order, and prints what the page shows."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder.course.course import SECRET_VARIABLE
from tests.helpers import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.turns(10, long=True)]

TUTORIALS = ROOT / "docs" / "tutorials"
BIN = Path(sys.executable).parent
MINUTES = 15
"""What a tutorial's commands may take; most of it is the machine's."""


class Step(NamedTuple):
    """Commands of a page, and the lines that they print there; None where nothing is shown."""

    commands: str
    shown: list[str] | None


def steps(page: str) -> list[Step]:
    """Return the commands of a page: each block of `sh`, with the block of `text` that follows it."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    found: list[Step] = []
    for kind, text in blocks:
        if kind == "sh":
            found.append(Step(text, None))
        else:
            assert kind == "text", kind
            assert found[-1].shown is None
            found[-1] = Step(found[-1].commands, text.splitlines())
    return found


def differences(shown: list[str], printed: list[str]) -> list[str]:
    """Return the lines of a page that no line of the output is like, and those that it leaves out.

    `...` inside a line is any text. A line of `...` allows lines that the page does not show. The
    order is free: two submissions may be done in any.
    """
    patterns = [line for line in shown if line.strip() != "..."]
    left, missing = list(printed), []
    for line in patterns:
        pattern = ".*".join(re.escape(part) for part in line.rstrip().split("..."))
        like = [one for one in left if re.fullmatch(pattern, one.rstrip())]
        if like:
            left.remove(like[0])
        else:
            missing.append(f"not printed: {line}")
    more = [] if len(patterns) < len(shown) else [f"not shown: {line}" for line in left if line]
    return missing + more


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


def run(tutorial: str, place: Path) -> list[tuple[str, list[str]]]:
    """Run a tutorial's commands in one shell; return what each block printed."""
    wanted = steps((TUTORIALS / tutorial).read_text(encoding="utf-8"))
    assert len(wanted) >= 2
    mark = "----- the next block -----"
    script = f"\necho '{mark}'\n".join(step.commands for step in wanted)
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    del environment[SECRET_VARIABLE]
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=MINUTES * 60,
        check=False,
    )
    printed = done.stdout.split(f"{mark}\n")
    assert done.returncode == 0, printed[-1]
    assert len(printed) == len(wanted)
    return [
        (step.commands, differences(step.shown, output.splitlines()))
        for step, output in zip(wanted, printed, strict=True)
        if step.shown is not None
    ]


@pytest.mark.parametrize("tutorial", sorted(path.name for path in TUTORIALS.glob("*.md")))
def test_a_tutorial_is_true(tutorial: str, copy: Path) -> None:
    """In an empty folder, or in a fresh copy of the project for the one that begins with `make`."""
    place = copy
    if tutorial != "start.md":
        place = copy.parent / "empty"
        place.mkdir()
    for commands, different in run(tutorial, place):
        assert different == [], commands


def test_a_false_page_is_found() -> None:
    """A line that is not printed, and one that the page does not show."""
    assert differences(["a ... c"], ["a b c"]) == []
    assert differences(["a", "b"], ["b", "a"]) == []
    assert differences(["a", "a"], ["a"]) == ["not printed: a"]
    assert differences(["a"], ["a", "b"]) == ["not shown: b"]
    assert differences(["a", "..."], ["b", "a"]) == []
    assert differences(["1/2 ...", "..."], ["2/2 done"]) == ["not printed: 1/2 ..."]
