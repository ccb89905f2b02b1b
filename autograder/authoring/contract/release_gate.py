"""source/ -> release/, where nothing in it gives away what no student may see."""

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
    """A release was not written; `leaks` is what it would give away, and where."""

    def __init__(self, said: str, leaks: Sequence[str]) -> None:
        super().__init__(said)
        self.leaks = tuple(leaks)


def leak_lines(text: Path, leaks: Sequence[Leak]) -> Iterator[str]:
    """Yield a line for each leak, with the line of NAME.py where there is one."""
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
    """A release that was written, and what the instructor's own answers lose in it, "" for nothing."""

    folder: Path
    refreshed: release.Refreshed
    lost: str


def released(
    root: Path, name: str, *, sandbox: Sandbox | None = None, take: both_forms.Form | None = None
) -> Released:
    """Write the source notebook's own cells, or all of it from its text, and the release.

    Of a homework that is written as text, `take` is the form that counts where both were changed. A
    given sandbox was launched already, and nothing has used it.

    Raises:
        GivesAway: the release has what no student may see.
        UserError: the homework breaks another rule.
    """
    # Before it is loaded: the notebook may have to be made of a text.
    refreshed = release.refresh(root, name, take)
    homework.load(root, name)
    files = release.release_files(root, name)
    leaks, lost = rules.leaks(root, name, files, sandbox=sandbox)
    if leaks:
        raise GivesAway(
            f"the release of {name} would give this away; nothing was written. Take it out, or "
            "name in `allowed_leaks` of spec.py what students may see, with the reason: the line in "
            "backquotes, or for numbers the cell's id",
            list(leak_lines(root / "source" / name / f"{name}.py", leaks)),
        )
    return Released(release.write_release(root, name, files), refreshed, lost)
