"""A class of the toy homework whose answers a test writes, graded as people do it."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from autograder.cli import main
from tests.helpers import SECRET, TOY


def write(folder: Path, answers: Mapping[str, tuple[str, str]]) -> None:
    """Write a notebook for each student into a folder's `in`.

    Args:
        folder: An existing folder.
        answers: Student -> the answers `count_positive` and `mean_positive`; the rest is right.
    """
    (folder / "in").mkdir(exist_ok=True)
    for student, (count, mean) in answers.items():
        nodes = json.loads((TOY / "source" / "toy" / "toy.ipynb").read_text())
        written = {"count_answer": count, "mean_answer": mean}
        for cell in nodes["cells"]:
            cell["source"] = written.get(cell["id"], cell["source"])
        (folder / "in" / f"{student}.ipynb").write_text(json.dumps(nodes))


def graded(folder: Path) -> Path:
    """Grade a folder's `in`, and return the folder of results."""
    words = ["grade", "toy", folder / "in", "--out", folder / "out", "--course", TOY, "-j", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_SECRET", SECRET)
        patch.setattr("sys.argv", ["autograder", *map(str, words)])
        with pytest.raises(SystemExit):
            main.main()
    return folder / "out"
