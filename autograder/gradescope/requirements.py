"""What an image has to install: the versions that are installed here, so that marks agree."""

import importlib.metadata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from autograder.course.packages import absent
from autograder.model import UserError

KIT = "attention-homework-kit"
# What no grading needs, and what CUDA builds of torch bring along.
_FOR_AUTHORS = frozenset({"nbclient", "nbgrader", "rich", "sqlalchemy", "typer"})
_FOR_GPUS = ("cuda-", "nvidia-", "triton")
_IMAGE = {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "extra": ""}


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
    """Return what grading needs, each at the version that is installed here.

    Args:
        packages: What the course's notebooks import as well.

    Raises:
        UserError: the kit itself, or one of the packages, was not installed with pip.
    """
    lines: dict[str, str] = {}
    size = 0
    waiting = [line for line in _of(KIT) if line.name not in _FOR_AUTHORS]
    waiting += _installed(packages)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in lines or name.startswith(_FOR_GPUS):
            continue
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # on macOS, what Linux alone needs
            lines[name] = f"{name}{requirement.specifier}"
            continue
        # The part after a plus is of a build, such as torch's for a processor.
        lines[name] = f"{name}=={Version(found.version).public}"
        size += _size(found)
        waiting += _of(name, frozenset(requirement.extras))
    torch = lines.pop("torch", "")
    return Requirements(tuple(sorted(lines.values())), torch, size)


def _installed(packages: Sequence[str]) -> list[Requirement]:
    if lacking := absent(packages):
        raise UserError(
            f"course.toml: packages: {lacking[0]} is not installed here; pip install it"
        )
    return [Requirement(package) for package in packages]


def _of(name: str, extras: frozenset[str] = frozenset()) -> Iterator[Requirement]:
    """Yield what a distribution needs in the image."""
    try:
        lines = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        raise UserError(
            f"{name} is not installed here, so nobody knows what it needs; pip install it"
        ) from None
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        environments: list[Mapping[str, str]] = [
            _IMAGE | {"extra": extra} for extra in ("", *extras)
        ]
        if marker is None or any(marker.evaluate(dict(env)) for env in environments):
            yield requirement


def _size(found: importlib.metadata.Distribution) -> int:
    total = 0
    for file in found.files or ():
        path = file.locate()
        total += path.stat().st_size if path.is_file() else 0  # type: ignore[attr-defined]
    return total
