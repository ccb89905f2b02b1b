"""A Jupyter kernel without a socket, a thread or a process of its own: cells in, outputs out.

It is ipykernel's kernel with its own shell, so that magics, display, figures, errors and
input() are those of a real notebook. Only how messages leave it is ours: they are taken
where they are made. `tests/integration/test_shell.py` compares it with a real kernel.
"""

import ast
import asyncio
import bdb
import contextlib
import contextvars
import inspect
import io
import linecache
import logging
import math
import os
import pdb
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from ipykernel import zmqshell
from ipykernel.iostream import IOPubThread, OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from IPython.core.profiledir import ProfileDir
from jupyter_client.session import Session
from traitlets.config import Config

from autograder.sandbox.inside import forking
from autograder.sandbox.inside.compiling import Compiler, Transformers
from autograder.sandbox.inside.outputs import Output, Outputs

_MAX_FAILURES = 20
"""Statements of one cell that may raise."""


class Ran(NamedTuple):
    """What became of a cell.

    Args:
        outputs: By cell number, its own last.
        error: Its first error: name and message.
        went_on: Whether statements below one that raised ran, too.
    """

    outputs: dict[int, list[Output]]
    error: dict[str, str] | None
    went_on: bool = False


class Ended(NamedTuple):
    """What became of a test cell.

    Args:
        outputs: What nbgrader looks at: whether something was written to stderr, and what the
            cell ends in.
        error: What it raised: name and message.
        lines: The lines of the cell that were under way then, the outermost first.
    """

    outputs: list[Output]
    error: dict[str, str] | None
    lines: list[int]


class Shell:
    """A Jupyter kernel in this process; its outputs are those of a notebook.

    It may be made before a fork: what belongs to one run starts with `begin`.
    """

    def __init__(self) -> None:
        # The history that IPython would write to disk needs a thread, and nobody reads it.
        # Libraries look for IPKernelApp to learn whether this is a notebook.
        config = Config(
            {
                "HistoryManager": {"enabled": False},
                "InteractiveShell": {"colors": "nocolor"},
                "IPKernelApp": {},
            }
        )
        self._messages = _Messages(key=b"")
        # Parts of IPython ask for the application around the kernel; it is never started.
        application = IPKernelApp.instance(config=config, log=_silent())
        with _without_debugger():
            self._kernel = _Kernel.instance(
                parent=application,
                session=self._messages,
                log=application.log,
                profile_dir=_profile(),
                user_ns=None,
            )
        application.kernel = self._kernel
        application.init_shell()
        application.init_extensions()
        _go_without_debugger()
        application.init_pdb()
        self.shell = self._kernel.shell
        self.shell.input_transformer_manager = self._transformers = Transformers()
        self.shell.should_run_async = self._is_async
        _ = self.shell.logger  # is imported when it is first asked for
        zmqshell.system = _system
        self._stdout = _Stream(self._messages, "stdout")
        self._stderr = _Stream(self._messages, "stderr")
        self.cell_names: dict[str, str] = {}

    def read_ahead(self, cells: Iterable[str]) -> None:
        """Read and compile cells that will be run, in this process or in forks of it."""
        self.shell.compile.read_ahead(cells, self._transformers)

    def _is_async(
        self,
        raw_cell: str,  # noqa: ARG002
        *,
        transformed_cell: str,
        preprocessing_exc_tuple: object = None,
    ) -> bool:
        """Whether a cell is to be awaited; in the words of IPython's own method."""
        if not self.shell.autoawait or preprocessing_exc_tuple is not None:
            return False
        asynchronous: bool = self.shell.compile.is_async(transformed_cell)
        return asynchronous

    def begin(self, *, output_bytes: int) -> None:
        """Start one run in the current directory; its streams become this process's.

        Args:
            output_bytes: The most that all outputs together may have.
        """
        self._outputs = self._messages.outputs = Outputs(output_bytes)
        # An event loop and its descriptors cannot be shared with the process we forked from.
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        # What cells set for "this context" (numpy's print options, say) holds for later cells.
        self._context = contextvars.copy_context()
        self.shell.profile_dir = _profile()
        self.shell.ipython_dir = str(Path(self.shell.profile_dir.location).parent)
        self.shell.starting_dir = str(Path.cwd())
        self.shell.user_ns["_dh"][:] = [Path.cwd()]
        self._stdout.watch(1, self._stderr)
        self._stderr.watch(2, self._stdout)
        sys.stdout, sys.stderr = self._stdout, self._stderr
        sys.argv = ["ipykernel_launcher.py", "-f", "kernel.json"]
        # Modules that a cell writes are found, after Python's own, as in a notebook.
        packages = (n for n, path in enumerate(sys.path) if Path(path).name.endswith("-packages"))
        sys.path.insert(next(packages, len(sys.path)), "")

    @property
    def namespace(self) -> dict[str, Any]:
        """What the cells have defined."""
        namespace: dict[str, Any] = self.shell.user_ns
        return namespace

    def run(self, number: int, name: str, source: str, *, goes_on: bool = False) -> Ran:
        """Run one cell; a cell may also change what an earlier one displays.

        Args:
            number: Its place.
            name: What messages call it.
            source: Its text.
            goes_on: Whether the statements below one that raises run, too.
        """
        self._begin(number, name, source)
        ran = self._run()
        for _ in range(_MAX_FAILURES if goes_on else 0):
            source = self._below(source)
            if not source:
                break
            self._begin(number, name, source, again=True)
            more = self._run()
            # A cell's own outputs come last.
            ran = Ran({**ran.outputs, **more.outputs}, ran.error, went_on=True)
            if more.error is None:
                break
        own = ran.outputs.pop(number)
        return Ran({**ran.outputs, number: own}, ran.error, ran.went_on)

    def test(self, source: str) -> Ended:
        """Run a test cell in a fork: only its code, with none of what a notebook does around it.

        A kernel's messages, hooks and traceback take three times as long as the code.

        Args:
            source: Its text.
        """
        asyncio.set_event_loop(asyncio.new_event_loop())  # a loop's descriptors are shared
        errors = _stderr_in_a_file()
        place = self.shell.compile.get_code_name(source, source, 0)
        outputs: list[Output] = []
        try:
            with contextlib.redirect_stdout(_Beginning()) as printed:
                shown = self._context.run(self._evaluate, source, place)
        except BaseException as error:
            frames = traceback.walk_tb(error.__traceback__)
            lines = [line for frame, line in frames if frame.f_code.co_filename == place]
            return Ended([], {"name": type(error).__name__, "message": str(error)}, lines)
        sys.stderr.flush()
        if os.fstat(errors).st_size:
            outputs.append({"output_type": "stream", "name": "stderr"})
        if text := printed.getvalue():
            outputs.append({"output_type": "stream", "name": "stdout", "text": text})
        if shown is not None:
            outputs.append({"output_type": "execute_result", "data": {"text/plain": shown}})
        return Ended(outputs, None, [])

    def _evaluate(self, source: str, place: str) -> str | None:
        """Run a cell's code; return how a notebook shows what it ends in, None for nothing."""
        text = self.shell.transform_cell(source)
        linecache.cache[place] = len(text), None, text.splitlines(keepends=True), place
        flags = self.shell.compile.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree = compile(text, place, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        last = tree.body[-1] if tree.body else None
        hook = self.shell.displayhook
        if not isinstance(last, ast.Expr) or hook.semicolon_at_end_of_expression(text):
            last = None
        statements = ast.Module(tree.body[:-1] if last else tree.body, [])
        self._execute(compile(statements, place, "exec", flags, dont_inherit=True))
        if last is None:
            return None
        expression = ast.Expression(last.value)
        value = self._execute(compile(expression, place, "eval", flags, dont_inherit=True))
        if value is None:
            return None
        shown: str | None = self.shell.display_formatter.format(value)[0].get("text/plain")
        return shown

    def _execute(self, code: CodeType) -> Any:
        value = eval(code, self.namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            return asyncio.get_event_loop().run_until_complete(value)
        return value

    def _begin(self, number: int, name: str, source: str, *, again: bool = False) -> None:
        forking.tame_torch()  # an earlier cell may have imported it
        content = {"code": source, "allow_stdin": False, "stop_on_error": False}
        self._request = self._messages.msg("execute_request", content)
        self._outputs.begin(number, self._request["msg_id"], again=again)
        self._kernel.asked = 0
        with contextlib.suppress(Exception):  # a cell may have broken the shell
            self.cell_names[self.shell.compile.get_code_name(source, source, 0)] = name

    def _run(self) -> Ran:
        error = None
        try:
            if self.shell.ast_transformers:
                self.shell.compile.forget()
            running = self._kernel.dispatch_shell(self._request)
            task = self._loop.create_task(running, context=self._context)
            self._loop.run_until_complete(task)
            if self._outputs.left <= 0:
                # IPython keeps for %notebook what we have cut.
                self.shell.history_manager.outputs.clear()
        except BaseException as problem:  # a cell stopped the loop, or broke the shell
            error = {"name": type(problem).__name__, "message": str(problem)[:2_000]}
        return Ran(self._outputs.finish(), self._outputs.error or error)

    def _below(self, source: str) -> str:
        """Return what is below the statement that raised in a cell, with its lines' numbers; or ""."""
        try:
            return self._rest(source)
        except Exception:  # a cell broke the shell, it awaits something, or was no Python at all
            return ""

    def _rest(self, source: str) -> str:
        result = self.shell.last_execution_result
        error = result.error_in_exec if result else None
        place = self.shell.compile.get_code_name(source, source, 0)
        frames = traceback.walk_tb(error.__traceback__ if error else None)
        line = next((n for frame, n in frames if frame.f_code.co_filename == place), 0)
        text = self.shell.transform_cell(source)
        statements = ast.parse(text).body
        ends = [s.end_lineno or 0 for s in statements if s.lineno <= line <= (s.end_lineno or 0)]
        below = text.split("\n")[ends[-1] :] if ends else []
        return "#\n" * ends[-1] + "\n".join(below) if "".join(below).strip() else ""


class _Profile(ProfileDir):
    """IPython's folder, without those in it that only its own programs use."""

    def _mkdir(self, path: str, mode: int | None = None) -> bool:  # noqa: ARG002
        return False


def _profile() -> ProfileDir:
    """Return IPython's folder, where students do not look for their own files."""
    return _Profile(location=str(Path.cwd() / ".ipython" / "profile_default"))


class _Beginning(io.StringIO):
    """The first that is printed: a loop may print for ever."""

    def write(self, text: str) -> int:
        super().write(text[: max(MAX_PRINTED - self.tell(), 0)])
        return len(text)


MAX_PRINTED = 10_000
"""Characters."""


def _stderr_in_a_file() -> int:
    """Send what is written to stderr from now on, by whatever means, to a file; return it."""
    path = Path(".errors")
    errors = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    path.unlink()
    os.dup2(errors, 2)
    sys.stderr = os.fdopen(os.dup(errors), "w")
    return errors


def _silent() -> logging.Logger:
    """Return the kernel's own log, which no notebook shows."""
    log = logging.getLogger(__name__)
    log.addHandler(logging.NullHandler())
    log.propagate = False
    return log


def _go_without_debugger() -> None:
    """Have every debugger go on where it would ask what to do: nobody is there to type."""

    def go_on(*args: object, **options: object) -> None:
        pass

    def interaction(debugger: pdb.Pdb, *args: object) -> None:  # noqa: ARG001
        debugger.set_continue()

    sys.breakpointhook = go_on
    bdb.Bdb.set_trace = go_on  # type: ignore[method-assign]
    pdb.Pdb.interaction = interaction  # type: ignore[method-assign,assignment]


def _system(command: str) -> int:
    """Run a shell's command, whose output is the cell's; IPython's own asks for a terminal.

    Returns:
        Its status; the number of a signal that ended it, with a minus.
    """
    errors = os.dup(2)
    os.dup2(1, 2)  # a terminal shows both as one
    try:
        status = os.waitstatus_to_exitcode(os.system(command))
    finally:
        os.dup2(errors, 2)
        os.close(errors)
    return 128 - status if status > 128 else status


@contextlib.contextmanager
def _without_debugger() -> Iterator[None]:
    """Have ipykernel do without debugpy, which takes long to import and watches the process."""
    absent = "debugpy" not in sys.modules
    if absent:
        sys.modules["debugpy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if absent:
            del sys.modules["debugpy"]


class _Messages(Session):
    """Hands a kernel's messages over instead of sending them."""

    outputs: Outputs | None = None

    def feed_identities(self, message: Any, copy: bool = True) -> Any:  # noqa: ARG002
        return [], message

    def deserialize(self, message: Any, content: bool = True, copy: bool = True) -> Any:  # noqa: ARG002
        return message

    def send(
        self,
        stream: Any,  # noqa: ARG002
        msg_or_type: Any,
        content: Any = None,
        parent: Any = None,
        *wire: Any,  # noqa: ARG002
        **options: Any,  # noqa: ARG002
    ) -> Any:
        message = msg_or_type
        if not isinstance(message, dict):
            message = self.msg(message, content, parent)
        kind, content = message["msg_type"], message["content"]
        if self.outputs is None or kind not in _TAKEN:
            return message
        if kind == "stream":
            size = len(content["text"])
        else:
            # As it would arrive; what cannot be written is an error of the cell.
            packed = self.pack(content)
            size, content = len(packed), self.unpack(packed)
        self.outputs.take(kind, content, message["parent_header"].get("msg_id"), size)
        return message


_TAKEN = {
    "stream",
    "display_data",
    "update_display_data",
    "execute_result",
    "error",
    "clear_output",
}


class _OneThread:
    parent_thread = None


_MAX_ASKED = 100
"""Calls of input() in a cell: a prompt, or a loop that waits for a valid answer, would go on for ever."""


class _Kernel(IPythonKernel):  # type: ignore[misc]
    """ipykernel's kernel, for cells that come one by one from the thread that runs them."""

    compiler_class = Compiler
    _supports_kernel_subshells = False
    shell_channel_thread = _OneThread()
    """Is asked whether this is the thread that may be interrupted."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._execute_sleep = 0.0  # between writing and replying, for messages on their way
        self.asked = 0

    def raw_input(self, prompt: str = "") -> str:  # noqa: ARG002
        """Answer input() with nothing, since nobody is there to type; EOFError in a loop."""
        self.asked += 1
        if self.asked > _MAX_ASKED:
            raise EOFError("nobody is there to type")
        return ""

    def getpass(self, prompt: str = "", stream: Any = None) -> str:  # noqa: ARG002
        """Answer a question for a password with nothing."""
        return self.raw_input()


class _NoThread(IOPubThread):  # type: ignore[misc]
    """Sends at once: threads would not survive a fork, and time nothing twice alike."""

    def __init__(self) -> None:
        self.thread = threading.Thread()
        self.io_loop = None

    def schedule(self, function: Callable[[], None]) -> None:
        function()


_MANY = 1_000_000
"""Characters that are not kept waiting."""


class _Stream(OutStream):  # type: ignore[misc]
    """sys.stdout or sys.stderr of cells; what programs write to its descriptor is part of it.

    A real kernel sends what was written 0.2 seconds after the first of it, or when it is
    flushed; so does this one, as soon as either stream is written to again.
    """

    def __init__(self, session: Session, name: str) -> None:
        super().__init__(session, _NoThread(), name, watchfd=False)

    def watch(self, descriptor: int, other: "_Stream") -> None:
        """Take what is written to a descriptor from now on.

        A file takes it, since a pipe that is full waits for a thread that reads.

        Args:
            descriptor: 1 or 2.
            other: The stream that goes with this one, and keeps its place in time.
        """
        self._other, self._due = other, math.inf
        self._master_pid = os.getpid()
        self._descriptor, self._read = descriptor, 0
        # What others may have as this stream's own descriptor leads nowhere, as in a notebook.
        self._original_stdstream_copy = os.open(os.devnull, os.O_WRONLY)
        path = Path(f".output-{descriptor}")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        path.unlink()
        os.dup2(self._file, descriptor)

    def write(self, text: str) -> Any:
        """Write text after what came before it."""
        if os.getpid() != self._master_pid and isinstance(text, str):
            # A process that a cell forked shares our descriptors and not our memory.
            return os.write(self._descriptor, text.encode(errors="replace"))
        other = self._other
        self._take_written()
        other._take_written()
        if (now := time.monotonic()) > self._due or now > other._due:
            for stream in (self, other) if self._due < other._due else (other, self):
                if now > stream._due:
                    stream._flush()
        written = super().write(text)
        if written and written > _MANY:
            self._flush()
        return written

    def _take_written(self) -> None:
        size = os.lseek(self._file, 0, os.SEEK_END)
        if size == self._read:
            return
        with self._buffer_lock:
            self._read = min(self._read, size)  # a program may have cut the file
            written = os.pread(self._file, size - self._read, self._read)
            self._read += len(written)
            super().write(written.decode(errors="replace"))

    def _schedule_flush(self) -> None:
        if self._due == math.inf:
            self._due = time.monotonic() + self.flush_interval

    def _flush(self) -> None:
        if os.getpid() == self._master_pid:
            self._take_written()
            self._due = math.inf
            super()._flush()
