"""Many submissions on one machine: a grader a processor, each in a process of its own.

What hands them out holds one submission for each grader and nothing else. A grader that
dies is replaced; the submission it had is tried again, and after three times marked as
what it had earned by then.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

import msgspec
from msgspec.structs import replace

from autograder.bulk import results
from autograder.bulk.grader import Graded, Grader, Task, refuse, unreadable
from autograder.bulk.wire import Done, Sent
from autograder.facts import find
from autograder.facts.layers import die_with_parent
from autograder.model import UserError

ATTEMPTS = 3
_PATIENCE_SECONDS = 10
ENDED = (
    f"Grading ended {ATTEMPTS} times before it was finished; these are the marks until then. "
    "Somebody has to look at it."
)


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):  # what Slurm or taskset gave us
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Ready(msgspec.Struct, frozen=True):
    """The first thing a grader says: which layers do not hold, or why it cannot grade at all."""

    missing: Mapping[str, str] = {}
    broken: str = ""


def grade(
    task: Task,
    found: Sequence[find.Found],
    *,
    jobs: int,
    limit: int,
    started: Callable[[Mapping[str, str]], None],
) -> Iterator[Graded]:
    """Grade submissions in several processes; yield each as it is done, in any order.

    Args:
        task: What to grade with.
        found: The submissions.
        jobs: How many at a time.
        limit: Bytes of a submission's file that are read.
        started: Called once with the layers that do not hold here, before anything is graded.

    Raises:
        UserError: nothing can be graded here.
    """
    results.make_folder(task.out)
    waiting = deque(found)
    again: deque[Sent] = deque()
    hands = [_Hand.start(task) for _ in range(min(jobs, len(found)))]
    told = False
    try:
        while waiting or again or any(hand.sent for hand in hands):
            for connection in wait([hand.connection for hand in hands]):
                hand = next(hand for hand in hands if hand.connection is connection)
                try:
                    message = hand.connection.recv_bytes()
                except (EOFError, OSError):
                    hands.remove(hand)
                    hand.stop()
                    if not hand.ready:
                        raise RuntimeError("a grader's process did not start") from None
                    if hand.sent and hand.sent.attempt < ATTEMPTS:
                        again.append(replace(hand.sent, attempt=hand.sent.attempt + 1))
                    elif hand.sent:
                        yield _given_up(hand.sent, task.out)
                    hands.append(_Hand.start(task))
                    continue
                if hand.ready:
                    yield msgspec.msgpack.decode(message, type=Done).graded(task.out)
                    hand.sent = None
                else:
                    ready = msgspec.msgpack.decode(message, type=_Ready)
                    if ready.broken:
                        raise UserError(ready.broken)
                    if not told:
                        started(ready.missing)
                    told = hand.ready = True
                yield from _hand_out(hand, again, waiting, task.out, limit)
    finally:
        for hand in hands:
            hand.stop()


def _hand_out(
    hand: "_Hand", again: deque[Sent], waiting: deque[find.Found], out: Path, limit: int
) -> Iterator[Graded]:
    """Give a grader the next submission; yield those before it that cannot be read."""
    while hand.sent is None and (again or waiting):
        if again:
            hand.give(again.popleft())
            return
        item = waiting.popleft()
        try:
            hand.give(Sent.read(item, limit=limit))
        except (UserError, OSError) as error:
            yield unreadable(item, error, out)


def _given_up(sent: Sent, out: Path) -> Graded:
    """Mark a submission that ended its grader each time, with what it had earned by then."""
    folder = out / sent.student
    if not results.remark(folder, ENDED):
        refuse(folder, ENDED)
    complaint = f"{sent.place}: the grader's process ended {ATTEMPTS} times while it graded this"
    return Graded(sent.student, folder, complaint=complaint, failed=True)


@dataclass
class _Hand:
    """A grader's process, as seen from the one that hands out."""

    process: BaseProcess
    connection: Connection
    sent: Sent | None = None
    ready: bool = False

    @classmethod
    def start(cls, task: Task) -> Self:
        # Not forked: numpy may have threads by now, which a fork does not survive.
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, task), daemon=True)
        process.start()
        theirs.close()
        return cls(process, ours)

    def give(self, sent: Sent) -> None:
        self.sent = sent
        with contextlib.suppress(OSError):  # that it is gone is seen when we listen
            self.connection.send_bytes(msgspec.msgpack.encode(sent))

    def stop(self) -> None:
        """End the process: at once where it is grading, else when it has tidied up."""
        self.connection.close()
        if self.sent:
            self.process.terminate()
        self.process.join(_PATIENCE_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(connection: Connection, task: Task) -> None:
    """Grade what arrives until the other side is gone."""
    # Ctrl-C reaches every process of a terminal: who hands out decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    die_with_parent()
    with Grader.open(task) as grader, contextlib.suppress(EOFError, BrokenPipeError):
        try:
            ready = _Ready(missing=grader.sandbox.missing)
        except (UserError, RuntimeError) as error:
            ready = _Ready(broken=str(error))
        connection.send_bytes(msgspec.msgpack.encode(ready))
        while not ready.broken:
            sent = msgspec.msgpack.decode(connection.recv_bytes(), type=Sent)
            graded = grader.grade(sent.found(), task.out, cautious=sent.attempt > 1)
            connection.send_bytes(msgspec.msgpack.encode(Done.of(graded)))
