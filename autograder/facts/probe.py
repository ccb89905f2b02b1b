"""Inside the sandbox: calls an adapter on a student's objects and replies in plain values.

This module runs in the same process as student code. What it says is a
statement, never a verdict: the judge believes values only as far as it can
check them.
"""

import contextlib
import json
import random
import traceback
from collections.abc import Mapping
from time import perf_counter
from types import FunctionType
from typing import Any

import numpy as np
import torch

from autograder.codec import decode_array, encode_value
from autograder.model import Refused

MAX_MESSAGE = 2_000
MAX_ELEMENTS = 200_000


def seed_everything(seed: int) -> None:
    """Seed the three generators that notebooks use."""
    random.seed(seed)
    np.random.seed(seed)
    # torch.manual_seed also notes for each kind of device where in the code it was called.
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.manual_seed_all(seed)


def reset_torch() -> None:
    """Undo what a later cell may have switched globally: an answer is asked in torch's own state."""
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)


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
        with contextlib.suppress(ValueError):  # it closes over something
            item.__code__ = _withdrawn.__code__
    elif isinstance(item, np.ndarray):
        item[...] = np.nan
    elif isinstance(item, dict | list | tuple):
        for member in item.values() if isinstance(item, dict) else item:
            withdraw(member)


def _withdrawn(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("what the notebook provides is not there while this is asked")


def answer(
    request: Mapping[str, Any],
    *,
    adapters: Mapping[str, Any],
    notebook: dict[str, Any],
    seed: int,
    cell_names: Mapping[str, str],
    value_bytes: int,
) -> str:
    """Ask one case and return its outcome as one line of JSON.

    Args:
        request: question, number, adapter, objects, without, inputs and, for an answer of our
            own, define: source that replaces what the notebook defines.
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
        for name in request["without"]:
            with contextlib.suppress(Exception):
                withdraw(notebook.pop(name, None))
        if "define" in request:
            exec(compile(request["define"], "<answer>", "exec"), notebook)
        missing = [name for name in request["objects"] if name not in notebook]
        if missing:
            raise Refused(f"`{missing[0]}` is not defined anywhere in the notebook.")
        inputs = {
            name: decode_array(item) if isinstance(item, dict) else item
            for name, item in request["inputs"].items()
        }
        reset_torch()
        seed_everything(seed)
        objects = [notebook[name] for name in request["objects"]]
        value = adapters[request["adapter"]](*objects, **inputs)
        reply["value"] = encode_value({name: _plain(item, name) for name, item in value.items()})
        reply["status"] = "returned"
    except Refused as error:
        reply |= {"status": "refused", "error": str(error)[:MAX_MESSAGE]}
    except BaseException as error:
        reply |= {"status": "raised", "error": _describe(error, cell_names)}
    if before:  # the next answer of our own may replace something else
        notebook.clear()
        notebook.update(before)
    reply["seconds"] = perf_counter() - started
    line = json.dumps(reply)
    if len(line) > value_bytes:
        del reply["value"]
        message = f"What it returned is larger than {value_bytes:,} bytes."
        line = json.dumps(reply | {"status": "refused", "error": message})
    return line


def _plain(item: Any, name: str) -> Any:
    """Return a float64 or int64 array, or text; Refused for anything else."""
    if type(item) is str:
        return item
    if isinstance(item, torch.Tensor):
        item = item.detach().cpu()
        item = item.double().numpy() if item.is_floating_point() else item.numpy()
    try:
        # np.array copies, so that a subclass of ndarray cannot come along.
        array = np.array(item, subok=False)
    except Exception as error:
        raise Refused(f"{name} is not an array of numbers ({_first_line(error)}).") from error
    if array.dtype.kind in "iu":
        array = array.astype(np.int64)
    elif array.dtype.kind == "f":
        array = array.astype(np.float64)
    else:
        kind = type(item).__name__
        raise Refused(f"{name} is not an array of real numbers: it is a {kind} ({array.dtype}).")
    if array.size > MAX_ELEMENTS:
        raise Refused(f"{name} has {array.size:,} numbers; at most {MAX_ELEMENTS:,} are read.")
    if not np.isfinite(array).all():
        raise Refused(f"{name} contains NaN or infinity.")
    return array


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def _describe(error: BaseException, cell_names: Mapping[str, str]) -> str:
    """Return the error, and the student's own line that it came from."""
    name, message = type(error).__name__, str(error)
    text = f"{name}: {message}"[:MAX_MESSAGE] if message else name
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in cell_names:
            place = f"line {frame.lineno} of {cell_names[frame.filename]}"
            return f"{text}\n({place}: {frame.line})"[:MAX_MESSAGE]
    return text
