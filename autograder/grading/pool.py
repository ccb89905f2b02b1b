"""Many submissions on one machine: a grader a processor, each in a process of its own.

What hands them out has one submission for each grader and nothing else. A grader that
dies is replaced; the submission it had is tried again, and the third time marked with
what it had earned by then. What lost something because others used up the machine is tried
again at the end, one by one.
"""

import contextlib
import hashlib
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Self

import msgspec
from msgspec.structs import replace

from autograder.course.course import Course
from autograder.grading.grader import Graded, Grader, Task, refuse, said_first, unreadable
from autograder.grading.messages import Done, Sent
from autograder.model import UserError
from autograder.sandbox import supervisor
from autograder.sandbox.inside.linux.system import die_with_parent
from autograder.sandbox.run import SandboxFault
from autograder.store import files, results
from autograder.submission import discover

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


class Ready(msgspec.Struct, frozen=True, tag=True):
    """A grader's first message: which layers do not work, or why it cannot grade at all."""

    missing: Mapping[str, str] = {}
    broken: str = ""


class Fault(msgspec.Struct, frozen=True, tag=True):
    """A grader's last message: why its sandbox does not work, so that nobody may be graded here."""

    why: str


def grade(
    task: Task,
    found: Sequence[discover.Found],
    *,
    jobs: int,
    limit: int,
    started: Callable[[Mapping[str, str]], None],
) -> Generator[Graded, None, None]:
    """Grade submissions in several processes; yield each as it is done, in any order.

    Args:
        task: What to grade with.
        found: The submissions.
        jobs: How many at a time.
        limit: Bytes of a submission's file that are read.
        started: Called for each grader with the layers that do not work there, before it grades.

    Raises:
        UserError: nothing can be graded here as it is set up.
        SandboxFault: the sandbox does not work here.
    """
    files.make_folder(task.out)
    waiting = deque(found)
    again: deque[Sent] = deque()
    hindered: deque[discover.Found] = deque()
    hands: list[_Hand] = []
    not_started = 0
    try:
        with _undisturbed():
            hands += (_Hand.start(task) for _ in range(min(jobs, len(found))))
        while waiting or again or hindered or any(hand.sent for hand in hands):
            for connection in wait([hand.connection for hand in hands]):
                hand = next(hand for hand in hands if hand.connection is connection)
                try:
                    message = hand.connection.recv_bytes()
                except (EOFError, OSError):
                    hands.remove(hand)
                    _dismiss([hand])
                    not_started = 0 if hand.ready else not_started + 1
                    if not_started == ATTEMPTS:
                        raise UserError(
                            f"a grader's process ended {ATTEMPTS} times before it could grade; "
                            "a smaller -j needs less memory"
                        ) from None
                    if hand.sent and hand.sent.attempt < ATTEMPTS:
                        again.append(replace(hand.sent, attempt=hand.sent.attempt + 1))
                    elif hand.sent:
                        yield _given_up(hand.sent, task.out, task.course)
                    if waiting or again or hindered:
                        with _undisturbed():
                            hands.append(_Hand.start(task))
                    continue
                match msgspec.msgpack.decode(message, type=Ready | Done | Fault):
                    case Fault(why):
                        raise SandboxFault(why)
                    case Ready(missing, broken):
                        if broken:
                            raise UserError(broken)
                        started(missing)
                        hand.ready, not_started = True, 0
                    case answer:
                        done = answer.graded(task.out)
                        if done.hindered:
                            hindered += (item for item in found if item.student == done.name)
                        else:
                            yield done
                        hand.sent = None
                yield from _hand_out(hand, again, waiting, task.out, limit)
                if not any(hand.sent for hand in hands):
                    yield from _hand_out(hand, again, hindered, task.out, limit, second=True)
    finally:
        _dismiss(hands)


def _hand_out(
    hand: "_Hand",
    again: deque[Sent],
    waiting: deque[discover.Found],
    out: Path,
    limit: int,
    *,
    second: bool = False,
) -> Iterator[Graded]:
    """Give a grader the next submission; yield those before it that cannot be read."""
    while hand.sent is None and (again or waiting):
        if again:
            hand.give(again.popleft())
            return
        item = waiting.popleft()
        try:
            hand.give(replace(Sent.read(item, limit=limit), again=second))
        except (UserError, OSError) as error:
            yield unreadable(item, error, out)


def _given_up(sent: Sent, out: Path, course: Course) -> Graded:
    """Mark a submission that ended its grader each time, with what it had earned by then."""
    folder = out / sent.student
    known = results.holds(folder, hashlib.sha256(sent.data).hexdigest())
    # Stored facts of this very submission were being judged again: they and their marks stay.
    if not known and not said_first(folder, ENDED, course):
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
        process = context.Process(target=serve, args=(theirs, task), daemon=True)
        process.start()
        theirs.close()
        return cls(process, ours)

    def give(self, sent: Sent) -> None:
        self.sent = sent
        with contextlib.suppress(OSError):  # that it is gone is seen when we listen
            self.connection.send_bytes(msgspec.msgpack.encode(sent))


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off what would end us, until a process that starts has what it starts with."""
    put_off: list[int] = []
    # It would unblock what we block, which processes to come inherit: an import that Ctrl-C
    # ends leaves a traceback. Threads of numpy have it unblocked, so that is not enough.
    resource_tracker.ensure_running()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    before = {
        number: signal.signal(number, lambda number, _: put_off.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for wanted, handler in before.items():
            signal.signal(wanted, handler)
    for number in put_off[:1]:
        signal.raise_signal(number)


def _dismiss(hands: Sequence[_Hand]) -> None:
    """End graders: one at work at once, one that waits when it has tidied up."""
    for hand in hands:
        if hand.sent or not hand.ready:
            hand.process.terminate()
        else:
            hand.connection.close()
    until = time.monotonic() + _PATIENCE_SECONDS
    for hand in hands:
        hand.process.join(max(0.0, until - time.monotonic()))
        if hand.process.is_alive():
            hand.process.kill()
            hand.process.join()
        hand.process.close()
        hand.connection.close()
    supervisor.remove_stale()


def serve(connection: Connection, task: Task) -> None:
    """Grade what arrives until the other side is gone."""
    # Ctrl-C reaches every process of a terminal: the one that hands out submissions decides. It is
    # not ignored here: student code would inherit that.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    with contextlib.suppress(EOFError, BrokenPipeError), contextlib.ExitStack() as stack:
        try:
            _serve(connection, task, stack)
        except SandboxFault as fault:
            connection.send_bytes(msgspec.msgpack.encode(Fault(str(fault))))


def _serve(connection: Connection, task: Task, stack: contextlib.ExitStack) -> None:
    try:
        grader = stack.enter_context(Grader.open(task))
        ready = Ready(missing=grader.sandbox.missing)
    except UserError as error:
        ready = Ready(broken=str(error))
    connection.send_bytes(msgspec.msgpack.encode(ready))
    while not ready.broken:
        sent = msgspec.msgpack.decode(connection.recv_bytes(), type=Sent)
        try_it = grader.try_again if sent.again else grader.try_once
        graded = try_it(sent.found(), task.out, cautious=sent.attempt > 1)
        connection.send_bytes(msgspec.msgpack.encode(Done.of(graded)))


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    signal.signal(number, signal.SIG_IGN)  # the second one would disturb the tidying up
    sys.exit()
