"""Grading on one machine: graders in separate processes, each fed by one of our threads.

When a process dies, its thread knows which submission it was grading; the standard library's
process pools lose everything under way.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import FrameType

from autograder.grading import scheduler, wire
from autograder.grading.grader import Grader, Task
from autograder.grading.scheduler import ATTEMPTS, Lost
from autograder.grading.wire import Graded, Sent
from autograder.records.errors import UserError
from autograder.records.homework import Limits
from autograder.sandbox import supervisor
from autograder.sandbox.inside.linux.system import die_with_parent
from autograder.sandbox.run import SandboxFault
from autograder.submission import discover

_PATIENCE_SECONDS = 10
# The sandbox limits a submission's processor time. If the clock shows this many times as much, the
# grader hangs, however busy the machine is.
DEADLINE = 60
READY, FAULT, COMPLAINT = b"r", b"f", b"c"
LOST = "the grader's process died on it every time"


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # as limited by Slurm or taskset
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def grade(
    task: Task, found: Sequence[discover.Found], *, jobs: int, limits: Limits
) -> Generator[Graded, None, None]:
    """Grade submissions in several processes; yield each when it is done, in any order.

    Raises:
        UserError: the setup here allows no grading.
        SandboxFault: the sandbox does not work here.

    """
    with contextlib.closing(_Pool(task, jobs, DEADLINE * limits.submission_seconds)) as pool:
        yield from scheduler.grade(found, pool, task.out, task.course, limit=limits.notebook_bytes)


class _Pool:
    """Graders in processes."""

    def __init__(self, task: Task, jobs: int, seconds: float) -> None:
        self._task, self._jobs, self._seconds = task, jobs, seconds
        # If a thread started it later, it would unblock the signals that the thread blocks.
        resource_tracker.ensure_running()
        self._threads = ThreadPoolExecutor(jobs, initializer=_block_interrupt)
        self._mine, self._lock, self._over = threading.local(), threading.Lock(), False
        self._graders: dict[BaseProcess, Connection] = {}

    def room(self) -> int:
        return self._jobs

    def submit(self, sent: Sent) -> Future[Graded]:
        return self._threads.submit(self._grade, wire.encode(sent))

    def result(self, future: Future[Graded]) -> Graded:
        return future.result()

    def close(self) -> None:
        """End all graders, even busy ones."""
        with self._lock:  # so that none is just being started
            self._over = True
        for process in self._graders:
            process.terminate()
        until = time.monotonic() + _PATIENCE_SECONDS
        for process in self._graders:
            process.join(max(0.0, until - time.monotonic()))
            process.kill()
            process.join()
        # Graders die with the thread that started them, so threads end last.
        self._threads.shutdown(cancel_futures=True)
        self._graders.clear()
        supervisor.remove_stale()

    def _grade(self, data: bytes) -> Graded:
        process = getattr(self._mine, "process", None) or self._start()
        connection = self._graders[process]
        try:
            connection.send_bytes(data)
            if connection.poll(self._seconds):
                return _heard(connection.recv_bytes())
        except (EOFError, OSError):
            pass
        self._forget(process)
        raise Lost(LOST)

    def _start(self) -> BaseProcess:
        """Start this thread's grader, and wait until it is ready."""
        # Not forked: numpy may already have threads, which do not survive a fork.
        context = multiprocessing.get_context("spawn")
        for _ in range(ATTEMPTS):
            with self._lock:
                if self._over:
                    raise Lost(LOST)
                ours, theirs = context.Pipe()
                process = context.Process(target=serve, args=(theirs, self._task), daemon=True)
                process.start()
                theirs.close()
                self._graders[process] = ours
            try:
                ready = ours.recv_bytes()
            except (EOFError, OSError):
                self._forget(process)
                continue
            if ready != READY:
                _heard(ready)
            self._mine.process = process
            return process
        raise UserError(
            f"a grader's process died {ATTEMPTS} times before it could grade; a smaller "
            "-j needs less memory"
        )

    def _forget(self, process: BaseProcess) -> None:
        self._mine.process = None
        with self._lock:
            if self._over:  # `close` is already ending all graders
                return
            del self._graders[process]
        process.kill()
        process.join()
        supervisor.remove_stale()


def _block_interrupt() -> None:
    """Block Ctrl-C in this thread and the processes that it starts.

    An import interrupted by Ctrl-C would leave a traceback.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _heard(reply: bytes) -> Graded:
    if reply[:1] == READY:
        return wire.decode(reply[1:], Graded)
    raise (SandboxFault if reply[:1] == FAULT else UserError)(reply[1:].decode())


def serve(connection: Connection, task: Task) -> None:
    """Grade whatever arrives until the other side closes."""
    # Ctrl-C reaches every process of a terminal, but the process that distributes submissions
    # decides. The signal is blocked rather than ignored, since student code would inherit that.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    with contextlib.suppress(EOFError, BrokenPipeError):
        try:
            with Grader.open(task) as grader:
                _ = grader.sandbox.missing  # starts the sandbox
                connection.send_bytes(READY)
                while True:
                    sent = wire.decode(connection.recv_bytes(), Sent)
                    graded = grader.grade_sent(sent, task.out).brief()
                    connection.send_bytes(READY + wire.encode(graded))
        except (SandboxFault, UserError) as error:
            kind = FAULT if isinstance(error, SandboxFault) else COMPLAINT
            connection.send_bytes(kind + str(error).encode())


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C would disturb the cleanup
    sys.exit()
