"""The instructor's answers as references: a check without one of its own is given the solution itself."""

import ast
import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from autograder.course.cells import free, parsed
from autograder.records.homework import Cell

MODULE = "the_solution"
"""The module that such a reference says it is of."""


class Statement(NamedTuple):
    """A statement at the top of a cell: what it is, its text, and the names that it binds."""

    node: ast.stmt
    text: str
    names: frozenset[str]


def is_solution(function: object) -> bool:
    """Return whether a reference is the solution itself."""
    return getattr(function, "__module__", None) == MODULE


def function(
    name: str,
    cells: Sequence[Cell],
    *,
    prints: bool = False,
    file: Path | None = None,
    folder: Path | None = None,
) -> Callable[..., Any] | None:
    """Return a notebook's own function or class; None where no cell defines it.

    Args:
        name: The function's.
        cells: The instructor's notebook.
        prints: Whether what it prints is its value.
        file: Where its code goes, so that its lines can be counted.
        folder: The notebook's, where its data is read from.
    """
    needed = statements(name, cells)
    if not needed or not isinstance(needed[-1].node, ast.FunctionDef | ast.ClassDef):
        return None
    space: dict[str, Any] = {"__name__": MODULE}
    code = "\n".join(statement.text for statement in needed)
    if file is not None:
        file.write_text(code, encoding="utf-8")
    with contextlib.chdir(folder) if folder else contextlib.nullcontext():
        exec(compile(code, str(file or f"<the solution of {name}>"), "exec"), space)
    found: Callable[..., Any] = space[name]
    return _printed(found) if prints else found


def statements(name: str, cells: Sequence[Cell]) -> list[Statement]:
    """Return the statements of a notebook that a name needs, in their order and its own last; [] for none."""
    before = [*_statements(cells)]
    own = [place for place, one in enumerate(before) if name in one.names]
    before = before[: own[-1] + 1 if own else 0]  # a later cell gives names other values
    bound = {bind: one for one in before for bind in one.names}
    found: list[Statement] = []
    waiting = [name]
    while waiting:
        one = bound.get(waiting.pop())
        if one is not None and one not in found:
            found.append(one)
            waiting += sorted(free(one.node))
    order = list(bound.values())
    return [*sorted(found[1:], key=order.index), *found[:1]]


def _statements(cells: Sequence[Cell]) -> Iterator[Statement]:
    for cell in cells:
        if (
            cell.type != "code"
            or cell.role in ("check", "demo")
            or (tree := parsed(cell.source)) is None
        ):
            continue
        lines = cell.source.split("\n")
        for node in tree.body:
            if names := _bound(node):
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
                yield Statement(node, "\n".join(lines[first - 1 : node.end_lineno]), names)


def _bound(node: ast.stmt) -> frozenset[str]:
    """Return the names that a definition, an import or an assignment binds."""
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


def _printed(found: Callable[..., Any]) -> Callable[..., str]:
    """Return a function that returns what another one prints."""

    def printed(**inputs: Any) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            found(**inputs)
        return said.getvalue()

    printed.__module__ = MODULE
    printed.__wrapped__ = found  # type: ignore[attr-defined]
    return printed
