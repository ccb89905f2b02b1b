"""Our side of the trust line: it starts the untrusted process tree, talks to it, and ends it.

Before it serves anybody, our own answers go through it like a student's and must come back
correctly: a failure here is our fault, never a student's loss.
"""

import contextlib
import functools
import hashlib
import itertools
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import psutil

from autograder.program.visible_checks import without_call
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.sandbox import canary, fonts
from autograder.sandbox.accounting import Usage, tree, unseen
from autograder.sandbox.inside.layers import LAYERS, PASSWD, SYSTEM, Confinement, readable
from autograder.sandbox.inside.linux import mounts
from autograder.sandbox.inside.linux.system import LINUX, hide_memory
from autograder.sandbox.inside.trial import WITNESSES
from autograder.sandbox.run import Run, RunEnded, SandboxFault, last_line

START_SECONDS = 120.0
WORKER = "autograder.sandbox.inside.worker"
# The part of our environment that a notebook may see. TZ and LANG affect output.
_KEPT_VARIABLES = ("LANG", "LC_ALL", "TZ")
# A worker is replaced after this many, which discards everything it may have gathered.
MAX_RUNS = 1_000
# The first of the user ids that no distribution assigns; each sandbox takes one.
_USERS, _counter = range(50_000, 60_000), itertools.count()
# Machines and containers may share a folder for temporary files, but not process ids.
_OURS = f"sandbox-{hashlib.sha256(platform.node().encode()).hexdigest()[:8]}-"
_COMPLAINTS = "worker.log"
# Layers that no other layer can replace.
_NEEDED = ("network", "calls", "signals", "rights", "view")


class Sandbox:
    """A warm untrusted process that serves one submission at a time.

    Use it as a context manager; the process starts when first needed.

    Args:
        hidden: Files that must not be readable from inside; that is tested, not assumed.
        without: Layers not to use, of "user", "landlock" and "namespaces".
        worker: The module that serves inside; it calls `worker.serve`.

    Raises:
        SandboxFault: by most methods, if the sandbox does not work on this machine.
        UserError: if the setup forbids its use, or a part of the homework does not work in it.
    """

    def __init__(
        self,
        *,
        hidden: Iterable[Path] = (),
        without: Collection[str] = (),
        worker: str = WORKER,
    ) -> None:
        self._module = worker
        self._hidden: tuple[str, ...] = ()
        self.expect(hidden=hidden)
        self._without = dict.fromkeys(without, "switched off")
        self.until = float("inf")
        """The latest end of each run, on `time.monotonic()`'s clock."""

    def __enter__(self) -> Self:
        self._home: Path | None = None
        self._worker: subprocess.Popen[bytes] | None = None
        self._ready = self._examining = False
        self._first_missing: set[str] | None = None
        self._missing: dict[str, str] = {}
        self.starved = False
        """Whether a run lost something because of other processes since this was last reset."""
        with contextlib.suppress(OSError):  # the first use reports the reason
            self._make_home()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()
        if self._home:
            _remove(self._home)

    def expect(self, homework: Homework | None = None, *, hidden: Iterable[Path] = ()) -> None:
        """Prepare the sandbox for a homework, at any time before its first use.

        The homework's files for students, and its adapters, are read at the start. Hidden files
        stay hidden; these are added.
        """
        self._hidden += tuple(str(path.resolve()) for path in hidden)
        self._given: dict[str, Any] = {"adapters": "", "cells": []}
        self._warm: tuple[str, ...] | None = None
        self._folder = f"source/{homework.name}/" if homework else ""
        if homework:
            self._warm = homework.warm
            code = [cell for cell in homework.cells if cell.type == "code"]
            given = [
                without_call(cell.source, cell.grade_id or "") or cell.source
                for cell in code
                if cell.role not in ("answer", "demo")
            ]
            self._given = {"adapters": homework.adapters, "cells": given}

    @property
    def missing(self) -> Mapping[str, str]:
        """Return why layers are missing here; raise UserError if the sandbox must not be used."""
        if not self._ready:
            self._start()
        return self._missing

    @property
    def layers(self) -> tuple[str, ...]:
        """Return the names of the layers that work here."""
        return tuple(name for name in LAYERS if name not in self.missing)

    @property
    def worker(self) -> int:
        """Return the process number of the worker, the parent of all submissions' processes."""
        if not self._ready:
            self._start()
        return self._ancestor

    def launch(self, warm: Iterable[str] | None = None) -> None:
        """Start the process without waiting for it, so that other work can go on while it warms up.

        If the homework is not read yet, `warm` guesses its imports; a wrong guess only takes time.
        """
        if self._worker is not None:
            return
        self._imported = tuple(self._warm or () if warm is None else warm)
        try:
            self._launch()
        except OSError as error:
            raise SandboxFault(f"the sandbox cannot be started ({error})") from error

    def _launch(self) -> None:
        missing = dict(self._without)
        if os.geteuid() != 0:
            missing.setdefault("user", "only root may run code as a different user")
        home = self._make_home()
        ours, theirs = socket.socketpair()
        # Resolved, because a folder before ".." may not exist inside.
        python = [os.path.normpath(sys.executable), "-s", "-P", "-m", self._module, *self._imported]
        bubblewrap = self._bubblewrap(home, missing)
        fonts.copy_list(home)
        with theirs, (home / _COMPLAINTS).open("wb") as stderr:
            self._worker = subprocess.Popen(
                # This isolates like -I, which would also ignore PYTHONHASHSEED; the environment is
                # ours anyway.
                [*bubblewrap, *python],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=home,
                env=self._environment(home),
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(START_SECONDS)
        self._missing = missing

    def _make_home(self) -> Path:
        if self._home is None:
            remove_stale()
            home = Path(tempfile.mkdtemp(prefix=f"{_OURS}{os.getpid()}-")).resolve()
            home.chmod(0o711)  # other users pass through it to their own directory
            file, folder = (home / name for name in WITNESSES)
            user = os.geteuid() or self._candidate
            line = f"student:x:{user}:{user}:student:{home}:/bin/sh\n"
            try:
                folder.mkdir()
                for path, text in ((file, "readable by all but Landlock\n"), (home / PASSWD, line)):
                    path.write_text(text)
                    path.chmod(0o644)  # whatever the umask is
            except OSError:
                _remove(home)
                raise
            self._home = home
        return self._home

    def _start(self) -> None:
        try:
            self._begin()
        except (SandboxFault, UserError):
            self._stop()
            raise

    def _begin(self) -> None:
        self._uid: int | None = None
        self._trusted: set[psutil.Process] = set()
        if self._worker and self._warm is not None and self._imported != self._warm:
            self._stop()
        for _ in range(2):  # the machine may have ended the first process
            self.launch()
            report = self._shake_hands(self._missing)
            if "uid" in report:
                break
            self._stop()
            if "unfit" in report:
                raise UserError(f"{self._folder}{report['unfit']}")
        if "uid" not in report or "broken" in report["missing"]:
            self._stop()
            said = report.get("missing", {}).get("broken") or self._complaints()
            raise SandboxFault(f"the sandbox's worker does not start: {last_line(said)}")
        if why := _other_package(report.get("files", {})):
            raise SandboxFault(why)
        self._uid, self._missing, self._ready = report["uid"], report["missing"], True
        if why := unseen():
            self._missing = {**self._missing, "accounts": why}
        if self._first_missing is None:
            self._first_missing = set(self._missing)
        if lost := set(self._missing) - self._first_missing:
            raise SandboxFault(f"the layer {min(lost)!r} worked at first but no longer does")
        # The worker, and bubblewrap around it. Any other process found later is a submission's.
        self._trusted = set(self._own_processes())
        # The process that imported everything: all submissions' processes are forks of it.
        self._ancestor: int = max(self._trusted, key=lambda process: process.memory_info().rss).pid
        if os.geteuid() == 0 and "user" in self._missing:
            raise UserError(
                f"student code would run as root: {self._missing['user']}. You can also grade as "
                "an ordinary user"
            )
        if {"landlock", "namespaces"} <= set(self._missing) and self._uid is None:
            hide_memory()
        if self._module == WORKER:
            self.examine()
        self._runs = 0

    def examine(self) -> None:
        """Have our own answers evaluated; raise SandboxFault if one does not come back correctly."""
        self._runs, self._examining = 0, True
        try:
            with self.run(canary.job()) as run:
                canary.examine(run)
        except (OSError, RunEnded, SandboxFault) as error:
            self._stop()
            if isinstance(error, SandboxFault):
                raise
            raise SandboxFault(f"the sandbox does not work here ({error})") from error
        finally:
            self._examining = False

    def _complaints(self) -> str:
        with contextlib.suppress(OSError):
            return (self._make_home() / _COMPLAINTS).read_text(errors="replace")
        return ""

    def _shake_hands(self, missing: Mapping[str, str]) -> dict[str, Any]:
        uid = None if "user" in missing else self._candidate
        confinement = Confinement(uid=uid, hidden=self._hidden, missing=missing)
        report: dict[str, Any] = {}
        trial = None
        with contextlib.suppress(OSError, ValueError):
            trial = self._new_directory(uid)
            wish = {"confinement": asdict(confinement), "trial": str(trial), **self._given}
            self._control.sendall(json.dumps(wish).encode() + b"\n")
            with self._control.makefile("rb") as lines:
                report = json.loads(lines.readline())
        if trial:
            _remove(trial)
        return report

    @cached_property
    def _candidate(self) -> int:
        """Return a user id for this sandbox alone, so that sandboxes cannot signal each other."""
        start = 64 * os.getpid() + next(_counter)
        taken = {p.info["uids"].real for p in psutil.process_iter(["uids"]) if p.info["uids"]}
        ids = (_USERS[(start + step) % len(_USERS)] for step in range(len(_USERS)))
        return next(uid for uid in ids if uid not in taken)

    def _environment(self, home: Path) -> dict[str, str]:
        return {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | {
            **dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR"), str(home)),
            **dict.fromkeys(("USER", "LOGNAME"), "student"),
            # `!python` and `!pip` are those of the Python that runs the notebook.
            "PATH": os.pathsep.join(
                (str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
            ),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            # macOS kills a fork that touches Apple's frameworks, unless told otherwise.
            "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
            # The debugger's warning about frozen modules says nothing about a notebook.
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        }

    def _bubblewrap(self, home: Path, missing: dict[str, str]) -> list[str]:
        if "namespaces" in missing or not LINUX:
            return []
        if not (program := shutil.which("bwrap")):
            missing["namespaces"] = "bubblewrap is not installed (Debian: apt install bubblewrap)"
            return []
        command = [program, *_namespaces(home)]
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, timeout=60)
        if tried.returncode == 0:
            return command
        missing["namespaces"] = f"bubblewrap does not work here ({tried.stderr.strip()[:200]})"
        return []

    def _hear(self, expected: bytes) -> bool:
        try:
            return self._control.recv(1) == expected
        except OSError:
            return False

    def _stop(self) -> None:
        if self._worker is None:
            return
        if self._ready:  # nothing of a submission had started yet
            self._end_descendants()
        self._control.close()
        self._worker.kill()
        self._worker.wait()
        self._worker, self._ready = None, False

    @contextlib.contextmanager
    def run(self, job: Mapping[str, Any]) -> Iterator[Run]:
        """Fork a process for one submission; on leaving, end everything that it started."""
        if not self._ready:
            self._start()
        if self._runs >= MAX_RUNS:
            self._stop()
            self._start()
        self._runs += 1
        home = self._make_home()
        directory = self._new_directory(self._uid)
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._fork(theirs)
            usage = Usage(
                self.pids,
                ancestor=self._ancestor,
                folders=lambda: [home, *self._elsewhere()],
                memory_bytes=job["memory_bytes"],
                until=self.until,
            )
            run = Run(ours, directory, usage)
            run.send({**job, "directory": directory.name})
            try:
                yield run
            finally:
                self.starved |= run.starved or usage.out_of_space()
        finally:
            ours.close()
            self._end_descendants()
            _remove(directory)
            for path in self._elsewhere():
                _remove(path)

    def _new_directory(self, uid: int | None) -> Path:
        directory = Path(tempfile.mkdtemp(prefix="submission-", dir=self._make_home()))
        if uid is not None:
            os.chown(directory, uid, uid)
        return directory

    def _fork(self, channel: socket.socket) -> None:
        """Have the worker fork a child that owns `channel`; start a new worker if it is gone."""
        for _ in range(1 if self._examining else 2):
            if not self._ready:
                self._start()
            with contextlib.suppress(OSError):
                socket.send_fds(self._control, [b"f"], [channel.fileno()])
                if self._hear(b"f"):
                    return
            self._stop()
        raise SandboxFault(
            f"the sandbox's worker died at the start of a run: {last_line(self._complaints())}"
        )

    def pids(self) -> list[int]:
        """Return the numbers of a submission's processes, including ended ones."""
        assert self._worker is not None
        trusted = {process.pid for process in self._trusted}
        return [pid for pid in tree(self._worker.pid) if pid not in trusted]

    def _end_descendants(self) -> None:
        if self._worker is None:  # they ended with it
            return
        for _ in range(100):
            # End all at once first: processes that fork and exit at once never appear in a list.
            with contextlib.suppress(OSError):
                self._control.sendall(b"k")
                self._hear(b"k")
            # An ended process that nobody waited for would count against the next submission.
            if not self.pids():
                return
            processes = [one for one in self._own_processes() if one not in self._trusted]
            for process in processes:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(processes, timeout=1)
        # Something forks faster than we look, so end its namespace, or at least our worker.
        assert self._worker is not None
        self._worker.kill()
        self._worker.wait()

    def _own_processes(self) -> list[psutil.Process]:
        """Return the living processes below the one we started; if it is gone, those of our user."""
        if self._worker is None:
            return []
        found: set[psutil.Process] = set()
        for pid in tree(self._worker.pid):
            with contextlib.suppress(psutil.Error):
                found.add(psutil.Process(pid))
        if self._uid is not None and self._worker.poll() is not None:
            found |= set(_processes_of(self._uid))
        return [process for process in found if _lives(process)]

    def _elsewhere(self) -> Iterator[Path]:
        """Yield a submission's files in world-writable places, if it could reach them."""
        if self._uid is None or not {"landlock", "namespaces"} <= set(self._missing):
            return
        for folder in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/run/lock")):
            with contextlib.suppress(OSError):
                for path in folder.iterdir():
                    with contextlib.suppress(OSError):  # the process may be gone
                        if path.lstat().st_uid == self._uid:
                            yield path


def gaps(missing: Mapping[str, str]) -> dict[str, str]:
    """Return the missing layers that no other can replace, with the reasons."""
    return {name: missing[name] for name in _NEEDED if name in missing}


def require(layers: Iterable[str], missing: Mapping[str, str]) -> None:
    """Raise UserError unless all these layers work."""
    for name in layers:
        if name not in LAYERS:
            raise UserError(f"there is no layer {name!r}; choose from {', '.join(LAYERS)}")
        if why := missing.get(name):
            raise UserError(f"the layer {name!r} is required but does not work here: {why}")


def _other_package(files: Mapping[str, str]) -> str:
    """Return why the worker, by its files' digests, does not run this very package, or ""."""
    here = Path(__file__).resolve().parents[1]
    elsewhere = sorted({str(Path(file).parent) for file in files if here not in Path(file).parents})
    if elsewhere or not files:
        other = elsewhere[0] if elsewhere else "an earlier version of this package"
        return (
            f"the sandbox would run {other}, but marks would come from {here}; run "
            f"`pip install -e {here.parent}`, or use the `autograder` program of the other copy"
        )
    changed = [file for file, digest in files.items() if digest != _digest(Path(file))]
    return f"{changed[0]} has changed since this began; run it again" if changed else ""


@functools.cache  # as when we began
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _namespaces(home: Path) -> list[str]:
    arguments = [
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--die-with-parent",
    ]
    if os.geteuid() == 0:
        arguments += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL"]
    made: set[Path] = set()

    def bind(option: str, path: Path, source: Path | None = None) -> None:
        for parent in reversed(path.parents[:-1]):
            if parent not in made:
                # bubblewrap would make it accessible only to its own user.
                arguments.extend(["--perms", "0755", "--dir", str(parent)])
                made.add(parent)
        arguments.extend([option, str((source or path).resolve()), str(path)])
        made.add(path)

    for path in map(Path, SYSTEM):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists() and not path.is_relative_to("/proc"):
            bind("--ro-bind", path)
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    made |= {Path("/proc"), Path("/dev")}
    for path in map(Path, readable()):
        if not path.is_relative_to("/usr"):
            for part in mounts.parts(path):
                bind("--ro-bind", part)
    bind("--bind", home)
    bind("--ro-bind", Path("/etc/passwd"), home / PASSWD)
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(home), "--"]


def _processes_of(uid: int) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.uids().real == uid:
                yield process


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def remove_stale() -> None:
    """Remove the remains of a grader that was killed, or stopped during cleanup."""
    for path in Path(tempfile.gettempdir()).glob(f"{_OURS}*-*"):
        owner = path.name.removeprefix(_OURS).split("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == os.geteuid():
                    _remove(path)


def _remove(path: Path) -> None:
    """Remove a file or folder that may resist removal; rm has no depth limit."""
    for _ in range(2):
        subprocess.run(["rm", "-rf", "--", path], stderr=subprocess.DEVNULL, check=False)
        if not path.is_symlink() and not path.exists():
            return
        # Folders without permissions hide their contents.
        subprocess.run(["chmod", "-R", "u+rwX", "--", path], stderr=subprocess.DEVNULL, check=False)
