"""What the wings bring to the command line: verbs of their own, and hooks that core verbs call.

Both are entry points of a distribution, ours or another one: `autograder.verbs` names a
`typer.Typer`, `autograder.hooks` names a function. A core verb works without any of them.
"""

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any, Literal

Hook = Literal["release", "stale_release", "class_page"]
"""Release a homework; say why a release is stale; write the pages on a class."""


def verbs() -> Iterator[Any]:
    """Yield the verbs of each wing that is installed, each a `typer.Typer`."""
    for wing in entry_points(group="autograder.verbs"):
        yield wing.load()


def hook(name: Hook) -> Any:
    """Return the function that a wing brings; None where no installed wing has it."""
    for wing in entry_points(group="autograder.hooks", name=name):
        return wing.load()
    return None
