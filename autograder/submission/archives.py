"""Listings of folders and zips, folder by folder; a zip is read without unpacking."""

import contextlib
import functools
import io
import itertools
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, NamedTuple

from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.opening import Listed, Stored

MAX_MEMBERS = 100_000
MAX_DEPTH = 20
# The limits for one person's zip: its bytes, if it is inside a zip; the bytes of its file list.
MAX_INNER, MAX_DIRECTORY = 100_000_000, 10_000_000
_END = 66_000  # bytes at a zip's end that may have its last record
_ELSEWHERE = 0xFFFFFFFF  # the size is in the record of a zip for over 4 GB
_SKIPPED = {".ipynb_checkpoints", "__pycache__", "__MACOSX"}
# A platform's folder begins with the person's name, and a person without a first name is often
# written ". Sukarno".
_PERSON = re.compile(r"\.[^_].*_[0-9]+_assignsubmission_", re.DOTALL)
_DRIVE = re.compile(r"\A[A-Za-z]:(?=/)")  # in an absolute name on Windows
_UTF8_NAME = 0x800  # the flag of an encrypted zip entry


File = Listed | Stored
Where = tuple[str, ...]  # the folders below the given one
Listing = dict[Where, list[File]]


@dataclass(frozen=True)
class Entry:
    """A person's file: the folders around it, its name, and its number among a platform's uploads.

    Platforms number uploads, so the higher number is newer.
    """

    file: File
    where: Where
    name: str
    upload: int = 0

    @property
    def place(self) -> str:
        """Return its name with the folders around it."""
        return "/".join((*self.where, self.name))


class Unusable(NamedTuple):
    """The reason why nothing of a person's submission can be graded.

    `why` is for staff and names its files; `said` is for the person's page, which contains no
    names.
    """

    why: str
    said: str


@dataclass(frozen=True)
class Upload:
    """One person's submission: the owner, its name in complaints, and notes for staff."""

    student: str
    place: str
    items: tuple[Entry, ...]
    note: str = ""
    receipt: Receipt | None = None
    unusable: Unusable | None = None


def received(name: str, data: bytes, place: str = "") -> Stored:
    """Return a record for a file that came from a different process."""
    return Stored(place or name, name, data, lambda: io.BytesIO(data))


def listing(top: Listed, complaints: list[str] | None = None) -> Listing:
    """Return each folder's regular files, below a folder or in a zip; links are not followed.

    `complaints` receives a line for each unreadable folder, and for each link, pipe and the like
    that may have been meant as a submission. Raises UserError if it cannot be searched at all.
    """
    try:
        if top.kind == "folder":
            return _of_folder(top, [] if complaints is None else complaints)
        archive = zipfile.ZipFile(top.reader())
        return _members(archive, top, archive.open)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UserError(f"it cannot be searched ({one_line(error)[:100]})") from error


def _of_folder(top: Listed, complaints: list[str]) -> Listing:
    found: Listing = {}
    waiting: list[tuple[Where, Listed]] = [((), top)]
    while waiting:
        where, folder = waiting.pop()
        try:
            inside = folder.inside()
        except OSError as error:
            if folder is top:
                raise
            complaints.append(f"{one_line(folder)}: it cannot be searched ({error.strerror})")
            continue
        files = found[where] = []
        deeper = []
        for one in inside:
            if is_skipped(one.name):
                left = one.name in _SKIPPED or one.name.startswith("._")
                if not where and not left and _has_notebook(one):
                    complaints.append(f"{one_line(one)}: a hidden folder; rename it to grade it")
                continue
            if one.kind == "file":
                files.append(one)
            elif one.kind == "folder":
                if len(where) < MAX_DEPTH:
                    deeper.append(((*where, one.name), one))
            elif not where or one.name.lower().endswith((".ipynb", ".zip")):
                complaints.append(
                    f"{one_line(one)}: a link or special file; put the file itself there"
                )
        waiting.extend(reversed(deeper))
    return found


def _has_notebook(folder: Listed) -> bool:
    with contextlib.suppress(OSError):
        return folder.kind == "folder" and any(
            one.name.endswith(".ipynb") for one in folder.inside()
        )
    return False


def contents(file: File) -> Listing:
    """Return the files in a zip that one person submitted; raise UserError if it is unreadable."""

    def opened(info: zipfile.ZipInfo) -> IO[bytes]:
        with _small_zip(file) as archive:  # opened each time, because there may be thousands
            return archive.open(info)

    try:
        with _small_zip(file) as archive:
            return _members(archive, file, opened)
    except UserError:
        raise
    except Exception as error:  # each compression method has its own errors
        raise UserError(f"it cannot be searched ({one_line(error)[:100]})") from error


def _small_zip(file: File) -> zipfile.ZipFile:
    """Open a zip whose directory is small: a reader loads all of it, and a student wrote it."""
    data = (
        file.reader() if isinstance(file, Listed) else io.BytesIO(read_bytes(file, limit=MAX_INNER))
    )
    _complain_of_long(data)
    return zipfile.ZipFile(data)


def _complain_of_long(archive: IO[bytes]) -> None:
    """Raise UserError for a zip with a long list of files, whose size is in its last records."""
    end = archive.seek(0, os.SEEK_END)
    start = max(0, end - _END)
    archive.seek(start)
    last = archive.read(_END)
    sizes = [
        *_numbers(last, b"PK\x05\x06", at=12, size=4),
        *_numbers(last, b"PK\x06\x06", at=40, size=8),  # the same, of a zip for over 4 GB
    ]
    # It refers to the record above, which is that far from the end only if somebody hides it.
    hidden = any(place < start for place in _numbers(last, b"PK\x06\x07", at=8, size=8))
    if hidden or any(size > MAX_DIRECTORY for size in sizes if size != _ELSEWHERE or end > size):
        raise UserError(
            f"it cannot be searched (the zip's list of files is over {MAX_DIRECTORY:,} bytes)"
        )


def _numbers(data: bytes, mark: bytes, *, at: int, size: int) -> Iterator[int]:
    """Yield the number in each record that begins with a mark: its first byte, and its bytes."""
    for place in (found.start() + at for found in re.finditer(mark, data)):
        yield int.from_bytes(data[place : place + size], "little")


def _members(
    archive: zipfile.ZipFile, file: File, opened: Callable[[zipfile.ZipInfo], IO[bytes]]
) -> Listing:
    """Return the files of a zip, without those whose names lead elsewhere."""
    if len(archive.infolist()) > MAX_MEMBERS:
        raise ValueError(f"it has more than {MAX_MEMBERS:,} files")
    found: Listing = {}
    for info in archive.infolist():
        if not info.flag_bits & _UTF8_NAME:
            info.filename = _name(info.filename)
        folders, last = _parts(info.filename)
        if len(folders) >= MAX_DEPTH or not (folders or last):
            continue
        shown = tuple(itertools.takewhile(lambda name: not is_skipped(name), folders))
        # A folder with only hidden files may have no entry of its own, and may be a person's.
        files = found.setdefault(shown, [])
        is_link = stat.S_ISLNK(info.external_attr >> 16)
        if last and shown == folders and not (is_link or is_skipped(last)):
            place, within = "/".join((str(file), *folders, last)), (file, info.header_offset)
            files.append(Stored(place, last, within, functools.partial(opened, info)))
    return _without(PurePosixPath(file.name).stem, dict(sorted(found.items())))


def _parts(name: str) -> tuple[Where, str]:
    """Return the folders in a name, and the file; nothing if it leads out of the zip.

    Some programs write `./` and absolute names, and some for Windows backslashes and drives.
    """
    if ".." in re.split(r"[/\\]", name):
        return (), ""
    if "/" not in name:
        name = _DRIVE.sub("", name.replace("\\", "/"))
    *folders, last = name.split("/")
    return tuple(one for one in folders if one not in ("", ".")), "" if last == "." else last


def _without(name: str, found: Listing) -> Listing:
    """Drop the folder that a zip was made from and named after."""
    if {where[:1] for where, files in found.items() if files} != {(name,)}:
        return found
    return {where[1:]: files for where, files in found.items() if where[:1] == (name,)}


def _name(name: str) -> str:
    """Return a name as intended: many programs write UTF-8 without declaring it."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def items_below(found: Listing) -> tuple[Entry, ...]:
    """Return all files, each with the folders that contain it."""
    return tuple(Entry(file, where, file.name) for where, files in found.items() for file in files)


def by_folder(found: Listing, top: Where = ()) -> dict[str, tuple[Entry, ...]]:
    """Return the files below each folder of `top`, by its name; possibly none."""
    size = len(top)
    items: dict[str, list[Entry]] = {}
    for where, files in found.items():
        if len(where) > size and where[:size] == top:
            inside = items.setdefault(where[size], [])
            inside += (Entry(file, where[size + 1 :], file.name) for file in files)
    return {name: tuple(inside) for name, inside in items.items()}


def tops(found: Listing) -> list[Where]:
    """Return the given folder, or its only subfolder if that contains everything."""
    firsts: set[Where] = {where[:1] for where, files in found.items() if files}
    return [(), *(firsts if len(firsts) == 1 else ())]


def is_skipped(name: str) -> bool:
    """Return whether a file or folder is hidden, or left behind by a program."""
    return name in _SKIPPED or (name.startswith(".") and not _PERSON.match(name))


def read_bytes(
    path: File, *, limit: int, advice: str = "clear the outputs and submit it again"
) -> bytes:
    """Read a file up to a limit, whatever size a zip declares.

    Raises:
        UserError: it is larger, or unreadable in its zip; the message ends with the advice.
        OSError: it cannot be read from the disk.
    """
    data = beginning(path, limit + 1)
    if len(data) > limit:
        raise UserError(f"it has more than {limit / 1e6:,.0f} MB; {advice}")
    return data


def beginning(path: File, size: int) -> bytes:
    """Return a file's first bytes; it raises UserError or OSError as `read_bytes` does."""
    try:
        data = b""
        with path.reader() as file:
            while len(data) < size and (more := file.read(size - len(data))):
                data += more
        return data
    except (OSError, UserError):
        raise
    except Exception as error:  # each compression method has its own errors
        raise UserError(f"it cannot be read from its zip ({one_line(error)[:100]})") from error
