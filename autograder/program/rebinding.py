"""Find the names that an answer uses and a cell below its check binds anew.

In a notebook the checks passed before that: a question is evaluated in both states, and this tells
what makes the difference.
"""

import ast
import functools
import symtable
from collections.abc import Iterable, Sequence

from autograder.course.cells import free, parsed, used_names
from autograder.program.build import Program
from autograder.records.facts import Remark
from autograder.records.questions import Question


def remarks(program: Program, questions: Sequence[Question]) -> tuple[Remark, ...]:
    """Return a remark for each cell that binds anew what answers above it use."""
    found: dict[tuple[str, str], list[str]] = {}
    for question in questions:
        for name, cell in names(program, question):
            found.setdefault((name, cell), []).append(f"`{question.id}`")
    return tuple(
        Remark(
            "student",
            f"`{name}` is overwritten in {cell}, and an answer above it uses it: "
            f"{', '.join(ids)} {'was' if len(ids) == 1 else 'were'} evaluated as it was before, too.",
        )
        for (name, cell), ids in found.items()
    )


def names(program: Program, question: Question) -> list[tuple[str, str]]:
    """Return the names that an answer uses and the student's cell below its check that binds them."""
    stop = program.stops.get(question.id)
    if stop is None or question.ask is None:
        return []
    above = [step.cell.source for step in program.steps[: stop + 1] if step.runs]
    used = needed(question.ask.objects, above)
    return [
        (name, step.name)
        for step in program.steps[stop + 1 :]
        if step.runs and step.own
        for name in sorted(used & _bound(step.cell.source))
    ]


def by_another_part(program: Program, question: Question) -> bool:
    """Whether a part below a question's test binds anew what the test needs.

    Such a part is a cell that students were given, or their answer to a later question; the
    notebook's end tells nothing of this question then. A cell that a student added may repair it.
    """
    stop = program.stops.get(question.id)
    if stop is None or question.ask is None:
        return False
    above = [step.cell.source for step in program.steps[:stop] if step.runs]
    wanted = needed(used_names(question.ask.asserts), above)
    return any(
        step.runs and not step.added and wanted & _bound(step.cell.source)
        for step in program.steps[stop + 1 :]
    )


def needed(objects: Iterable[str], above: Sequence[str]) -> set[str]:
    """Return objects and all names that their code needs, as far as the cells above define it."""
    uses: dict[str, frozenset[str]] = {}
    for source in above:
        uses |= _globals(source)
    found, waiting = set[str](), list(objects)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())
    return found


def users(name: str, sources: Iterable[str]) -> set[str]:
    """Return a name, and those of all functions, classes and values whose code needs it."""
    uses = [pair for source in sources for pair in (*_globals(source).items(), *_values(source))]
    found = {name}
    while more := {user for user, used in uses if used & found} - found:
        found |= more
    return found


def called(source: str) -> frozenset[str]:
    """Return the names that a cell reads when it runs: not in the functions that it defines."""
    return frozenset[str]().union(*(free(node) for node in _statements(source)))


def _values(source: str) -> list[tuple[str, frozenset[str]]]:
    """Return each name that a cell gives a value at top level, and what the value needs."""
    return [
        (name.id, free(node.value))
        for node in _statements(source)
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]


def _statements(source: str) -> list[ast.stmt]:
    defining = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    tree = parsed(source) or ast.Module([], [])
    return [node for node in tree.body if not isinstance(node, defining)]


@functools.lru_cache(maxsize=20_000)
def _bound(source: str) -> frozenset[str]:
    table = _table(source)
    if table is None:
        return frozenset()
    deleted = {
        target.id
        for node in (parsed(source) or ast.Module([], [])).body
        if isinstance(node, ast.Delete)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    bound = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    return frozenset(bound | deleted | {child.get_name() for child in table.get_children()})


@functools.lru_cache(maxsize=20_000)
def _globals(source: str) -> dict[str, frozenset[str]]:
    """Return, for each function or class of a cell, the names of the notebook that it reads."""
    table = _table(source)
    return {child.get_name(): _read(child) for child in table.get_children()} if table else {}


def _read(table: symtable.SymbolTable) -> frozenset[str]:
    own = {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return frozenset(own).union(*map(_read, table.get_children()))


def _table(source: str) -> symtable.SymbolTable | None:
    tree = parsed(source)
    if tree is None:
        return None
    try:
        return symtable.symtable(ast.unparse(tree), "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
