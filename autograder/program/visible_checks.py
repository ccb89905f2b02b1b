"""Remove the calls of visible checks from a program until somebody needs their message.

Everything else in a check's cell stays, since cells below may use it.
"""

import ast
import functools
from collections.abc import Collection, Sequence

from autograder.course.cells import parsed, text_of
from autograder.program.build import Program
from autograder.records.homework import Cell

TOOL = "check_tool"
"""The id of the cell that defines the kit's `check`."""


def uncalled(program: Program, release: Sequence[Cell]) -> dict[int, str]:
    """Return the text of each check's cell without its call of the check, by step number.

    The call is a statement of `check` or of a homework's own `check_...`, with the question first.

    Cells stay unchanged if a student's own function has lasting effects: an answer further down may
    need the effects of a check's call.
    """
    running = [step for step in program.steps if step.runs]
    modules = frozenset[str]().union(*(_imported(step.cell.source) for step in running))
    own = [step.cell.source for step in running if step.own]
    if any(leaves_something(source, modules) for source in own) or not any(
        cell.id == TOOL for cell in release
    ):
        return {}
    texts = {
        stop: without_call(program.steps[stop].cell.source, question)
        for question, stop in program.stops.items()
    }
    return {stop: text for stop, text in texts.items() if text}


@functools.lru_cache(maxsize=1_000)
def without_call(source: str, question: str) -> str:
    """Return a check's cell without its call of `check`, line by line; "" without a call."""
    tree = parsed(source)
    lines = source.split("\n")
    calls = [node for node in tree.body if _calls_check(node, question)] if tree else []
    for node in calls:
        if text_of(source, node) != ast.get_source_segment(source, node):
            return ""
        place = slice(node.lineno - 1, node.end_lineno)
        lines[place] = ["pass", *[""] * (len(lines[place]) - 1)]
    return "\n".join(lines) if calls else ""


def _calls_check(node: ast.stmt, question: str) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    first = call.args[0] if call.args else None
    named = call.func.id == "check" or call.func.id.startswith("check_")
    return named and isinstance(first, ast.Constant) and first.value == question


def leaves_something(source: str, modules: Collection[str] = ()) -> bool:
    """Return whether a function of a cell may have lasting effects, as far as its text shows.

    Args:
        source: The cell's text; unreadable code may do anything.
        modules: Imported names: a function called in a module may change its arguments.
    """
    tree = parsed(source)
    if tree is None:
        return bool(source.strip())
    return any(_leaves(node, modules) for node in tree.body if isinstance(node, _DEFINITIONS))


def _leaves(definition: ast.stmt, modules: Collection[str]) -> bool:
    own = {"super", *modules}
    changed: set[str] = set()
    for node in ast.walk(definition):
        match node:
            case ast.Global():
                return True
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                own.add(name)
            case ast.Attribute(ctx=ast.Load()) | ast.Subscript(ctx=ast.Load()):
                pass
            # A method called as a statement is called for its effect.
            case ast.Attribute() | ast.Subscript() | ast.Expr(value=ast.Call(func=ast.Attribute())):
                changed.add(_root(node))
    return bool(changed - own)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _root(node: ast.AST) -> str:
    """Return the name that an expression begins with, or ""."""
    while not isinstance(node, ast.Name):
        below = getattr(node, "value", None) or getattr(node, "func", None)
        if not isinstance(below, ast.AST):
            return ""
        node = below
    return node.id


@functools.lru_cache(maxsize=1_000)
def _imported(source: str) -> frozenset[str]:
    """Return the names that a cell gives to its imports."""
    nodes = ast.walk(parsed(source) or ast.Module([], []))
    names = (n.names for n in nodes if isinstance(n, ast.Import | ast.ImportFrom))
    return frozenset((one.asname or one.name).split(".")[0] for some in names for one in some)
