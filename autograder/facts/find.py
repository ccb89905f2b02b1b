"""Paths -> the submissions in them, each with a name that its student did not choose."""

import io
import os
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from autograder.codec import one_line
from autograder.model import UserError

LOG_NAME = "submission_log.json"
MAX_MEMBERS = 100_000
MAX_DEPTH = 20
_CELL_MARK = re.compile(r"^# %%", re.MULTILINE)
_SKIPPED = {".ipynb_checkpoints", "__pycache__", "__MACOSX"}


@dataclass(frozen=True)
class Member:
    """A file in a zip, read where it stands: nothing is ever unpacked."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo

    def __str__(self) -> str:
        return f"{self.archive.filename}/{self.info.filename}"

    @property
    def name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self.info.filename).name

    def open(self, mode: str) -> IO[bytes]:  # noqa: ARG002
        """Open it for reading, as a path is opened."""
        return self.archive.open(self.info)


@dataclass(frozen=True)
class Received:
    """A file that another process read: where it was found, its own name, and what it holds."""

    place: str
    name: str
    data: bytes

    def __str__(self) -> str:
        return self.place

    def open(self, mode: str) -> IO[bytes]:  # noqa: ARG002
        """Open it for reading, as a path is opened."""
        return io.BytesIO(self.data)


File = Path | Member | Received


@dataclass(frozen=True)
class Found:
    """A file to grade: what to call its student, and the log handed in beside it."""

    student: str
    path: File
    log: File | None = None

    @property
    def place(self) -> str:
        """Where it is, fit to be printed: a file's name may hold anything."""
        return one_line(self.path)


@dataclass(frozen=True)
class _Candidate:
    path: File
    log: File | None
    folders: tuple[str, ...]  # below the path that was given


def find(paths: Iterable[Path]) -> tuple[list[Found], list[str]]:
    """Return the submissions below some paths, and one complaint for each thing that is none.

    A file is a submission. A folder with one notebook is one, with a
    submission_log.json beside it if there is one; in a folder with several,
    each notebook is one; each subfolder is looked at in the same way, and
    a zip is a folder.

    A student chooses the name of a file, not that of the folder it was collected in: the
    first folder below a given path names a submission. Where all lie side by side, files do.
    """
    complaints: list[str] = []
    named: list[tuple[str, _Candidate]] = []
    # A shell's pattern may name a file twice.
    chosen = list({path.resolve() if not path.is_symlink() else path: path for path in paths})
    files = [path for path in chosen if path.is_file() and path.suffix.lower() != ".zip"]
    side_by_side = len({path.parent for path in files}) == 1
    for path in chosen:
        if path.is_symlink():
            complaints.append(
                f"{one_line(path)}: a symbolic link is not followed; give the file itself"
            )
        elif path in files:
            name = _stem(path) if side_by_side else path.parent.name
            named.append((name, _Candidate(path, None, ())))
        elif path.is_dir() or path.is_file():
            inside = _inside(path, complaints)
            alone = len(chosen) > 1 and len(inside) == 1
            named += [(_stem(path) if alone else n, c) for n, c in _by_folder(inside)]
        elif path.exists():
            complaints.append(f"{one_line(path)}: not a regular file")
        else:
            complaints.append(f"{one_line(path)}: there is no such file or folder")
    return _distinct(named, complaints), complaints


def _inside(path: Path, complaints: list[str]) -> list[_Candidate]:
    """Return what a folder or a zip holds."""
    try:
        folders = _folders_of(path) if path.is_dir() else _folders_of_zip(path)
        inside = [c for where, files in folders for c in _candidates(where, files, complaints)]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        complaints.append(
            f"{one_line(path)}: it cannot be looked through ({one_line(error)[:100]})"
        )
        return []
    kind = "folder" if path.is_dir() else "zip"
    if not inside:
        complaints.append(f"{one_line(path)}: no notebook in this {kind}; it needs a .ipynb file")
    return inside


_Folder = tuple[tuple[str, ...], list[File]]


def _folders_of(top: Path) -> Iterator[_Folder]:
    """Yield each folder's regular files; links are not followed."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        where = waiting.pop()
        files: list[File] = []
        deeper = []
        for entry in sorted(os.scandir(top.joinpath(*where)), key=lambda entry: entry.name):
            if _skipped(entry.name) or entry.is_symlink():
                continue
            if entry.is_dir() and len(where) < MAX_DEPTH:
                deeper.append((*where, entry.name))
            elif entry.is_file():
                files.append(Path(entry.path))
        waiting.extend(reversed(deeper))
        yield where, files


def _folders_of_zip(path: Path) -> list[_Folder]:
    """Return each folder's regular files, by the names in the zip's directory."""
    archive = zipfile.ZipFile(path)
    if len(archive.infolist()) > MAX_MEMBERS:
        raise ValueError(f"it holds more than {MAX_MEMBERS:,} files")
    folders: dict[tuple[str, ...], list[File]] = {}
    for info in archive.infolist():
        parts = info.filename.split("/")
        plain = not any(part in ("", ".", "..") or "\\" in part or _skipped(part) for part in parts)
        if plain and len(parts) <= MAX_DEPTH and not stat.S_ISLNK(info.external_attr >> 16):
            folders.setdefault(tuple(parts[:-1]), []).append(Member(archive, info))
    return sorted(folders.items())


def _skipped(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED


def _candidates(
    where: tuple[str, ...], files: Sequence[File], complaints: list[str]
) -> Iterator[_Candidate]:
    notebooks = [file for file in files if file.name.endswith(".ipynb")]
    notebooks = notebooks or [f for f in files if f.name.endswith(".py") and _has_cells(f)]
    log = next((file for file in files if file.name == LOG_NAME), None)
    if len(notebooks) > 1 and log:
        complaints.append(
            f"{one_line(log)}: beside several notebooks nobody can tell whose it is; "
            "move it to a folder of its own"
        )
        log = None
    for notebook in notebooks:
        yield _Candidate(notebook, log, where)
    if log and not notebooks:
        yield _Candidate(log, None, where)


def _has_cells(path: File) -> bool:
    try:
        return bool(_CELL_MARK.search(read_bytes(path, limit=10**7).decode(errors="ignore")))
    except (OSError, UserError):
        return False


def read_bytes(path: File, *, limit: int) -> bytes:
    """Read a file, but not more of it than the limit, whatever a zip says of its size.

    Raises:
        UserError: it is larger, or cannot be read from its zip.
        OSError: it cannot be read from the disk.
    """
    data = beginning(path, limit + 1)
    if len(data) > limit:
        raise UserError(
            f"it has more than {limit / 1e6:,.0f} MB; clear the outputs and hand it in again"
        )
    return data


def beginning(path: File, size: int) -> bytes:
    """Return a file's first bytes; UserError or OSError as `read_bytes`."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        raise
    except Exception as error:  # each way to compress has errors of its own
        raise UserError(f"it cannot be read from its zip ({one_line(error)[:100]})") from error


def _by_folder(inside: Sequence[_Candidate]) -> Iterator[tuple[str, _Candidate]]:
    """Yield each with its name: the first folder's, or the file's where there is none."""
    times = Counter(candidate.folders[:1] for candidate in inside)
    for candidate in inside:
        first, stem = candidate.folders[:1], _stem(candidate.path)
        if not first:
            yield stem, candidate
        else:
            yield first[0] if times[first] == 1 else f"{first[0]}-{stem}", candidate


def _distinct(named: Sequence[tuple[str, _Candidate]], complaints: list[str]) -> list[Found]:
    """Return what has a name of its own; complain of the others, whose results would mix."""
    by_name: dict[str, list[_Candidate]] = {}
    for name, candidate in named:
        by_name.setdefault(safe(name), []).append(candidate)
    found = []
    for name, candidates in by_name.items():
        first, *others = candidates
        if others:
            complaints.append(
                f"{one_line(first.path)} and {one_line(others[0].path)} would both be called "
                f"{name!r}; rename one, or put each in a folder of its student's name"
            )
        else:
            found.append(Found(name, first.path, first.log))
    return found


def _stem(path: File) -> str:
    return PurePosixPath(path.name).stem


def safe(name: str) -> str:
    """Return a name that is one folder, whatever it was."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80] or "submission"
