"""The layers: before student code runs, they take away everything that it does not need.

This runs on the untrusted side, in the worker and in the processes forked from it. No layer is
assumed to work: `trial.py` attempts what each one forbids. The supervisor enforces `environment`,
`watch` and `accounts`.
"""

import contextlib
import functools
import os
import resource
import signal
import sys
import sysconfig
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.sandbox.inside.linux import capabilities, landlock, mounts, seccomp
from autograder.sandbox.inside.linux.system import (
    LINUX,
    SET_NO_NEW_PRIVS,
    die_with_parent,
    hide_memory,
    prctl,
)

LAYERS = {
    "session": "its own session: no terminal, and no process group of ours",
    "directory": "a fresh private directory, wiped afterwards",
    "environment": "a clean environment",
    "watch": "time, memory, disk and processes of the whole tree are watched",
    "accounts": "removed files that it keeps open, and memory that it shares, are counted exactly",
    "limits": "limits on CPU, address space, file size, open files and core files",
    "user": "its own user, who owns nothing else",
    "groups": "no supplementary groups",
    "privileges": "no new privileges: setuid programs gain nothing",
    "private": "other processes cannot look into it: not dumpable",
    "network": "no network: no socket can be opened",
    "calls": "a filter that refuses ptrace, mount, namespaces, io_uring, keys and their like",
    "signals": "no signal reaches another process",
    "rights": "no mode, owner, time, priority, lease or kernel log outside its own directory",
    "landlock": "Landlock: it reads files of the system and Python, and writes its own directory",
    "namespaces": "bubblewrap: its own process table, network and file system",
    "view": "staff files, other submissions and results cannot be read",
}
"""Every layer and its meaning. A log's `isolation` has these names."""

# Files that a process may read. In /etc, only those that programs need to start and to print a
# date.
SYSTEM = (
    *("/usr", "/lib", "/lib64", "/bin", "/sbin", "/sys/devices/system/cpu"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/mime.types"),
    # Debian's Python has its sitecustomize.py there.
    f"/etc/python{sys.version_info.major}.{sys.version_info.minor}",
    *("/dev/random", "/dev/urandom"),
)
PASSWD = "passwd"
"""The file in the worker's folder that serves as /etc/passwd inside: it lists only the student's
user.
"""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_MAX_FILE = 64_000_000
_MAX_OPEN_FILES = 256
_END_SECONDS, _END_LOOKS = 0.5, 500
# The grader's own processes take precedence over submissions.
_NICE = 5
# Limits are in processor time. A process that waits or sleeps gets this many times as long.
PATIENCE = 4.0
MAX_PROCESSES = 64


@dataclass(frozen=True)
class Confinement:
    """The layers to enter: the supervisor's wish, without those that cannot work here."""

    uid: int | None  # a different user's id, or None to keep ours
    hidden: tuple[str, ...]  # files that must not be readable from inside
    missing: Mapping[str, str]  # layer -> why it is not tried


def enter(confinement: Confinement, directory: Path, *, memory_bytes: int, seconds: float) -> None:
    """Give up everything that student code does not need, irreversibly.

    The directory becomes the working directory. Memory is address space beyond the worker's, and
    time is one process's processor time. It raises OSError if a layer that should work does not;
    then no student code may run.
    """
    os.setsid()
    # Paths are resolved before the user changes: only we may be able to reach Python.
    rules = None
    if "landlock" not in confinement.missing:
        shown = (*SYSTEM, *readable(), *_own_passwd(directory.parent))
        rules = landlock.Ruleset(shown, (*_DEVICES, directory))
    _limit(confinement, memory_bytes, seconds)
    if LINUX:
        capabilities.drop_bounding_set()
    if os.geteuid() == 0:
        os.setgroups([])
    if confinement.uid is not None:
        os.setresgid(confinement.uid, confinement.uid, confinement.uid)
        os.setresuid(confinement.uid, confinement.uid, confinement.uid)
    os.chdir(directory)
    os.umask(0o077)
    if LINUX:
        prctl(SET_NO_NEW_PRIVS, 1)
        hide_memory()
        capabilities.drop()
        if rules:
            rules.enforce()
        if "calls" not in confinement.missing:
            scoped = rules is not None and rules.version >= 6
            same_user = confinement.uid is None
            only_to = os.getpid() if same_user and not scoped else None
            seccomp.enforce(seccomp.program(only_to, pretends=same_user))
        die_with_parent()


@functools.cache  # asked for before each run
def readable() -> tuple[str, ...]:
    """Return the folders of this process's Python, its libraries and this package."""
    places = sysconfig.get_paths()
    libraries = [places[name] for name in ("stdlib", "purelib", "platlib")]
    package = Path(__file__).parents[2]
    folders = [*map(Path, (sys.prefix, sys.base_prefix, *libraries)), package]
    return tuple(sorted({str(path) for folder in folders for path in (folder, folder.resolve())}))


def _own_passwd(home: Path) -> tuple[str, ...]:
    """Return /etc/passwd if it is the file made for the sandbox, not the machine's."""
    with contextlib.suppress(OSError):
        if Path("/etc/passwd").samefile(home / PASSWD):
            return ("/etc/passwd",)
    return ()


def reap(number: int, frame: object) -> None:  # noqa: ARG001
    """Wait for ended orphans, so that their processor time goes to our account."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def end_all(confinement: Confinement) -> None:
    """Kill all of a submission's processes at once, even if they fork faster than we look."""
    if "namespaces" not in confinement.missing:
        # In its own process table, this reaches all but the worker and the first process.
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    elif confinement.uid is None:
        return
    elif os.fork() == 0:
        with contextlib.suppress(OSError):
            os.setresuid(confinement.uid, confinement.uid, confinement.uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    # We have adopted all orphans, so when none is left, all are gone. A process may survive by
    # killing the process that should end it; then the supervisor ends it.
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
    # The kernel counts a user's processes, and ours must not be among them.
    if confinement.uid is not None:
        resource.setrlimit(resource.RLIMIT_NPROC, (2 * MAX_PROCESSES, 2 * MAX_PROCESSES))
    if LINUX:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        space = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
        # If memory runs out faster than we look, the kernel ends this process before the grader.
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


def settle(confinement: Confinement, home: Path) -> Confinement:
    """Return the confinement without the layers that are impossible here, with the reasons."""
    missing = dict(confinement.missing)
    if not LINUX:
        nothing = f"not available on {sys.platform}"
        names = "user privileges private network calls signals rights landlock namespaces".split()
        return replace(confinement, uid=None, missing=missing | dict.fromkeys(names, nothing))
    if "namespaces" not in missing and b"bwrap" not in Path("/proc/1/comm").read_bytes():
        missing["namespaces"] = "the process table is still the machine's"
    if not landlock.version():
        missing.setdefault("landlock", "the kernel lacks it, or the container forbids it")
    if confinement.uid is not None:
        if "namespaces" in missing:
            with contextlib.suppress(OSError):  # most containers forbid it, and few need it
                mounts.open_to_others((*readable(), str(home)), passwd=home / PASSWD)
        if why := _why_not(confinement.uid, home):
            missing["user"] = why
    uid = None if "user" in missing else confinement.uid
    readable()  # it takes long, so the result is cached before any fork
    try:
        seccomp.program(None, pretends=uid is None)  # cached before any fork
    except (ImportError, RuntimeError):
        missing["calls"] = (
            "libseccomp is not installed (Debian and Ubuntu: apt install libseccomp2)"
        )
    return replace(confinement, uid=uid, missing=missing)


def _why_not(uid: int, home: Path) -> str:
    """Return why this process cannot become a different user who can read Python; "" if it can."""
    modules = [getattr(module, "__file__", None) for module in tuple(sys.modules.values())]
    files = {sys.executable, *(path for path in modules if path and Path(path).is_absolute())}
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        why = "the user cannot be changed"
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            closed = [path for path in sorted(files) if not os.access(path, os.R_OK)]
            closed += [] if os.access(home, os.X_OK) else [str(home)]
            mend = "install bubblewrap, or install Python where other users can read it, such as in /opt"
            why = f"other users cannot read {closed[0]}; {mend}" if closed else ""
        finally:
            os.write(writer, why.encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        why = answer.read()
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)
    return why
