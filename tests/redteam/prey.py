"""The targets of attacks on permissions: the grader's files at a known place, and processes.

None of it is the submission's. Its state before an attack and after it must be the same.
"""

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import psutil

PREY = Path(tempfile.gettempdir()) / f"redteam-prey-{os.getpid()}"
"""It has `secret` (mode 0600), `program` (0755), `open` (0644) and `folder` (0700)."""


def lay_out() -> None:
    """Make the files anew."""
    remove()
    PREY.mkdir(mode=0o755)
    for name, mode in (("secret", 0o600), ("program", 0o755), ("open", 0o644)):
        (PREY / name).write_text("#!/bin/sh\n")
        (PREY / name).chmod(mode)
    (PREY / "folder").mkdir(mode=0o700)
    (PREY / "folder" / "inside").write_text("x")


def remove() -> None:
    """Take the files away, whatever became of their modes."""
    for folder in (PREY, PREY / "folder"):
        with contextlib.suppress(OSError):
            folder.chmod(0o700)
    shutil.rmtree(PREY, ignore_errors=True)


def state(worker: int) -> dict[str, object]:
    """Return what may not change.

    Args:
        worker: The number of the sandbox's process.
    """
    found: dict[str, object] = {}
    for path in (PREY, *sorted(PREY.rglob("*")), Path(sys.executable), Path(os.__file__)):
        now = path.lstat()
        names: tuple[str, ...] = ()
        with contextlib.suppress(OSError, AttributeError):  # not every system has them
            names = tuple(os.listxattr(path))
        rights = (oct(now.st_mode), now.st_uid, now.st_gid, now.st_nlink)
        found[str(path)] = (*rights, now.st_mtime_ns, now.st_size, names)
    for pid in (os.getpid(), worker):
        found[f"process {pid}"] = _scheduling(psutil.Process(pid))
    return found


def _scheduling(process: psutil.Process) -> tuple[object, ...]:
    """Return a process's priority, processors, scheduling and priority of input and output."""
    linux = hasattr(os, "sched_getscheduler")
    more = (os.sched_getscheduler(process.pid), process.ionice()) if linux else ()
    return process.nice(), tuple(process.cpu_affinity()) if linux else (), *more
