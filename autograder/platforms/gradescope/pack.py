"""A homework -> the zip for Gradescope.

The same files, packed with the same Python and packages, give the same bytes.
"""

import contextlib
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import autograder
from autograder.course import course, packages
from autograder.course import homework as homeworks
from autograder.course.course import Course
from autograder.platforms.gradescope.instructions import first_hour
from autograder.platforms.gradescope.requirements import requirements
from autograder.platforms.gradescope.run import SETTINGS
from autograder.records.errors import UserError
from autograder.records.homework import Homework

PAGE = "SET_UP.md"
SCRIPTS = ("setup.sh", "run_autograder")
_NOT_NEEDED = {"__pycache__", "rubrics", "right", "tests", "lab.py", "lab.json"}  # of staff/
_KINDS = {".py", ".jinja", ".json", ".typ"}  # of our own files, leaving out those of editors
_ALWAYS = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can represent


@dataclass(frozen=True)
class Packed:
    """A written zip.

    Args:
        size: Its size in bytes.
        image: The bytes of the packages that it installs.
        page: The set-up page, in Markdown.

    """

    size: int
    image: int
    page: str


def pack(root: Path, homework: Homework, settings: Course, target: Path) -> Packed:
    """Write the zip; it contains the solutions and the secret, so keep it to yourself."""
    if settings.late.slip_days and settings.late.rule == "deduct":
        raise UserError(
            "course.toml: [late] slip_days are counted across homeworks, but Gradescope "
            'sees only one, so rule = "deduct" would take points for them; pack with '
            'rule = "report", and grade Gradescope\'s export to take points off'
        )
    modules = homeworks.imported(root, homework.name)
    if missing := ", ".join(packages.undeclared(modules, settings.packages)):
        raise UserError(
            f"{homework.name} imports {missing}, which course.toml does not list, so "
            "Gradescope would not install it; add it to `packages`"
        )
    needed = requirements(settings.packages)
    page = first_hour(homework, settings)
    files = {
        **dict(_package()),
        **dict(_homework(root, homework)),
        PAGE: page.encode(),
        SETTINGS: course.packed(settings, homework.name).encode(),
        "requirements.txt": _lines(*needed.pinned),
        "torch.txt": _lines(*filter(None, [needed.torch])),
    }
    for name in SCRIPTS:
        files[name] = files.pop(f"autograder/platforms/gradescope/{name}")
    temporary = target.with_name(target.name + ".tmp")
    try:
        with (
            os.fdopen(os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as to,
            zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        ):
            for name, data in sorted(files.items()):
                archive.writestr(_entry(name), data)
        temporary.replace(target)
    except OSError as error:
        raise UserError(f"{target} cannot be written ({error.strerror})") from error
    finally:  # it contains the solutions and the secret
        with contextlib.suppress(OSError):
            temporary.unlink()
    return Packed(target.stat().st_size, needed.size, page)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=_ALWAYS)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # Unix permissions are in the upper half
    entry.external_attr = (0o100755 if name in SCRIPTS else 0o100644) << 16
    return entry


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _package() -> Iterator[tuple[str, bytes]]:
    package = Path(autograder.__file__).parent
    for path in sorted(package.rglob("*")):
        if path.suffix in _KINDS or path.name in SCRIPTS:
            yield f"autograder/{path.relative_to(package).as_posix()}", path.read_bytes()


def _homework(root: Path, homework: Homework) -> Iterator[tuple[str, bytes]]:
    name = homework.name
    folder = root / "source" / name
    staff = (path for path in sorted((folder / "staff").rglob("*")) if path.is_file())
    needed = (path for path in staff if not _NOT_NEEDED & set(path.relative_to(folder).parts))
    release = root / "release" / name
    data = (release / path for path in homework.data)
    for path in (folder / f"{name}.ipynb", release / f"{name}.ipynb", *data, *needed):
        yield path.relative_to(root).as_posix(), path.read_bytes()
