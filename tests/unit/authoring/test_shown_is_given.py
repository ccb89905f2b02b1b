"""Values of `shown` are meant for students and never leaks; the rest of spec.py is."""

import json
from pathlib import Path

import pytest

from autograder.authoring import release
from autograder.authoring.leaks.passages import without_shown
from autograder.authoring.leaks.search import Secrets
from autograder.course import homework
from autograder.kit import Homework
from tests.helpers import write_as_text

TEXT = """# %% text
# # Title
#
# Of 12.25, 31.5, 47.75, 58.125, 61.5 and 77.25 the mean is 48.06.

# %% provided
import numpy as np

# %% answer mean
def mean(numbers):
    ### BEGIN SOLUTION
    return np.mean(numbers)
    ### END SOLUTION

# %% check mean 4
"""
SPEC = """import numpy as np

from autograder.kit import Close, Property, Question

SHOWN = [{"numbers": np.array([12.25, 31.5, 47.75, 58.125, 61.5, 77.25])}, {"numbers": np.array([1.5, 22.75])}]
HIDDEN = [{"numbers": np.array([912.25, 931.5, 947.75, 958.125, 961.5, 977.25])}]


def between(got, numbers):
    if got < min(numbers) or got > max(numbers):
        return "a mean lies between the smallest and the largest of the numbers"
    return abs(sum(number - got for number in numbers)) < 1e-9 * len(numbers)


questions = [Question("mean", Close(), lambda rng: HIDDEN, shown=SHOWN)]
"""


def leaks(root: Path, text: str, spec: str) -> list[str]:
    """Return the leaks in a homework's release."""
    write_as_text(root, text, spec)
    release.refresh(root, "hw")
    homework.load(root, "hw")
    files = release.release_files(root, "hw")
    return [leak.what for leak in Secrets.of(root, Homework(name="hw")).leaks_in_files(files)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("shown=SHOWN", "shown=[{'numbers': np.array([12.25, 31.5, 47.75, 58.125, 61.5, 77.25])}]"),
        ("Close()", "Property(between)"),
    ],
)
def test_what_is_shown_is_no_leak(tmp_path: Path, old: str, new: str) -> None:
    """This covers the cell that `release` writes, and the text above it."""
    spec = SPEC.replace(old, new) if old else SPEC
    if "shown=SHOWN" not in spec:
        spec = "\n".join(line for line in spec.split("\n") if not line.startswith("SHOWN"))
    assert leaks(tmp_path, TEXT, spec) == []
    cells = json.loads((tmp_path / "source/hw/hw.ipynb").read_text())["cells"]
    assert any("12.25, 31.5" in "".join(cell["source"]) for cell in cells[2:])


def test_what_is_hidden_is_a_leak_still(tmp_path: Path) -> None:
    """Numbers of other inputs in the same file still count."""
    text = TEXT.replace("12.25, 31.5", "912.25, 931.5, 947.75, 958.125, 961.5, 977.25, 31.5")
    assert any("staff/spec.py" in what for what in leaks(tmp_path, text, SPEC))


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        (
            "Question('a', shown=[\n  {'é': 'ü'},\n], extra=True)",
            "Question('a', shown=(), extra=True)",
        ),
        ("A = [1]\nB = [2]\nQuestion('a', shown=A)", "A = ()\nB = [2]\nQuestion('a', shown=())"),
        ("f(shown=1); g(shown=2)", "f(shown=()); g(shown=())"),
        ("no python(", "no python("),
    ],
)
def test_only_the_values_go(spec: str, left: str) -> None:
    """Only they are removed, whatever letters and lines they contain."""
    assert without_shown(spec) == left
