"""Names that a notebook's tests use and students lack: only hidden tests or solutions bind them."""

import ast
import builtins
import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from autograder.authoring import markers
from autograder.course.cells import first_line, free, parse, parsed, text_of
from autograder.records.homework import Cell
from autograder.sandbox.inside.test_cells import hidden_lines

# IPython's lines that bind names: `%time x = f()`, and `files = !ls`.
_TIMED = re.compile(r"^([ \t]*)%(?:time|timeit|prun|memit)[ \t]+(?=\S)", re.MULTILINE)
_GIVEN = re.compile(r"^([ \t]*\w[\w ,]*=) ?[!%].*$", re.MULTILINE)
_ANSWERS = ("answer", "written")
_SCOPES = ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# Marks a statement that no test can repeat: it changes students' values, or they have it already.
_NEVER = ""


class Lacking(NamedTuple):
    """A cell that uses names from hidden tests above it, which students' notebooks lack."""

    place: int
    cell: Cell
    names: tuple[str, ...]
    tests: tuple[str, ...]
    code: str
    """The statements that bind the names; "" if the cell cannot repeat them."""

    @property
    def said(self) -> str:
        """Return a sentence on the names and tests concerned."""
        names = ", ".join(f"`{name}`" for name in self.names)
        return f"{label(self.cell)} ({names} of {', '.join(self.tests)})"


def label(cell: Cell) -> str:
    """Return the words by which an author finds a cell."""
    return cell.grade_id or f"the cell {cell.id!r}"


@dataclass
class _Names:
    """A tracker of the names that a notebook has bound so far."""

    statements: list[tuple[Cell, str]] = field(default_factory=list)
    """Statements that a student's notebook lacks, with their cells; _NEVER for those no test can
    repeat."""
    absent: dict[str, frozenset[int]] = field(default_factory=dict)
    """Name -> the numbers of such statements, if they alone give it its current value."""
    later: dict[str, frozenset[str]] = field(default_factory=dict)
    """Function or class -> the names that it reads when called."""
    known: set[str] = field(default_factory=lambda: set(dir(builtins)))
    modules: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    """Names that the released cells bind."""
    answered: set[str] = field(default_factory=set)
    """The released names that students write: a test that replaces one restores it."""

    def needed(self, names: Iterable[str]) -> dict[str, frozenset[int]]:
        """Return the absent names among those given and those that their functions read.

        Each comes with the numbers of the statements that define it, including those that define
        the names it reads.
        """
        found: dict[str, frozenset[int]] = {}
        waiting, seen = [(name, "") for name in names], set[str]()
        while waiting:
            name, of = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            other = frozenset[int]() if name in self.known else self.absent.get("*", frozenset())
            if numbers := self.absent.get(name, other):
                of = of or name
                found[of] = found.get(of, frozenset()) | numbers
            waiting += [(read, of) for read in self.later.get(name, ())]
        return found

    def take(self, cell: Cell, node: ast.stmt, *, hidden: bool) -> dict[str, frozenset[int]]:
        """Process a statement; return the absent names that it needs."""
        bound, reads = set[str](), list[str]()
        events = list(_events(node))
        for what, name in events:
            if what == "binds":
                bound.add(name)
            elif what == "reads" and name not in bound:
                reads.append(name)
        needed = self.needed(reads)
        numbers = frozenset[int]().union(*needed.values())
        own = cell.role in _ANSWERS
        # A given line that needs an absent name fails, so the names it would bind are also absent.
        if hidden or (needed and not own):
            compound = hasattr(node, "body") and not isinstance(node, _DEFINITIONS)
            changed = _changed(node) - self.modules
            altered = (changed if compound else changed | bound) & self.given - self.answered
            bound -= self.given
            text = _text(cell.source, node) if hidden else _NEVER
            numbers |= {len(self.statements)}
            self.statements += [(cell, text), (cell, _NEVER)]
            self.absent |= dict.fromkeys(altered, frozenset({len(self.statements) - 1}))
            for name in changed - bound - self.given:
                self.absent[name] = self.absent.get(name, frozenset()) | numbers
            self.absent |= dict.fromkeys(bound, numbers)
        else:
            for name in bound:
                self.absent.pop(name, None)
            self.given |= bound
            self.answered = self.answered | bound if own else self.answered - bound
        for name in (name for what, name in events if what == "drops"):
            self.absent.pop(name, None)
            self.given -= set() if hidden else {name}
        for name in bound:
            self.later.pop(name, None)
        for one_of in ast.walk(node):
            if isinstance(one_of, _DEFINITIONS) and one_of.name in bound:
                self.later[one_of.name] = free(one_of)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.modules |= bound
        self.known |= bound
        return needed


def lacking(cells: Sequence[Cell]) -> list[Lacking]:
    """Return the cells of a source notebook that use names of hidden tests above them."""
    names = _Names()
    found: list[Lacking] = []
    for place, cell in enumerate(cells):
        if cell.type != "code":
            continue
        first = len(names.statements)
        hidden = hidden_lines(cell.source.split("\n"))
        used: dict[str, set[int]] = {}
        for node in _statements(cell.source):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            needed = names.take(cell, node, hidden=not hidden.isdisjoint(lines))
            for name, numbers in needed.items():
                used.setdefault(name, set()).update(n for n in numbers if n < first)
        for never in (False, True):
            chosen = {
                name: numbers
                for name, numbers in used.items()
                if numbers and never == any(names.statements[n][1] == _NEVER for n in numbers)
            }
            needs = [names.statements[n] for n in sorted(set().union(*chosen.values()))]
            tests = dict.fromkeys(label(one) for one, _ in needs)
            code = "" if never else "\n".join(text for _, text in needs)
            if chosen:
                found.append(Lacking(place, cell, tuple(sorted(chosen)), tuple(tests), code))
    return found


def remark(cells: Sequence[Cell]) -> str:
    """Return advice on cells that use names from hidden tests above them, or ""."""
    said = ", ".join(one.said for one in lacking(cells))
    if not said:
        return ""
    return (
        f"{said}: only hidden tests bind or change these, and students' notebooks lack "
        "them; write them where students see them, or again in the hidden test that uses "
        "them"
    )


def with_names(cell: Cell, code: str) -> str:
    """Return a test's text with some code in a new hidden test at its start."""
    lines = cell.source.split("\n")
    magic = 1 if lines[0].startswith("%%") else 0
    block = ["### BEGIN HIDDEN TESTS", code, "### END HIDDEN TESTS"]
    return "\n".join([*lines[:magic], *block, *lines[magic:]])


def untold(cells: Sequence[Cell]) -> dict[str, tuple[str, str]]:
    """Return name -> (cell, solution) for names that only a solution binds, unknown to students.

    Students know a name if the text they see contains it; a module counts only if imported there.
    """
    told, given = set[str](), set[str]()
    solved: dict[str, Cell] = {}
    modules: set[str] = set()
    for cell in cells:
        _, shown = markers.parted(cell.source, answer=cell.role in _ANSWERS)
        told |= set(re.findall(r"\w+", shown))
        if cell.type == "code":
            given |= _bound(_statements(shown))
        if cell.type == "code" and cell.role in _ANSWERS:
            written = _statements(cell.source)
            solved |= dict.fromkeys(_bound(written) - solved.keys(), cell)
            modules |= _bound(n for n in written if isinstance(n, ast.Import | ast.ImportFrom))
    found: dict[str, tuple[str, str]] = {}
    for cell in cells:
        if cell.type == "code" and cell.role not in _ANSWERS:
            written = _statements(cell.source)
            reads = {name for node in written for name in _read(node)} - _bound(written)
            for name in sorted(reads & solved.keys() - (told - modules) - given - found.keys()):
                found[name] = label(cell), label(solved[name])
    return found


def _statements(source: str) -> list[ast.stmt]:
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return parse(source).body
    source = _GIVEN.sub(r"\1 None", _TIMED.sub(r"\1", source))
    return (parsed(source) or ast.Module([], [])).body


def _text(source: str, node: ast.stmt) -> str:
    first, last = first_line(node), node.end_lineno or node.lineno
    for other in _statements(source):
        shared = other.lineno <= last and (other.end_lineno or other.lineno) >= first
        if shared and (other.lineno, other.col_offset) != (node.lineno, node.col_offset):
            return ast.unparse(node)
    return markers.without_markers(text_of(source, node))


def _events(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield in order how code uses the notebook's names: reads, binds or deletes."""
    if isinstance(node, ast.Name):
        kinds = {ast.Load: "reads", ast.Store: "binds", ast.Del: "reads"}
        yield kinds[type(node.ctx)], node.id
        if isinstance(node.ctx, ast.Del):
            yield "drops", node.id
    elif isinstance(node, _DEFINITIONS):
        yield "binds", node.name
    elif isinstance(node, _SCOPES):
        yield from (("reads", name) for name in free(node))
    elif isinstance(node, ast.alias):
        yield "binds", (node.asname or node.name).split(".")[0]
    else:
        # Evaluated before the name is bound, though later in the tree.
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value:
            yield from _events(node.value)
        if isinstance(node, ast.For | ast.AsyncFor):
            yield from _events(node.iter)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield "reads", node.target.id
        if isinstance(name := getattr(node, "name", None), str):  # of `except` and `case`
            yield "binds", name
        for child in ast.iter_child_nodes(node):
            yield from _events(child)


def _changed(statement: ast.stmt) -> set[str]:
    """Return the names whose values a statement changes: `a[0] = 1`, `a.b = 1`, `a.append(1)`."""
    found = set()
    for node in () if isinstance(statement, _DEFINITIONS) else ast.walk(statement):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            method = node.value.func
            if isinstance(method, ast.Attribute) and not method.attr.startswith("assert"):
                found.add(_root(method))
        elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(_root(node))
    return found - {""}


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(statements: Iterable[ast.stmt]) -> set[str]:
    events = (event for node in statements for event in _events(node))
    return {name for what, name in events if what == "binds"}


def _read(node: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
