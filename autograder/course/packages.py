"""What a course's notebooks import: `packages` of course.toml."""

import importlib.metadata
from collections.abc import Sequence

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name


def is_one(text: str) -> bool:
    """Whether pip would take a text as something to install."""
    try:
        Requirement(text)
    except InvalidRequirement:
        return False
    return True


def name(package: str) -> str:
    """Return a package's name, the same however it is written."""
    return canonicalize_name(Requirement(package).name)


def absent(packages: Sequence[str]) -> list[str]:
    """Return those that are not installed here, or not in a version that will do."""
    return [package for package in packages if not _is_there(Requirement(package))]


def _is_there(wanted: Requirement) -> bool:
    try:
        version = importlib.metadata.version(wanted.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)
