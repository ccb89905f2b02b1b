"""The packages that a course's notebooks import: `packages` of course.toml."""

import importlib.metadata
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from autograder.records.errors import UserError

KIT = "attention-homework-kit"
# torch's CUDA builds bring these packages along; grading never needs them.
_FOR_AUTHORS = frozenset({"nbclient", "nbgrader", "rich", "sqlalchemy", "typer"})
_FOR_GPUS = ("cuda-", "nvidia-", "triton")
_IMAGE = {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "extra": ""}


def is_one(text: str) -> bool:
    """Return whether pip would accept a text as something to install."""
    try:
        Requirement(text)
    except InvalidRequirement:
        return False
    return True


def name(package: str) -> str:
    """Return a package's name in a form that all spellings share."""
    return canonicalize_name(Requirement(package).name)


def absent(packages: Sequence[str]) -> list[str]:
    """Return the packages that are not installed here in a suitable version."""
    return [package for package in packages if not _is_there(Requirement(package))]


def _is_there(wanted: Requirement) -> bool:
    try:
        version = importlib.metadata.version(wanted.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)


def undeclared(modules: Collection[str], packages: Sequence[str]) -> list[str]:
    """Return the pip names of some modules' packages that neither the course nor the kit installs."""
    installed = closure(packages)
    known = importlib.metadata.packages_distributions()
    top = {module.partition(".")[0] for module in modules} - {
        *sys.stdlib_module_names,
        "autograder",
    }
    found = {one: [canonicalize_name(name) for name in known.get(one, [one])] for one in top}
    return sorted({names[0] for names in found.values() if not installed.keys() & set(names)})


def closure(packages: Sequence[str] = ()) -> dict[str, str]:
    """Return the packages of grading and a course, with all dependencies: name -> versions."""
    found: dict[str, str] = {}
    waiting = [line for line in _of(KIT) if line.name not in _FOR_AUTHORS]
    waiting += map(Requirement, packages)
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or name.startswith(_FOR_GPUS):
            continue
        found[name] = str(requirement.specifier)
        if not absent([name]):
            waiting += _of(name, frozenset(requirement.extras))
    return found


def _of(name: str, extras: frozenset[str] = frozenset()) -> Iterator[Requirement]:
    try:
        lines = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        raise UserError(
            f"{name} is not installed here, so its dependencies are unknown; install it with pip"
        ) from None
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        environments: list[Mapping[str, str]] = [
            _IMAGE | {"extra": extra} for extra in ("", *extras)
        ]
        if marker is None or any(marker.evaluate(dict(env)) for env in environments):
            yield requirement
