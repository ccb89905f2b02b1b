"""fonts: a sandbox need not search for a machine's fonts, and learns nothing of a person's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.sandbox import fonts

KNOWN = "from matplotlib.font_manager import fontManager as known; print(len(known.ttflist))"


def matplotlib_knows() -> int:
    """Return how many fonts a new process knows, with the list that it finds or makes."""
    done = subprocess.run([sys.executable, "-c", KNOWN], capture_output=True, check=True)
    return int(done.stdout)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return this user's matplotlib folder, whose list includes a font in the user's home."""
    folder = tmp_path / "own"
    monkeypatch.setenv("MPLCONFIGDIR", str(folder))
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    matplotlib_knows()
    [path] = folder.glob("fontlist-*.json")
    found = json.loads(path.read_text())
    mine = found["ttflist"][0] | {"fname": str(tmp_path / "home" / "Mine.ttf")}
    path.write_text(json.dumps(found | {"ttflist": [*found["ttflist"], mine]}))
    return path


def test_a_list_is_lent_without_what_is_a_person_s_own(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matplotlib accepts the list, and finds nothing from the home in it."""
    lent = tmp_path / "lent"
    lent.mkdir()
    known = matplotlib_knows()
    fonts.copy_list(lent)
    [path] = lent.iterdir()
    text = path.read_text()
    assert "Mine.ttf" not in text
    monkeypatch.setenv("MPLCONFIGDIR", str(lent))
    assert matplotlib_knows() == known - 1
    assert path.read_text() == text


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR"])
def test_lists_are_looked_for_where_matplotlib_keeps_them(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matplotlib itself reports the place."""
    for name in ("XDG_CACHE_HOME", "MPLCONFIGDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    words = [sys.executable, "-c", "import matplotlib; print(matplotlib.get_cachedir())"]
    said = subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()
    Path(said).mkdir(parents=True, exist_ok=True)
    (Path(said) / "fontlist-v1.json").write_text('{"afmlist": [], "ttflist": []}')
    lent = tmp_path / "lent"
    lent.mkdir()
    fonts.copy_list(lent)
    assert [path.name for path in lent.iterdir()] == ["fontlist-v1.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"afmlist": [], "ttflist": [{}]}', "\xff"])
def test_a_broken_list_is_not_lent(own: Path, tmp_path: Path, text: str) -> None:
    """Then the sandbox makes its own."""
    lent = tmp_path / "lent"
    lent.mkdir()
    own.write_text(text, encoding="latin-1")
    fonts.copy_list(lent)
    assert not list(lent.iterdir())
