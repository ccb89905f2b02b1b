"""A Jupyter kernel without sockets, threads or a separate process: cells in, outputs out.

It is ipykernel's kernel with its own shell (`jupyter.py`), so that magics, display, figures, errors
and input() are those of a real notebook. `tests/integration/test_shell.py` compares it with one.
"""

import ast
import asyncio
import contextlib
import contextvars
import inspect
import io
import linecache
import os
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from autograder.sandbox.inside import forking, jupyter
from autograder.sandbox.inside.outputs import Output, Outputs

_MAX_FAILURES = 20
"""The most statements of one cell that may raise."""


class Ran(NamedTuple):
    """A cell's outcome: the outputs it changed, by cell number, its own last; its first error."""

    outputs: dict[int, list[Output]]
    error: dict[str, str] | None
    went_on: bool = False


class Ended(NamedTuple):
    """The outcome of a test cell, with only the outputs that nbgrader reads.

    The lines are those under way when the cell raised, outermost first.
    """

    outputs: list[Output]
    error: dict[str, str] | None
    lines: list[int]


class Shell:
    """A Jupyter kernel in this process; its outputs are those of a notebook.

    It may be made before a fork: a run's own state starts with `begin`.
    """

    def __init__(self) -> None:
        self._kernel = jupyter.make_kernel()
        self.shell, self._messages = self._kernel.shell, self._kernel.session
        self._stdout = jupyter.Stream(self._messages, "stdout")
        self._stderr = jupyter.Stream(self._messages, "stderr")
        self.cell_names: dict[str, str] = {}

    def read_ahead(self, cells: Iterable[str]) -> None:
        """Read and compile cells that will run, in this process or in forks of it."""
        self.shell.compile.read_ahead(cells, self.shell.input_transformer_manager)

    def begin(self, *, output_bytes: int) -> None:
        """Start one run in the current directory; its streams become this process's."""
        self._outputs = self._messages.outputs = Outputs(output_bytes)
        # An event loop and its descriptors cannot be shared with the parent process.
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        # Settings for "this context" in a cell, such as numpy's print options, apply to later
        # cells.
        self._context = contextvars.copy_context()
        self.shell.profile_dir = jupyter.profile()
        self.shell.ipython_dir = str(Path(self.shell.profile_dir.location).parent)
        self.shell.starting_dir = str(Path.cwd())
        self.shell.user_ns["_dh"][:] = [Path.cwd()]
        self._stdout.watch(1, self._stderr)
        self._stderr.watch(2, self._stdout)
        sys.stdout, sys.stderr = self._stdout, self._stderr
        sys.argv = ["ipykernel_launcher.py", "-f", "kernel.json"]
        # Modules that a cell writes can be imported, after Python's own, as in a notebook.
        packages = (n for n, path in enumerate(sys.path) if Path(path).name.endswith("-packages"))
        sys.path.insert(next(packages, len(sys.path)), "")

    @property
    def namespace(self) -> dict[str, Any]:
        """Return the names that the cells have defined."""
        namespace: dict[str, Any] = self.shell.user_ns
        return namespace

    def run(self, number: int, name: str, source: str, *, goes_on: bool = False) -> Ran:
        """Run one cell; a cell may also change what an earlier one displays.

        With `goes_on`, statements below one that raises also run.
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
        """Run only a test cell's code in a fork, without a notebook's machinery around it.

        A kernel's messages, hooks and traceback would take three times as long as the code.
        """
        asyncio.set_event_loop(asyncio.new_event_loop())  # a fork shares a loop's descriptors
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
        """Run a cell's code; return a notebook's display of its last value, or None."""
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
        # A cell may set one to None, in order to print nothing; the kernel could not flush it.
        for place, stream in (("stdout", self._stdout), ("stderr", self._stderr)):
            if getattr(sys, place, None) is None:
                setattr(sys, place, stream)
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
                # IPython stores for %notebook the outputs that we have cut.
                self.shell.history_manager.outputs.clear()
        except BaseException as problem:  # raised if a cell stopped the loop or broke the shell
            error = {"name": type(problem).__name__, "message": str(problem)[:2_000]}
        return Ran(self._outputs.finish(), self._outputs.error or error)

    def _below(self, source: str) -> str:
        """Return the code below the statement that raised in a cell, with its line numbers; or ""."""
        try:
            return self._rest(source)
        except Exception:  # a cell broke the shell, it awaits something, or was not Python at all
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


class _Beginning(io.StringIO):
    """The beginning of printed output: a loop may print forever."""

    def write(self, text: str) -> int:
        super().write(text[: max(MAX_PRINTED - self.tell(), 0)])
        return len(text)


MAX_PRINTED = 10_000
"""The most characters."""


def _stderr_in_a_file() -> int:
    path = Path(".errors")
    errors = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    path.unlink()
    os.dup2(errors, 2)
    sys.stderr = os.fdopen(os.dup(errors), "w")
    return errors
