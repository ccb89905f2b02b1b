"""source/ -> release/, unless the release would give away a secret."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.authoring import both_forms, release, text_source
from autograder.authoring.contract import rules
from autograder.authoring.leaks.search import Leak
from autograder.course import homework
from autograder.records.errors import UserError
from autograder.sandbox.supervisor import Sandbox

_CELL = re.compile(r"cell '([^']+)'")


class GivesAway(UserError):
    """An error: the release was not written, because of `leaks` and their places."""

    def __init__(self, said: str, leaks: Sequence[str]) -> None:
        super().__init__(said)
        self.leaks = tuple(leaks)


def leak_lines(text: Path, leaks: Sequence[Leak]) -> Iterator[str]:
    """Yield a line for each leak, with its line in NAME.py if there is one."""
    lines = text_source.lines_of_cells(text) if text.is_file() else {}
    for leak in leaks:
        cell = _CELL.search(leak.place)
        line = lines.get(cell[1]) if cell else None
        where = (
            f"{text.name}: the cell {cell[1]!r} from line {line} on"
            if cell and line
            else leak.place
        )
        yield f"{where}: {leak.what}"


class Released(NamedTuple):
    """A written release, and the points that the instructor's own answers lose in it, or ""."""

    folder: Path
    refreshed: release.Refreshed
    lost: str


def released(
    root: Path, name: str, *, sandbox: Sandbox | None = None, take: both_forms.Form | None = None
) -> Released:
    """Update the source notebook's kit cells, or all of it from its text; write the release.

    For a homework written as text, `take` is the form to keep if both have changed. A given sandbox
    must be launched and unused.

    Raises:
        GivesAway: the release contains a secret.
        UserError: the homework breaks a different rule.

    """
    # Before it is loaded: the notebook may have to be made from a text.
    refreshed = release.refresh(root, name, take)
    homework.load(root, name)
    files = release.release_files(root, name)
    leaks, lost = rules.leaks(root, name, files, sandbox=sandbox)
    if leaks:
        raise GivesAway(
            f"the release of {name} would give this away; nothing was written. Take it "
            "out, or if students may see it, add it with the reason to `allowed_leaks` "
            "in spec.py: the line in backquotes, for numbers the cell's id, or for a file "
            "that cannot be searched its path, such as data/scan.pdf",
            list(leak_lines(root / "source" / name / f"{name}.py", leaks)),
        )
    return Released(release.write_release(root, name, files), refreshed, lost)
