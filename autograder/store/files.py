"""The files of out/<student>/ by name; each is written whole, or not there."""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.records.errors import UserError

LOG = "submission_log.json"
"""Facts: what was found out about the submission."""
GRADE = "grade.json"
"""Marks: what follows from the facts. All that needs marks reads them here."""
EXECUTED = "executed.ipynb"
"""The cells that were run, with their outputs."""
RESULTS = "results.json"
REPORT = "report.html"
FAILURE = "failure.txt"
"""Why the grader itself failed, for staff."""
GRADES = "grades.csv"
"""Beside the folders of submissions, all their marks: `autograder report` writes it."""
EXPLAINED = "explained.ipynb"
"""The student's cells with hidden inputs, for staff alone: `autograder explain` writes it."""
NEEDED = (GRADE, EXECUTED, RESULTS, REPORT)
"""What is there beside a complete log."""
ALL = (LOG, *NEEDED, FAILURE, EXPLAINED)
"""What grading anew takes away; the files of those who give marks beside the machine stay."""
# Students may own the folder that a report goes into: a link or a pipe there is not followed.
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system calls a disk that is full; so it is for all submissions."""
EARLIER = ("diagnosis.json",)
"""What the version before this one wrote as well."""


def write(path: Path, text: str, *, lasting: bool = False) -> None:
    """Write a file whole or not at all; lasting: so that a power failure does not undo it."""
    write_bytes(path, text.encode(), lasting=lasting)


def write_bytes(path: Path, data: bytes, *, lasting: bool = False) -> None:
    """Write a file as `write` does."""
    temporary = _temporary(path)
    try:
        with open(temporary, "wb", opener=_own) as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        error.filename = str(path)  # a disk that is full does not show where
        raise


def write_table(path: Path, text: str) -> None:
    """Write a CSV that a spreadsheet opens: without a byte order mark, Excel on Windows garbles names."""
    write_bytes(path, text.encode("utf-8-sig"))


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write files, all of them or none."""
    written: list[Path] = []
    try:
        for path, data in contents.items():
            write_bytes(path, data)
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def clear(folder: Path) -> None:
    """Take away what an earlier run left, the log first: without it nothing counts as done."""
    folder.mkdir(exist_ok=True)
    for name in (*ALL, *EARLIER):
        (folder / name).unlink(missing_ok=True)
        _temporary(folder / name).unlink(missing_ok=True)  # of a grader that was killed


def make_folder(out: Path) -> None:
    """Make the folder of results, for staff only; UserError where that cannot be."""
    if not out.is_dir():
        try:
            out.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise UserError(f"{out} cannot be made ({error.strerror})") from error


@contextlib.contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Keep a folder of results to ourselves; UserError where somebody else is writing into it."""
    try:
        opened = (out / ".lock").open("w")
    except OSError as error:
        raise UserError(f"nothing can be written into {out} ({error.strerror})") from error
    with opened as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another `autograder grade` is writing into {out}; wait for it, or give another --out"
            ) from None
        except OSError:
            pass  # a shared disk may have no locks
        yield


def _own(name: str, flags: int) -> int:  # noqa: ARG001
    return os.open(name, _WRITE, 0o666)


def _temporary(path: Path) -> Path:
    return path.with_name(path.name + ".tmp")
