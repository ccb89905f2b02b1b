"""The contract again after every save, until one of its rules fails."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from autograder.authoring.proof import contract
from autograder.course import course, homework
from autograder.model import UserError
from autograder.sandbox.supervisor import Sandbox

EVERY_SECONDS = 0.2


def watch(root: Path, name: str, tell: Callable[[str], None]) -> None:
    """Say after each save which rule fails first, or that all hold; it does not return.

    A sandbox is warm before it is wanted, and is used once: adapters may change.

    Args:
        root: The course's folder.
        name: The homework's.
        tell: Is given a line for each result.
    """
    before: dict[Path, int] = {}
    while True:
        with Sandbox() as sandbox:
            sandbox.launch(homework.warm(root, name))
            while (now := _state(root, name)) == before:
                time.sleep(EVERY_SECONDS)
            before, begun = now, time.monotonic()
            said = _verdict(root, name, sandbox)
            tell(f"{time.strftime('%H:%M:%S')} {name}: {said} ({time.monotonic() - begun:.1f} s)")


def _verdict(root: Path, name: str, sandbox: Sandbox) -> str:
    """Return the first rule that fails, or how many hold."""
    for module in [one for one in sys.modules if one.startswith(f"staff_of_{name}_")]:
        del sys.modules[module]
    held = 0
    try:
        for clause in contract.clauses(root, name, sandbox=sandbox):
            if not clause.holds:
                return f"NO, {clause.rule} ({clause.case}): {clause.detail}"
            held += 1
    except UserError as error:
        return f"NO, {error}"
    return f"all {held} rules are kept"


def _state(root: Path, name: str) -> dict[Path, int]:
    places = [
        root / course.FILE,
        *(root / "source" / name).rglob("*"),
        *(root / "release" / name).rglob("*"),
    ]
    return {
        path: path.stat().st_mtime_ns for path in places if path.is_file() and path.suffix != ".pyc"
    }
