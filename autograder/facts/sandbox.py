"""The supervisor's side of the trust line: starts the untrusted process tree and ends it.

What arrives from the sandbox is data. It is read with a deadline and a size
limit, and whatever does not look as `worker.py` promises ends the run.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from autograder import codec
from autograder.model import UserError

START_SECONDS = 120.0
# A reply travels as one line; a cell's outputs are capped before they are sent.
MAX_LINE = 40_000_000
# What a notebook may see of our environment. TZ and LANG change what is printed.
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ")


class RunEnded(Exception):
    """The submission's process is gone; `timed_out` says whether we ended it."""

    def __init__(self, *, timed_out: bool) -> None:
        super().__init__("timed out" if timed_out else "ended by itself")
        self.timed_out = timed_out


class Run:
    """One submission's process: a channel of JSON lines, each read with a deadline."""

    def __init__(self, channel: socket.socket, directory: Path) -> None:
        self._channel = channel
        self._pending = b""
        self.directory = directory

    def send(self, message: Any) -> None:
        """Send one JSON line; RunEnded when nobody reads it."""
        try:
            self._channel.settimeout(30)
            self._channel.sendall(codec.dumps(message).encode() + b"\n")
        except OSError as error:
            raise RunEnded(timed_out=False) from error

    def receive(self, *, deadline: float) -> dict[str, Any]:
        """Return the next message.

        Args:
            deadline: On `time.monotonic()`'s clock.

        Raises:
            RunEnded: The deadline passed, the process ended, or it does not speak our protocol.
        """
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0:
                raise RunEnded(timed_out=True)
            self._channel.settimeout(left)
            try:
                chunk = self._channel.recv(1 << 20)
            except TimeoutError:
                continue
            except OSError as error:
                raise RunEnded(timed_out=False) from error
            if not chunk or len(self._pending) > MAX_LINE:
                raise RunEnded(timed_out=False)
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        try:
            message = codec.loads(line, limit=MAX_LINE)
        except UserError as error:
            raise RunEnded(timed_out=False) from error
        if not isinstance(message, dict) or "broken" in message:
            raise RunEnded(timed_out=False)
        return message


class Sandbox:
    """A warm untrusted process that serves one submission at a time.

    Use it as a context manager; the process is started when it is first needed.
    `layers` names the protections that hold.
    """

    layers = ("own process", "own session", "own directory", "clean environment", "wall clock")

    def __enter__(self) -> Self:
        self._home = Path(tempfile.mkdtemp(prefix="sandbox-"))
        self._worker: subprocess.Popen[bytes] | None = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | {
            **dict.fromkeys(("HOME", "TMPDIR", "MPLCONFIGDIR", "IPYTHONDIR"), str(self._home)),
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            # macOS ends a fork that touches Apple's frameworks unless it is told not to.
            "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
            # The debugger's warning about frozen modules says nothing about a notebook.
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        }
        complaints = self._home / "worker.log"
        with theirs, complaints.open("wb") as stderr:
            self._worker = subprocess.Popen(
                # As isolated as -I, which would ignore PYTHONHASHSEED: the environment is ours.
                [sys.executable, "-s", "-P", "-m", "autograder.facts.worker"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=self._home,
                env=environment,
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(START_SECONDS)
        if not self._hear(b"r"):
            self._stop()
            raise RuntimeError(f"the sandbox's worker did not start:\n{complaints.read_text()}")

    def _hear(self, expected: bytes) -> bool:
        try:
            return self._control.recv(1) == expected
        except OSError:
            return False

    def _stop(self) -> None:
        if self._worker is None:
            return
        self._end_descendants()
        self._worker.kill()
        self._worker.wait()
        self._worker = None
        self._control.close()

    @contextlib.contextmanager
    def run(self, job: Mapping[str, Any]) -> Iterator[Run]:
        """Fork a process for one submission, and end everything it started on leaving.

        Args:
            job: What `worker.py` expects first; its directory is added here.
        """
        directory = Path(tempfile.mkdtemp(prefix="submission-", dir=self._home))
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._fork(theirs)
            run = Run(ours, directory)
            run.send({**job, "directory": directory.name})
            yield run
        finally:
            ours.close()
            self._end_descendants()
            shutil.rmtree(directory, ignore_errors=True)

    def _fork(self, channel: socket.socket) -> None:
        """Have the worker fork a child that owns `channel`; start a new worker if it is gone."""
        for _ in range(2):
            if self._worker is None:
                self._start()
            with contextlib.suppress(OSError):
                socket.send_fds(self._control, [b"f"], [channel.fileno()])
                if self._hear(b"f"):
                    return
            self._stop()
        raise RuntimeError("the sandbox's worker does not answer")

    def _end_descendants(self) -> None:
        """Kill all processes below the worker, those that left their parent included."""
        for _ in range(100):
            descendants = self._descendants()
            if not descendants:
                return
            for process in descendants:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(descendants, timeout=1)

    def _descendants(self) -> list[psutil.Process]:
        """Return the living processes below the worker."""
        if self._worker is None:
            return []
        found = []
        with contextlib.suppress(psutil.NoSuchProcess):
            for process in psutil.Process(self._worker.pid).children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    if process.status() != psutil.STATUS_ZOMBIE:
                        found.append(process)
        return found
