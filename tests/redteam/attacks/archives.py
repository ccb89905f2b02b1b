"""Archives and folders: bombs, links, names that climb out, and right notebooks in odd places."""

import io
import json
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from tests.redteam.attack import right, write, writes, wrong

NO_NOTEBOOK = "nothing, and one line: there is no notebook in it"


def packed(
    place: Path | IO[bytes], files: Iterable[tuple[str, str | bytes]], way: int = zipfile.ZIP_STORED
) -> None:
    """Write a zip of files."""
    with zipfile.ZipFile(place, "w", way) as archive:
        for name, content in files:
            archive.writestr(name, content)


def submitted(
    folder: Path, *files: tuple[str, str | bytes], way: int = zipfile.ZIP_DEFLATED
) -> Path:
    """Write submission.zip, and return where."""
    packed(folder / "submission.zip", files, way)
    return folder / "submission.zip"


def top(folder: Path) -> Path:
    """Make the folder that is submitted."""
    (folder / "submission").mkdir()
    return folder / "submission"


@writes("nothing; no more than the limit is unpacked")
def bomb(folder: Path) -> Path:
    """Is a zip whose notebook unpacks to 5 GB."""
    path = folder / "submission.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("hw2.ipynb", "w", force_zip64=True) as file,
    ):
        for _ in range(500):
            file.write(bytes(10_000_000))
    return path


@writes("nothing, and one line that says why")
def broken_lzma(folder: Path) -> Path:
    """Is a zip packed in another way, with its bytes turned over."""
    script = ("b/hw2.py", "# %%\nx = 1\n" * 100)
    path = submitted(folder, ("a/hw2.ipynb", json.dumps(right())), script, way=zipfile.ZIP_LZMA)
    data = bytearray(path.read_bytes())
    for place in range(60, 260):
        data[place] ^= 255
    path.write_bytes(data)
    return path


@writes("nothing, and does not wait for ever")
def devices(folder: Path) -> Path:
    """Is a folder with a pipe, a socket and links named like notebooks."""
    os.mkfifo(folder / "a.ipynb")
    (folder / "b.ipynb").symlink_to("/dev/zero")
    (folder / "c.ipynb").mkdir()
    (folder / "submission_log.json").symlink_to("/dev/stdin")
    return folder


@writes("everything: the zip is opened, and the other file costs one line")
def flat_folder(folder: Path) -> Path:
    """Is a folder that holds a zip of one person's, and a notebook that bears a wrong name."""
    submitted(top(folder), ("work/hw2.ipynb", json.dumps(right())), way=zipfile.ZIP_STORED)
    write(wrong(), folder / "submission", "other.ipynb.txt")
    return folder / "submission"


@writes("nothing: links are not followed")
def link(folder: Path) -> Path:
    """Is a zip with symbolic links to secrets and to a classmate's notebook."""
    path = folder / "submission.zip"
    links = {"hw2.ipynb": "../right/right.ipynb", "a/hw2.ipynb": "/etc/passwd", "b": "/"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, target in links.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, target)
    return path


@writes("nothing: links are not followed")
def linked_notebook(folder: Path) -> Path:
    """Is a symbolic link to a classmate's right notebook, which was graded first."""
    path = folder / "submission.ipynb"
    path.symlink_to(folder.parent / "right" / "right.ipynb")
    return path


@writes("nothing: a list that long is not read, and one line says so")
def long_list(folder: Path) -> Path:
    """Is a folder with a zip whose list of files takes 16 MB."""
    names = (f"{number}/{'a' * 200}" for number in range(60_000))
    packed(top(folder) / "submission.zip", ((name, "") for name in names))
    return folder / "submission"


@writes("nothing, and one line that says why")
def lying_sizes(folder: Path) -> Path:
    """Is a zip whose directory lies about sizes and checksums, and is encrypted in part."""
    path = submitted(folder, ("hw2.ipynb", json.dumps(right())))
    data = bytearray(path.read_bytes())
    central = data.rindex(b"PK\x01\x02")
    data[central + 16 : central + 28] = b"\x01" * 12
    data[central + 8] |= 1
    path.write_bytes(data)
    return path


@writes("everything, and soon")
def many_folders(folder: Path) -> Path:
    """Is a zip of fifty thousand empty folders and one right notebook."""
    empty = ((f"{number}/", "") for number in range(50_000))
    found = ("a/hw2.ipynb", json.dumps(right()))
    return submitted(folder, *empty, found, way=zipfile.ZIP_STORED)


@writes("everything")
def right_notebook(folder: Path) -> Path:
    """Is a zip with a right notebook in a folder, and rubbish beside it."""
    rubbish = (("__MACOSX/ada/._hw2.ipynb", b"\x00\x05"), ("ada/.DS_Store", b"\x00"))
    notebook = ("ada/hw2.ipynb", json.dumps(right()))
    return submitted(folder, notebook, *rubbish, ("ada/notes.txt", "hello"))


@writes(NO_NOTEBOOK)
def rooted_names(folder: Path) -> Path:
    """Is a zip with names that begin with slashes, which send some readers round in circles."""
    names = ("//x.ipynb", "/", "/x.ipynb", "a//x.ipynb", "a\\x.ipynb", "C:/../x.ipynb")
    return submitted(folder, *((name, "{}") for name in names), way=zipfile.ZIP_STORED)


@writes("everything: it is read where it stands, and nothing is unpacked")
def slip(folder: Path) -> Path:
    """Is a zip whose names climb out of the folder, or are absolute."""
    names = ("../redteam-left", "../../../../tmp/redteam-left", "/tmp/redteam-left")
    notebook = ("a/hw2.ipynb", json.dumps(right()))
    return submitted(folder, notebook, *((name, "x") for name in names))


@writes("nothing: no name leads out of a zip, so there is no notebook in it")
def slipping_notebook(folder: Path) -> Path:
    """Is a zip whose only notebook has a name that climbs out and hits a classmate's results."""
    return submitted(folder, ("../../out/right/hw2.ipynb", json.dumps(right())))


@writes(NO_NOTEBOOK)
def zip_in_zip(folder: Path) -> Path:
    """Is a zip in a zip in a zip."""
    inner = json.dumps(right()).encode()
    for name in ("hw2.ipynb", "inner.zip", "middle.zip"):
        file = io.BytesIO()
        packed(file, [(name, inner)])
        inner = file.getvalue()
    path = folder / "submission.zip"
    path.write_bytes(inner)
    return path
