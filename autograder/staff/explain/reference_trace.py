"""The reference's steps for one case: the values that its lines compute, in order."""

import contextlib
import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np

from autograder.marking.check_limits import CheckFailed, within
from autograder.records.questions import Check, Inputs

MOST = 40
"""The most lines to show."""
MOST_OF_ONE = 3
"""The most repetitions of a line in a loop, so that lines after the loop are also shown."""
MAX_EVENTS = 20_000
MAX_VALUE = 120


def steps(check: Check, case: Inputs, folder: Path) -> tuple[str, ...]:
    """Return what each line of the reference changes, as "file:line function: name = value".

    Calls outside `folder` are not followed.
    """
    trace = _Trace(folder.resolve())
    with contextlib.suppress(CheckFailed):  # the steps before the error are enough
        within(trace.run, check.expected, case)
    return tuple(trace.found)


class _Trace:
    def __init__(self, folder: Path) -> None:
        self.found: list[str] = []
        self._folder = folder
        self._ours: dict[CodeType, bool] = {}
        self._known: dict[FrameType, dict[str, str]] = {}
        self._line: dict[FrameType, int] = {}
        self._times: Counter[tuple[CodeType, int, str]] = Counter()
        self._events = 0

    def run(self, function: Any, case: Inputs) -> None:
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            function(case)
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, *_: Any) -> Any:
        code = frame.f_code
        if code not in self._ours:
            self._ours[code] = Path(code.co_filename).is_relative_to(self._folder)
        if not self._ours[code]:
            return None
        self._known[frame] = _written(frame)
        self._line[frame] = frame.f_lineno
        return self._ran

    def _ran(self, frame: FrameType, event: str, value: Any) -> Any:
        """Record what the previous line changed: an event comes before its own line runs."""
        self._events += 1
        if self._events > MAX_EVENTS or len(self.found) > MOST:
            return None
        now, before = _written(frame), self._known[frame]
        for name, text in now.items():
            if before.get(name) != text:
                self._tell(frame, name, f"{name} = {text}")
        if event == "return":
            self._line[frame] = frame.f_lineno
            self._tell(frame, "return", f"returns {_short(value)}")
        self._known[frame], self._line[frame] = now, frame.f_lineno
        return self._ran

    def _tell(self, frame: FrameType, name: str, text: str) -> None:
        code, line = frame.f_code, self._line[frame]
        self._times[code, line, name] += 1
        if self._times[code, line, name] > MOST_OF_ONE or len(self.found) > MOST:
            return
        where = f"{Path(code.co_filename).name}:{line} {code.co_name}"
        self.found.append("..." if len(self.found) == MOST else f"{where}: {text}")


def _written(frame: FrameType) -> dict[str, str]:
    return {
        name: _short(item)
        for name, item in frame.f_locals.items()
        if not name.startswith(".") and not (callable(item) or isinstance(item, ModuleType))
    }


def _short(item: Any) -> str:
    if isinstance(item, np.ndarray):
        text = np.array2string(item, precision=6, threshold=12, edgeitems=3)
        text = f"{text} {item.shape}" if item.ndim else text
    else:
        text = repr(item.item() if isinstance(item, np.generic) else item)
    text = " ".join(text.split())
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]} ..."
