"""Names that an answer uses and that a cell below its check rebinds.

The notebook's checks ran before the rebinding, so a question is evaluated in both states; these
remarks explain a difference.
"""

import ast
import functools
import symtable
from collections.abc import Iterable, Sequence

from autograder.course.cells import bound_names, free, parsed, symbols, used_names
from autograder.program.build import Program
from autograder.records.facts import Remark
from autograder.records.questions import Question


def remarks(program: Program, questions: Sequence[Question]) -> tuple[Remark, ...]:
    """Return a remark for each cell that rebinds names used by answers above it."""
    found: dict[tuple[str, str], list[str]] = {}
    for question in questions:
        for name, cell in names(program, question):
            found.setdefault((name, cell), []).append(f"`{question.id}`")
    return tuple(
        Remark(
            "student",
            f"You redefined `{name}` in {cell}. Answers above that use it were also checked with the "
            f"original: {', '.join(ids)}.",
        )
        for (name, cell), ids in found.items()
    )


def names(program: Program, question: Question) -> list[tuple[str, str]]:
    """Return an answer's names, each with the student's cell below its check that binds it."""
    stop = program.stops.get(question.id)
    if stop is None or question.ask is None:
        return []
    above = [step.cell.source for step in program.steps[: stop + 1] if step.runs]
    used = needed(question.ask.objects, above)
    return [
        (name, step.name)
        for step in program.steps[stop + 1 :]
        if step.runs and step.own
        for name in sorted(used & bound_names(step.cell.source))
    ]


def binds(program: Program, question: Question, numbers: range) -> bool:
    """Return whether one of these steps binds a name that a question's answer uses."""
    if question.ask is None:
        return False
    above = [step.cell.source for step in program.steps[: numbers.stop] if step.runs]
    used = needed(question.ask.objects, above)
    steps = (program.steps[number] for number in numbers)
    return any(step.runs and used & bound_names(step.cell.source) for step in steps)


def by_another_part(program: Program, question: Question) -> bool:
    """Return whether a part below a question's test rebinds a name that the test needs.

    Such a part is a provided cell, or the answer to a later question; the notebook's end then says
    nothing about this question. A cell that a student added may be a repair.
    """
    stop = program.stops.get(question.id)
    if stop is None or question.ask is None:
        return False
    above = [step.cell.source for step in program.steps[:stop] if step.runs]
    wanted = needed(used_names(question.ask.asserts), above)
    return any(
        step.runs and not step.added and wanted & bound_names(step.cell.source)
        for step in program.steps[stop + 1 :]
    )


def needed(objects: Iterable[str], above: Sequence[str]) -> set[str]:
    """Return objects and all names that their code needs, if the cells above define them."""
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
    """Return a name, and all functions, classes and values whose code needs it."""
    uses = [pair for source in sources for pair in (*_globals(source).items(), *_values(source))]
    found = {name}
    while more := {user for user, used in uses if used & found} - found:
        found |= more
    return found


def called(source: str) -> frozenset[str]:
    """Return the names that a cell reads when it runs, without those read in its functions."""
    return frozenset[str]().union(*(free(node) for node in _statements(source)))


def _values(source: str) -> list[tuple[str, frozenset[str]]]:
    """Return each name that a cell assigns at top level, and the names that its value needs."""
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
def _globals(source: str) -> dict[str, frozenset[str]]:
    """Return, for each function or class of a cell, the names of the notebook that it reads."""
    table = symbols(source)
    return {child.get_name(): _read(child) for child in table.get_children()} if table else {}


def _read(table: symtable.SymbolTable) -> frozenset[str]:
    own = {s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()}
    return frozenset(own).union(*map(_read, table.get_children()))
