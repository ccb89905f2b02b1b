"""`autograder check --watch`: a release and a line after each save."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest

from autograder.authoring import new

pytestmark = pytest.mark.slow
SECONDS = 120


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A course with one homework, as `new` writes it."""
    course = tmp_path / "mine"
    new.new_course(course, "Mine")
    new.new_homework(course, "demo")
    return course


@pytest.fixture
def lines(mine: Path) -> Iterator["Queue[str]"]:
    """What the command prints, line by line."""
    words = [sys.executable, "-m", "autograder", "check", "demo", "--watch"]
    found: Queue[str] = Queue()
    with subprocess.Popen(words, cwd=mine, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        stdout = process.stdout
        Thread(target=lambda: [found.put(line) for line in stdout], daemon=True).start()
        try:
            yield found
        finally:
            process.terminate()


def saved(path: Path, old: str, new: str) -> None:
    """Replace a text that is there once at least, and save."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_each_save_is_released_and_judged(mine: Path, lines: "Queue[str]") -> None:
    """A text becomes the release; a mistake is named, and so is what would give a solution away."""
    text, spec = mine / "source/demo/demo.py", mine / "source/demo/staff/spec.py"
    released = mine / "release/demo/demo.ipynb"
    assert "demo: all 39 rules hold" in lines.get(timeout=SECONDS)

    saved(text, "Two functions and one sentence.", "Two functions, one sentence.")
    assert "all 38 other rules hold; solutions/demo/demo.ipynb was made" in lines.get(
        timeout=SECONDS
    )
    assert "Two functions, one sentence." in released.read_text(encoding="utf-8")

    saved(text, "np.sort(numbers)", "np.sort(-numbers)")
    assert (
        "NO, 5 right in other ways (loops): [loops] of staff/right.toml loses trimmed_mean"
        in lines.get(timeout=SECONDS)
    )
    saved(text, "np.sort(-numbers)", "np.sort(numbers)")
    assert "all 38 other rules" in lines.get(timeout=SECONDS)

    saved(text, "Two functions, one sentence.", "A sentence, and functions.")
    while "A sentence, and functions." not in released.read_text(encoding="utf-8"):
        time.sleep(0.05)
    saved(text, "np.sort(numbers)", "np.sort(-numbers)")  # while the rules are tried
    lines.get(timeout=SECONDS)
    assert "NO, 5 right in other ways (loops)" in lines.get(timeout=SECONDS)
    saved(text, "np.sort(-numbers)", "np.sort(numbers)")
    assert "all 38 other rules" in lines.get(timeout=SECONDS)

    before = released.read_bytes()
    solution = 'return " ".join(word[0].upper() + "." for word in name.split())'
    saved(text, "# ## 1. Initials", f"# ## 1. Initials\n#\n# `{solution}`")
    line = lines.get(timeout=SECONDS)
    assert "NO, demo.py: the cell 'text_3' from line 9 on: " in line
    assert "would give this away; nothing was written. Take it out, or if" in line
    assert released.read_bytes() == before
    saved(text, f"#\n# `{solution}`\n", "")
    assert "all 38 other rules" in lines.get(timeout=SECONDS)

    saved(spec, "questions = ", "questions = = ")
    assert "NO, source/demo/staff/spec.py: line " in lines.get(timeout=SECONDS)
    saved(spec, "questions = = ", "questions = ")
    assert "all 38 other rules" in lines.get(timeout=SECONDS)
