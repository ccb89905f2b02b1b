"""docs/proofs.json states each count and its files, and never calls a failure a success."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests import everything
from tests.everything import Count

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
PRINTS = (sys.executable, "-c", "print('some lines'); print('7 tried, all well')")
FAILS = (sys.executable, "-c", "print('6 of 7 well'); raise SystemExit(1)")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two committed files, and two counts of which each rests on one."""
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    for words in ("init -q", "add one two", "-c user.name=a -c user.email=a@b commit -qm first"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    monkeypatch.setattr(everything, "ROOT", tmp_path)
    monkeypatch.setattr(everything, "PROOFS", tmp_path / "docs" / "proofs.json")
    monkeypatch.setattr(everything, "OUTPUT", tmp_path / ".git" / "output")
    (tmp_path / "docs").mkdir()
    counts = [Count("first", PRINTS, ["one"]), Count("second", FAILS, ["two"], alone=True)]
    monkeypatch.setattr(everything, "counts", lambda: iter(counts))
    return tmp_path


def test_what_went_well_is_kept_and_not_run_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line is the figure; what failed is run again, and the status says so."""
    monkeypatch.setattr(sys, "argv", ["everything"])
    assert everything.main() == 1
    first, second = everything.known()["first"], everything.known()["second"]
    assert (first["well"], first["said"]) == (True, "7 tried, all well")
    assert (second["well"], second["said"]) == (False, "6 of 7 well")
    assert everything.main() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 counts, 1 fresh before, 1 failed"


def test_a_count_is_out_of_date_when_what_it_rests_on_changes(project: Path) -> None:
    """And not when something else does."""
    first, second = everything.counts()
    assert not everything.is_old(first)  # it was never made
    for count in (first, second):
        everything.keep(count.name, everything.run(count))
    before = everything.identity(first), everything.identity(second)
    assert not everything.is_old(second)
    (project / "two").write_text("changed")
    subprocess.run(["git", "add", "two"], cwd=project, check=True)
    assert everything.identity(first) == before[0]
    assert everything.identity(second) != before[1]
    assert [everything.is_old(count) for count in (first, second)] == [False, True]


def test_what_is_not_committed_is_not_counted(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise the file would name a commit that was not counted."""
    (project / "one").write_text("changed")
    monkeypatch.setattr(sys, "argv", ["everything"])
    assert everything.main() == 2
    assert "commit first" in capsys.readouterr().out
    assert everything.known() == {}


def test_every_count_rests_on_files_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that was renamed would leave a count fresh for ever."""
    monkeypatch.undo()
    for place in {place for count in everything.counts() for place in count.rests_on}:
        assert everything.git("ls-files", "--", place), place


def test_better_words_end_no_count_of_code_alone(project: Path) -> None:
    """Markdown may change, in a file or a notebook's cell; a code cell may not."""
    notebook = project / "one.ipynb"

    def written(text: str, source: str) -> tuple[str, str]:
        cells = [{"cell_type": "markdown", "source": text}, {"cell_type": "code", "source": source}]
        notebook.write_text(json.dumps({"cells": cells}))
        (project / "one.md").write_text(text)
        subprocess.run(["git", "add", "."], cwd=project, check=True)
        count = Count("first", PRINTS, ["one.ipynb", "one.md"])
        return everything.identity(replace(count, code_only=True)), everything.identity(count)

    before, words, code = written("One.", "1"), written("Better.", "1"), written("Better.", "2")
    assert words[0] == before[0] != code[0]
    assert words[1] != before[1]
