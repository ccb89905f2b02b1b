"""Evaluate questions in forks of the notebook, between its cells and after them.

A question is evaluated in a fork made at its own check cell, and if it is not right there, in a
second fork at the notebook's end. Questions about the same objects in the same state share a fork,
as do the cases of one question: their effects on the process end with it. A question that crashes
or times out loses only itself: the next one gets a new fork. Questions without marks come last, and
need no fork.
"""

import contextlib
import errno
import itertools
import json
import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import msgspec

from autograder.sandbox.inside import evaluate, forking, layers, test_cells
from autograder.sandbox.inside.linux.system import LINUX, die_with_parent

if TYPE_CHECKING:
    from autograder.sandbox.inside.kernel import Shell

# Running out of these can also end our own code, at any line.
_USED_UP = (MemoryError, RecursionError, KeyboardInterrupt, SystemExit)
_NO_MORE = (
    *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    *(errno.EBADF, errno.EPIPE, errno.ECONNRESET),
)
_MAX_FAULT = 20_000
_code: list[tuple[Any, Mapping[str, Any]]] = []
"""Each of our modules and classes, with its contents."""
_Request = Mapping[str, Any]
_Question = Mapping[str, Any]
"""cases: one request per case; order: the cases' positions, some twice; seconds: the limit for all
of them; each: the limit for one."""


def send(channel: socket.socket, *messages: Mapping[str, Any]) -> None:
    """Send JSON lines to the supervisor."""
    channel.sendall("".join(f"{json.dumps(message)}\n" for message in messages).encode())


def remember() -> None:
    """Record what our own code is, before any submission's code runs beside it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("autograder")]
    classes = [
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, type) and item.__module__.startswith("autograder")
    ]
    _code.extend((holder, dict(vars(holder))) for holder in (*modules, *classes))


def _is_changed() -> bool:
    if sys.gettrace() or sys.getprofile():
        return True
    return any(
        vars(holder).get(name) is not item
        for holder, before in _code
        for name, item in before.items()
    )


def fault(error: BaseException) -> str:
    """Return the traceback of our own error; "" if the submission caused it.

    It did if its code is in the traceback, if it exhausted its resources, or if it changed our
    code.
    """
    if isinstance(error, _USED_UP) or (isinstance(error, OSError) and error.errno in _NO_MORE):
        return ""
    ours = (*(f"{folder}/" for folder in layers.readable()), "<frozen ")
    if any(not frame.filename.startswith(ours) for frame in _frames(error)) or _is_changed():
        return ""
    return "".join(traceback.format_exception(error))[-_MAX_FAULT:]


def _frames(error: BaseException | None) -> Iterator[traceback.FrameSummary]:
    while error:
        yield from traceback.extract_tb(error.__traceback__)
        error = error.__cause__ or error.__context__


def answer_questions(
    channel: socket.socket,
    lines: IO[str],
    shell: "Shell",
    adapters: Mapping[str, Any],
    job: Mapping[str, Any],
    *,
    after: int | None = None,
) -> dict[int, str]:
    """Answer questions until the supervisor has no more; return the changed cells to run.

    A line contains questions; {"go": numbers and new texts of cells} if the cells go on; or
    {"last": requests} if nothing that counts will follow. `after` is the last cell that ran, or
    None at the end.
    """
    fork = None
    changed: dict[int, str] = {}
    with _alarms_stopped():
        send(channel, {"ready": True if after is None else after})
        for line in lines:
            question = msgspec.json.decode(line)
            if fork and ("cases" not in question or fork.about != _about(question)):
                fork.end()
                fork = None
            if "go" in question:
                changed = dict(question["go"])
                break
            if "last" in question:
                _be_silent()
                with channel.makefile("wb") as out:
                    _answer(out, question["last"], shell, adapters, job)
                send(channel, {"answered": "last"})
                continue
            if fork:
                fork.ask(line, question)
            else:
                fork = _Fork(channel, question, shell, adapters, job)
            if not fork.pass_on(channel, question):
                fork.end()
                fork = None
    return changed


def _about(question: _Question) -> tuple[Any, ...]:
    """Return the evaluated objects and the withheld names; a test cell has its own fork."""
    first = question["cases"][0]
    return first["objects"], first["hide"], first["question"] if first["asserts"] else ""


class _Fork:
    def __init__(
        self,
        channel: socket.socket,
        question: _Question,
        shell: "Shell",
        adapters: Mapping[str, Any],
        job: Mapping[str, Any],
    ) -> None:
        self.about = _about(question)
        ours, theirs = socket.socketpair()
        self._process = os.fork()
        if self._process == 0:
            try:
                os.setpgid(0, 0)
                die_with_parent()
                channel.close()
                ours.close()
                _be_silent()
                forking.tame_torch()  # a notebook may have imported it itself
                theirs.settimeout(None)  # the default, whatever a cell has set
                with theirs.makefile("rb") as lines, theirs.makefile("wb") as out:
                    for one in itertools.chain([question], map(msgspec.json.decode, lines)):
                        _allow(one["seconds"])
                        requests = [one["cases"][place] for place in one["order"]]
                        _answer(out, requests, shell, adapters, job)
            except BaseException as error:
                if why := fault(error):
                    send(theirs, {"broken": why})
            finally:
                os._exit(0)
        theirs.close()
        self._deadline = _Deadline(self._process, question["seconds"])
        self._lines = _Lines(ours)

    def ask(self, line: str, question: _Question) -> None:
        """Send the process a further question."""
        self._deadline = _Deadline(self._process, question["seconds"])
        self._lines.send(line, self._deadline)

    def pass_on(self, channel: socket.socket, question: _Question) -> bool:
        """Pass on the replies to a question; return False if the process ended or timed out."""
        missing = ""
        answered = set()
        for place in question["order"]:
            case = _Deadline(self._process, question["each"])
            reply = b"" if missing else self._lines.next(self._deadline, case)
            if reply:
                channel.sendall(reply)
                answered.add(place)
                continue
            # If the time of all cases ends in a second evaluation, the first one counts.
            left_out = missing or (place in answered and not self._deadline.left())
            missing = "not_run" if left_out else "timed_out" if reply is None else "killed"
            request = question["cases"][place]
            about = {key: request[key] for key in ("question", "number")}
            send(channel, about | {"status": missing})
        send(channel, {"answered": question["cases"][0]["question"]})
        return not missing

    def end(self) -> None:
        """End the process; if no signal may be sent, the supervisor does it."""
        self._lines.close()
        with contextlib.suppress(OSError):  # it may be gone
            os.killpg(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def _allow(seconds: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(
        resource.RLIMIT_CPU
    )  # the run's own limit is lower, and cannot be raised here
    # Beyond the deadline, which makes it count as too slow, this ends it if nobody is looking.
    allowed = int(used.ru_utime + used.ru_stime + seconds) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (min(allowed, most), most))


def _be_silent() -> None:
    """Close the kernel's own streams: threads that do not exist in this fork may have locked them."""
    sys.stdout = sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


@contextlib.contextmanager
def _alarms_stopped() -> Iterator[None]:
    """Stop alarms set by cells, which would go off while we wait. Forks do not inherit them."""
    timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    before = [signal.setitimer(timer, 0) for timer in timers]
    yield
    for timer, (left, interval) in zip(timers, before, strict=True):
        signal.setitimer(timer, left, interval)


def _answer(
    out: IO[bytes],
    requests: Sequence[_Request],
    shell: "Shell",
    adapters: Mapping[str, Any],
    job: Mapping[str, Any],
) -> None:
    """Answer requests; leave out a result that repeats the first."""
    before: dict[int, Mapping[str, Any]] = {}
    for request in requests:
        number = request["number"]
        if request["asserts"]:
            reply = test_cells.tested(request, shell, seed=job["seed"])
        else:
            reply = evaluate.answer(
                request,
                adapters=adapters,
                notebook=shell.namespace,
                seed=job["seed"],
                cell_names=shell.cell_names,
            )
        seconds = reply.pop("seconds")
        same = reply == before.setdefault(number, reply) and reply is not before[number]
        told = {**reply, "status": "same", "value": None, "error": ""} if same else reply
        line = _encoded(told | {"seconds": seconds})
        if len(line) > job["value_bytes"]:
            said = f"Its result is larger than {job['value_bytes']:,} bytes."
            about = {"question": request["question"], "number": number, "seconds": seconds}
            line = _encoded({**about, "status": "refused", "error": said})
        out.write(line + b"\n")
        out.flush()


def _encoded(reply: Mapping[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(reply)
    except UnicodeEncodeError:  # half a surrogate pair, which msgspec cannot write
        return json.dumps(reply).encode()


class _Deadline:
    """The time left to a process: processor time, or longer if it sleeps."""

    def __init__(self, process: int, seconds: float) -> None:
        self._process, self._latest = process, time.monotonic() + layers.PATIENCE * seconds
        self._allowed = _processor_seconds(process) + seconds

    def left(self) -> float:
        """Return the least number of seconds left; 0 if none."""
        left = self._allowed - _processor_seconds(self._process)
        return max(0.0, min(left, self._latest - time.monotonic()))


def _processor_seconds(process: int) -> float:
    if not LINUX:
        return 0.0
    with contextlib.suppress(OSError):  # it is gone
        return time.clock_gettime(~process << 3 | 2)  # clock_getcpuclockid(3)
    return 0.0


class _Lines:
    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._pending = connection, b""

    def send(self, line: str, deadline: _Deadline) -> None:
        """Send a line; if the process does not accept it, no reply will come."""
        self._connection.settimeout(max(deadline.left(), 0.001))
        with contextlib.suppress(OSError):
            self._connection.sendall(line.encode())

    def next(self, *deadlines: _Deadline) -> bytes | None:
        """Return the next line; b"" at the end, None after a deadline."""
        while b"\n" not in self._pending:
            if not (left := min(deadline.left() for deadline in deadlines)):
                return None
            self._connection.settimeout(max(left, 0.001))
            try:
                chunk = self._connection.recv(1 << 16)
            except TimeoutError:
                continue
            except ConnectionError:
                return b""
            if not chunk:
                return b""
            self._pending += chunk
        line, self._pending = self._pending.split(b"\n", 1)
        return line + b"\n"

    def close(self) -> None:
        self._connection.close()
