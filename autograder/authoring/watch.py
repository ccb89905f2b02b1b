"""What is done again after every save: the contract, or grading one answer."""

import sys
import time
from collections.abc import Callable, Iterator
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


def saves(root: Path, name: str, answer: Path) -> Iterator[None]:
    """Yield at once, and again after each save of a homework or of an answer; it does not end.

    What Python imported of `staff/` is forgotten, so that it is read again.

    Args:
        root: The course's folder.
        name: The homework's.
        answer: A notebook that is graded; it need not be there.
    """
    before: object = None
    while True:
        while (now := (_state(root, name), _saved(answer))) == before:
            time.sleep(EVERY_SECONDS)
        before = now
        _forget(name)
        yield


def _forget(name: str) -> None:
    for module in [one for one in sys.modules if one.startswith(f"staff_of_{name}_")]:
        del sys.modules[module]


def _saved(path: Path) -> int:
    """Return when a file was saved; 0 where there is none, as in the middle of a save."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _verdict(root: Path, name: str, sandbox: Sandbox) -> str:
    """Return the first rule that fails, or how many hold."""
    _forget(name)
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
