"""Inside the sandbox: calls an adapter on a student's objects and replies in plain values.

This module runs in the same process as student code. What it reports is a
statement, never a verdict: the judge believes values only as far as it can
check them.
"""

import contextlib
import functools
import gc
import json
import random
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np

from autograder import data
from autograder.model import RESULT
from autograder.sandbox.inside import effects
from autograder.values import Refused, is_function, plain, watched

MAX_MESSAGE = 2_000
_Call = Callable[[], dict[str, Any]]


def seed_everything(seed: int) -> None:
    """Seed the generators that notebooks use; torch's where it is imported."""
    random.seed(seed)
    np.random.seed(seed)
    if (torch := sys.modules.get("torch")) is None:
        return
    # torch.manual_seed also notes for each kind of device where in the code it was called.
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)


def withdraw(item: Any) -> None:
    """Make a provided reference useless under any name that a notebook gave it.

    The functions of a class stop working, also where they are known by a name of
    their own; numbers become NaN.
    """
    if isinstance(item, type):
        for name, member in list(vars(item).items()):
            function = getattr(member, "__func__", member)  # also of a static or class method
            if isinstance(function, FunctionType):
                withdraw(function)
                delattr(item, name)
    elif isinstance(item, FunctionType):
        for holder in gc.get_referrers(item):  # functools.lru_cache remembers what it gave
            if isinstance(holder, _CACHE):
                holder.cache_clear()
        with contextlib.suppress(ValueError):  # it closes over something
            item.__code__ = _withdrawn.__code__
    elif isinstance(item, np.ndarray):
        item[...] = np.nan
    elif isinstance(item, dict | list | tuple):
        for member in item.values() if isinstance(item, dict) else item:
            withdraw(member)


_CACHE = type(functools.lru_cache(abs))


def _withdrawn(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("what the notebook provides is not there while this is evaluated")


def answer(
    request: Mapping[str, Any],
    *,
    adapters: Mapping[str, Any],
    notebook: dict[str, Any],
    seed: int,
    cell_names: Mapping[str, str],
    value_bytes: int,
) -> dict[str, Any]:
    """Evaluate one case and return its outcome: what can be written as JSON.

    Args:
        request: question, number, adapter, objects, without, watch, inputs and, for an answer of
            our own, define: source that replaces what the notebook defines.
        adapters: What staff/adapters.py defines.
        notebook: The notebook's namespace, after its cells ran.
        seed: Set before the adapter is called.
        cell_names: File name that Python gave a cell -> what a person calls it.
        value_bytes: Largest reply that is sent.
    """
    reply: dict[str, Any] = {"question": request["question"], "number": request["number"]}
    before = dict(notebook) if "define" in request else {}
    started = perf_counter()
    try:
        if request["without"]:
            _forget_the_cells(notebook)
        for name in request["without"]:
            with contextlib.suppress(Exception):
                withdraw(notebook.pop(name, None))
        if "define" in request:
            exec(compile(request["define"], "<answer>", "exec"), notebook)
        missing = [name for name in request["objects"] if name not in notebook]
        if missing:
            raise Refused(f"`{missing[0]}` is not defined anywhere in the notebook.")
        inputs = {
            name: data.to_pandas(item) if isinstance(item, data.Frame) else item
            for name, item in data.decode_value(request["inputs"]).items()
        }
        seed_everything(seed)
        objects = [
            watched(notebook[name], name)
            if name in request["watch"] and is_function(notebook[name])
            else notebook[name]
            for name in request["objects"]
        ]
        adapter = adapters[request["adapter"]] if request["adapter"] else _call
        value = _READERS[request["reads"]](lambda: adapter(*objects, **inputs))
        reply["value"] = data.encode_value(value)
        reply["status"] = "returned"
    except Refused as error:
        reply |= {"status": "refused", "error": str(error)[:MAX_MESSAGE]}
    except BaseException as error:
        reply |= {"status": "raised", "error": _describe(error, cell_names)}
    if before:  # the next answer of our own may replace something else
        notebook.clear()
        notebook.update(before)
    reply["seconds"] = perf_counter() - started
    if len(json.dumps(reply)) > value_bytes:
        del reply["value"]
        reply["status"] = "refused"
        reply["error"] = f"What it returned is larger than {value_bytes:,} bytes."
    return reply


def _call(*objects: Any, **inputs: Any) -> dict[str, Any]:
    """Call the last object with the inputs in their order: students name parameters as they like."""
    return {RESULT: objects[-1](*inputs.values())}


def _numbers(call: _Call) -> dict[str, Any]:
    return {name: _plain(item, name) for name, item in call().items()}


def _data(call: _Call) -> dict[str, Any]:
    return {name: data.read(item, name) for name, item in call().items()}


_READERS: Mapping[str, Callable[[_Call], dict[str, Any]]] = {
    "numbers": _numbers,
    "steps": lambda call: _numbers(lambda: effects.counted(call)),
    "data": _data,
    "error": lambda call: {RESULT: effects.raised(lambda: _data(call))},
    "output": lambda call: {RESULT: effects.printed(call)},
    "picture": lambda call: {RESULT: effects.drawn(lambda: call().get(RESULT))},
}
"""What `Check.reads` names."""


def _plain(item: Any, name: str) -> Any:
    """Return a finite float64 or int64 array, or text; Refused for anything else."""
    if type(item) is str:
        return item
    array = plain(item, name)
    if array.size > data.MAX_ELEMENTS:
        raise Refused(f"{name} has {array.size:,} numbers; at most {data.MAX_ELEMENTS:,} are read.")
    if not np.isfinite(array).all():
        raise Refused(f"{name} contains NaN or infinity.")
    return array


_HISTORY = re.compile(r"In|Out|_i\d*|_i{2,3}|_[io]h|_{1,3}|_\d+")


def _forget_the_cells(notebook: dict[str, Any]) -> None:
    """Remove IPython's memory of cells and their results: what is withheld is in its texts, too."""
    for name in [name for name in notebook if _HISTORY.fullmatch(name)]:
        item = notebook.pop(name)
        if isinstance(item, list | dict):
            item.clear()


def _describe(error: BaseException, cell_names: Mapping[str, str]) -> str:
    """Return the error, and the student's own line that it came from."""
    name, message = type(error).__name__, str(error)
    text = f"{name}: {message}"[:MAX_MESSAGE] if message else name
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in cell_names:
            place = f"line {frame.lineno} of {cell_names[frame.filename]}"
            return f"{text}\n({place}: {frame.line})"[:MAX_MESSAGE]
    return text
