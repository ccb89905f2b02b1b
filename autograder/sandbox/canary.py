"""The kit's own answers, evaluated in the same way as students' answers, and before them.

They go through the same forks, layers and channel. One returns a value; the others raise, take too
long or end their process. Unless each gets its proper status, no mark can be trusted.
"""

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from autograder.records.data import decode_value, encode_inputs
from autograder.records.errors import UserError
from autograder.records.questions import RESULT
from autograder.sandbox.run import Run, RunBroken, RunEnded, SandboxFault, last_line

_CELL = """\
import os

from canary_helper import FACTOR

assert os.path.getsize("canary.data") == 8_192


def canary(how, *given):
    if how == "raise":
        raise ValueError("as it should")
    while how == "spin":
        pass
    if how == "end":
        os._exit(0)
    return [FACTOR * given[0], given[1]]
"""
_NUMBERS, _WORDS = np.array([[0.5, -1.0, 3e-9]]), ["\u03b1", ("a", 1, None)]
_DATA = base64.b64encode(bytes(8_192)).decode()
_SECONDS, _SHORT = 20.0, 0.002


class _Answer(NamedTuple):
    inputs: Mapping[str, Any]
    status: str
    error: str = ""
    seconds: float = _SECONDS


# All concern one object, so they share a process until the third one ends it.
_ANSWERS = (
    _Answer({"how": "return", "numbers": _NUMBERS, "words": _WORDS}, "returned"),
    _Answer({"how": "raise"}, "raised", error="ValueError: as it should"),
    _Answer({"how": "spin"}, "timed_out", seconds=_SHORT),
    _Answer({"how": "end"}, "killed"),
)


def job() -> dict[str, Any]:
    """Return the canary's job for the sandbox."""
    return {
        "cells": [["the canary", _CELL, True]],
        "stops": [],
        "helpers": {"canary_helper.py": "FACTOR = 2"},
        "data": {"canary.data": _DATA},
        "adapters": "",
        "seed": 0,
        "value_bytes": 10_000,
        "output_bytes": 10_000,
        "memory_bytes": 500_000_000,
        "submission_seconds": _SECONDS,
    }


def examine(run: Run) -> None:
    """Follow the run of `job`; raise SandboxFault with the part that does not work."""
    part = "the sandbox's layers cannot be set up"
    try:
        while "ready" not in (message := run.receive(deadline=run.clock() + _SECONDS)):
            part = "a cell does not run"
            if message.get("error"):
                raise SandboxFault(f"{part}: {message['error']}")
        for answer in _ANSWERS:
            part = f"an answer that should end as {answer.status} did not"
            if found := _evaluate(run, answer):
                raise SandboxFault(f"{part}: {found}")
    except RunBroken as error:
        raise SandboxFault(f"{part}: {last_line(error.trace)}") from error
    except RunEnded as error:
        raise SandboxFault(f"{part}: its process {error}") from error


def _evaluate(run: Run, answer: _Answer) -> str:
    request = {
        "question": "canary",
        "number": 0,
        "adapter": "",
        "objects": ["canary"],
        "hide": [],
        "watch": [],
        "reads": "data",
        "asserts": "",
        "inputs": encode_inputs(answer.inputs),
    }
    limits = {"seconds": answer.seconds, "each": answer.seconds}
    run.send({"cases": [request], "order": [0], **limits})
    reply: Mapping[str, Any] = {}
    while "answered" not in (message := run.receive(deadline=run.clock() + _SECONDS)):
        reply = message
    status, error = reply.get("status"), str(reply.get("error", ""))
    if status != answer.status or not error.startswith(answer.error):
        return last_line(f"{status} {error}")
    return "" if status != "returned" or _is_right(reply.get("value")) else "its value is wrong"


def _is_right(value: Any) -> bool:
    try:
        numbers, words = decode_value(value)[RESULT]
    except (UserError, ValueError, TypeError):
        return False
    return np.array_equal(numbers, 2 * _NUMBERS) and bool(words == _WORDS)
