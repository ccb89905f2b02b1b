"""Inside the sandbox, after the cells: answers questions in forks of the notebook's process.

What a question does to its process ends with that process. Questions come one by one, and
nothing that student code sees depends on a mark. What earns none comes last and needs no fork.
"""

import contextlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from autograder.facts import layers

if TYPE_CHECKING:
    from autograder.facts.shell import Shell

_Request = Mapping[str, Any]


def send(channel: socket.socket, *messages: Mapping[str, Any]) -> None:
    """Send JSON lines to the supervisor."""
    channel.sendall("".join(f"{json.dumps(message)}\n" for message in messages).encode())


def answer_questions(
    channel: socket.socket,
    lines: IO[str],
    shell: "Shell",
    adapters: Mapping[str, Any],
    job: Mapping[str, Any],
) -> None:
    """Answer what is asked until nobody asks.

    Args:
        channel: To the supervisor.
        lines: From it: a question's requests, one question after another; in the end {"last":
            requests}.
        shell: The notebook, after its cells ran.
        adapters: What staff/adapters.py defines.
        job: The limits.
    """
    send(channel, {"ready": True})
    for line in lines:
        question = json.loads(line)
        if isinstance(question, dict):
            _be_silent()
            with channel.makefile("w", encoding="utf-8") as out:
                _answer_cases(out, question["last"], shell, adapters, job)
            send(channel, {"answered": "last"})
            return
        _answer_in_a_fork(channel, question, shell, adapters, job)


def _answer_in_a_fork(
    channel: socket.socket,
    question: Sequence[_Request],
    shell: "Shell",
    adapters: Mapping[str, Any],
    job: Mapping[str, Any],
) -> None:
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.setpgid(0, 0)
            layers.die_with_parent()
            channel.close()
            _be_silent()
            # Not above the run's own limit, which cannot be raised here.
            seconds = int(min(job["question_seconds"], job["submission_seconds"])) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            with os.fdopen(writer, "w", encoding="utf-8") as out:
                _answer_cases(out, question, shell, adapters, job)
        finally:
            os._exit(0)
    os.close(writer)
    with contextlib.closing(_Lines(reader)) as replies:
        _pass_on(channel, question, replies, job["question_seconds"])
    # It may be gone; where no signal may be sent, the supervisor ends it.
    with contextlib.suppress(OSError):
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _be_silent() -> None:
    """Let nothing wait for the kernel's own streams: a thread that is not here may hold them."""
    sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _pass_on(
    channel: socket.socket, question: Sequence[_Request], replies: "_Lines", seconds: float
) -> None:
    """Pass on a question's replies; say so where the process ended, or its time did."""
    deadline = time.monotonic() + seconds
    missing = ""
    for request in question:
        line = b"" if missing else replies.next(deadline)
        if line:
            channel.sendall(line)
            continue
        missing = "not_run" if missing else "timed_out" if line is None else "killed"
        about = {key: request[key] for key in ("question", "number")}
        send(channel, about | {"status": missing})
    send(channel, {"answered": question[0]["question"]})


def _answer_cases(
    out: IO[str],
    requests: Sequence[_Request],
    shell: "Shell",
    adapters: Mapping[str, Any],
    job: Mapping[str, Any],
) -> None:
    from autograder.facts.probe import answer

    for request in requests:
        line = answer(
            request,
            adapters=adapters,
            notebook=shell.namespace,
            seed=job["seed"],
            cell_names=shell.cell_names,
            value_bytes=job["value_bytes"],
        )
        out.write(line + "\n")
        out.flush()


class _Lines:
    """Whole lines from a pipe, each by a deadline."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._pending = descriptor, b""

    def next(self, deadline: float) -> bytes | None:
        """Return the next line; b"" at the end, None when the deadline has passed."""
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._descriptor], [], [], left)[0]:
                return None
            chunk = os.read(self._descriptor, 1 << 16)
            if not chunk:
                return b""
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        return line + b"\n"

    def close(self) -> None:
        os.close(self._descriptor)
