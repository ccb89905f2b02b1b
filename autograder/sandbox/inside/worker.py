"""The untrusted side's warm process, forked for each submission and for its questions.

It starts as `python -s -P -m autograder.sandbox.inside.worker MODULE...`, in a clean environment
and with a socket as its standard input. It imports these modules and all our code that runs behind
the layers, and knows no secret. It is told which layers to use, and answers with its user, the
layers that do not work, and our files that it runs. Then, for each file descriptor that arrives on
the socket, it forks a child, which enters the layers and exchanges JSON lines over that descriptor:

    <- {"directory", "cells": [[name, source, own] or null, ...], "stops": [2, ...], "adapters", ...}
    -> {"started": 0}, {"finished": 0, "outputs": [...], "error": null, "went_on": false}, ...
    -> {"ready": 2}                           at a stop, after cell 2; {"ready": true} at the end
    <- {"cases": [{"question", "number", "adapter", "inputs", ...}, ...], "order", "seconds", "each"}
    -> {"question", "number", "status", "value", "error", "seconds"}    one line for each of "order"
    -> {"answered": "<question>"}                                            one line per question
    <- {"go": [[3, "..."], ...]}              the cells go on to the next stop, some with a new text
    <- {"last": [...]}                        one more, without a fork: nothing that counts follows
    -> {"broken": "<traceback>"}                          code of ours failed, and no cell's did

`staff/paper/typesetter.py` is served in the same way, with different work in its forks.
"""

import base64
import contextlib
import functools
import gc
import hashlib
import importlib
import inspect
import json
import os
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from autograder.sandbox.inside import evaluate, forking, layers, trial
from autograder.sandbox.inside.linux.system import LINUX, adopt_orphans, die_with_parent
from autograder.sandbox.inside.question_forks import answer_questions, fault, remember, send

if TYPE_CHECKING:
    from autograder.sandbox.inside.kernel import Shell


ADAPTERS = "staff/adapters.py"
Warm = TypeVar("Warm")


def serve(
    warm_up: Callable[[], Warm],
    serve_one: Callable[[int, layers.Confinement, Warm], None],
    *,
    prepare: Callable[[Warm, Mapping[str, Any]], None] | None = None,
    catch_up: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until the control socket closes.

    Args:
        warm_up: Imports and prepares everything that all runs need, so that a fork has it already.
        serve_one: Called in a fork with a run's descriptor; it has to enter the layers.
        prepare: Called with the result of `warm_up` and the supervisor's wish.
        catch_up: Called before every fork but the first two; imports modules that runs turned out to need, and reports whether it did.
    """
    control = socket.socket(fileno=os.dup(0))
    gc.disable()  # it would take a quarter of the imports' time
    try:
        warm = warm_up()
        with control.makefile("rb", buffering=0) as lines:
            wish = json.loads(lines.readline())
        if prepare:
            _call_prepare(prepare, warm, wish)
    except Unfit as error:
        control.sendall(json.dumps({"unfit": str(error)}).encode() + b"\n")
        return
    remember()
    gc.freeze()
    gc.enable()
    forks = 0
    adopt_orphans()
    signal.signal(signal.SIGCHLD, layers.reap)
    directory = Path(wish["trial"])
    wanted = msgspec.convert(wish["confinement"], layers.Confinement)
    confinement = layers.settle(wanted, directory.parent)
    missing = _test_layers(confinement, directory)
    report = {"uid": confinement.uid, "missing": missing, "files": _files_of_ours()}
    control.sendall(json.dumps(report).encode() + b"\n")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if descriptors:
            forks += 1
            # The first fork is the canary's, and the second may be the only submission's.
            if forks > 2 and (catch_up() or forks == 3):
                forking.settle()  # it pays only for many runs
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                control.close()
                serve_one(descriptors[0], confinement, warm)
                os._exit(0)
            os.close(descriptors[0])
        else:
            layers.end_all(confinement)
        if not message:
            return
        control.sendall(message)


class Unfit(Exception):
    """A part of the homework does not work on this machine; the text says which, and why."""


def _call_prepare(prepare: Callable[..., None], warm: object, wish: Mapping[str, Any]) -> None:
    try:
        prepare(warm, wish)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == ADAPTERS]
        if not lines:
            raise
        raise Unfit(
            f"{ADAPTERS}: line {lines[-1]}: {type(error).__name__}: {' '.join(str(error).split())}"
        ) from error


def _files_of_ours() -> dict[str, str]:
    specs = [getattr(module, "__spec__", None) for module in tuple(sys.modules.values())]
    paths = {spec.origin for spec in specs if spec and spec.name.split(".")[0] == "autograder"}
    whole = {Path(path).resolve() for path in paths if path}
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in whole}


def _test_layers(confinement: layers.Confinement, directory: Path) -> dict[str, str]:
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            missing = trial.try_out(confinement, directory)
        except BaseException:
            missing = {"broken": traceback.format_exc()}
        os.write(writer, json.dumps(missing).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        missing = msgspec.json.decode(lines.read(), type=dict[str, str])
    # The supervisor counts every process that exists now as one of ours.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process, 0)
    return missing


def _warm_up() -> "Shell":
    from autograder.sandbox.inside.kernel import Shell

    for name in sys.argv[1:]:
        try:
            importlib.import_module(name)
        except Exception as error:  # it may raise anything
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise Unfit(
                f"staff/spec.py: warm: {name!r} cannot be imported here ({what})"
            ) from error
    if "matplotlib.pyplot" in sys.modules:
        importlib.import_module("matplotlib.backends.backend_agg")
    forking.tame_torch()
    return Shell()


def _prepare(shell: "Shell", wish: Mapping[str, Any]) -> None:
    """Read the homework's public files, so that a fork has them already: none is a secret."""
    load_adapters(wish["adapters"])
    shell.read_ahead(wish["cells"])


_TRACEBACKS = "stack_data"
"""The formatter of IPython's errors."""


def _catch_up() -> bool:
    """Import modules that only later runs are likely to need; return whether any were imported."""
    if _TRACEBACKS in sys.modules:
        return False
    importlib.import_module(_TRACEBACKS)
    # This builds its table of modules once instead of in each fork.
    inspect.getmodule(_catch_up.__code__)
    return True


def _serve_submission(descriptor: int, confinement: layers.Confinement, shell: "Shell") -> None:
    channel = socket.socket(fileno=descriptor)
    lines = channel.makefile("r", encoding="utf-8")
    with speaking_for_the_run(channel, alone=True):
        job = json.loads(lines.readline())
        layers.enter(
            confinement,
            Path(job["directory"]),
            memory_bytes=job["memory_bytes"],
            seconds=job["submission_seconds"],
        )
        # Before any student code, so that the adapters import their modules unchanged.
        adapters = load_adapters(job["adapters"])
        _lay_out(shell, job)
    with speaking_for_the_run(channel):
        changed: dict[int, str] = {}
        for number in _run_cells(channel, shell, job, changed):
            changed |= answer_questions(channel, lines, shell, adapters, job, after=number)
    _leave_threads_behind()
    with speaking_for_the_run(channel):
        answer_questions(channel, lines, shell, adapters, job)


def _leave_threads_behind() -> None:
    """Leave the cells' threads behind: only the forking thread continues, in a new process."""
    if not LINUX:  # nobody adopts the process on this system
        return
    with contextlib.suppress(OSError):
        if len(os.listdir("/proc/self/task")) == 1:  # noqa: PTH208
            return
    worker = os.getppid()
    if os.fork():
        os._exit(0)
    while os.getppid() != worker:
        time.sleep(0.001)
    die_with_parent()


@contextlib.contextmanager
def speaking_for_the_run(channel: socket.socket, *, alone: bool = False) -> Iterator[None]:
    """Report failures of our own code; a cell may fork, and only the first process reports.

    While it is `alone`, no submission's code has run, so any failure is ours.
    """
    owner = os.getpid()
    try:
        yield
    except BaseException as error:
        why = traceback.format_exc() if alone else fault(error)
        if os.getpid() == owner and why:
            send(channel, {"broken": why})
        raise


def _lay_out(shell: "Shell", job: Mapping[str, Any]) -> None:
    # Its own home, so that it finds no history or cache of earlier submissions.
    homes = "HOME TMPDIR IPYTHONDIR MPLCONFIGDIR TORCHINDUCTOR_CACHE_DIR".split()
    os.environ.update(dict.fromkeys(homes, str(Path.cwd())))
    tempfile.tempdir = None  # so that it is looked up anew
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    for name, coded in job["data"].items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(base64.b64decode(coded))
    for name, text in job["helpers"].items():
        Path(name).write_text(text, encoding="utf-8")
    shell.begin(output_bytes=job["output_bytes"])


def _run_cells(
    channel: socket.socket, shell: "Shell", job: Mapping[str, Any], changed: Mapping[int, str]
) -> Iterator[int]:
    """Run the cells; yield the number of each after which questions are evaluated.

    A text that is in `changed` when its cell's turn comes replaces the cell's own.
    """
    owner = os.getpid()
    stops = set(job["stops"])
    said: list[Mapping[str, Any]] = []
    for number, cell in enumerate(job["cells"]):
        if cell is not None:
            send(channel, *said, {"started": number})
            evaluate.seed_everything(job["seed"] + number)
            name, source, own = cell
            ran = shell.run(number, name, changed.get(number, source), goes_on=own)
            if os.getpid() != owner:
                os._exit(0)  # a cell forked: only the first process continues
            # A cell may change an earlier one's display; its own outputs come last.
            said = [
                {"finished": place, "outputs": outputs, "error": None}
                for place, outputs in ran.outputs.items()
            ]
            said[-1] = {**said[-1], "error": ran.error, "went_on": ran.went_on}
        if number in stops:
            send(channel, *said)
            said = []
            yield number
    send(channel, *said)


@functools.lru_cache(maxsize=1)
def load_adapters(adapters: str) -> Mapping[str, Any]:
    """Return the definitions of staff/adapters.py; in a fork, those its worker was started with."""
    namespace: dict[str, Any] = {"__name__": "adapters"}
    exec(compile(adapters, ADAPTERS, "exec"), namespace)
    return namespace


if __name__ == "__main__":
    serve(_warm_up, _serve_submission, prepare=_prepare, catch_up=_catch_up)
