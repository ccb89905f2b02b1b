"""What a page shows: its commands are run, and what they print is compared."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from autograder.course.course import SECRET_VARIABLE

BIN = Path(sys.executable).parent
MINUTES = 15
"""What a page's commands may take; most of it is the machine's."""


class Step(NamedTuple):
    """Commands of a page, and the lines that they print there; None where nothing is shown."""

    commands: str
    shown: list[str] | None


def steps(page: str) -> list[Step]:
    """Return the commands of a page: each block of `sh`, with the block of `text` that follows it.

    Blocks of other languages are for people.
    """
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    found: list[Step] = []
    for kind, text in blocks:
        if kind == "sh":
            found.append(Step(text, None))
        elif kind == "text":
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


def run(page: Path, place: Path) -> list[tuple[str, list[str]]]:
    """Run a page's commands in one shell; return where each block differs from what is shown."""
    wanted = steps(page.read_text(encoding="utf-8"))
    assert wanted, page
    mark = "----- the next block -----"
    script = f"\necho '{mark}'\n".join(step.commands for step in wanted)
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    environment.pop(SECRET_VARIABLE, None)
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
