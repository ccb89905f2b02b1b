"""The two versions that decide what to repeat: one for facts, one for marks.

If facts may change, the submission runs again. If only marks may change, its stored facts are
judged again. Other changes, such as to a page, need neither.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder import __version__
from autograder.records.homework import Homework

PACKAGE = Path(__file__).parents[1]
_BOTH = (
    "records",
    "course/cells.py",
    "course/inputs.py",
    "course/timestamps.py",
)
FACTS = (
    *_BOTH,
    "kit/__init__.py",
    "kit/lines.py",
    "submission",
    "program",
    "sandbox",
)
MARKS = (
    *_BOTH,
    "course/course.py",
    "course/known_answers.py",
    "course/people.py",
    "course/solutions.py",
    "kit",
    "marking",
)
LIBRARIES = ("numpy", "torch", "pandas", "ipykernel")
_WHERE_NAMED = frozenset({"torch", "pandas"})
"""Files that change only the facts of homeworks that import them."""


@functools.cache
def programs() -> Mapping[str, str]:
    """Return the versions of everything that runs submissions: grader, Python and libraries."""
    libraries = {}
    for name in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            libraries[name] = importlib.metadata.version(name)
    grader = f"{__version__}+{digest(FACTS)}"
    return {"autograder": grader, "python": platform.python_version(), **libraries}


def facts(homework: Homework) -> dict[str, str]:
    """Return a digest of everything that can change a submission's facts."""
    named = {module.split(".")[0] for module in homework.warm}
    used = {
        name: of for name, of in programs().items() if name in named or name not in _WHERE_NAMED
    }
    return {**used, "homework": homework.facts_digest}


def marks(homework: Homework) -> str:
    """Return a digest of everything that turns facts into marks."""
    return f"{digest(MARKS)}+{homework.marks_digest[:12]}"


def everything() -> Mapping[str, str]:
    """Return a digest of everything that must agree between machines that grade together."""
    return {**programs(), "kit": digest((".",))}


@functools.cache
def digest(parts: tuple[str, ...]) -> str:
    """Return twelve characters that change with any file in these parts of the package."""
    total = hashlib.sha256()
    for path in sorted(_files(parts)):
        total.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:12]


def _files(parts: tuple[str, ...]) -> Iterator[Path]:
    for part in parts:
        path = PACKAGE / part
        yield from path.rglob("*.py") if path.is_dir() else [path]
