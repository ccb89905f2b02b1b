"""Explain: what staff see of one mark, found from the facts, and run again where they have no value."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.course import homework, inputs
from autograder.course.course import SECRET_VARIABLE
from autograder.store import results
from tests.active_content import OWNED
from tests.command_line import run
from tests.helpers import TOY, write_class

pytestmark = [pytest.mark.slow, pytest.mark.turns(2, whole=True)]

EVIL = f"<script>{OWNED}</script>\x1b[2J\u202e[red]"
ANSWERS = {
    "off": "(numbers > 0).sum() + (len(numbers) == 3)",
    "evil": f"(_ for _ in ()).throw(ValueError({EVIL!r}))",
    "ends": "(__import__('os')._exit(0) if len(numbers) == 5 else (numbers > 0).sum())",
    "text": repr(EVIL),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a course and the results of some submissions that count in odd ways."""
    root = tmp_path_factory.mktemp("explained")
    course = Path(shutil.copytree(TOY, root / "course"))
    handed_in = write_class(root / "in")
    notebook = json.loads((handed_in / "perfect.ipynb").read_text())
    for name, line in ANSWERS.items():
        changed = json.loads(json.dumps(notebook))
        (cell,) = (
            one for one in changed["cells"] if "(numbers > 0).sum()" in "".join(one["source"])
        )
        cell["source"] = "".join(cell["source"]).replace("(numbers > 0).sum()", line)
        (handed_in / f"{name}.ipynb").write_text(json.dumps(changed))
    words = ["grade", "toy", handed_in, "--out", root / "d", "--course", course]
    ran = subprocess.run(
        [sys.executable, "-m", "autograder", *words], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return course, root / "d"


def explained(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path], *words: str
) -> tuple[int, str, str]:
    course, out = place
    return run(capsys, "explain", out, *words, "--course", course)


def cells(path: Path) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = json.loads(path.read_text())["cells"]
    return found


def test_the_first_wrong_case_is_shown_with_its_inputs(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """The very inputs that the submission got, what it gave, and what is right."""
    course, out = place
    status, said, errors = explained(capsys, place, "off", "count")
    assert status == 0, errors
    log = results.read_log(out / "off")
    toy = homework.load(course, "toy")
    secret = os.environ[SECRET_VARIABLE]
    drawn = inputs.drawn(toy.question("count"), submission=log.submission, secret=secret)
    third = drawn.cases[2]["numbers"]
    assert f"{third[0]:.9g}"[:8] in said
    assert "case 3, the first wrong one" in said
    assert "the count is 1, but should be 0." in said
    assert said.count(": right\n") == 3
    assert "student's code and run with your rights" in errors


def test_the_reference_is_followed_and_the_answer_runs_again(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """Line by line for the case that is shown; --run evaluates the answer in the sandbox again."""
    status, said, errors = explained(capsys, place, "off", "count", "--run")
    assert status == 0, errors
    assert "the reference's computation:" in said
    steps = [line.strip() for line in said.splitlines() if "reference.py:" in line]
    assert steps[0].endswith("count: found = 0")  # no number of the third case is above zero
    assert steps[-1].endswith("count: returns {'the count': array(0)}")
    again = said.split("the student's values, run again in the sandbox:\n")[1]
    assert again.split("\n")[0].strip() == "the count = 1"
    _, said, _ = explained(capsys, place, "ends", "count", "--run")
    assert "run again in the sandbox:" in said
    _, said, _ = explained(capsys, place, "off", "count")
    assert "run again in the sandbox" not in said


def test_the_notebook_gives_the_same_value(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """It has the student's cells, the inputs, the call and the expected value, and no outputs."""
    _, out = place
    explained(capsys, place, "off", "count")
    namespace: dict[str, Any] = {}
    values = []
    for cell in cells(out / "off" / "explained.ipynb"):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(cell["source"], namespace)
            values.append(namespace.get("value"))
    (logged,) = (
        one.value
        for one in results.read_log(out / "off").outcomes
        if (one.question, one.number, one.at) == ("count", 2, "check") and not one.again
    )
    assert logged is not None
    np.testing.assert_array_equal(namespace["value"]["the count"], logged["the count"])
    np.testing.assert_array_equal(namespace["expected"]["the count"], 0)


def test_a_known_mistake_is_named_as_the_nearest(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """It matches in all cases and every number."""
    _, said, _ = explained(capsys, place, "wrong")
    assert "counts_zeros: matches 4 of 4 cases exactly" in said


def test_what_the_log_has_no_value_of_is_run_again(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """A case that ended the process ended the ones after it as well: each is run alone now."""
    _, out = place
    log = results.read_log(out / "ends")
    assert not [
        o for o in log.outcomes if o.question == "count" and o.value is not None and o.number == 0
    ]
    _, said, _ = explained(capsys, place, "ends", "count")
    assert said.count("(run again just now: the log has no value)") >= 3
    assert "case 4: right" in said
    assert "case 3: right" in said
    assert "case 1: killed" in said


def test_hostile_values_and_errors_stay_text(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """On the terminal no escape, in the notebook no output and no markup of the student's."""
    _, out = place
    for name in ("evil", "text"):
        status, said, errors = explained(capsys, place, name)
        assert status == 0, errors
        assert "\x1b" not in said + errors
        assert "\u202e" not in said + errors
        assert "[red]" in said
        texts = [c for c in cells(out / name / "explained.ipynb") if c["cell_type"] == "markdown"]
        assert not [text for text in texts if "<script" in text["source"]]


def test_a_right_submission_has_nothing_to_explain_but_what_is_asked_for(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path]
) -> None:
    """Then the output says that all cases are right."""
    _, out = place
    assert "no machine-marked question lost points" in explained(capsys, place, "perfect")[1]
    assert not (out / "perfect" / "explained.ipynb").exists()
    status, said, _ = explained(capsys, place, "perfect", "mean")
    assert status == 0
    assert said.count(": right\n") == 4


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("nobody",), "no results of 'nobody'"),
        (("../d",), "no results of '../d'"),
        (("off", "nothing"), "no question 'nothing'; choose from count, mean"),
        (("off", "argue"), "argue is marked by hand"),
        (("off", "--grant", "1"), "need a command each"),
        (("--grant", "1", "--unname", "count-1"), "need a command each"),
    ],
)
def test_what_cannot_be_explained_is_one_line(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path], words: tuple[str, ...], what: str
) -> None:
    """With status 2."""
    status, _, errors = explained(capsys, place, *words)
    assert status == 2
    assert what in errors
    assert errors.count("\n") == 1


def test_inputs_that_are_drawn_in_another_way_now_are_not_compared(
    capsys: pytest.CaptureFixture[str], place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed secret is one cause; nothing is shown that the student never got."""
    monkeypatch.setenv(SECRET_VARIABLE, "another-secret-than-before")
    _, said, _ = explained(capsys, place, "off", "count")
    assert "hidden inputs have changed" in said
    assert "hidden inputs:" not in said
