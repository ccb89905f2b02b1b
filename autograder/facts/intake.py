"""A path -> the submissions in it, read; or one clear sentence why not."""

import hashlib
import json
import re
import stat
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import jupytext
import nbformat
import nbformat.reader

from autograder import codec
from autograder.codec import one_line
from autograder.facts.align import answers_digest
from autograder.homework import cells_of
from autograder.model import Cell, HandIn, Homework, Submission, UserError

LOG_NAME = "submission_log.json"
_CELL_MARK = re.compile(r"^# %%", re.MULTILINE)
MAX_MEMBERS = 100_000
MAX_CELLS = 5_000
_SKIPPED = {".ipynb_checkpoints", "__pycache__", "__MACOSX"}


File = Path | zipfile.Path
"""A file on disk, or in a zip, which is read where it stands: nothing is ever unpacked."""


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


def find(paths: Iterable[Path]) -> tuple[list[Found], list[str]]:
    """Return the submissions below some paths, and one complaint for each path that has none.

    A file is a submission. A folder with one notebook is one, with a
    submission_log.json beside it if there is one; in a folder with several,
    each notebook is one; each subfolder is looked at in the same way, and
    a zip is a folder.

    Raises:
        UserError: two submissions would get the same name.
    """
    files: list[tuple[File, File | None]] = []
    complaints: list[str] = []
    # A shell's pattern may name a file twice.
    for path in {
        path.resolve() if not path.is_symlink() else path: path for path in paths
    }.values():
        if path.is_symlink():
            complaints.append(
                f"{one_line(path)}: a symbolic link is not followed; give the file itself"
            )
        elif path.is_dir():
            inside = list(_in_folder(path, complaints))
            if not inside:
                complaints.append(
                    f"{one_line(path)}: no notebook in this folder; it needs a .ipynb file"
                )
            files.extend(inside)
        elif path.suffix.lower() == ".zip" and path.is_file():
            files.extend(_in_zip(path, complaints))
        elif path.is_file():
            files.append((path, None))
        elif path.exists():
            complaints.append(f"{one_line(path)}: not a regular file")
        else:
            complaints.append(f"{one_line(path)}: there is no such file or folder")
    return _named(files), complaints


def _in_zip(path: Path, complaints: list[str]) -> list[tuple[File, File | None]]:
    try:
        archive = zipfile.ZipFile(path)
        if len(archive.namelist()) > MAX_MEMBERS:
            complaints.append(f"{one_line(path)}: it holds more than {MAX_MEMBERS:,} files")
            return []
        inside = list(_in_folder(zipfile.Path(archive), complaints))
    except (zipfile.BadZipFile, OSError, ValueError, RecursionError) as error:
        complaints.append(
            f"{one_line(path)}: it is not a zip that can be read ({str(error)[:100]})"
        )
        return []
    if not inside:
        complaints.append(f"{one_line(path)}: no notebook in this zip; it needs a .ipynb file")
    return inside


def _in_folder(folder: File, complaints: list[str]) -> Iterable[tuple[File, File | None]]:
    inside: Iterable[File] = folder.iterdir()
    entries = [
        entry
        for entry in sorted(inside, key=str)
        if not entry.name.startswith(".") and entry.name not in _SKIPPED and not _is_link(entry)
    ]
    notebooks = [p for p in entries if p.suffix == ".ipynb" and p.is_file()]
    notebooks = notebooks or [p for p in entries if p.suffix == ".py" and _has_cells(p)]
    log = next((p for p in entries if p.name == LOG_NAME and p.is_file()), None)
    if len(notebooks) > 1 and log:
        complaints.append(
            f"{one_line(log)}: beside several notebooks nobody can tell whose it is; move it to a folder of its own"
        )
        log = None
    yield from ((notebook, log) for notebook in notebooks)
    if log and not notebooks:
        yield log, None
    for entry in entries:
        if entry.is_dir():
            yield from _in_folder(entry, complaints)


def _is_link(entry: File) -> bool:
    if isinstance(entry, Path):
        return entry.is_symlink()
    try:
        info = entry.root.getinfo(entry.at)
    except KeyError:  # a folder that only its files' names tell of
        return False
    return stat.S_ISLNK(info.external_attr >> 16)


def _has_cells(path: File) -> bool:
    try:
        return bool(_CELL_MARK.search(_read_bytes(path, limit=10**7).decode(errors="ignore")))
    except (OSError, UserError):
        return False


def _read_bytes(path: File, *, limit: int) -> bytes:
    """Read a file, but not more of it than the limit, whatever a zip says of its size."""
    try:
        with path.open("rb") as file:
            data: bytes = file.read(limit + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        raise UserError(f"it cannot be read from its zip ({str(error)[:100]})") from error
    if len(data) > limit:
        raise UserError(
            f"it has more than {limit / 1e6:,.0f} MB; clear the outputs and hand it in again"
        )
    return data


def _named(files: Sequence[tuple[File, File | None]]) -> list[Found]:
    stems = [_safe(path.stem) for path, _ in files]
    students = (
        stems if len(set(stems)) == len(stems) else [_safe(_folder_name(path)) for path, _ in files]
    )
    seen: dict[str, File] = {}
    for student, (path, _) in zip(students, files, strict=True):
        if student in seen:
            raise UserError(
                f"{one_line(seen[student])} and {one_line(path)} would both be called {student!r}; "
                "rename one, or put each in a folder of its student's name"
            )
        seen[student] = path
    return [Found(student, path, log) for student, (path, log) in zip(students, files, strict=True)]


def _folder_name(path: File) -> str:
    if isinstance(path, Path):
        return path.resolve().parent.name
    return PurePosixPath(path.at).parent.name or Path(str(path.root.filename)).stem


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).strip("._")[:80] or "submission"


def read(found: Found, homework: Homework) -> HandIn:
    """Read one submission.

    Raises:
        UserError: it is neither a notebook with cells nor a log of this homework.
    """
    try:
        return _read(found, homework)
    except OSError as error:
        raise UserError(f"it cannot be read ({error.strerror})") from error


def _read(found: Found, homework: Homework) -> HandIn:
    data = _read_bytes(found.path, limit=homework.limits.notebook_bytes)
    submission = Submission(found.student, "notebook", hashlib.sha256(data).hexdigest())
    if found.path.suffix == ".json":
        values = codec.loads(data)
        if not isinstance(values, dict):
            raise UserError("it is JSON but neither a notebook nor a submission log")
        if "cells" not in values and "worksheets" not in values:
            return _from_log(values, Submission(found.student, "log", submission.sha256), homework)
    cells = _script_cells(data) if found.path.suffix == ".py" else _notebook_cells(data)
    if len(cells) > MAX_CELLS:
        raise UserError(f"it has {len(cells):,} cells; at most {MAX_CELLS:,} are read")
    if not any(cell.source.strip() for cell in cells):
        raise UserError("the notebook is empty: it has no cell with text in it")
    return HandIn(submission, cells, remarks=_compare_with_log(found.log, cells, homework))


def _notebook_cells(data: bytes) -> tuple[Cell, ...]:
    try:
        text = data.decode("utf-8-sig")
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(
            "it is not a notebook: not JSON in UTF-8; save it again from Jupyter"
        ) from error
    if not isinstance(parsed, dict) or not ({"cells", "worksheets"} & set(parsed)):
        raise UserError("it is JSON but not a notebook: it has no cells; hand in the .ipynb file")
    if parsed.get("nbformat") in (4, None) and isinstance(parsed.get("cells"), list):
        return cells_of(parsed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.convert(nbformat.reader.reads(text), 4)
        return cells_of(notebook)
    except Exception as error:  # nbformat raises whatever a mangled old notebook leads it to
        raise UserError(
            f"it is not a notebook that can be read ({type(error).__name__}: {str(error)[:100]}); "
            "save it again from Jupyter"
        ) from error


def _script_cells(data: bytes) -> tuple[Cell, ...]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeError as error:
        raise UserError("it is not UTF-8 text") from error
    if not _CELL_MARK.search(text):
        raise UserError("it is a .py file without `# %%` cells; hand in the notebook")
    return cells_of(jupytext.reads(text, fmt="py:percent"))


def _from_log(values: dict[str, Any], submission: Submission, homework: Homework) -> HandIn:
    answers = homework.read_log(values)
    cells = tuple(
        Cell(id=f"log-{number}", type="code", source=codec.printable(source))
        for number, source in enumerate(answers.cells)
    )
    return HandIn(submission, cells, answers.refusals)


def _compare_with_log(
    log: File | None, cells: Sequence[Cell], homework: Homework
) -> tuple[str, ...]:
    """Say so when the log beside a notebook was made from other answers; it changes no mark."""
    if log is None:
        return ()
    try:
        values = codec.loads(_read_bytes(log, limit=homework.limits.notebook_bytes))
    except UserError as error:
        return (
            f"The {LOG_NAME} beside the notebook was not looked at: {error}. The notebook was graded.",
        )
    claimed = values.get("answers_sha256") if isinstance(values, dict) else None
    if claimed is None or claimed == answers_digest(cells, homework.cells):
        return ()
    return (
        f"The {LOG_NAME} beside the notebook was made from other answers than the notebook holds "
        "(answers_sha256 differs). The notebook was graded. If the log is the newer one, "
        "save the notebook, run its last cell again and hand in both.",
    )
