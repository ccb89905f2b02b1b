"""The wings' side of the command line: their own verbs, and hooks that core verbs call.

Both are entry points of a distribution, ours or any other: `autograder.verbs` names a
`typer.Typer`, `autograder.hooks` names a function. A core verb works without any of them.
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, Literal

Hook = Literal["release", "stale_release", "class_page"]
"""Release a homework; say why a release is stale; write the pages on a class."""


def wings() -> dict[str, Callable[[], Any]]:
    """Return the loaders of all installed wings, each a `typer.Typer`, by the wing's name."""
    found = entry_points(group="autograder.verbs")
    return {
        one.name if one.value.startswith("autograder.") else one.value: one.load for one in found
    }


def hook(name: Hook) -> Any:
    """Return the function that a wing registers for a hook, or None if no installed wing has it."""
    for wing in entry_points(group="autograder.hooks", name=name):
        return wing.load()
    return None
