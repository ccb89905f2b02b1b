"""The instructor's answers as references: a check without its own reference gets the solution."""

import ast
import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autograder.course.cells import free, parsed, text_of
from autograder.kit.notebook.plain_data import what_prints
from autograder.records.figures import drawn
from autograder.records.homework import Cell
from autograder.records.questions import RESULT, Reads
from autograder.records.values import plain

MODULE = "the_solution"
"""The module name that such a reference reports."""


class Statement(NamedTuple):
    """A statement at the top level of a cell: its node, its text, and the names that it binds."""

    node: ast.stmt
    text: str
    names: frozenset[str]


def is_solution(function: object) -> bool:
    """Return whether a reference is the solution itself."""
    return getattr(function, "__module__", None) == MODULE


def function(
    names: Sequence[str],
    cells: Sequence[Cell],
    reads: Reads = "data",
    *,
    adapter: Callable[..., Any] | None = None,
    file: Path | None = None,
    folder: Path | None = None,
) -> Callable[..., Any] | None:
    """Return a notebook's own function or class as a reference, or None if no cell defines it.

    Args:
        names: The question's objects; the last is the one under evaluation.
        cells: The instructor's notebook.
        reads: What to read: its output, its figure, or its return value.
        adapter: The adapter that evaluates the objects, if calling the last one is not enough.
        file: The file for its code, so that its lines can be counted.
        folder: The notebook's folder, from which its data is read.
    """
    needed = statements(names, cells)
    nodes = {name: one.node for one in needed for name in one.names}
    called = adapter or isinstance(nodes.get(names[-1]), ast.FunctionDef | ast.ClassDef)
    if not called or not nodes.keys() >= set(names):
        return None
    space: dict[str, Any] = {"__name__": MODULE}
    code = "\n".join(statement.text for statement in needed)
    if file is not None:
        file.write_text(code, encoding="utf-8")
    with contextlib.chdir(folder) if folder else contextlib.nullcontext():
        exec(compile(code, str(file or f"<the solution of {names[-1]}>"), "exec"), space)
    found: Callable[..., Any] = space[names[-1]]
    if adapter:
        found = _adapted(adapter, [space[name] for name in names], reads)
    return _effect(found, _READ[reads]) if reads in _READ else found


def statements(names: Sequence[str], cells: Sequence[Cell]) -> list[Statement]:
    """Return the statements of a notebook that some names need, in order; [] for none."""
    before = [*_statements(cells)]
    own = [place for place, one in enumerate(before) if one.names & set(names)]
    before = before[: own[-1] + 1 if own else 0]  # later cells may give the names different values
    bound = {bind: one for one in before for bind in one.names}
    found: list[Statement] = []
    waiting = [*names]
    while waiting:
        one = bound.get(waiting.pop())
        if one is not None and one not in found:
            found.append(one)
            waiting += sorted(free(one.node))
    return sorted(found, key=before.index)


def _statements(cells: Sequence[Cell]) -> Iterator[Statement]:
    for cell in cells:
        if (
            cell.type != "code"
            or cell.role in ("check", "demo")
            or (tree := parsed(cell.source)) is None
        ):
            continue
        for node in tree.body:
            if names := _bound(node):
                yield Statement(node, text_of(cell.source, node), names)


def _bound(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((one.asname or one.name).split(".")[0] for one in node.names) - {"*"}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return frozenset()
    inside = (one for target in targets if target for one in ast.walk(target))
    return frozenset(
        n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def _adapted(
    adapter: Callable[..., Any], objects: Sequence[Any], reads: Reads
) -> Callable[..., Any]:
    def adapted(**inputs: Any) -> Any:
        found = adapter(*objects, **inputs)
        if reads not in ("numbers", "steps", "alone"):
            return found.get(RESULT)
        return {name: plain(one, name) for name, one in found.items() if type(one) is not str}

    adapted.__module__ = MODULE
    return adapted


def _effect(found: Callable[..., Any], read: Callable[..., Any]) -> Callable[..., Any]:
    def effect(**inputs: Any) -> Any:
        return read(lambda: found(**inputs))

    effect.__module__, effect.__name__ = MODULE, found.__name__
    effect.__wrapped__ = found  # type: ignore[attr-defined]
    return effect


DATA = ("lines", "points", "bars", "images")
"""The parts of a figure to compare with a solution's: its data, not its words."""


def _drawn(call: Callable[[], Any]) -> list[dict[str, Any]]:
    os.environ.setdefault("MPLBACKEND", "Agg")  # so that no window opens
    return [{name: axes[name] for name in DATA} for axes in drawn(call)]


_READ: Mapping[str, Callable[..., Any]] = {"output": what_prints, "picture": _drawn}
"""The ways to read a function's result if it is not the return value."""
