"""An image's packages, in the versions installed here, so that marks agree."""

import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from autograder.course.packages import absent, closure
from autograder.records.errors import UserError


class Requirements(NamedTuple):
    """Packages to install.

    Args:
        pinned: One line each, without torch.
        torch: Torch's line, since it may come from a separate index; "" if not needed.
        size: The bytes that all of them take here.

    """

    pinned: tuple[str, ...]
    torch: str
    size: int


def requirements(packages: Sequence[str] = ()) -> Requirements:
    """Return the packages that grading needs, each in the version installed here."""
    if lacking := absent(packages):
        raise UserError(
            f"course.toml: packages: {lacking[0]} is not installed here; install it with pip"
        )
    lines: dict[str, str] = {}
    size = 0
    for name, specifier in closure(packages).items():
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # on macOS, packages that only Linux needs
            lines[name] = f"{name}{specifier}"
            continue
        # A suffix after a plus names a build, such as torch's for CPUs.
        lines[name] = f"{name}=={Version(found.version).public}"
        size += _size(found)
    torch = lines.pop("torch", "")
    return Requirements(tuple(sorted(lines.values())), torch, size)


def _size(found: importlib.metadata.Distribution) -> int:
    paths = (Path(str(file.locate())) for file in found.files or ())
    return sum(path.stat().st_size for path in paths if path.is_file())
