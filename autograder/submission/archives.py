"""List a folder or a zip, folder by folder; a zip is read where it is."""

import contextlib
import functools
import io
import os
import re
import stat
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, NamedTuple

from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.opening import Listed, Stored

MAX_MEMBERS = 100_000
MAX_DEPTH = 20
# Of a zip that one person submitted: its bytes where it is itself in a zip, those of its list.
MAX_INNER, MAX_DIRECTORY = 100_000_000, 10_000_000
_END = 66_000  # bytes at a zip's end that may have its last record
_SKIPPED = {".ipynb_checkpoints", "__pycache__", "__MACOSX"}
# A person without a first name is often called ". Sukarno", and a platform's folder begins with the name.
_PERSON = re.compile(r"\.[^_].*_[0-9]+_assignsubmission_", re.DOTALL)
_UTF8_NAME = 0x800  # the bit of a zip's entry that shows it


File = Listed | Stored
Where = tuple[str, ...]  # the folders below the one that was given
Listing = dict[Where, list[File]]


@dataclass(frozen=True)
class Entry:
    """A file of one person's: below which folders, by which name, as which upload of a platform's.

    A platform counts what is uploaded: of two uploads, the one with the higher number is newer.
    """

    file: File
    where: Where
    name: str
    upload: int = 0


class Unusable(NamedTuple):
    """Why nothing of a person's submission can be graded.

    `why` is for staff and names its files; `said` is for the person, whose page has no name in it.
    """

    why: str
    said: str


@dataclass(frozen=True)
class Upload:
    """What one person submitted: whose it is, what to call it in a complaint, what staff should know."""

    student: str
    place: str
    items: tuple[Entry, ...]
    note: str = ""
    receipt: Receipt | None = None
    unusable: Unusable | None = None


def received(name: str, data: bytes, place: str = "") -> Stored:
    """Return a file that another process read."""
    return Stored(place or name, name, data, lambda: io.BytesIO(data))


def listing(top: Listed, complaints: list[str] | None = None) -> Listing:
    """Return each folder's regular files, below a folder or in a zip; links are not followed.

    `complaints` takes a line for each folder in it that cannot be looked through, and each link, pipe
    and such that may have been meant as a submission. UserError where it cannot be looked through.
    """
    try:
        if top.kind == "folder":
            return _of_folder(top, [] if complaints is None else complaints)
        archive = zipfile.ZipFile(top.reader())
        return _members(archive, top, archive.open)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UserError(f"it cannot be looked through ({one_line(error)[:100]})") from error


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
            complaints.append(f"{one_line(folder)}: it cannot be looked through ({error.strerror})")
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
                    f"{one_line(one)}: a link or no regular file; put the file itself there"
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
    """Return what is in a zip that one person submitted; UserError where nobody can tell."""

    def opened(info: zipfile.ZipInfo) -> IO[bytes]:
        with _small_zip(file) as archive:  # opened each time: there may be thousands
            return archive.open(info)

    try:
        with _small_zip(file) as archive:
            return _members(archive, file, opened)
    except UserError:
        raise
    except Exception as error:  # each way to compress has errors of its own
        raise UserError(f"it cannot be looked through ({one_line(error)[:100]})") from error


def _small_zip(file: File) -> zipfile.ZipFile:
    """Open a zip whose directory is small: a reader takes all of what a student wrote there."""
    data = (
        file.reader() if isinstance(file, Listed) else io.BytesIO(read_bytes(file, limit=MAX_INNER))
    )
    _complain_of_long(data)
    return zipfile.ZipFile(data)


def _complain_of_long(archive: IO[bytes]) -> None:
    """Raise UserError for a zip whose list of files is long, or of the kind for more than 4 GB."""
    archive.seek(max(0, archive.seek(0, os.SEEK_END) - _END))
    last = archive.read(_END)
    ends = (m.end() for m in re.finditer(b"PK\x05\x06", last))
    sizes = (int.from_bytes(last[end + 8 : end + 12], "little") for end in ends)
    if b"PK\x06\x07" in last or max(sizes, default=0) > MAX_DIRECTORY:
        raise UserError(f"it cannot be looked through (its list is over {MAX_DIRECTORY:,} bytes)")


def _members(
    archive: zipfile.ZipFile, file: File, opened: Callable[[zipfile.ZipInfo], IO[bytes]]
) -> Listing:
    """Return the files of a zip, read where they are, without those whose names lead elsewhere."""
    if len(archive.infolist()) > MAX_MEMBERS:
        raise ValueError(f"it has more than {MAX_MEMBERS:,} files")
    found: Listing = {}
    for info in archive.infolist():
        if not info.flag_bits & _UTF8_NAME:
            info.filename = _name(info.filename)
        folders, _, last = info.filename.rpartition("/")
        parts = info.filename.removesuffix("/").split("/")
        plain = not any(
            part in ("", ".", "..") or "\\" in part or is_skipped(part) for part in parts
        )
        if not plain or len(parts) > MAX_DEPTH or stat.S_ISLNK(info.external_attr >> 16):
            continue
        files = found.setdefault(tuple(folders.split("/")) if folders else (), [])
        if last:
            place, within = f"{file}/{info.filename}", (file, info.header_offset)
            files.append(Stored(place, last, within, functools.partial(opened, info)))
    return _without(PurePosixPath(file.name).stem, dict(sorted(found.items())))


def _without(name: str, found: Listing) -> Listing:
    """Leave out the folder that a zip was made of and named after."""
    if {where[:1] for where, files in found.items() if files} != {(name,)}:
        return found
    return {where[1:]: files for where, files in found.items() if where}


def _name(name: str) -> str:
    """Return a name as it was meant: many programs write UTF-8 and do not say so."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def items_below(found: Listing) -> tuple[Entry, ...]:
    """Return all files, each with the folders that it lies below."""
    return tuple(Entry(file, where, file.name) for where, files in found.items() for file in files)


def by_folder(found: Listing, top: Where = ()) -> dict[str, tuple[Entry, ...]]:
    """Return the files below each folder of `top`, by its name; it may be empty."""
    size = len(top)
    items: dict[str, list[Entry]] = {}
    for where, files in found.items():
        if len(where) > size and where[:size] == top:
            inside = items.setdefault(where[size], [])
            inside += (Entry(file, where[size + 1 :], file.name) for file in files)
    return {name: tuple(inside) for name, inside in items.items()}


def tops(found: Listing) -> list[Where]:
    """Return the given folder, and the one in it where all is in that."""
    firsts: set[Where] = {where[:1] for where, files in found.items() if files}
    return [(), *(firsts if len(firsts) == 1 else ())]


def is_skipped(name: str) -> bool:
    """Whether a file or folder is hidden, or of the kind that programs leave."""
    return name in _SKIPPED or (name.startswith(".") and not _PERSON.match(name))


def read_bytes(
    path: File, *, limit: int, advice: str = "clear the outputs and submit it again"
) -> bytes:
    """Read a file, but not more of it than the limit, whatever size a zip gives.

    Raises:
        UserError: it is larger, or cannot be read from its zip; the advice says what to do.
        OSError: it cannot be read from the disk.
    """
    data = beginning(path, limit + 1)
    if len(data) > limit:
        raise UserError(f"it has more than {limit / 1e6:,.0f} MB; {advice}")
    return data


def beginning(path: File, size: int) -> bytes:
    """Return a file's first bytes; UserError or OSError as `read_bytes`."""
    try:
        data = b""
        with path.reader() as file:
            while len(data) < size and (more := file.read(size - len(data))):
                data += more
        return data
    except (OSError, UserError):
        raise
    except Exception as error:  # each way to compress has errors of its own
        raise UserError(f"it cannot be read from its zip ({one_line(error)[:100]})") from error
