"""The channel to one submission's process: JSON lines, each read before a deadline.

A message that does not follow the protocol of `inside/worker.py` ends the run.
"""

import socket
import time
from pathlib import Path
from typing import Any

import msgspec

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.sandbox.accounting import Usage

# The most bytes of one line; a cell's outputs are cut before they are sent.
MAX_LINE = 40_000_000
# The most bytes that a submission may send: they stay in our memory during grading.
MAX_SAID = 80_000_000
_MAX_TRACE = 20_000
_WATCH_SECONDS = 0.5
_SHORTEST_WAIT = 0.02


class SandboxFault(RuntimeError):
    """An error: the sandbox itself does not work, so nothing can be graded; it names the part."""


class RunEnded(Exception):
    """An error: the submission's process is gone, or had to be ended; `why` names the excess."""

    def __init__(self, *, timed_out: bool = False, why: str = "") -> None:
        super().__init__(why or ("timed out" if timed_out else "ended by itself"))
        self.timed_out = timed_out
        self.why = why


class RunBroken(RunEnded):
    """An error: our own code failed in the submission's process; that is not the answer's fault."""

    def __init__(self, trace: str) -> None:
        super().__init__(why="the grader failed")
        self.trace = codec.printable(trace)


class Run:
    """One submission's process, as a channel of JSON lines, each read before a deadline."""

    def __init__(self, channel: socket.socket, directory: Path, usage: Usage) -> None:
        self._channel = channel
        self._pending = b""
        self._said = 0
        self._usage, self._watched = usage, time.monotonic()
        self._began = usage.last
        self.directory = directory
        self.starved = False
        """Whether it lost, or may have lost, something because of other processes."""

    def clock(self) -> float:
        """Return the time that the submission has used; sleep counts in part."""
        return self._usage.clock()

    def send(self, message: Any) -> None:
        """Send one JSON line; raise RunEnded if nobody reads it."""
        try:
            self._channel.settimeout(30)
            self._channel.sendall(msgspec.json.encode(message) + b"\n")
        except OSError as error:
            raise RunEnded from error
        self._begin()

    def receive(self, *, deadline: float, limit: int = MAX_LINE) -> dict[str, Any]:
        """Return the next message, before a deadline on this run's clock.

        Raises:
            RunEnded: The deadline passed, or the process ended, uses too much, or breaks our protocol.
            RunBroken: It reports that our own code failed there.
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
        if not isinstance(message, dict):
            raise RunEnded
        if "broken" in message:
            raise RunBroken(str(message["broken"])[:_MAX_TRACE])
        if (
            message.get("status") == "timed_out"
        ):  # inside, wall-clock time limits sleeping processes
            self.starved |= self._usage.starved(self._began)
        if "started" in message:
            self._begin()
        return message

    def _begin(self) -> None:
        self.clock()
        self._began = self._usage.last

    def _left(self, deadline: float) -> float:
        left = deadline - self.clock()
        if left <= 0:
            self._usage.look()  # the last look may be too old
            left = deadline - self._usage.last.clock
        if left <= 0:
            self.starved |= self._usage.starved(self._began)
            raise RunEnded(timed_out=True)
        return left

    def _look(self) -> None:
        if time.monotonic() - self._watched > _WATCH_SECONDS:
            why = self._usage.excess()
            self.starved |= self._usage.out_of_space()
            if why:
                raise RunEnded(why=why)
            self._watched = time.monotonic()


def last_line(text: str) -> str:
    """Return the last line of a traceback in printable form, cut short."""
    lines = text.strip().splitlines()
    return codec.one_line(lines[-1])[:300] if lines else "it ended by itself"
