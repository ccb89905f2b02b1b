"""simulate: a zip and a submission get what the platform would do with them."""

import functools
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.cli.main import app
from autograder.platforms.gradescope import simulate
from autograder.platforms.gradescope.simulate import FIELD, platform
from autograder.records.errors import UserError
from autograder.sandbox.supervisor import Sandbox

SETUP = "#!/usr/bin/env bash\necho built > built-by-setup\n"


def zipped(folder: Path, run: str, setup: str = SETUP, **more: str) -> Path:
    """Write a zip whose run_autograder is this."""
    target = folder / "grader.zip"
    files: Mapping[str, str] = {
        "setup.sh": setup,
        "run_autograder": f"#!/bin/bash\n{run}\n",
        **more,
    }
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            if text:
                archive.writestr(name, text)
    return target


def results(page: str) -> str:
    return f"cat > results/results.json <<'END'\n{page}\nEND"


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    path = tmp_path / "submission.ipynb"
    path.write_text("{}")
    return path


def test_folders_are_fresh_and_scripts_are_mended(tmp_path: Path, notebook: Path) -> None:
    """Scripts with Windows line ends run, and nothing of an earlier submission is left."""
    run = 'ls submission; cat submission_metadata.json; echo "$TIMEOUT_SECONDS"'
    page = results('{"score": 3}')
    archive = zipped(tmp_path, f"{run}\n{page}".replace("\n", "\r\n"), SETUP.replace("\n", "\r\n"))
    with platform(tmp_path / "image") as made:
        assert made.build_once(archive) == ""
        assert (tmp_path / "image" / "autograder" / "built-by-setup").read_text() == "built\n"
        first = made.submit(notebook, {"id": 1}, seconds=30)
        other = tmp_path / "other.ipynb"
        other.write_text("{}")
        second = made.submit(other, seconds=30)
    assert first.said == 'submission.ipynb\n{"id": 1}30\n'
    assert "submission.ipynb" not in second.said
    assert "No such file" in second.said  # there is no metadata
    assert (first.score, second.score) == (3, 3)


@pytest.mark.parametrize(
    ("run", "complaint"),
    [
        ("true", "wrote no results.json"),
        (results("{"), "is not JSON"),
        (results("[]"), "no score and no tests"),
        (results('{"output": "hello"}'), "no score and no tests"),
        (results('{"score": 60}') + "\nsleep 60", "timed out"),
    ],
)
def test_what_the_platform_refuses_scores_nothing(
    tmp_path: Path, notebook: Path, run: str, complaint: str
) -> None:
    """This includes results written before the time was over."""
    with platform(None) as made:
        made.build(zipped(tmp_path, run))
        shown = made.submit(notebook, seconds=2)
    assert complaint in shown.complaint
    assert shown.score == 0


def test_long_fields_are_cut(tmp_path: Path, notebook: Path) -> None:
    """Each text, wherever it is."""
    page = {"score": 1, "tests": [{"name": "a", "output": "x" * (FIELD + 7)}]}
    with platform(None) as made:
        made.build(zipped(tmp_path, results(json.dumps(page))))
        shown = made.submit(notebook, seconds=30)
    assert len(shown.page["tests"][0]["output"]) == FIELD


def test_students_see_neither_hidden_tests_nor_then_the_total(
    tmp_path: Path, notebook: Path
) -> None:
    """As the platform does it."""
    tests = [
        {"name": "open", "score": 1, "max_score": 1, "output": "<p>a &lt; <code>b</code></p>"},
        {"name": "later", "score": 1, "max_score": 1, "visibility": "after_due_date"},
        {"name": "never", "score": 1, "max_score": 1, "visibility": "hidden"},
    ]
    with platform(None) as made:
        made.build(zipped(tmp_path, results(json.dumps({"tests": tests}))))
        shown = made.submit(notebook, seconds=30)
    assert list(shown.lines()) == ["score: not shown", "open 1/1 ", "    a < b"]
    assert shown.total == 3


def test_an_image_that_cannot_be_built_says_why(
    tmp_path: Path, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last lines that setup.sh printed, one line that tells where all of them are, and no more."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with platform(None) as made, pytest.raises(UserError, match=r"setup.sh is not at its top"):
        made.build(zipped(tmp_path, "true", ""))
    setup = "#!/bin/bash\nseq 1000\necho because >&2\nexit 1\n"
    ran = CliRunner().invoke(app, ["simulate", str(zipped(tmp_path, "true", setup)), str(notebook)])
    assert isinstance(ran.exception, UserError)
    shown = ran.output.splitlines()
    assert (shown[0], shown[-2:]) == ("987", ["1000", "because"])
    (log,) = tmp_path.glob("setup-*.log")
    assert str(ran.exception).endswith(f"its output is in {log}")
    assert len(log.read_text().splitlines()) == 1001


def test_a_machine_that_cannot_grade_is_told_so_before_anything_is_built(
    tmp_path: Path, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `doctor` knows at once takes no minutes of building."""
    ours = {"autograder/platforms/gradescope/run.py": " "}
    archive = zipped(tmp_path, "true", f"#!/bin/bash\ntouch {tmp_path}/built\n", **ours)
    monkeypatch.setattr(simulate, "Sandbox", functools.partial(Sandbox, without=("user",)))
    ran = CliRunner().invoke(app, ["simulate", str(archive), str(notebook)])
    assert isinstance(ran.exception, UserError)
    as_root, as_user = "student code would run as root", "the layer 'user' is required"
    assert (as_user if os.geteuid() else as_root) in str(ran.exception)
    assert not (tmp_path / "built").exists()


def test_the_verb_shows_what_a_student_would_see(tmp_path: Path, notebook: Path) -> None:
    """It complains in one line about anything that the platform would refuse."""
    run = results('{"score": 3, "output": "<p>Well done.</p>"}')
    words = ["simulate", str(zipped(tmp_path, run)), str(notebook)]
    ran = CliRunner().invoke(app, [*words, "--image", str(tmp_path / "new" / "image")])
    assert ran.exit_code == 0, ran.output
    assert "score: 3\nWell done.\n" in ran.output
    for wrong in (
        ["simulate", "none.zip", str(notebook)],
        ["simulate", str(tmp_path), str(notebook)],
        [*words, "--metadata", str(tmp_path)],
        [*words, "--image", str(notebook / "image")],
        [*words, "--whole"],
    ):
        ran = CliRunner().invoke(app, wrong)
        assert isinstance(ran.exception, UserError)
