"""IPython and ipykernel without the parts that need a socket, thread or terminal, or take long.

All private parts that we override or use are here, and `tests/unit/sandbox/test_jupyter.py` reports
those that a new version lacks. Cells become code as in a notebook, but only once, and before a fork
if they are known.
"""

import ast
import bdb
import contextlib
import inspect
import logging
import math
import os
import pdb
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

from ipykernel import zmqshell
from ipykernel.compiler import XCachingCompiler, get_tmp_hash_seed, murmur2_x86
from ipykernel.iostream import IOPubThread, OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from IPython.core.async_helpers import _should_be_async
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.profiledir import ProfileDir
from jupyter_client.session import Session
from traitlets.config import Config

from autograder.sandbox.inside.outputs import Outputs

# IPython changes a cell only for these: a blank or indented beginning, a line of blanks, a magic or
# a prompt, an assignment from one, or a question mark. Asking IPython means tokenizing each cell.
_MAY_CHANGE = re.compile(
    r"\A\s|^\s+$|^[ \t]*(?:[!%?,;/]|>>>|\.\.\.|In \[)|=\s*[!%]|\?", re.MULTILINE
)


class Transformers(TransformerManager):
    """IPython's transformers, which convert a cell once although the kernel asks twice.

    A transformer that students added may have effects each time, so it is called twice.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._own = self._all()
        self._last: tuple[str | None, str] = (None, "")
        self._ahead: dict[str, str] = {}

    def _all(self) -> list[Any]:
        return [*self.cleanup_transforms, *self.line_transforms, *self.token_transformers]

    def transform_cell(self, cell: str) -> str:
        """Return a cell as Python."""
        if self._all() != self._own:
            transformed: str = super().transform_cell(cell)
            return transformed
        if cell in self._ahead:
            return self._ahead[cell]
        if not _MAY_CHANGE.search(cell):
            return cell if cell.endswith("\n") else f"{cell}\n"
        if cell != self._last[0]:
            self._last = cell, super().transform_cell(cell)
        return self._last[1]

    def read_ahead(self, cell: str) -> str:
        """Transform a cell before it runs."""
        self._ahead[cell] = self.transform_cell(cell)
        return self._ahead[cell]


class Compiler(XCachingCompiler):  # type: ignore[misc]
    """IPython's compiler, which may read and compile cells before they run.

    Each result is used once, so that a notebook's changes to a tree do not affect the next cell.
    """

    def __init__(self) -> None:
        super().__init__()
        self.flags: int = self.flags
        self._trees: dict[tuple[str, str, int], ast.Module] = {}
        self._codes: dict[tuple[int, str, int], tuple[ast.stmt, CodeType]] = {}
        self._never_async: set[str] = set()

    def read_ahead(self, cells: Iterable[str], transformers: Transformers) -> None:
        """Read known cells before they run; those that warn or fail are left until then."""
        flags = self.flags
        for cell in cells:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    self._read(cell, transformers.read_ahead(cell))
                except (SyntaxError, ValueError, Warning):
                    continue
                finally:
                    self.flags = flags

    def _read(self, cell: str, transformed: str) -> None:
        if _should_be_async(transformed):
            return
        name = self.get_code_name(cell, transformed, 0)
        flags = self.flags
        tree = super().ast_parse(transformed, name)
        codes = {}
        with self.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            within = self.flags
            for node in tree.body:
                shown = node is tree.body[-1] and isinstance(node, ast.Expr)
                one = ast.Interactive([node]) if shown else ast.Module([node], [])
                symbol = "single" if shown else "exec"
                codes[id(node), symbol, within] = node, self(one, name, symbol)
            if self.flags != within:  # the cell imports from __future__
                return
        self._never_async.add(transformed)
        self._trees[transformed, name, flags] = tree
        self._codes |= codes

    def forget(self) -> None:
        """From now on, read every cell when it runs."""
        self._trees.clear()

    def is_async(self, transformed: str) -> bool:
        """Return whether a cell awaits something outside its functions."""
        return transformed not in self._never_async and _should_be_async(transformed)

    def get_code_name(self, raw_code: str, code: str, number: int) -> str:  # noqa: ARG002
        """Return the name of a cell's file, computed once per cell: its digest takes long."""
        # In a real kernel the name has the process's number; here it must be known before the fork.
        name = f"/tmp/ipykernel_1/{murmur2_x86(raw_code, get_tmp_hash_seed())}.py"
        # Otherwise `inspect` searches every imported module for each line of a traceback.
        inspect.modulesbyfile[name] = "__main__"
        return name

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> ast.AST:
        """Return a cell's tree: `compile`'s, with the flags of the cells before it."""
        ahead = self._trees.pop((source, filename, self.flags), None)
        tree: ast.AST = ahead or super().ast_parse(source, filename, symbol)
        return tree

    def __call__(self, source: Any, filename: str, symbol: str, **options: Any) -> Any:
        """Compile a piece of a cell."""
        node = source.body[0] if isinstance(source, ast.Module | ast.Interactive) else None
        known, code = self._codes.get((id(node), symbol, self.flags), (None, None))
        if code is not None and known is node:
            return code
        return super().__call__(source, filename, symbol, **options)


class _Profile(ProfileDir):
    """IPython's folder, without subfolders that only its own programs use."""

    def _mkdir(self, path: str, mode: int | None = None) -> bool:  # noqa: ARG002
        return False


def profile() -> ProfileDir:
    """Return IPython's folder, in a place where students do not look for their own files."""
    return _Profile(location=str(Path.cwd() / ".ipython" / "profile_default"))


class _Messages(Session):
    """A session that passes a kernel's messages on instead of sending them."""

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
            # JSON as after transport; content that cannot be written is an error of the cell.
            packed = self.pack(content)
            size, content = len(packed), self.unpack(packed)
        self.outputs.take(kind, content, message["parent_header"].get("msg_id"), size)
        return message


_TAKEN = {
    *("stream", "display_data", "update_display_data"),
    *("execute_result", "error", "clear_output"),
}


_MAX_ASKED = 100
"""The most calls of input() in a cell: a prompt, or a loop that waits for a valid answer, would
never end.
"""


class Kernel(IPythonKernel):  # type: ignore[misc]
    """ipykernel's kernel, for cells that arrive one by one from the thread that runs them."""

    compiler_class = Compiler
    _supports_kernel_subshells = False
    shell_channel_thread = SimpleNamespace(parent_thread=None)
    """A function that tests whether this is the thread that may be interrupted."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._execute_sleep = 0.0  # between writing and replying, for messages under way
        self.asked = 0

    def raw_input(self, prompt: str = "") -> str:  # noqa: ARG002
        """Answer input() with an empty line, since nobody can type; raise EOFError in a loop."""
        self.asked += 1
        if self.asked > _MAX_ASKED:
            raise EOFError("nobody is there to type")
        return ""

    def getpass(self, prompt: str = "", *stream: Any, **options: Any) -> str:  # noqa: ARG002
        """Answer a password prompt with an empty line."""
        return self.raw_input()


class _NoThread(IOPubThread):  # type: ignore[misc]
    """A sender without a thread: threads do not survive a fork, and their timing varies."""

    def __init__(self) -> None:
        self.thread = threading.Thread()
        self.io_loop = None

    def schedule(self, function: Callable[[], None]) -> None:
        function()


_MANY = 1_000_000
"""The most characters to keep waiting."""


class Stream(OutStream):  # type: ignore[misc]
    """sys.stdout or sys.stderr of cells, including the output of programs to its descriptor.

    A real kernel sends text 0.2 seconds after its beginning, or when flushed; so does this one, as
    soon as either stream is written to again.
    """

    def __init__(self, session: Session, name: str) -> None:
        super().__init__(session, _NoThread(), name, watchfd=False)

    def watch(self, descriptor: int, other: "Stream") -> None:
        """Capture everything written to descriptor 1 or 2 from now on.

        It goes into a file, since a full pipe would wait for a reading thread. `other` is the
        companion stream, for the order of their texts.
        """
        self._other, self._due = other, math.inf
        self._master_pid = os.getpid()
        self._descriptor, self._read = descriptor, 0
        # As in a notebook, programs get a descriptor that leads nowhere.
        self._original_stdstream_copy = os.open(os.devnull, os.O_WRONLY)
        path = Path(f".output-{descriptor}")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        path.unlink()
        os.dup2(self._file, descriptor)

    def write(self, text: str) -> Any:
        """Write text after earlier text."""
        if os.getpid() != self._master_pid and isinstance(text, str):
            # A process that a cell forked shares our descriptors but not our memory.
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


@contextlib.contextmanager
def _without_debugger() -> Iterator[None]:
    """Run ipykernel without debugpy, whose import takes long and which watches the process."""
    absent = "debugpy" not in sys.modules
    if absent:
        sys.modules["debugpy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if absent:
            del sys.modules["debugpy"]


def _go_without_debugger() -> None:
    """Let debuggers continue instead of asking what to do: nobody can type."""

    def go_on(*args: object, **options: object) -> None:
        pass

    def interaction(debugger: pdb.Pdb, *args: object) -> None:  # noqa: ARG001
        debugger.set_continue()

    sys.breakpointhook = go_on
    bdb.Bdb.set_trace = go_on  # type: ignore[method-assign]
    pdb.Pdb.interaction = interaction  # type: ignore[method-assign,assignment]


_INSTALLATION = re.compile(r"(\S*python[\d.]* -m )?pip3? install((?: [A-Za-z][\w-]*)+)")


def _are_installed(command: str) -> bool:
    """Return whether a command only installs packages that are installed: pip takes seconds to see it."""
    found = _INSTALLATION.fullmatch(command.strip().replace(" -q ", " "))
    try:
        return found is not None and all(map(metadata.distribution, found[2].split()))
    except (metadata.PackageNotFoundError, ValueError):
        return False


def _system(command: str) -> int:
    """Run a shell command as part of the cell's output; IPython's own version needs a terminal.

    If a signal ended it, return its negative number.
    """
    if _are_installed(command):
        sys.stdout.write("Requirement already satisfied\n")
        return 0
    errors = os.dup(2)
    os.dup2(1, 2)  # a terminal shows both streams as one
    try:
        status = os.waitstatus_to_exitcode(os.system(command))
    finally:
        os.dup2(errors, 2)
        os.close(errors)
    return 128 - status if status > 128 else status


def make_kernel() -> Kernel:
    """Make the only kernel of this process, whose messages are taken at their source."""
    # IPython's history on disk needs a thread, and nobody reads it. Libraries look for IPKernelApp
    # to find out whether this is a notebook.
    config = Config(
        {
            "HistoryManager": {"enabled": False},
            "InteractiveShell": {"colors": "nocolor"},
            "IPKernelApp": {},
        }
    )
    log = logging.getLogger(__name__)  # no notebook shows it
    log.addHandler(logging.NullHandler())
    log.propagate = False
    # Parts of IPython expect an application around the kernel; it is never started.
    application = IPKernelApp.instance(config=config, log=log)
    with _without_debugger():
        kernel: Kernel = Kernel.instance(
            parent=application,
            session=_Messages(key=b""),
            log=log,
            profile_dir=profile(),
            user_ns=None,
        )
    application.kernel = kernel
    application.init_shell()
    application.init_extensions()
    _go_without_debugger()
    application.init_pdb()
    shell = kernel.shell
    shell.input_transformer_manager = Transformers()

    def should_run_async(
        raw_cell: str,  # noqa: ARG001
        *,
        transformed_cell: str,
        preprocessing_exc_tuple: object = None,
    ) -> bool:
        if not shell.autoawait or preprocessing_exc_tuple is not None:
            return False
        return bool(shell.compile.is_async(transformed_cell))

    shell.should_run_async = should_run_async
    _ = shell.logger  # this imports it before its first use
    zmqshell.system = _system
    return kernel
