"""What a submission's process gives up before student code runs, and the proof that it did.

It runs on the untrusted side, in the worker and the processes forked from it. What a
process gives up is not assumed: `try_out` enters all layers in a process that then attempts
what each forbids, and only what was refused counts as held. `environment`, `watch` and
`accounts` are the supervisor's own doing.
"""

import contextlib
import ctypes
import errno
import fcntl
import functools
import os
import resource
import signal
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

LAYERS = {
    "session": "a session of its own: no terminal, no process group of ours",
    "directory": "a fresh private directory, wiped afterwards",
    "environment": "a clean environment",
    "watch": "time, memory, disk and processes of the whole tree are watched",
    "accounts": "removed files that it keeps open, and memory that it shares, are counted exactly",
    "limits": "limits on CPU, address space, file size, open files and core files",
    "user": "a user of its own, which owns nothing else",
    "groups": "no supplementary groups",
    "privileges": "no new privileges: setuid programs gain nothing",
    "private": "other processes cannot look into it: not dumpable",
    "network": "no network: no socket can be opened",
    "calls": "a filter that refuses ptrace, mount, namespaces, io_uring, keys and their like",
    "signals": "no signal reaches another process",
    "landlock": "Landlock: it reads the system and Python, and writes its own directory",
    "namespaces": "bubblewrap: a process table, network and file system of its own",
    "view": "staff files, other submissions and results cannot be read",
}
"""Every layer, and what it means. The names are in a log's `isolation`."""

LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True)
# What a process may read. Of /etc only what programs need to start and to print a date.
SYSTEM = (
    *("/usr", "/lib", "/lib64", "/bin", "/sbin", "/sys/devices/system/cpu"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types", "/etc/passwd"),
    *("/dev/random", "/dev/urandom"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
# A shell command in a cell (`!ls`) gets a terminal.
_TERMINALS = ("/dev/ptmx", "/dev/pts")
_MAX_FILE = 64_000_000
_MAX_OPEN_FILES = 256
_END_SECONDS, _END_LOOKS = 0.5, 500
# Grading goes before what is graded.
_NICE = 5
# A limit in seconds is one of the processor's. What waits for something else, as what sleeps
# does, is given so many times as long.
PATIENCE = 4.0
MAX_PROCESSES = 64


@dataclass(frozen=True)
class Confinement:
    """Which layers to enter; the supervisor's wish, less what cannot work here.

    Args:
        uid: Another user's id, or None to stay who we are.
        landlock: Whether to use Landlock.
        calls: Whether to filter system calls.
        readable: Folders of Python and its libraries.
        hidden: Files that must not be readable from inside.
        missing: Layer -> why it is not tried.
    """

    uid: int | None
    landlock: bool
    calls: bool
    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    missing: Mapping[str, str]


def enter(confinement: Confinement, directory: Path, *, memory_bytes: int, seconds: float) -> None:
    """Give up everything that student code does not need. There is no way back.

    Args:
        confinement: The layers.
        directory: Owned by the confinement's user; becomes the working directory.
        memory_bytes: Address space beyond what the worker has.
        seconds: Processor time of one process.

    Raises:
        OSError: a layer that should work did not; no student code may run then.
    """
    os.setsid()
    # Paths are looked up before the user changes: Python may lie where only we can look.
    rules = None
    if confinement.landlock:
        # Our own terminals are out of reach in a namespace, and for another user.
        apart = confinement.uid is not None or "namespaces" not in confinement.missing
        rules = _Landlock(confinement.readable, (directory, *(_TERMINALS if apart else ())))
    _limit(confinement, memory_bytes, seconds)
    if os.geteuid() == 0:
        os.setgroups([])
    if confinement.uid is not None:
        os.setresgid(confinement.uid, confinement.uid, confinement.uid)
        os.setresuid(confinement.uid, confinement.uid, confinement.uid)
    os.chdir(directory)
    os.umask(0o077)
    if LINUX:
        _prctl(_SET_NO_NEW_PRIVS, 1)
        hide_memory()
        if rules:
            rules.enforce()
        if confinement.calls:
            scoped = rules is not None and rules.version >= 6
            own = os.getpid() if confinement.uid is None and not scoped else None
            _filter_calls(_program(own))
        die_with_parent()


def hide_memory() -> None:
    """Keep processes of the same user out of this one's memory and environment."""
    if LINUX:
        _prctl(_SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """End this process when the one that forked it ends."""
    if LINUX:
        _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of processes whose parent ended, so that they can be found."""
    if LINUX:
        _prctl(_SET_CHILD_SUBREAPER, 1)


def reap(number: int, frame: object) -> None:  # noqa: ARG001
    """Wait for orphans that ended: what they had of the processor is then on our account."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def end_all(confinement: Confinement) -> None:
    """Kill every process of a submission at once, also those that fork faster than one can look."""
    if "namespaces" not in confinement.missing:
        # In a process table of its own, this reaches all but the worker and the first process.
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    elif confinement.uid is None:
        return
    elif os.fork() == 0:
        with contextlib.suppress(OSError):
            os.setresuid(confinement.uid, confinement.uid, confinement.uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    # Those that were orphaned are ours by now: when none is left, all are gone. What lives on,
    # because it ended the one that was to end it, is the supervisor's.
    with contextlib.suppress(ChildProcessError):
        for _ in range(_END_LOOKS):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(_END_SECONDS / _END_LOOKS)


def _limit(confinement: Confinement, memory_bytes: int, seconds: float) -> None:
    os.nice(_NICE)
    core, cpu = (0, 0), int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CORE, core)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_FILE, _MAX_FILE))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MAX_OPEN_FILES, _MAX_OPEN_FILES))
    if (
        confinement.uid is not None
    ):  # the kernel counts a user's processes: ours are not to be among them
        resource.setrlimit(resource.RLIMIT_NPROC, (2 * MAX_PROCESSES, 2 * MAX_PROCESSES))
    if LINUX:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        space = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        # Where memory runs out faster than we look, this goes before the grader does.
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


# prctl(2)
_SET_PDEATHSIG, _GET_DUMPABLE, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 3, 4, 36
_SET_NO_NEW_PRIVS, _GET_NO_NEW_PRIVS, _SET_SECCOMP = 38, 39, 22


def _prctl(option: int, value: int = 0) -> int:
    return _checked(_LIBC.prctl(option, value, 0, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


_REFUSED_CALLS = """
    socket ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_open
    pidfd_getfd mount umount2 pivot_root chroot unshare setns move_mount open_tree fsopen
    fsconfig fsmount fspick mount_setattr bpf perf_event_open io_uring_setup
    io_uring_enter io_uring_register userfaultfd keyctl add_key request_key
    open_by_handle_at name_to_handle_at fanotify_init quotactl acct init_module
    finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
    settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname iopl
    ioperm shmget msgget semget mq_open memfd_create memfd_secret
""".split()
_SIGNAL_CALLS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal".split()
# A file can be told to send signals: F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP.
_SIGNALS_BY_OTHER_MEANS = (("fcntl", 8), ("fcntl", 15), ("ioctl", 0x8901), ("ioctl", 0x8902))
# Namespaces: mount, cgroup, uts, ipc, user, pid, net.
_CLONE_NEW = (1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30)


@functools.cache
def _program(only_to: int | None) -> bytes:
    """Return a filter that refuses system calls, in the kernel's own form: making it takes long.

    Args:
        only_to: The one process that may be sent a signal; None where the filter is not to look.
    """
    import pyseccomp as seccomp

    calls = seccomp.SyscallFilter(seccomp.ALLOW)
    refused = seccomp.ERRNO(errno.EPERM)
    for name in _REFUSED_CALLS:
        _refuse(calls, refused, name)
    for flag in _CLONE_NEW:
        calls.add_rule(refused, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    # Its flags lie in memory where a filter cannot look; libc then takes clone.
    _refuse(calls, seccomp.ERRNO(errno.ENOSYS), "clone3")
    # Somebody else's limits can end a process as well as a signal.
    calls.add_rule(refused, "prlimit64", seccomp.Arg(0, seccomp.NE, 0))
    for call, number in _SIGNALS_BY_OTHER_MEANS:
        # The kernel looks at the lower half of this argument only.
        calls.add_rule(refused, call, seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFFFFFF, number))
    # Space is taken by what is written to it: without this call, libc writes.
    calls.add_rule(seccomp.ERRNO(errno.EOPNOTSUPP), "fallocate")
    if only_to is not None:
        for name in _SIGNAL_CALLS:
            calls.add_rule(refused, name, seccomp.Arg(0, seccomp.NE, only_to))
    reader, writer = os.pipe()  # there may be no folder to write to any more
    with os.fdopen(writer, "wb") as out:
        calls.export_bpf(out)
    with os.fdopen(reader, "rb") as program:
        return program.read()


def _refuse(calls: object, action: int, name: str) -> None:
    # An older libseccomp does not know the newest calls.
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        calls.add_rule(action, name)  # type: ignore[attr-defined]


class _Filter(ctypes.Structure):
    """A sock_fprog (linux/filter.h); an instruction has eight bytes."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def _filter_calls(program: bytes) -> None:
    which = ctypes.byref(_Filter(len(program) // 8, program))
    _checked(_LIBC.prctl(_SET_SECCOMP, 2, which, 0, 0))


class _Landlock:
    """A Landlock ruleset (linux/landlock.h): what is not allowed here is refused."""

    _CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
    # Rights by the version that brought them.
    _EXECUTE, _WRITE, _READ, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
    _ALL = ((1, 0x1FFF), (2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL))
    _FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL

    class _Ruleset(ctypes.Structure):
        _fields_ = (
            ("files", ctypes.c_uint64),
            ("network", ctypes.c_uint64),
            ("scoped", ctypes.c_uint64),
        )

    class _Beneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))

    def __init__(self, readable: Iterable[str], writable: Iterable[str | Path]) -> None:
        self.version = landlock_version()
        self._files = sum(rights for since, rights in self._ALL if self.version >= since)
        ruleset = self._Ruleset(
            self._files, 3 if self.version >= 4 else 0, 3 if self.version >= 6 else 0
        )
        size = 24 if self.version >= 6 else 16 if self.version >= 4 else 8
        self._descriptor = _syscall(self._CREATE, ctypes.byref(ruleset), size, 0)
        for path in (*SYSTEM, *readable):
            self._allow(path, self._EXECUTE | self._READ | self._READ_DIR)
        for place in (*_DEVICES, *writable):
            self._allow(place, self._files)

    def _allow(self, path: str | Path, rights: int) -> None:
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return  # what is not there need not be allowed
        try:
            folder = stat.S_ISDIR(os.fstat(parent).st_mode)
            allowed = rights & self._files & (-1 if folder else self._FILE)
            rule = self._Beneath(allowed, parent)
            _syscall(self._ADD, self._descriptor, 1, ctypes.byref(rule), 0)
        finally:
            os.close(parent)

    def enforce(self) -> None:
        _syscall(self._RESTRICT, self._descriptor, 0)
        os.close(self._descriptor)


def _syscall(number: int, *arguments: object) -> int:
    return _checked(_LIBC.syscall(number, *arguments))


def landlock_version() -> int:
    """Return the kernel's Landlock version, 0 where there is none."""
    if not LINUX:
        return 0
    with contextlib.suppress(OSError):
        return _syscall(_Landlock._CREATE, None, 0, 1)
    return 0


def settle(confinement: Confinement) -> Confinement:
    """Return the confinement without what cannot be had here, with the reasons."""
    missing = dict(confinement.missing)
    if not LINUX:
        nothing = f"there is nothing for it on {sys.platform}"
        names = "user privileges private network calls signals landlock namespaces".split()
        return replace(
            confinement,
            uid=None,
            landlock=False,
            calls=False,
            missing=missing | dict.fromkeys(names, nothing),
        )
    if "namespaces" not in missing and b"bwrap" not in Path("/proc/1/comm").read_bytes():
        missing["namespaces"] = "the process table is still the machine's"
    if not landlock_version():
        missing.setdefault("landlock", "the kernel has none, or the container forbids it")
    try:
        _program(None)  # from now on it is there
    except (ImportError, RuntimeError):
        missing["calls"] = (
            "libseccomp is not installed (Debian and Ubuntu: apt install libseccomp2)"
        )
    if confinement.uid is not None and (closed := _closed_to(confinement.uid)):
        missing["user"] = (
            f"other users cannot read {closed}; put Python elsewhere, or install bubblewrap"
        )
    return replace(
        confinement,
        uid=None if "user" in missing else confinement.uid,
        landlock="landlock" not in missing,
        calls="calls" not in missing,
        missing=missing,
    )


def _closed_to(uid: int) -> str:
    """Return a file of Python that this user cannot read, or nothing."""
    modules = [getattr(module, "__file__", None) for module in tuple(sys.modules.values())]
    files = {sys.executable, *(path for path in modules if path and Path(path).is_absolute())}
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        closed_files = (path for path in sorted(files) if not os.access(path, os.R_OK))
        os.write(writer, next(closed_files, "").encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        closed = answer.read()
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)
    return closed


def try_out(confinement: Confinement, directory: Path) -> dict[str, str]:
    """Enter all layers, attempt what each forbids, and return layer -> why it does not work.

    To be called in a process that ends afterwards. The directory's parent has
    a file `witness` that everybody may read.
    """
    enter(confinement, directory, memory_bytes=1_000_000_000, seconds=60)
    tried = {name: why for name, check in _checks(confinement, directory) if (why := check())}
    return tried | dict(confinement.missing)


def _checks(confinement: Confinement, directory: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    mode = stat.S_IMODE(directory.stat().st_mode)
    yield "session", lambda: _unless(os.getsid(0) == os.getpid(), "setsid had no effect")
    yield "directory", lambda: _unless(mode == 0o700, "others may enter it")
    core = resource.getrlimit(resource.RLIMIT_CORE)
    yield "limits", lambda: _unless(core == (0, 0), "setrlimit had no effect")
    yield (
        "user",
        lambda: _unless(
            {os.getuid(), os.geteuid()} == {confinement.uid}, "the user did not change"
        ),
    )
    groups = set(os.getgroups()) - {os.getgid()}
    yield "groups", lambda: _unless(not groups, "only root may leave its groups")
    if LINUX:
        yield "privileges", lambda: _unless(_prctl(_GET_NO_NEW_PRIVS) == 1, "prctl had no effect")
        yield "private", lambda: _unless(_prctl(_GET_DUMPABLE) == 0, "prctl had no effect")
        yield "network", lambda: _refused(lambda: socket.socket().close(), "a socket was opened")
        yield "calls", lambda: _refused(_unshare, "unshare was not refused")
        yield "signals", lambda: _refused(_signal, "a signal went out")
        witness = directory.parent / "witness"
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
    # Two ways; the filter refuses the second one, whoever refuses the first.
    reader, _ = os.pipe()
    with contextlib.suppress(PermissionError):
        fcntl.fcntl(reader, fcntl.F_SETOWN, os.getppid())
        return
    os.kill(os.getppid(), 0)


def _unshare() -> None:
    _checked(_LIBC.unshare(0))


def _visible(hidden: tuple[str, ...], *, other_user: bool) -> str:
    """Say which of the files that must stay out of view can be opened."""
    for path in hidden:
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDONLY))
            mend = "install bubblewrap" + (", or chmod -R go-rwx its folder" if other_user else "")
            return f"{path} can be read; {mend}"
    return ""
