"""A trial of all layers: it attempts what each forbids, and reports those that do not work.

A layer counts as working only if each attempt was refused or changed nothing.
"""

import contextlib
import fcntl
import os
import platform
import resource
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.sandbox.inside import layers
from autograder.sandbox.inside.layers import Confinement
from autograder.sandbox.inside.linux import capabilities
from autograder.sandbox.inside.linux.system import (
    GET_DUMPABLE,
    GET_NO_NEW_PRIVS,
    LIBC,
    LINUX,
    checked,
    prctl,
    syscall,
)

WITNESSES = "witness.txt", "witness"
"""A file and a folder beside the trial's directory, which the grader owns and everybody may read."""
_F_SETLEASE = 1024
_KERNEL_LOG_SIZE = 10  # syslog(2)
_IOPRIO_GET, _IOPRIO_SET = {"x86_64": (252, 251)}.get(platform.machine(), (31, 30))
_IOPRIO_PROCESS = 1


def try_out(confinement: Confinement, directory: Path) -> dict[str, str]:
    """Return layer -> why it does not work; call it in a process that ends afterwards."""
    layers.enter(confinement, directory, memory_bytes=1_000_000_000, seconds=60)
    tried = {name: why for name, check in _checks(confinement, directory) if (why := check())}
    return tried | dict(confinement.missing)


def _checks(confinement: Confinement, directory: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    mode = stat.S_IMODE(directory.stat().st_mode)
    yield "session", lambda: _unless(os.getsid(0) == os.getpid(), "setsid had no effect")
    yield "directory", lambda: _unless(mode == 0o700, "others may enter it")
    core = resource.getrlimit(resource.RLIMIT_CORE)
    yield "limits", lambda: _unless(core == (0, 0), "setrlimit had no effect")
    users = {os.getuid(), os.geteuid()}
    yield "user", lambda: _unless(users == {confinement.uid}, "the user did not change")
    groups = set(os.getgroups()) - {os.getgid()}
    yield "groups", lambda: _unless(not groups, "only root may leave its groups")
    if LINUX:
        yield "privileges", lambda: _unless(prctl(GET_NO_NEW_PRIVS) == 1, "prctl had no effect")
        yield "private", lambda: _unless(prctl(GET_DUMPABLE) == 0, "prctl had no effect")
        yield "network", lambda: _refused(lambda: socket.socket().close(), "a socket was opened")
        yield "calls", lambda: _refused(_unshare, "unshare was not refused")
        yield "signals", lambda: _refused(_signal, "a signal went out")
        yield "rights", lambda: _rights(*(directory.parent / name for name in WITNESSES))
        witness = directory.parent / WITNESSES[0]
        yield "landlock", lambda: _refused(witness.read_bytes, "a file outside was read")
    yield "view", lambda: _visible(confinement.hidden, other_user=confinement.uid is not None)


def _unless(holds: bool, why: str) -> str:
    return "" if holds else why


def _refused(attempt: Callable[[], object], why: str) -> str:
    try:
        attempt()
    except PermissionError:
        return ""
    return why


def _signal() -> None:
    # Two ways: something else may refuse the first, but only the filter refuses the second.
    reader, _ = os.pipe()
    with contextlib.suppress(PermissionError):
        fcntl.fcntl(reader, fcntl.F_SETOWN, os.getppid())
        return
    os.kill(os.getppid(), 0)


def _unshare() -> None:
    checked(LIBC.unshare(0))


def _rights(file: Path, folder: Path) -> str:
    if capabilities.has_any():
        return "it has capabilities of root"
    for what, attempt in _changes(file, folder):
        before = _state(file), _state(folder)
        with contextlib.suppress(OSError):
            attempt()
        if (_state(file), _state(folder)) != before:
            return f"the {what} changed"
    for what, attempt in _requests():
        with contextlib.suppress(OSError):
            attempt()
            return f"{what} was not refused"
    return ""


def _state(path: Path) -> tuple[object, ...]:
    found = path.stat()
    attributes: tuple[str, ...] = ()
    with contextlib.suppress(OSError):  # some file systems have no attributes
        attributes = tuple(os.listxattr(path))
    return found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, found.st_size, attributes


def _changes(file: Path, folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield changes to try on a file and a folder of the grader's; they may appear to succeed."""
    yield "mode of a file", lambda: file.chmod(0o666)
    yield "mode of a folder", lambda: folder.chmod(0)
    yield "mode of a program", lambda: file.chmod(0o4755)
    yield "owner of a file", lambda: os.chown(file, 1, 1)
    yield "time of a file", lambda: os.utime(file, (1, 1))
    yield "attributes of a file", lambda: os.setxattr(file, "user.changed", b"")
    yield "size of a file", lambda: os.truncate(file, 0)


def _requests() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield requests that must be refused; none has a lasting effect."""
    grader = os.getppid()
    nice, processors = os.getpriority(os.PRIO_PROCESS, grader), os.sched_getaffinity(grader)
    yield "another process's priority", lambda: os.setpriority(os.PRIO_PROCESS, grader, nice)
    yield "another process's processors", lambda: os.sched_setaffinity(grader, processors)
    yield (
        "another process's scheduling",
        lambda: os.sched_setscheduler(grader, os.SCHED_OTHER, os.sched_param(0)),
    )
    yield "another process's input and output", lambda: _set_io_priority(grader)
    yield "a higher priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -5)
    yield (
        "real-time scheduling",
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    )
    yield "a lease on a file of Python's", _lease
    yield "shared memory of others", _control_shared_memory
    yield "the kernel's log", lambda: checked(LIBC.klogctl(_KERNEL_LOG_SIZE, None, 0))


def _set_io_priority(process: int) -> None:
    now = syscall(_IOPRIO_GET, _IOPRIO_PROCESS, process)
    syscall(_IOPRIO_SET, _IOPRIO_PROCESS, process, now)


def _control_shared_memory() -> None:
    try:
        checked(LIBC.shmctl(-1, 0, None))
    except PermissionError:
        raise
    except OSError:
        return  # there is no such segment: an existing one could be removed


def _lease() -> None:
    with open(os.__file__, "rb") as file:  # noqa: PTH123
        fcntl.fcntl(file, _F_SETLEASE, fcntl.F_RDLCK)


def _visible(hidden: tuple[str, ...], *, other_user: bool) -> str:
    for path in hidden:
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDONLY))
            mend = "install bubblewrap" + (
                ", or run chmod -R go-rwx on that folder" if other_user else ""
            )
            return f"{path} can be read; {mend}"
    return ""
