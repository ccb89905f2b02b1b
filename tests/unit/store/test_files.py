"""files: complete or absent, only for staff, and with one writer at a time."""

import os
import threading
from pathlib import Path

import pytest

from autograder.records.errors import UserError
from autograder.store import files


def test_a_file_is_replaced_whole_or_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failing disk leaves the earlier text, no second file, and the name in the error."""
    path = tmp_path / files.GRADE
    files.write(path, "first")
    files.write(path, "second", lasting=True)
    assert path.read_text() == "second"

    def full(_: int) -> None:
        raise OSError(files.FULL[0], "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space") as error:
        files.write(path, "third", lasting=True)
    assert error.value.filename == str(path)
    assert path.read_text() == "second"
    assert [one.name for one in tmp_path.iterdir()] == [files.GRADE]


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_nothing_is_written_through_what_somebody_put_in_the_way(tmp_path: Path, kind: str) -> None:
    """A student may own a report's folder: the target of a link stays untouched."""
    secret, way = tmp_path / "secret", tmp_path / f"{files.REPORT}.{threading.get_native_id()}.tmp"
    secret.write_text("staff's")
    if kind == "link":
        way.symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(way)
    else:
        way.mkdir()
    with pytest.raises(OSError, match="Errno") as error:
        files.write(tmp_path / files.REPORT, "a report")
    assert error.value.filename == str(tmp_path / files.REPORT)
    assert secret.read_text() == "staff's"


def test_clearing_takes_what_grading_wrote_and_nothing_else(tmp_path: Path) -> None:
    """Other people's files there stay."""
    folder = tmp_path / "anna"
    files.clear(folder)  # it is made where it is not there
    for name in (*files.ALL, *files.EARLIER, "defence.json", "notes.txt", f"{files.LOG}.17.tmp"):
        (folder / name).write_text("{}")
    files.clear(folder)
    assert {one.name for one in folder.iterdir()} == {"defence.json", "notes.txt"}


def test_a_folder_of_results_is_for_staff_only(tmp_path: Path) -> None:
    """A new one is closed to others, one that was there keeps its mode; a file in the way is named."""
    out = tmp_path / "graded" / "hw"
    files.make_folder(out)
    assert out.stat().st_mode & 0o777 == 0o700
    out.chmod(0o755)
    files.make_folder(out)
    assert out.stat().st_mode & 0o777 == 0o755
    (tmp_path / "file").write_text("")
    for place in ("file", "file/hw"):
        with pytest.raises(UserError, match=f"{place} cannot be created"):
            files.make_folder(tmp_path / place)


def test_two_do_not_write_into_one_folder(tmp_path: Path) -> None:
    """The second is told, and gets its turn after the first; so is one where no file can be made."""
    with (
        files.claimed(tmp_path),
        pytest.raises(UserError, match="another `autograder grade` or `regrade` is writing"),
        files.claimed(tmp_path),
    ):
        raise AssertionError("both write")
    with files.claimed(tmp_path):
        pass
    (tmp_path / "taken" / ".lock").mkdir(parents=True)
    for place in ("absent", "taken"):
        with (
            pytest.raises(UserError, match="nothing can be written into"),
            files.claimed(tmp_path / place),
        ):
            raise AssertionError(place)


def test_two_write_the_same_file_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither uses the other's half-written file; whoever is last counts."""
    path = tmp_path / files.REPORT
    replace = Path.replace

    def meanwhile(temporary: Path, target: Path) -> Path:
        monkeypatch.undo()
        other = threading.Thread(target=files.write, args=(path, "another"))
        other.start()
        other.join()
        return replace(temporary, target)

    monkeypatch.setattr(Path, "replace", meanwhile)
    files.write(path, "mine")
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_somebody_changes_is_waited_for(tmp_path: Path) -> None:
    """So neither of two changes is lost; a folder in which nothing can be written is no error."""
    path = tmp_path / "days.csv"

    def add() -> None:
        with files.locked(path):
            files.write(path, f"{path.read_text()} second")

    second = threading.Thread(target=add)
    with files.locked(path):
        second.start()
        second.join(0.1)
        files.write(path, "first")
    second.join()
    assert path.read_text() == "first second"
    with files.locked(tmp_path / "none" / "days.csv"):
        pass


def test_files_of_one_export_are_all_there_or_none(tmp_path: Path) -> None:
    """A full disk leaves no half of it, and no earlier file counts as part of it."""
    one, other = tmp_path / "a.zip", tmp_path / "gone" / "b.csv"
    with pytest.raises(FileNotFoundError):
        files.write_together({one: b"1", other: b"2"})
    assert list(tmp_path.iterdir()) == []
    other.parent.mkdir()
    files.write_together({one: b"1", other: b"2"})
    assert (one.read_bytes(), other.read_bytes()) == (b"1", b"2")


def test_a_table_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Otherwise Excel on Windows does not recognise UTF-8."""
    files.write_table(tmp_path / "grades.csv", "id\nJürgen\n")
    assert (tmp_path / "grades.csv").read_bytes() == b"\xef\xbb\xbfid\nJ\xc3\xbcrgen\n"
