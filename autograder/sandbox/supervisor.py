"""The supervisor's side of the trust line: starts the untrusted process tree and ends it.

What arrives from the sandbox is data. It is read with a deadline and a size
limit, and whatever does not look as `worker.py` promises ends the run.
"""

import contextlib
import hashlib
import itertools
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import psutil

from autograder import codec
from autograder.model import Homework, UserError
from autograder.sandbox import fonts
from autograder.sandbox.inside.layers import LAYERS, LINUX, SYSTEM, Confinement, hide_memory
from autograder.sandbox.usage import Usage, tree, unseen

START_SECONDS = 120.0
# A reply travels as one line; a cell's outputs are capped before they are sent.
MAX_LINE = 40_000_000
# Of all that a submission sends: it stays in our memory while it is graded.
MAX_SAID = 80_000_000
# What a notebook may see of our environment. TZ and LANG change what is printed.
_KEPT_VARIABLES = ("LANG", "LC_ALL", "TZ")
_WATCH_SECONDS = 0.5
_SHORTEST_WAIT = 0.02
# A worker is then replaced: whatever it may have gathered goes with it.
MAX_RUNS = 1_000
# User ids that no distribution gives to people or services; each sandbox takes one.
_USERS, _counter = range(50_000, 60_000), itertools.count()
# Machines and containers may share a folder for temporary files, but not process ids.
_OURS = f"sandbox-{hashlib.sha256(platform.node().encode()).hexdigest()[:8]}-"
# Layers that no other makes up for.
_NEEDED = ("network", "calls", "signals", "view")


class RunEnded(Exception):
    """The submission's process is gone, or had to be ended.

    Args:
        timed_out: Whether its time was over.
        why: What it used too much of, where that was the reason.
    """

    def __init__(self, *, timed_out: bool = False, why: str = "") -> None:
        super().__init__(why or ("timed out" if timed_out else "ended by itself"))
        self.timed_out = timed_out
        self.why = why


class Run:
    """One submission's process: a channel of JSON lines, each read with a deadline.

    Args:
        channel: The supervisor's end.
        directory: Where the submission works.
        usage: What it uses.
    """

    def __init__(self, channel: socket.socket, directory: Path, usage: Usage) -> None:
        self._channel = channel
        self._pending = b""
        self._said = 0
        self._usage, self._watched = usage, time.monotonic()
        self._began = usage.last
        self.directory = directory
        self.hindered = False
        """Whether it lost something, or may have, because of what others did."""

    def clock(self) -> float:
        """Return how much time the submission has used, of processors; what sleeps uses less."""
        return self._usage.clock()

    def send(self, message: Any) -> None:
        """Send one JSON line; RunEnded when nobody reads it."""
        try:
            self._channel.settimeout(30)
            self._channel.sendall(msgspec.json.encode(message) + b"\n")
        except OSError as error:
            raise RunEnded from error
        self._begin()

    def receive(self, *, deadline: float, limit: int = MAX_LINE) -> dict[str, Any]:
        """Return the next message.

        Args:
            deadline: On the clock of this run.
            limit: Of the message, in bytes.

        Raises:
            RunEnded: The deadline passed, the process ended, it uses too much, or it does not
                speak our protocol.
        """
        while b"\n" not in self._pending:
            left = self._left(deadline)
            self._look()
            self._channel.settimeout(min(max(left, _SHORTEST_WAIT), _WATCH_SECONDS))
            try:
                chunk = self._channel.recv(1 << 20)
            except TimeoutError:
                continue
            except OSError as error:
                raise RunEnded from error
            self._said += len(chunk)
            if not chunk or len(self._pending) > limit or self._said > MAX_SAID:
                raise RunEnded
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        try:
            message = codec.loads(line, limit=limit)
        except UserError as error:
            raise RunEnded from error
        if not isinstance(message, dict) or "broken" in message:
            raise RunEnded
        if message.get("status") == "timed_out":  # inside, the clock on the wall ends what sleeps
            self.hindered |= self._usage.hindered(self._began)
        if "started" in message:
            self._begin()
        return message

    def _begin(self) -> None:
        """Note that a cell or a question begins."""
        self.clock()
        self._began = self._usage.last

    def _left(self, deadline: float) -> float:
        """Return the seconds that are left; RunEnded where there are none."""
        left = deadline - self.clock()
        if left <= 0:
            self._usage.look()  # the clock may have been early
            left = deadline - self._usage.last.clock
        if left <= 0:
            self.hindered |= self._usage.hindered(self._began)
            raise RunEnded(timed_out=True)
        return left

    def _look(self) -> None:
        if time.monotonic() - self._watched > _WATCH_SECONDS:
            why = self._usage.excess()
            self.hindered |= self._usage.out_of_space()
            if why:
                raise RunEnded(why=why)
            self._watched = time.monotonic()


class Sandbox:
    """A warm untrusted process that serves one submission at a time.

    Use it as a context manager; the process is started when it is first needed.

    Args:
        hidden: Files that must not be readable from inside; whether that works is
            tried out, not assumed.
        without: Layers not to use, of "user", "landlock" and "namespaces".
        worker: The module that serves inside; it calls `worker.serve`.
    """

    def __init__(
        self,
        *,
        hidden: Iterable[Path] = (),
        without: Collection[str] = (),
        worker: str = "autograder.sandbox.inside.worker",
    ) -> None:
        self._module = worker
        self.expect(hidden=hidden)
        self._without = dict.fromkeys(without, "switched off")
        self.until = float("inf")
        """When each run ends at the latest, on `time.monotonic()`'s clock."""

    def __enter__(self) -> Self:
        remove_stale()
        self._home = Path(tempfile.mkdtemp(prefix=f"{_OURS}{os.getpid()}-")).resolve()
        self._home.chmod(0o711)  # another user passes through to its own directory
        self._complaints = self._home / "worker.log"
        self._worker: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._first_missing: set[str] | None = None
        self._missing: dict[str, str] = {}
        self.hindered = False
        """Whether a run lost something because of what others did, since somebody set it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        _remove(self._home)

    def expect(self, homework: Homework | None = None, *, hidden: Iterable[Path] = ()) -> None:
        """Say what the sandbox is for, at any time before it is first used.

        Args:
            homework: To come: what it gives to students and its adapters are read from the start.
            hidden: Files that must not be readable from inside.
        """
        self._hidden = tuple(str(path.resolve()) for path in hidden)
        self._given: dict[str, Any] = {"adapters": "", "cells": []}
        self._warm: tuple[str, ...] | None = None
        self._folder = f"source/{homework.name}/" if homework else ""
        if homework:
            self._warm = homework.warm
            code = [cell for cell in homework.cells if cell.type == "code"]
            given = [cell.source for cell in code if cell.role not in ("answer", "demo")]
            self._given = {"adapters": homework.adapters, "cells": given}

    @property
    def missing(self) -> Mapping[str, str]:
        """Why each layer that does not work here does not; UserError where nothing would."""
        if not self._ready:
            self._start()
        return self._missing

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that work here."""
        return tuple(name for name in LAYERS if name not in self.missing)

    def launch(self, warm: Iterable[str] | None = None) -> None:
        """Start the process and do not wait for it: until it is warm, others can work.

        Args:
            warm: What it imports, where the homework is not read yet; a wrong guess takes time.
        """
        if self._worker is not None:
            return
        self._imported = tuple(self._warm or () if warm is None else warm)
        ours, theirs = socket.socketpair()
        # Without "..": the folder that it goes through is not there inside.
        python = [os.path.normpath(sys.executable), "-s", "-P", "-m", self._module, *self._imported]
        missing = dict(self._without)
        if os.geteuid() != 0:
            missing.setdefault("user", "only root may run code as another user")
        bubblewrap = self._bubblewrap(missing)
        fonts.copy_list(self._home)
        with theirs, self._complaints.open("wb") as stderr:
            self._worker = subprocess.Popen(
                # As isolated as -I, which would ignore PYTHONHASHSEED: the environment is ours.
                [*bubblewrap, *python],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=self._home,
                env=self._environment(),
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(START_SECONDS)
        self._missing = missing

    def _start(self) -> None:
        self._uid: int | None = None
        self._trusted: set[psutil.Process] = set()
        if self._worker and self._warm is not None and self._imported != self._warm:
            self._stop()
        for _ in range(2):  # the machine may have ended the first one
            self.launch()
            report = self._shake_hands(self._missing)
            if "uid" in report:
                break
            self._stop()
            if "unfit" in report:
                raise UserError(f"{self._folder}{report['unfit']}")
        if "uid" not in report or "broken" in report["missing"]:
            self._stop()
            what = report.get("missing", {}).get("broken") or self._complaints.read_text()
            raise RuntimeError(f"the sandbox's worker did not start:\n{what}")
        self._uid, self._missing, self._ready = report["uid"], report["missing"], True
        if why := unseen():
            self._missing = {**self._missing, "accounts": why}
        if self._first_missing is None:
            self._first_missing = set(self._missing)
        if lost := set(self._missing) - self._first_missing:
            self._stop()
            raise RuntimeError(f"the layer {min(lost)!r} worked at first and does not any more")
        # The worker, and bubblewrap around it: what is found beside them later is a submission's.
        self._trusted = set(self._own_processes())
        # The one that imported everything: each process of a submission is a fork of it.
        self._ancestor = max(self._trusted, key=lambda process: process.memory_info().rss).pid
        self._runs = 0
        if {"user", "landlock", "namespaces"} <= set(self._missing):
            if os.geteuid() == 0:
                self._stop()
                raise UserError(
                    "as root, student code could read and change everything here "
                    f"({self._missing['user']}); or grade as an ordinary user"
                )
            hide_memory()

    def _shake_hands(self, missing: Mapping[str, str]) -> dict[str, Any]:
        """Tell the worker which layers to use, and return its answer."""
        (self._home / "witness").write_text("readable by all but Landlock\n")
        uid = None if "user" in missing else self._candidate
        trial = self._new_directory(uid)
        confinement = Confinement(
            uid=uid,
            landlock=True,
            calls=True,
            readable=tuple(map(str, _python())),
            hidden=self._hidden,
            missing=missing,
        )
        wish = {"confinement": asdict(confinement), "trial": str(trial), **self._given}
        report: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError):
            self._control.sendall(json.dumps(wish).encode() + b"\n")
            with self._control.makefile("rb") as lines:
                report = json.loads(lines.readline())
        _remove(trial)
        return report

    @cached_property
    def _candidate(self) -> int:
        """A user id of this sandbox's own, so that sandboxes cannot signal one another."""
        start = 64 * os.getpid() + next(_counter)
        taken = {p.info["uids"].real for p in psutil.process_iter(["uids"]) if p.info["uids"]}
        ids = (_USERS[(start + step) % len(_USERS)] for step in range(len(_USERS)))
        return next(uid for uid in ids if uid not in taken)

    def _environment(self) -> dict[str, str]:
        return {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | {
            **dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR"), str(self._home)),
            **dict.fromkeys(("USER", "LOGNAME"), "student"),
            # `!python` and `!pip` are those that run the notebook.
            "PATH": os.pathsep.join(
                (str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath))
            ),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            # macOS ends a fork that touches Apple's frameworks unless it is told not to.
            "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
            # The debugger's warning about frozen modules tells nothing about a notebook.
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        }

    def _bubblewrap(self, missing: dict[str, str]) -> list[str]:
        """Return the command before Python's that gives it namespaces; nothing where it cannot."""
        if "namespaces" in missing or not LINUX:
            return []
        if not (program := shutil.which("bwrap")):
            missing["namespaces"] = "bubblewrap is not installed (Debian: apt install bubblewrap)"
            return []
        command = [program, *_namespaces(self._home)]
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
        if self._ready:  # before, nothing of a submission's was started
            self._end_descendants()
        self._control.close()
        self._worker.kill()
        self._worker.wait()
        self._worker, self._ready = None, False

    @contextlib.contextmanager
    def run(self, job: Mapping[str, Any]) -> Iterator[Run]:
        """Fork a process for one submission, and end everything it started on leaving.

        Args:
            job: What the worker expects first, with `memory_bytes`; its directory is added here.
        """
        if not self._ready:
            self._start()
        if self._runs >= MAX_RUNS:
            self._stop()
            self._start()
        self._runs += 1
        directory = self._new_directory(self._uid)
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._fork(theirs)
            usage = Usage(
                self.pids,
                ancestor=self._ancestor,
                folders=lambda: [self._home, *self._elsewhere()],
                memory_bytes=job["memory_bytes"],
                until=self.until,
            )
            run = Run(ours, directory, usage)
            run.send({**job, "directory": directory.name})
            try:
                yield run
            finally:
                self.hindered |= run.hindered or usage.out_of_space()
        finally:
            ours.close()
            self._end_descendants()
            _remove(directory)
            for path in self._elsewhere():
                _remove(path)

    def _new_directory(self, uid: int | None) -> Path:
        directory = Path(tempfile.mkdtemp(prefix="submission-", dir=self._home))
        if uid is not None:
            os.chown(directory, uid, uid)
        return directory

    def _fork(self, channel: socket.socket) -> None:
        """Have the worker fork a child that owns `channel`; start a new worker if it is gone."""
        for _ in range(2):
            if not self._ready:
                self._start()
            with contextlib.suppress(OSError):
                socket.send_fds(self._control, [b"f"], [channel.fileno()])
                if self._hear(b"f"):
                    return
            self._stop()
        raise RuntimeError("the sandbox's worker does not answer")

    def pids(self) -> list[int]:
        """Return the numbers of a submission's processes, ended ones included."""
        assert self._worker is not None
        trusted = {process.pid for process in self._trusted}
        return [pid for pid in tree(self._worker.pid) if pid not in trusted]

    def _end_descendants(self) -> None:
        """Kill all processes of a submission, those that left their parent included."""
        for _ in range(100):
            # All at once first: what forks and ends at once is never seen in a list of processes.
            with contextlib.suppress(OSError):
                self._control.sendall(b"k")
                self._hear(b"k")
            # One that ended and was not waited for would be on the next submission's account.
            if not self.pids():
                return
            processes = self._descendants()
            for process in processes:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(processes, timeout=1)
        # Something forks faster than we look: its namespace, or at least our worker, goes with it.
        assert self._worker is not None
        self._worker.kill()
        self._worker.wait()

    def _descendants(self) -> list[psutil.Process]:
        """Return the living processes of a submission."""
        return [process for process in self._own_processes() if process not in self._trusted]

    def _own_processes(self) -> list[psutil.Process]:
        """Return the living processes below what we started; of our user's, if that is gone."""
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
        """Yield what a submission has where everybody may write, if it could get there."""
        if self._uid is None or not {"landlock", "namespaces"} <= set(self._missing):
            return
        for folder in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/run/lock")):
            with contextlib.suppress(OSError):
                for path in folder.iterdir():
                    with contextlib.suppress(OSError):  # it may be gone
                        if path.lstat().st_uid == self._uid:
                            yield path


def gaps(missing: Mapping[str, str]) -> dict[str, str]:
    """Return the missing layers that no other makes up for, with the reasons."""
    return {name: missing[name] for name in _NEEDED if name in missing}


def require(layers: Iterable[str], missing: Mapping[str, str]) -> None:
    """Raise UserError unless all these layers hold."""
    for name in layers:
        if name not in LAYERS:
            raise UserError(f"there is no layer {name!r}; there are {', '.join(LAYERS)}")
        if why := missing.get(name):
            raise UserError(f"the layer {name!r} is required and does not work here: {why}")


def _python() -> list[Path]:
    """Return the folders that Python, its libraries and this package are read from."""
    places = sysconfig.get_paths()
    libraries = [places[name] for name in ("stdlib", "purelib", "platlib")]
    package = Path(__file__).parents[1]
    folders = [*map(Path, (sys.prefix, sys.base_prefix, *libraries)), package]
    return sorted({path for folder in folders for path in (folder, folder.resolve())})


def _namespaces(home: Path) -> list[str]:
    """Return bubblewrap's arguments: the system and Python to read, `home` to write."""
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

    def bind(option: str, path: Path) -> None:
        for parent in reversed(path.parents[:-1]):
            if parent not in made:
                # bubblewrap would make it for its own user alone.
                arguments.extend(["--perms", "0755", "--dir", str(parent)])
                made.add(parent)
        arguments.extend([option, str(path.resolve()), str(path)])
        made.add(path)

    for path in map(Path, SYSTEM):
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists() and not path.is_relative_to("/proc"):
            bind("--ro-bind", path)
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    made |= {Path("/proc"), Path("/dev")}
    for path in _python():
        if not path.is_relative_to("/usr"):
            bind("--ro-bind", path)
    bind("--bind", home)
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
    """Remove what a grader that was killed, or was stopped in its tidying up, left behind."""
    for path in Path(tempfile.gettempdir()).glob(f"{_OURS}*-*"):
        owner = path.name.removeprefix(_OURS).split("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == os.geteuid():
                    _remove(path)


def _is_small(path: Path) -> bool:
    """Whether a folder has so little that its names may be in our memory."""
    waiting, left = [str(path)], 1_000
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                left -= 1
                if left < 0:
                    return False
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return True


def _remove(path: Path) -> None:
    """Remove a file or folder that may have been made to resist: rm knows no depth."""
    with contextlib.suppress(OSError, RecursionError):
        if _is_small(path):  # as nearly all are
            shutil.rmtree(path)
            return
    for _ in range(2):
        subprocess.run(["rm", "-rf", "--", path], stderr=subprocess.DEVNULL, check=False)
        if not path.is_symlink() and not path.exists():
            return
        # Folders without permissions keep what is in them.
        subprocess.run(["chmod", "-R", "u+rwX", "--", path], stderr=subprocess.DEVNULL, check=False)
