"""Evaluation inside the sandbox: an adapter is called on a student's objects.

This module runs in the same process as student code. Its reports are claims, never verdicts: the
judge trusts values only as far as it can check them.
"""

import builtins
import contextlib
import ctypes
import functools
import gc
import importlib
import io
import json
import math
import random
import re
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.records import data
from autograder.records.figures import drawn
from autograder.records.questions import ADAPTERS, RESULT, STEPS
from autograder.records.values import Refused, is_function, plain, watched

MAX_MESSAGE = 2_000
MAX_TEXT = 200_000
_Call = Callable[[], dict[str, Any]]


# The originals, before a cell rebinds these names.
_seed_python, _seed_numpy = random.seed, np.random.seed


def seed_everything(seed: int) -> None:
    """Seed the generators that notebooks use, including torch's if imported."""
    _seed_python(seed)
    _seed_numpy(seed)
    if (torch := sys.modules.get("torch")) is None:
        return
    # torch.manual_seed also records for each kind of device where in the code it was called.
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)


def withdraw(item: Any, seen: set[int] | None = None) -> None:
    """Disable a provided reference under any name that a notebook gave it.

    The functions of a class stop working, even under different names; numbers become NaN, and
    whole numbers 0. `seen` has the ids of containers that it has already found.
    """
    seen = set() if seen is None else seen
    if isinstance(item, type):
        for name, member in list(vars(item).items()):
            function = getattr(member, "__func__", member)  # also of a static or class method
            function = getattr(function, "fget", function)  # also of a property
            if isinstance(function, (FunctionType, _CACHE)):
                with contextlib.suppress(Exception):  # the other members still have to go
                    withdraw(function, seen)
                with contextlib.suppress(Exception):
                    delattr(item, name)
    elif isinstance(item, (FunctionType, _CACHE)):
        for holder in (item, *gc.get_referrers(item)):  # functools.lru_cache remembers its results
            if isinstance(holder, _CACHE):
                holder.cache_clear()
        if isinstance(item, FunctionType):
            code = _withdrawn.__code__.replace(co_freevars=item.__code__.co_freevars)
            item.__code__ = code
        if id(item) not in seen:  # a notebook may have made it wrap itself
            seen.add(id(item))
            withdraw(getattr(item, "__wrapped__", None), seen)  # what it decorates, or caches
    elif isinstance(item, np.ndarray):
        with contextlib.suppress(ValueError):  # a view of read-only memory
            item.setflags(write=True)
        item.fill(np.nan if item.dtype.kind in "fcO" else 0)
    elif isinstance(item, dict | list | tuple):
        if id(item) in seen:
            return
        seen.add(id(item))
        for member in item.values() if isinstance(item, dict) else item:
            with contextlib.suppress(Exception):  # the other members still have to go
                withdraw(member, seen)
    elif (torch := sys.modules.get("torch")) and isinstance(item, torch.Tensor):
        item.detach().fill_(math.nan if item.is_floating_point() or item.is_complex() else 0)


_CACHE = type(functools.lru_cache(abs))


def _withdrawn(*args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError("what the notebook provides is removed while this is evaluated")


def answer(
    request: Mapping[str, Any],
    *,
    adapters: Mapping[str, Any],
    notebook: dict[str, Any],
    seed: int,
    cell_names: Mapping[str, str],
) -> dict[str, Any]:
    """Evaluate one case and return its outcome in a form for JSON.

    Our own requests have `define`: source that replaces the notebook's definitions. `cell_names`
    maps the file names that Python gave cells to names for people.
    """
    reply: dict[str, Any] = {"question": request["question"], "number": request["number"]}
    before: dict[str, Any] = {}
    started = perf_counter()
    try:
        if request["hide"]:
            _forget_the_cells(notebook)
        for name in request["hide"]:
            with contextlib.suppress(Exception):
                withdraw(notebook.pop(name, None))
        if "define" in request:
            before = dict(notebook)  # without hidden names: searching for them takes milliseconds
            exec(_compiled(request["define"]), notebook)
        missing = [name for name in request["objects"] if name not in notebook]
        if missing:
            raise Refused(f"`{missing[0]}` is not defined anywhere in the notebook.")
        inputs = data.decode_inputs(request["inputs"])
        seed_everything(seed)
        objects = [
            watched(notebook[name], name)
            if name in request["watch"] and is_function(notebook[name])
            else notebook[name]
            for name in request["objects"]
        ]
        adapter = adapters[request["adapter"]] if request["adapter"] else _call

        def call() -> dict[str, Any]:
            found = adapter(*objects, **inputs)
            if isinstance(found, Mapping):
                return dict(found)
            raise Refused(
                f"{ADAPTERS}: {request['adapter']} returns {type(found).__name__}, not a dict; return a dict, such "
                f'as {{"{RESULT}": ...}}'
            )

        value = READERS[request["reads"]](call)
        reply["value"] = data.encode_value(value)
        reply["status"] = "returned"
    except Refused as error:
        reply |= {"status": "refused", "error": str(error)[:MAX_MESSAGE]}
    except BaseException as error:
        given = json.dumps(request["inputs"], ensure_ascii=False)
        reply |= {"status": "raised", "error": _describe(error, cell_names, given)}
    if before:  # because our next answer may replace different names
        notebook.clear()
        notebook.update(before)
    reply["seconds"] = perf_counter() - started
    return reply


@functools.cache  # compiling takes longer than most answers, and each is evaluated on many cases
def _compiled(source: str) -> CodeType:
    return compile(source, "<answer>", "exec")


def _call(*objects: Any, **inputs: Any) -> dict[str, Any]:
    """Call the last object with the inputs in order: students choose their own parameter names."""
    return {RESULT: objects[-1](*inputs.values())}


def _numbers(call: _Call) -> dict[str, Any]:
    return {name: _plain(item, name) for name, item in call().items()}


def _data(call: _Call) -> dict[str, Any]:
    return {name: data.read(item, name) for name, item in call().items()}


READERS: Mapping[str, Callable[[_Call], dict[str, Any]]] = {
    "numbers": _numbers,
    "steps": lambda call: _numbers(lambda: counted(call)),
    "alone": lambda call: _numbers(lambda: alone(call)),
    "data": _data,
    "error": lambda call: {RESULT: raised(lambda: _data(call))},
    "output": lambda call: {RESULT: printed(call)},
    "picture": lambda call: {RESULT: drawn(lambda: call().get(RESULT))},
}
"""Readers by the names in `Check.reads`."""


def _plain(item: Any, name: str) -> Any:
    if type(item) is str:
        return item
    array = plain(item, name)
    if array.size > data.MAX_ELEMENTS:
        raise Refused(f"{name} has {array.size:,} numbers; the limit is {data.MAX_ELEMENTS:,}.")
    return array


_HISTORY = re.compile(r"In|Out|_i\d*|_i{2,3}|_[io]h|_{1,3}|_\d+")


def _forget_the_cells(notebook: dict[str, Any]) -> None:
    """Clear IPython's memory of cells and their results, which also contains withheld names."""
    for name in [name for name in notebook if _HISTORY.fullmatch(name)]:
        item = notebook.pop(name)
        if isinstance(item, list | dict):
            item.clear()


def _describe(error: BaseException, cell_names: Mapping[str, str], given: str) -> str:
    """Return the error, and the student's own line that raised it.

    Inputs quoted by Python or a library are left out, unless the line also contains them.
    """
    name, message = type(error).__name__, ""
    with contextlib.suppress(Exception):  # a student's class may fail here
        message = str(error)
    text = f"{name}: {message}"[:MAX_MESSAGE] if message else name
    walked = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    frames = zip(walked, traceback.extract_tb(error.__traceback__), strict=True)
    for code, frame in [(frame.f_code, line) for frame, line in frames][::-1]:
        if frame.filename in cell_names:
            # An input inside another is part of it, and inputs without a text need no search.
            function = code.co_qualname.split(".<locals>")[0]
            where = "" if "<" in function else f"in `{function}`, "
            place = f"{where}line {frame.lineno} of {cell_names[frame.filename]}"
            if not (line := frame.line or "").startswith("raise"):
                text = _without(given, text, line)
            return f"{text}\n({place}: {frame.line})"[:MAX_MESSAGE]
    return text


def _without(given: str, text: str, line: str) -> str:
    """Return a text without quoted inputs, except those that a line contains."""

    def quoted(found: re.Match[str]) -> str:
        said = found[2]
        return f"{found[1]}...{found[1]}" if said in given and said not in line else found[0]

    return _QUOTED.sub(quoted, text)


_QUOTED = re.compile(r"""(['"])((?:(?!\1).)+)\1""")


def raised(call: Callable[[], Any]) -> dict[str, Any]:
    """Return the classes of a call's error, nearest first, its message, and its return value.

    NotImplementedError of an unwritten answer and Refused with a sentence for the student are
    not caught.
    """
    try:
        returned = call()
    except Refused:
        raise
    except Exception as error:
        if type(error) is NotImplementedError and not str(error):
            raise
        kinds = [_name(kind) for kind in type(error).__mro__[:-2]]
        return {"kinds": kinds, "message": str(error)[:MAX_MESSAGE], "returned": None}
    return {"kinds": [], "message": "", "returned": returned.get(RESULT)}


def _name(kind: type) -> str:
    """Return a class's name, marked as "your own" if one of Python's only has the same name."""
    theirs = vars(builtins).get(kind.__name__, kind)
    return kind.__name__ if theirs is kind else f"your own {kind.__name__}"


def printed(call: Callable[[], Any]) -> str:
    """Return a call's printed output."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    text = out.getvalue()
    if len(text) > MAX_TEXT:
        raise Refused(f"it prints more than {MAX_TEXT:,} characters.")
    return text


def counted(call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return a call's result, and the number of lines and calls that Python ran for it.

    Imports of libraries are not counted: only the first call of a function makes them.
    """
    steps = 0
    imports: list[Any] = []

    def count(frame: Any, event: str, detail: Any) -> Any:  # noqa: ARG001
        nonlocal steps
        # The import system calls any function that it is given, so foreign ones hide nothing.
        if not imports and frame.f_code is _IMPORT and id(frame.f_locals["import_"]) in _IMPORTERS:
            imports.append(frame)
        skipped = imports and frame.f_code.co_filename.startswith(_LIBRARIES)
        steps += not skipped and event in ("call", "line")
        if event == "return" and frame in imports:
            imports.clear()
        return count

    returned = _traced(call, count)
    return {**returned, STEPS: np.array([steps])}


def alone(call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return a call's result; raise Refused if it evades the torch modes that do the counting."""
    outer: list[Any] = []
    evaded: list[int] = []

    def watch(frame: Any, event: str, detail: Any) -> Any:  # noqa: ARG001
        if frame.f_code.co_filename.startswith(_LIBRARIES):
            return None
        frame.f_trace_opcodes = True  # a mode may be switched for part of a line
        modes = _modes()
        if event == "call":
            outer.append(outer[0] if outer else modes)
        if any(mode not in modes for mode in outer[0]):
            evaded.append(frame.f_lineno)
        if event == "return":
            outer.pop()
        return watch

    returned = _traced(call, watch)
    if evaded:
        raise Refused("It works with torch's modes off, so nothing can be counted there.")
    return returned


def _modes() -> list[Any]:
    if (torch := sys.modules.get("torch")) is None:
        return []
    state = torch._C
    hidden = state._dispatch_tls_is_dispatch_key_excluded("Python")
    number = 0 if hidden else state._len_torch_dispatch_stack()
    modes = [state._get_dispatch_stack_at(n) for n in range(number)]
    number = state._len_torch_function_stack() if state._is_torch_function_enabled() else 0
    return modes + [state._get_function_stack_at(n) for n in range(number)]


def _traced(call: Callable[[], dict[str, Any]], trace: Callable[..., Any]) -> dict[str, Any]:
    """Return a traced call's result; raise Refused for work that no trace sees."""
    with contextlib.suppress(Exception):  # tqdm's first bar would start a thread
        sys.modules["tqdm"].tqdm.monitor_interval = 0
    before, threads = sys.gettrace(), _threads_so_far()
    if sys._current_frames().keys() - _THREADS:
        raise Refused(_ELSEWHERE)
    sys.settrace(trace)
    _under_way.append(trace)
    try:
        returned = call()
    finally:
        _under_way.clear()
        sys.settrace(before)
    if _threads_so_far() > threads + 1:
        raise Refused(_ELSEWHERE)
    return returned


def _threads_so_far() -> int:
    """Return how many threads Python has had, by starting one more: it numbers them."""
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(_number(_state())))
    thread.start()
    thread.join()
    return found[0]


def _refuse_elsewhere(event: str, details: object) -> None:  # noqa: ARG001
    if _under_way and event.startswith(_EVENTS):
        raise Refused(_ELSEWHERE)


_ELSEWHERE = "It works in a separate thread or process, where nothing can be counted."
_EVENTS = ("os.fork", "os.posix_spawn", "os.system", "subprocess.", "sys.settrace")
_LIBRARIES = (
    sys.prefix,
    sys.base_prefix,
    str(Path(data.__file__).parents[1]),
    "<frozen ",
    "staff/",
)
_IMPORT = importlib._bootstrap._find_and_load.__code__  # type: ignore[attr-defined]
_IMPORTERS = {id(builtins.__import__), id(importlib._bootstrap._gcd_import)}  # type: ignore[attr-defined]
_THREADS = sys._current_frames().keys()  # taken before any student code runs
_under_way: list[Any] = []
_number, _state = ctypes.pythonapi.PyThreadState_GetID, ctypes.pythonapi.PyThreadState_Get
_number.argtypes, _state.restype = [ctypes.c_void_p], ctypes.c_void_p
sys.addaudithook(_refuse_elsewhere)  # permanent: an audit hook cannot be removed
