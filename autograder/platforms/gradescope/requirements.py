"""What an image has to install: the versions that are installed here, so that marks agree."""

import importlib.metadata
from collections.abc import Sequence
from typing import NamedTuple

from packaging.version import Version

from autograder.course.packages import absent, closure
from autograder.records.errors import UserError


class Requirements(NamedTuple):
    """What to install.

    Args:
        pinned: A line each, without torch.
        torch: Its line, since it may come from an index of its own; "" where it is not needed.
        size: Bytes that all of it takes here.
    """

    pinned: tuple[str, ...]
    torch: str
    size: int


def requirements(packages: Sequence[str] = ()) -> Requirements:
    """Return what grading needs, each at the version that is installed here."""
    if lacking := absent(packages):
        raise UserError(
            f"course.toml: packages: {lacking[0]} is not installed here; pip install it"
        )
    lines: dict[str, str] = {}
    size = 0
    for name, specifier in closure(packages).items():
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # on macOS, what Linux alone needs
            lines[name] = f"{name}{specifier}"
            continue
        # The part after a plus is of a build, such as torch's for a processor.
        lines[name] = f"{name}=={Version(found.version).public}"
        size += _size(found)
    torch = lines.pop("torch", "")
    return Requirements(tuple(sorted(lines.values())), torch, size)


def _size(found: importlib.metadata.Distribution) -> int:
    total = 0
    for file in found.files or ():
        path = file.locate()
        total += path.stat().st_size if path.is_file() else 0  # type: ignore[attr-defined]
    return total
