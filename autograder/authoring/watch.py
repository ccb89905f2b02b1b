"""The author's watch: after each save, release and check the homework, or grade an answer."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.authoring import release
from autograder.authoring.contract import files, release_gate, rules
from autograder.course import course, homework
from autograder.records.errors import UserError
from autograder.sandbox.supervisor import Sandbox

EVERY_SECONDS, TELLS_SECONDS = 0.2, 10.0


def watch(root: Path, name: str, tell: Callable[[str], None], note: Callable[[str], None]) -> None:
    """Release after each save, and report the first broken rule or that all hold; it never returns."""
    _complain_of_name(root, name)
    before: dict[Path, int] = {}
    while True:
        if not before:
            note(
                f"{name}: starting two sandboxes, then trying every rule; after that, "
                "every save is tried"
            )
        with Sandbox() as first, Sandbox() as second:
            for sandbox in (first, second):
                sandbox.launch(homework.warm(root, name))
            while (now := _state(root, name)) == before:
                time.sleep(EVERY_SECONDS)
            before, begun = now, time.monotonic()
            said = verdict(root, name, first, second, note, before)
            tell(f"{time.strftime('%H:%M:%S')} {name}: {said} ({time.monotonic() - begun:.1f} s)")


def verdict(
    root: Path,
    name: str,
    first: Sandbox,
    second: Sandbox,
    note: Callable[[str], None],
    before: dict[Path, int],
) -> str:
    """Return the first rule that a homework breaks, or the number that hold.

    The times of the files that it writes itself go into `before`.
    """
    _forget(name)
    kept, behind, told = 0, "", time.monotonic()
    try:
        if written := keep_released(root, name, before, first):
            note(written)
        for clause in rules.clauses(root, name, sandbox=second):
            # Every save makes the solutions stale, and remaking them takes as long as running the
            # notebook.
            if not clause.holds and clause.rule == files.SOLUTIONS:
                behind = clause.detail
            elif not clause.holds:
                return f"NO, {clause.rule} ({clause.case}): {clause.detail}"
            else:
                kept += 1
            if time.monotonic() - told > TELLS_SECONDS:
                told = time.monotonic()
                note(f"so far {kept} rules hold, up to {clause.rule} ({clause.case})")
    except release_gate.GivesAway as error:
        return f"NO, {error.leaks[0]}; {error}"
    except UserError as error:
        return f"NO, {error}"
    return f"all {kept} other rules hold; {behind}" if behind else f"all {kept} rules hold."


def keep_released(
    root: Path, name: str, before: dict[Path, int] | None = None, sandbox: Sandbox | None = None
) -> str:
    """Update a stale release; raise UserError if it may not be written.

    The times of the files that it writes itself go into `before`, so that they are no new saves.
    """
    _complain_of_name(root, name)
    wrote: dict[Path, int] = {}
    try:
        refreshed = release.refresh(root, name, wrote=wrote)
    finally:
        if before is not None:
            before |= wrote
    if not (refreshed.changed or release.stale_release(root, name)):
        return refreshed.note
    release_gate.released(root, name, sandbox=sandbox)
    return "; ".join(filter(None, (f"wrote release/{name}", refreshed.note)))


def _complain_of_name(root: Path, name: str) -> None:
    if not (root / "source" / name).is_dir():
        homework.load(root, name)  # its error lists the homeworks that exist


def saves(root: Path, name: str, answer: Path) -> Iterator[dict[Path, int]]:
    """Yield immediately, and again after each save of a homework or an answer, forever.

    It yields the files' times, for `keep_released`. Imported modules of `staff/` are forgotten, so Python reads them again.
    """
    before: dict[Path, int] = {}
    while True:
        while (now := {**_state(root, name), answer: _saved(answer)}) == before:
            time.sleep(EVERY_SECONDS)
        before = now
        _forget(name)
        yield before


def _forget(name: str) -> None:
    for module in [one for one in sys.modules if one.startswith(f"staff_of_{name}_")]:
        del sys.modules[module]


def _saved(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _state(root: Path, name: str) -> dict[Path, int]:
    places = [root / course.FILE, *(root / "source" / name).rglob("*")]
    return {path: _saved(path) for path in places if path.is_file() and path.suffix != ".pyc"}
