"""A platform for tests: a Debian of its own where root and debootstrap allow, else a folder."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.course import course, homework
from autograder.platforms.gradescope import pack
from autograder.platforms.gradescope.simulate import SimulatedPlatform, platform
from tests.helpers import ROOT, SECRET

DEBIAN = "bookworm"
PYTHON = ("python3", "python3-venv", "ca-certificates")
REQUIRED = "REQUIRE_PLATFORM"
NAMES = ("hw2_transformer", "hw3_proofs")


def packed(folder: Path, name: str) -> Path:
    """Pack a homework, with the tests' secret."""
    target = folder / f"{name}.zip"
    settings = msgspec.structs.replace(course.read(ROOT), secret=SECRET)
    pack.pack(ROOT, homework.load(ROOT, name), settings, target)
    return target


def metadata(student: str = "4711", **more: object) -> Mapping[str, object]:
    """Return the platform's metadata of a submission."""
    return {
        "id": 123456,
        "created_at": "2026-11-01T10:00:00.000000-07:00",
        "submission_method": "upload",
        "users": [{"email": "ada@example.edu", "id": 99, "name": "Ada", "sid": student}],
        "assignment": {"id": 25, "title": "Homework", "total_points": "60.0"},
        "previous_submissions": [],
    } | more


@contextmanager
def installed(folder: Path, name: str) -> Iterator[SimulatedPlatform]:
    """Build the image of a homework in a system that has Debian's python3 and venv only.

    Args:
        folder: Where; what was built there before is used again.
        name: The homework's.
    """
    folder.mkdir(exist_ok=True)
    for above in folder.parents[:3]:
        if above.stat().st_uid == os.geteuid():
            above.chmod(above.stat().st_mode | 0o011)  # student code passes through
    whole = os.geteuid() == 0 and shutil.which("debootstrap") is not None
    assert whole or not os.environ.get(REQUIRED), "root and debootstrap are required here"
    before = dict(os.environ)
    mounts: list[Path] = []
    try:
        told, named = told_to_pip()
        os.environ.update(told)
        os.environ.setdefault("TORCH_INDEX", "")
        if whole:
            if not (folder / "usr").is_dir():
                include = f"--include={','.join(PYTHON)}"
                command = ["debootstrap", "--variant=minbase", include, DEBIAN, str(folder)]
                subprocess.run(command, check=True, capture_output=True)
            (folder / "autograder").mkdir(exist_ok=True)
            mounts = copied_into(folder, named)
        with platform(folder, whole=whole) as made:
            made = replace(made, mounts=tuple(mounts))
            made.build_once(packed(folder.parent, name))
            yield made
    finally:
        os.environ.clear()
        os.environ.update(before)


def copied_into(folder: Path, named: Sequence[Path]) -> list[Path]:
    """Copy the files that pip and the network need into a system; return the folders to mount."""
    mounts = []
    for path in (*named, Path("/etc/resolv.conf"), Path("/etc/hosts")):
        if path.is_dir():
            mounts.append(path)
        elif path.is_file():
            copied = folder / path.relative_to("/")
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copied)
    return mounts


def told_to_pip() -> tuple[dict[str, str], list[Path]]:
    """Return what pip here is told, as variables, and the files and folders that it names."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    told: dict[str, str] = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        variable = "PIP_" + name.rpartition(".")[2].upper().replace("-", "_")
        told[variable] = value.strip("'\"")
    text = " ".join(told.values())
    paths = [Path(path) for path in re.findall(r"(?:^|\s)(/\S+)", text)]
    # The files of an index may lie beside it.
    paths += [Path(path).parent for path in re.findall(r"file://(/\S+)", text)]
    return told, [path for path in paths if path.exists()]
