"""Limits for checks: an error or too much time costs only one question.

Each check bounds the sizes that it multiplies, which keeps judging cheap. In a process's main
thread, processor time is also limited (a busy machine changes nothing), and memory where the kernel
counts it. macOS does not count memory, and in other threads, as on a Dask worker, neither limit can
apply to a single thread. There, only the bounds on sizes apply.
"""

import contextlib
import functools
import math
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import ParamSpec, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from autograder.records.codec import printable
from autograder.records.questions import Check, Inputs, Value, Verdict

SECONDS = 5.0
BYTES = 500_000_000
MAX_MESSAGE = 4_000
_STATUS = Path("/proc/self/status")

P = ParamSpec("P")
T = TypeVar("T")


class CheckFailed(Exception):
    """A failed check: the first line is the reason, the rest is for staff."""

    @property
    def reason(self) -> str:
        """Return the first line."""
        return str(self).split("\n")[0]


class _TimeIsUp(BaseException):
    """A timeout; not an Exception, so that no check catches it by mistake."""


def call(check: Check, inputs: Inputs, value: Value) -> Verdict:
    """Return a check's verdict on one case; raise CheckFailed if it raises or takes too much."""
    return within(_plain, check, inputs, value)


def _plain(check: Check, inputs: Inputs, value: Value) -> Verdict:
    """Return a verdict of plain numbers and printable text, whatever types the check used."""
    verdict = check(inputs, value)
    message = printable(verdict.message)
    pictures = tuple(
        replace(picture, values=tuple(tuple(map(_finite, row)) for row in picture.values))
        for picture in verdict.pictures
    )
    return Verdict(
        _finite(verdict.fraction),
        message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]} ...",
        pictures,
        bool(verdict.doubtful),
    )


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError(f"a verdict has {number}, which is not a number")
    return float(number)


def within(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a check's function; raise CheckFailed if it raises or takes too much."""
    try:
        # It is not the check's fault if a limit cannot be set, so that error propagates.
        with _one_thread(), _processor_time(), _memory(), np.errstate(all="ignore"):
            try:
                return function(*args, **kwargs)
            except MemoryError:
                raise
            except Exception as error:
                raise CheckFailed(_described(error)) from error
    except _TimeIsUp:
        raise CheckFailed(f"it took more than {SECONDS:g} s of processor time") from None
    except MemoryError:
        raise CheckFailed(f"it took more than {BYTES / 1e6:.0f} MB of memory") from None


def _one_thread() -> contextlib.AbstractContextManager[object]:
    """Limit numpy to one thread: on a busy machine its threads wait by spinning, which takes time."""
    controller: contextlib.AbstractContextManager[object] = _threads().limit(
        limits=1, user_api="blas"
    )
    return controller


@functools.cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def _described(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}, line {frame.lineno}"
    said = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {said} ({where})\n{traceback.format_exc()}"


@contextlib.contextmanager
def _processor_time() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPROF, _end)
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.signal(signal.SIGPROF, before or signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise _TimeIsUp


@contextlib.contextmanager
def _memory() -> Iterator[None]:
    used = _private_bytes()
    if used is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([used + BYTES, *allowed]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _private_bytes() -> int | None:
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                return 1024 * int(line.split()[1])
    return None
