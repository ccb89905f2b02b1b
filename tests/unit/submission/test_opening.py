"""opening: a file replaced after it was listed is never read, however it was replaced."""

import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from autograder.grading.wire import Sent
from autograder.platforms.nbgrader import exchange
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.submission import archives, discover, opening, reading

FILES = {
    "hw.ipynb": '{"cells": [{"cell_type": "code", "source": "OWNER = 1", "metadata": {}}]}',
    "helper.py": "OWNER = 1",
    "submission_log.json": '{"answers_sha256": "OWNER"}',
    "submission_secret.txt": "OWNER",
}


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    """Write a student's folder, and a staff folder with files of the same names."""
    for owner, folder in (("ada", tmp_path / "class" / "ada"), ("staff", tmp_path / "staff")):
        folder.mkdir(parents=True)
        for name, text in FILES.items():
            (folder / name).write_text(text.replace("OWNER", owner))
        with zipfile.ZipFile(folder / "hw.zip", "w") as archive:
            archive.writestr("hw.ipynb", FILES["hw.ipynb"].replace("OWNER", owner))
    return tmp_path / "class" / "ada"


def link(path: Path) -> None:
    """Replace it by a link to staff's file of this name."""
    path.unlink()
    path.symlink_to(path.parents[2] / "staff" / path.name)


def link_above(path: Path) -> None:
    """Replace its folder by a link to staff's folder."""
    path.parent.rename(path.parents[1] / "before")
    path.parent.symlink_to(path.parents[2] / "staff")


def pipe(path: Path) -> None:
    """Replace it by a pipe, whose reader would wait for a writer."""
    path.unlink()
    os.mkfifo(path)


def other(path: Path) -> None:
    """Replace it by a file that nobody has checked."""
    new = path.with_name("new")
    new.write_bytes((path.parents[2] / "staff" / path.name).read_bytes())
    new.replace(path)


replaced = pytest.mark.parametrize("replace", [link, link_above, pipe, other])


def read_here(found: discover.Found, homework: Homework) -> object:
    return reading.read(found, homework)


def read_for_a_pool(found: discover.Found, homework: Homework) -> object:
    return Sent.read(found, limit=10**6)


@replaced
@pytest.mark.parametrize("name", ["hw.ipynb", "helper.py", "hw.zip"])
@pytest.mark.parametrize("read", [read_here, read_for_a_pool])
def test_what_was_replaced_is_not_read(
    ada: Path,
    toy: Homework,
    name: str,
    replace: Callable[[Path], None],
    read: Callable[[discover.Found, Homework], object],
) -> None:
    """This covers notebooks, helpers and zips of a checked folder, in one process or a pool."""
    for beside in {"hw.ipynb", "submission_log.json"} if name == "hw.zip" else {"hw.zip"}:
        (ada / beside).unlink()
    (found,), complaints = discover.find([ada.parent])
    assert not complaints
    replace(ada / name)
    with pytest.raises((UserError, OSError), match="replaced after it was found"):
        read(found, toy)


@replaced
def test_a_log_that_was_replaced_is_not_read(
    ada: Path, toy: Homework, replace: Callable[[Path], None]
) -> None:
    """It changes no mark, and the notebook beside it is read if it is still there."""
    (found,), _ = discover.find([ada.parent])
    assert found.log is not None
    replace(ada / "submission_log.json")
    with pytest.raises(OSError, match="replaced after it was found"):
        archives.read_bytes(found.log, limit=1000)
    if replace is not link_above:
        assert "was ignored: it was replaced" in str(reading.read(found, toy).remarks)


@pytest.mark.parametrize("linked", [True, False])
def test_a_folder_that_was_replaced_has_nothing(ada: Path, linked: bool) -> None:
    """It is not searched, and no secret comes from somebody else's folder."""
    seen = opening.given(ada)
    assert exchange.secret(seen) == "ada"
    ada.rename(ada.with_name("before"))
    staff = ada.parents[1] / "staff"
    ada.symlink_to(staff) if linked else staff.rename(ada)
    with pytest.raises(OSError, match="replaced after it was found"):
        seen.inside()
    assert exchange.secret(seen) == ""


@pytest.mark.parametrize("replace", [link, pipe])
def test_a_secret_is_a_file(ada: Path, replace: Callable[[Path], None]) -> None:
    """A link, a pipe or a large file does not count."""
    replace(ada / "submission_secret.txt")
    assert exchange.secret(opening.given(ada)) == ""
    (ada / "submission_secret.txt").unlink()
    (ada / "submission_secret.txt").write_text("x" * 2_000)
    assert exchange.secret(opening.given(ada)) == ""


def test_one_student_s_folder_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that becomes a link during the search costs one line."""
    for name in ("ada", "ben"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "hw.ipynb").write_text("{}")
    (tmp_path / "staff").mkdir()
    inside = opening.Listed.inside

    def then_replaced(folder: opening.Listed) -> list[opening.Listed]:
        found = inside(folder)
        if folder.name == "class" and not (tmp_path / "class" / "ada").is_symlink():
            (tmp_path / "class" / "ada").rename(tmp_path / "before")
            (tmp_path / "class" / "ada").symlink_to(tmp_path / "staff")
        return found

    monkeypatch.setattr(opening.Listed, "inside", then_replaced)
    seen, complaints = opening.given(tmp_path / "class"), list[str]()
    files = [file.name for files in archives.listing(seen, complaints).values() for file in files]
    assert files == ["hw.ipynb"]
    assert complaints == [
        f"{tmp_path}/class/ada: it cannot be searched (it was replaced after it was found; "
        "grade it again)"
    ]


def test_staff_may_name_a_path_through_links(tmp_path: Path) -> None:
    """Examples are /tmp on macOS, or a course folder elsewhere; the named path itself is no link."""
    (tmp_path / "disk" / "class" / "ada").mkdir(parents=True)
    (tmp_path / "disk" / "class" / "ada" / "hw.ipynb").write_text("{}")
    (tmp_path / "course").symlink_to(tmp_path / "disk")
    (found,), complaints = discover.find([tmp_path / "course" / "class"])
    assert (archives.read_bytes(found.path, limit=10), complaints) == (b"{}", [])
    found_, (complaint,) = discover.find([tmp_path / "course"])
    assert found_ == []
    assert "symbolic links are not followed" in complaint


def test_a_file_that_grows_ends(ada: Path) -> None:
    """One read ends, even for a file over the size limit."""
    (found,), _ = discover.find([ada / "hw.ipynb"])
    os.truncate(ada / "hw.ipynb", 2**40)
    with pytest.raises(UserError, match="more than 1 MB"):
        archives.read_bytes(found.path, limit=10**6)
    with opening.given(ada / "hw.ipynb").reader() as file:
        assert len(file.read()) == opening.AT_ONCE
        assert len(file.read(2**40)) == opening.AT_ONCE


def test_a_zip_that_changes_while_it_is_opened_takes_little_memory(
    ada: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its list is short when checked, but long when read."""
    path, real = ada / "hw.zip", zipfile.ZipFile

    def longer(file: IO[bytes]) -> zipfile.ZipFile:
        data = path.read_bytes()
        end = bytearray(data[data.rindex(b"PK\x05\x06") :])
        end[12:20] = (2**29).to_bytes(4, "little") + bytes(4)
        with path.open("r+b") as grown:
            grown.seek(2**29)
            grown.write(end)
        return real(file)

    seen = opening.given(path)
    monkeypatch.setattr(zipfile, "ZipFile", longer)
    tracemalloc.start()
    try:
        with pytest.raises(UserError, match="it cannot be searched"):
            archives.contents(seen)
        assert tracemalloc.get_traced_memory()[1] < 3 * opening.AT_ONCE
    finally:
        tracemalloc.stop()
