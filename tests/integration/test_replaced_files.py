"""grade: what a student replaces while somebody else's submission is graded earns nothing and stops nothing."""

import os
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.grading.grader import Grader
from autograder.records.homework import Homework
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover
from tests.helpers import COURSE, write_class

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Write a class of two, and a solution that staff alone may read."""
    answers = write_class(tmp_path / "answers")
    for folder, answer in (("in/ada", "perfect"), ("in/ben", "wrong"), ("staff", "perfect")):
        (tmp_path / folder).mkdir(parents=True)
        shutil.copy(answers / f"{answer}.ipynb", tmp_path / folder / "toy.ipynb")
        (tmp_path / folder / "toy.ipynb").chmod(0o600)
        (tmp_path / folder / "helper.py").write_text("x = 1\n")
    (tmp_path / "staff").chmod(0o700)
    return tmp_path / "in"


def linked(ben: Path, name: str) -> None:
    """Put a link to staff's file into its place."""
    (ben / name).unlink()
    (ben / name).symlink_to(ben.parents[1] / "staff" / name)


def linked_folder(ben: Path, _: str) -> None:
    ben.rename(ben.parents[1] / "aside")
    ben.symlink_to(ben.parents[1] / "staff")


def piped(ben: Path, name: str) -> None:
    """Put a pipe into its place; a reader that waits is let go after a while, and has failed."""
    (ben / name).unlink()
    os.mkfifo(ben / name)
    ending = threading.Timer(20, lambda: os.close(os.open(ben / name, os.O_RDWR)))
    ending.daemon = True
    ending.start()


@pytest.mark.parametrize(
    ("replace", "name"),
    [
        *((linked, name) for name in ("toy.ipynb", "helper.py", "toy.zip")),
        *((replace, "toy.ipynb") for replace in (linked_folder, piped)),
    ],
)
def test_what_is_replaced_midway_is_not_graded(
    place: Path,
    toy: Homework,
    sandbox: Sandbox,
    tmp_path: Path,
    replace: Callable[[Path, str], None],
    name: str,
) -> None:
    """The first is graded as ever; of the other there is one line, no mark, and nobody else's work."""
    if name == "toy.zip":
        for folder in (place / "ben", tmp_path / "staff"):
            with zipfile.ZipFile(folder / "toy.zip", "w") as archive:
                archive.write(folder / "toy.ipynb", "toy.ipynb")
            (folder / "toy.ipynb").unlink()
    found, complaints = discover.find([place], homework="toy")
    assert ([item.student for item in found], complaints) == (["ada", "ben"], [])

    def with_a_swap() -> Iterator[discover.Found]:
        yield found[0]
        replace(place / "ben", name)
        yield found[1]

    ada, ben = Grader(toy, COURSE, sandbox).grade_all(with_a_swap(), tmp_path / "out")
    assert ada.grade is not None
    assert ada.grade.score == 5
    assert ben.grade is None
    assert "it was replaced after it was found; grade it again" in ben.complaint
    assert not (ben.folder / "submission_log.json").exists()
