"""source/ -> release/, where nothing in it gives away what no student may see."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.authoring import release
from autograder.authoring.leaks.search import Leak
from autograder.authoring.proof import contract
from autograder.course import homework
from autograder.model import UserError
from autograder.sandbox.supervisor import Sandbox


class GivesAway(UserError):
    """A release was not written; `leaks` is what it would give away."""

    def __init__(self, said: str, leaks: Sequence[Leak]) -> None:
        super().__init__(said)
        self.leaks = tuple(f"{leak.place}: {leak.what}" for leak in leaks)


class Released(NamedTuple):
    """A release that was written.

    Args:
        folder: Where it is.
        refreshed: Whether the source notebook was written, too.
        lost: What the instructor's own answers lose; "" for nothing.
    """

    folder: Path
    refreshed: bool
    lost: str


def released(root: Path, name: str, *, sandbox: Sandbox | None = None) -> Released:
    """Write the source notebook's own cells, or all of it from its text, and the release.

    Args:
        root: The course's folder.
        name: The homework's.
        sandbox: One that was launched already, and that nothing has used.

    Raises:
        GivesAway: the release has what no student may see.
        UserError: the homework breaks another rule.
    """
    # Before it is loaded: the notebook may have to be made of a text.
    refreshed = release.refresh(root, name)
    homework.load(root, name)
    leaks, lost = contract.leaks(root, name, sandbox=sandbox)
    if leaks:
        raise GivesAway(
            f"the release of {name} would give this away; nothing was written. Name "
            "in `gives` of spec.py what students may see, with the reason",
            leaks,
        )
    return Released(release.write_release(root, name), refreshed, lost)
