"""The files of out/<student>/ by name; each is written completely or not at all."""

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.records.errors import UserError

LOG = "submission_log.json"
"""Facts: everything observed about the submission."""
GRADE = "grade.json"
"""Marks, which follow from the facts. All code that needs marks reads them here."""
EXECUTED = "executed.ipynb"
"""The cells that were run, with their outputs."""
RESULTS = "results.json"
REPORT = "report.html"
FAILURE = "failure.txt"
"""The reason why the grader itself failed, for staff."""
GRADES = "grades.csv"
"""The table of all marks, beside the folders of submissions: `autograder report` writes it."""
EXPLAINED = "explained.ipynb"
"""The student's cells with hidden inputs, only for staff: `autograder explain` writes it."""
NEEDED = (GRADE, EXECUTED, RESULTS, REPORT)
"""Files beside a complete log."""
ALL = (LOG, *NEEDED, FAILURE, EXPLAINED)
"""Files that a new grading removes; those of other mark givers stay."""
# Students may own a report's folder, so links and pipes in it are not followed.
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
FULL = (errno.ENOSPC, errno.EDQUOT)
"""The system's errors for a full disk, which affects all submissions."""
REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
"""The system's errors for a missing permission or a disk that can only be read."""
PASSING = (
    *(errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EAGAIN, errno.ENOTCONN, errno.EREMOTEIO),
    *(errno.ENOMEM, errno.EMFILE, errno.ENFILE),
)
"""The system's errors that may be gone a moment later, such as those of a shared disk."""
EARLIER = ("diagnosis.json",)
"""Files that the previous version also wrote."""


def write(path: Path, text: str, *, lasting: bool = False) -> None:
    """Write a file completely or not at all; with `lasting`, it survives a power failure."""
    write_bytes(path, text.encode(), lasting=lasting)


def write_bytes(path: Path, data: bytes, *, lasting: bool = False) -> None:
    """Write a file as `write` does."""
    temporary = _temporary(path)
    try:
        with open(temporary, "wb", opener=lambda name, _: os.open(name, _WRITE, 0o666)) as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        error.filename = str(path)  # the error for a full disk names no file
        raise


def write_table(path: Path, text: str) -> None:
    """Write a CSV with a byte order mark, without which Excel on Windows garbles names."""
    write_bytes(path, text.encode("utf-8-sig"))


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write all of these files, or none."""
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
    """Remove an earlier run's files, the log first: without a log nothing counts as done."""
    folder.mkdir(exist_ok=True)
    for name in (*ALL, *EARLIER):
        (folder / name).unlink(missing_ok=True)
        for leftover in folder.glob(f"{name}.*tmp"):  # of a grader that was killed
            leftover.unlink(missing_ok=True)


def make_folder(out: Path) -> None:
    """Make the folder of results, only for staff; raise UserError if that is impossible."""
    if not out.is_dir():
        try:
            out.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise UserError(f"{out} cannot be created ({error.strerror})") from error


@contextlib.contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Lock a folder of results; raise UserError if somebody else is writing into it."""
    try:
        opened = (out / ".lock").open("w")
    except OSError as error:
        raise UserError(f"nothing can be written into {out} ({error.strerror})") from error
    with opened as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another `autograder grade` or `regrade` is writing into {out}; wait until it "
                "is done, or stop it"
            ) from None
        except OSError:
            pass  # some shared disks have no locks
        yield


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a file while it is read, changed and written; wait while somebody else does so."""
    with contextlib.ExitStack() as stack:
        # Some shared disks have no locks, and where nothing can be written, nothing is lost.
        with contextlib.suppress(OSError):
            # The file itself cannot be locked, because `write` puts a new one in its place.
            lock = stack.enter_context(path.with_name(f".{path.name}.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _temporary(path: Path) -> Path:
    # Threads and processes that write the same file at once must not share a temporary one.
    return path.with_name(f"{path.name}.{threading.get_native_id()}.tmp")
