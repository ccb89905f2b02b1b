"""Templates -> a new course or homework, which grades at once."""

import contextlib
import json
import keyword
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.authoring import release
from autograder.authoring.contract import release_gate
from autograder.course import course
from autograder.records.errors import UserError

TEMPLATES = Path(__file__).parent / "templates"
PLACES = {"gitignore": ".gitignore", "check.yml": ".github/workflows/check.yml"}
"""Target paths of the templates whose names differ in a course."""


def new_course(folder: Path, title: str) -> list[Path]:
    """Create a course without homeworks, with its own secret; return its files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} already exists and is not empty; name a new folder")
    written = _copy("course", folder, {"COURSE": title})
    course.prepare_secret(folder)
    (folder / "source").mkdir()
    return [*written, folder / course.SECRET_FILE]


def new_homework(root: Path, name: str) -> list[Path]:
    """Create a homework with two functions and a written answer, and its release; return its files."""
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise UserError(
            f"{name!r} is not a name for a homework; write letters, digits and _: hw1_names"
        )
    folder = root / "source" / name
    if folder.exists():
        raise UserError(f"source/{name} already exists; choose a different name")
    with undone(folder, root / "release" / name, root / "solutions" / name):
        written = _copy("homework", folder, {"NAME": name})
        text = folder / "homework.py"
        shutil.move(text, folder / f"{name}.py")
        written[written.index(text)] = folder / f"{name}.py"
        release_gate.released(root, name)
        release.write_solution(root, name)
    return sorted(written)


@contextlib.contextmanager
def undone(*folders: Path) -> Iterator[None]:
    """Remove the folders that were not there before if an error or Ctrl-C ends the work."""
    made = [folder for folder in folders if not folder.exists()]
    try:
        yield
    except BaseException:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _copy(kind: str, target: Path, words: Mapping[str, str]) -> list[Path]:
    written = []
    for path in sorted((TEMPLATES / kind).rglob("*.txt")):
        place = path.relative_to(TEMPLATES / kind).with_suffix("").as_posix()
        goal = target / PLACES.get(place, place)
        goal.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        for word, plain in words.items():
            # The escapes of JSON's strings are those of TOML's.
            other = json.dumps(plain, ensure_ascii=False)[1:-1] if goal.suffix == ".toml" else plain
            text = re.sub(rf"\b{word}\b", other.replace("\\", r"\\"), text)
        goal.write_text(text, encoding="utf-8")
        written.append(goal)
    return written
