"""The platform of these tests: a Debian of its own where root and debootstrap allow, else a folder."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from autograder import course, homework
from autograder.container import pack
from autograder.container.simulate import Platform, platform
from autograder.course import Course
from tests.conftest import ROOT, SECRET
from tests.platform import groups

DEBIAN = "bookworm"
PYTHON = ("python3", "python3-venv", "ca-certificates")
REQUIRED = "REQUIRE_PLATFORM"
KEPT = "PLATFORM_IMAGE"  # a folder that is used again, for those who work on these tests
NAMES = ("hw2_transformer", "hw3_proofs")


def settings(**changes: object) -> Course:
    """Return the course's settings with the tests' secret."""
    return msgspec.structs.replace(course.read(ROOT), secret=SECRET, **changes)


def packed(folder: Path, name: str, **changes: object) -> Path:
    """Pack a homework with some settings."""
    target = folder / f"{name}.zip"
    pack.pack(ROOT, homework.load(ROOT, name), settings(**changes), target)
    return target


@pytest.fixture(scope="session")
def pip_outside() -> Iterator[list[Path]]:
    """Tell pip inside what pip here is told; return the files and folders that it names."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    told: dict[str, str] = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        variable = "PIP_" + name.rpartition(".")[2].upper().replace("-", "_")
        told[variable] = value.strip("'\"")
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in told.items():
            patch.setenv(variable, value)
        if "TORCH_INDEX" not in os.environ:
            patch.setenv("TORCH_INDEX", "")
        text = " ".join(told.values())
        paths = [Path(path) for path in re.findall(r"(?:^|\s)(/\S+)", text)]
        # The files of an index may lie beside it.
        paths += [Path(path).parent for path in re.findall(r"file://(/\S+)", text)]
        yield [path for path in paths if path.exists()]


@pytest.fixture(scope="session")
def image(pip_outside: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Build the image of hw2_transformer in a system that has Debian's python3 and venv only."""
    folder = Path(os.environ.get(KEPT) or tmp_path_factory.mktemp("platform"))
    folder.mkdir(exist_ok=True)
    for above in (folder, *folder.parents[:3]):
        if above.stat().st_uid == os.geteuid():
            above.chmod(above.stat().st_mode | 0o011)  # student code passes through
    whole = os.geteuid() == 0 and shutil.which("debootstrap") is not None
    assert whole or not os.environ.get(REQUIRED), "root and debootstrap are required here"
    mounts = []
    if whole:
        if not (folder / "usr").is_dir():
            include = f"--include={','.join(PYTHON)}"
            command = ["debootstrap", "--variant=minbase", include, DEBIAN, str(folder)]
            subprocess.run(command, check=True, capture_output=True)
        (folder / "autograder").mkdir(exist_ok=True)
        files = [Path("/etc/resolv.conf"), Path("/etc/hosts")]
        for path in (*pip_outside, *files):
            if path.is_dir():
                mounts.append(path)
            elif path.is_file():
                shutil.copy(path, folder / path.relative_to("/"))
    with platform(folder, whole=whole) as made:
        made = replace(made, mounts=tuple(mounts))
        made.build_once(packed(tmp_path_factory.mktemp("zip"), NAMES[0]))
        yield made


@pytest.fixture
def small(image: Platform) -> Iterator[tuple[Platform, groups.Group]]:
    """Limit the container as Gradescope's smallest one is: 768 MB; a whole processor, to save time."""
    if why := groups.why_not():
        assert not os.environ.get(REQUIRED), why
        pytest.skip(why)
    with groups.group(memory=768 << 20, processors=1.0) as group:
        yield replace(image, around=group.around), group


def metadata(student: str = "4711", **more: object) -> Mapping[str, object]:
    """Return what the platform says of a hand-in."""
    return {
        "id": 123456,
        "created_at": "2026-11-01T10:00:00.000000-07:00",
        "submission_method": "upload",
        "users": [{"email": "ada@example.edu", "id": 99, "name": "Ada", "sid": student}],
        "assignment": {"id": 25, "title": "Homework", "total_points": "60.0"},
        "previous_submissions": [],
    } | more
