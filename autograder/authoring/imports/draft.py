"""Tests that compare a call with a value -> drafts of checks that a student cannot forge.

The notebook's own solution becomes the reference, and inputs like the tests' are drawn.
"""

import ast
import builtins
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from autograder.authoring import markers
from autograder.authoring.new import TEMPLATES
from autograder.course import solutions
from autograder.course.cells import free, parse, parsed
from autograder.course.solutions import Statement
from autograder.records.homework import Cell

FILE = "draft.py"
TOLERANCE = 1e-6
CASES = 8
_CLOSE = ("isclose", "allclose", "approx", "assert_allclose", "assert_almost_equal")
_HEAD = (TEMPLATES / "imported" / "draft.py.txt").read_text(encoding="utf-8")


class _Call(NamedTuple):
    function: str
    inputs: tuple[Any, ...]
    named: Mapping[str, Any]
    near: bool


def draft(cells: Sequence[Cell]) -> str:
    """Return a module's text with a Question for each test that can be drafted, or ""."""
    cells = [replace(cell, source=markers.without_markers(cell.source)) for cell in cells]
    used: dict[str, None] = {}
    questions: list[str] = []
    for cell in cells:
        calls = list(_calls(cell.source)) if cell.role == "check" and cell.grade_id else []
        if len(called := {call.function for call in calls}) != 1:
            continue
        (name,) = called
        needed = _needed(name, cells)
        cases = _cases(needed[-1].node, calls) if needed else None
        if cases is None:
            continue
        used |= dict.fromkeys(map(_text, needed))
        near = f", tolerance={TOLERANCE:g}" * any(call.near for call in calls)
        asked = f", objects=({name!r},)" * (cell.grade_id != name)
        questions.append(
            f"Question(\n    {cell.grade_id!r},\n    check=Exact({name}{near}),\n"
            f"    cases=lambda rng: {cases}{asked},\n),"
        )
    if not questions:
        return ""
    imports = sorted(line for line in used if line.startswith(("import ", "from ")))
    return (
        _HEAD
        + "".join(f"{line}\n" for line in imports)
        + "from autograder.kit import Exact, Question\n\n\n"
        + "\n\n\n".join(line for line in used if line not in imports)
        + "\n\n\nQUESTIONS = (\n"
        + textwrap.indent("\n".join(questions), "    ")
        + "\n)\n"
    )


def left_out(cells: Sequence[Cell], drafted: str) -> list[str]:
    """Return nbgrader's names of the tests that got no draft."""
    tests = [cell.grade_id for cell in cells if cell.role == "check" and cell.grade_id]
    return [id for id in tests if f"Question(\n        {id!r}," not in drafted]


def _needed(name: str, cells: Sequence[Cell]) -> list[Statement]:
    found = solutions.statements([name], cells)
    bound = {*dir(builtins), *(bind for one in found for bind in one.names)}
    kinds = ast.FunctionDef | ast.Import | ast.ImportFrom
    plain = all(isinstance(one.node, kinds) and free(one.node) <= bound for one in found)
    decorated = any(getattr(one.node, "decorator_list", ()) for one in found)
    return found if plain and not decorated else []


def _text(statement: Statement) -> str:
    """Return a statement's text; for a function, without its docstring."""
    node = parse(statement.text).body[0]
    lines = statement.text.split("\n")
    if (
        not isinstance(node, ast.FunctionDef)
        or ast.get_docstring(node) is None
        or len(node.body) == 1
    ):
        return statement.text
    return "\n".join([*lines[: node.body[0].lineno - 1], *lines[node.body[0].end_lineno :]])


def _calls(source: str) -> Iterator[_Call]:
    """Yield the calls that a test compares with values, if the test does nothing else."""
    found: list[_Call] = []
    for node in (parsed(source) or ast.Module([], [])).body:
        says_nothing = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if says_nothing or isinstance(node, ast.Import | ast.ImportFrom):
            continue
        call = _compared(node)
        if call is None:
            return
        found.append(call)
    yield from found


def _compared(node: ast.stmt) -> _Call | None:
    test = node.test if isinstance(node, ast.Assert) else None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        test = node.value if _name(node.value.func).startswith("assert_") else None
    near, sides = False, list[ast.expr]()
    if isinstance(test, ast.Compare) and [type(one) for one in test.ops] == [ast.Eq]:
        sides = [test.left, test.comparators[0]]
    elif isinstance(test, ast.Call) and len(test.args) >= 2:
        near = _name(test.func) in _CLOSE
        sides = test.args[:2] if near or _name(test.func) == "assert_equal" else []
    for side, other in (sides, sides[::-1]) if sides else ():
        if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and _is_plain(other):
            values = [*side.args, *(word.value for word in side.keywords)]
            if not all(map(_is_plain, values)) or any(not word.arg for word in side.keywords):
                continue
            inputs = tuple(ast.literal_eval(one) for one in side.args)
            named = {str(word.arg): ast.literal_eval(word.value) for word in side.keywords}
            near = near or any(
                isinstance(n, ast.Constant) and isinstance(n.value, float) for n in ast.walk(other)
            )
            return _Call(side.func.id, inputs, named, near)
    return None


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_plain(node: ast.expr) -> bool:
    allowed = (ast.Constant, ast.List, ast.Dict, ast.UnaryOp, ast.USub, ast.Load)
    if not all(isinstance(one, allowed) for one in ast.walk(node)):
        return False
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True


def _cases(function: ast.stmt, calls: Sequence[_Call]) -> str | None:
    assert isinstance(function, ast.FunctionDef)
    if function.args.vararg or function.args.kwarg or function.args.posonlyargs:
        return None
    names = [one.arg for one in function.args.args]
    seen: dict[str, list[Any]] = {}
    for call in calls:
        if len(call.inputs) > len(names):
            return None
        for name, item in {**dict(zip(names, call.inputs, strict=False)), **call.named}.items():
            seen.setdefault(name, []).append(item)
    case = ", ".join(f"{name!r}: {_drawn(items)}" for name, items in seen.items())
    return f"[{{{case}}} for _ in range({CASES})]"


def _drawn(items: Sequence[Any]) -> str:
    kinds = {type(item) for item in items}
    if kinds == {int}:
        return f"int(rng.integers({max(items) + 1}, {max(items) + 2 + 2 * CASES}))"
    if kinds <= {int, float}:
        return f"float(rng.uniform({max(items)}, {max(items) + CASES}))"
    different = [item for place, item in enumerate(items) if item not in items[:place]]
    if len(different) == 1:
        return repr(different[0])
    return f"{different!r}[rng.integers({len(different)})]"
