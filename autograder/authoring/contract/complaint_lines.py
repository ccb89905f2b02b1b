"""Lines of the visible checks that complain about an answer.

The notebook's own checks run with code that records each line as it complains; the recorded lines
are printed after a check's cell, and read from its outputs.
"""

import ast
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.authoring.kit_cells import EVERY
from autograder.authoring.shown_checks import follows
from autograder.course.cells import parsed, used_names
from autograder.program.build import Step
from autograder.records.facts import Submission
from autograder.records.homework import Cell, Homework

_COMPLAINTS = ("Complaint", "Refused", "AssertionError")
_SPOKE, _PRINTED = "_spoke", "[heard]"
_NOTE = f"""\
{_SPOKE}_of = globals().setdefault("{_SPOKE}_of", set())


def {_SPOKE}(line, sentence):
    if sentence:
        {_SPOKE}_of.add(line)
    return sentence


"""
_END = f"""

import json as _json
print("{_PRINTED}", _json.dumps(sorted({_SPOKE}_of)))
"""


@dataclass(frozen=True)
class Line:
    """A line of a visible check that complains, its number, and whether the check may print it."""

    questions: tuple[str, ...]
    cell: str
    number: int
    text: str


class Heard:
    """A homework whose visible checks report which of their lines complained."""

    def __init__(self, homework: Homework) -> None:
        checks = {c.id: c.grade_id for c in homework.cells if c.role == "check" and c.grade_id}
        asserted = {question.id for question in homework.questions if question.asserted}
        reached = _reached(
            [c for c in homework.cells if checks.get(c.id) not in {None, *asserted}], homework.cells
        )
        passed = {name for cell in homework.cells for name in _passed(cell)}
        lines: list[Line] = []
        texts: dict[str, str] = {}
        for cell in homework.cells:
            if cell.type != "code" or cell.id in EVERY or cell.role not in ("check", "provided"):
                continue
            if follows(cell.source):  # the kit's tests cover checks that follow from `shown`
                continue
            if checks.get(cell.id) in asserted or (tree := parsed(cell.source)) is None:
                continue
            noting = _Noting(cell, reached, passed, len(lines))
            noting.visit(tree)
            lines += noting.lines
            if noting.lines or cell.id in checks:
                body = ast.unparse(ast.fix_missing_locations(tree))
                texts[cell.source] = _NOTE + body + _END * (cell.id in checks)
        self.lines = tuple(lines)
        known = {id for line in lines for id in line.questions}
        own = [c for c in homework.cells if c.role == "check" and not follows(c.source)]
        self.unread = tuple(str(c.grade_id) for c in own if c.grade_id not in asserted | known)
        """The questions whose own visible checks have no such line."""
        self.spoke: set[Line] = set()
        self._texts = texts
        self.homework = replace(homework, cells=self._noted(homework.cells))

    def submission(self, answer: Submission) -> Submission:
        """Return a submission with the checks of this homework."""
        return replace(answer, cells=self._noted(answer.cells))

    def listen(self, steps: Sequence[Step]) -> None:
        """Record which lines complained in a run."""
        self.spoke |= {self.lines[n] for numbers in printed(steps, _PRINTED) for n in numbers}

    def waiting(self, question: str) -> list[int]:
        """Return the numbers of a question's lines that have not complained yet."""
        return [
            n
            for n, line in enumerate(self.lines)
            if question in line.questions and line not in self.spoke
        ]

    def _noted(self, cells: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(replace(c, source=self._texts.get(c.source, c.source)) for c in cells)


def printed(steps: Sequence[Step], mark: str) -> Iterator[Any]:
    """Yield the lines that a run printed with a given mark."""
    for step in steps:
        for output in step.cell.outputs:
            for text in str(output.get("text", "")).splitlines():
                if text.startswith(f"{mark} "):
                    yield json.loads(text[len(mark) :])


def _passed(cell: Cell) -> Iterator[str]:
    """Yield the names of the functions that a cell passes to `check`."""
    for node in ast.walk(parsed(cell.source) or ast.Module([], [])):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "check":
            yield from (one.id for one in node.args[1:2] if isinstance(one, ast.Name))


def _reached(checks: Sequence[Cell], cells: Sequence[Cell]) -> Mapping[str, tuple[str, ...]]:
    functions = {
        node.name: node
        for cell in cells
        if cell.type == "code" and cell.role in ("check", "provided") and cell.id not in EVERY
        for node in (parsed(cell.source) or ast.Module([], [])).body
        if isinstance(node, ast.FunctionDef)
    }
    found: dict[str, list[str]] = {}
    for cell in checks:
        waiting, seen = [*used_names(cell.source)], set[str]()
        while waiting:
            name = waiting.pop()
            if name in functions and name not in seen:
                seen.add(name)
                waiting += [n.id for n in ast.walk(functions[name]) if isinstance(n, ast.Name)]
                found.setdefault(name, []).append(str(cell.grade_id))
    return {name: tuple(questions) for name, questions in found.items()}


class _Noting(ast.NodeTransformer):
    def __init__(
        self,
        cell: Cell,
        reached: Mapping[str, tuple[str, ...]],
        passed: Collection[str],
        first: int,
    ) -> None:
        self._cell, self._reached, self._passed, self._first = cell, reached, passed, first
        self.lines: list[Line] = []
        self._inside: list[tuple[str, bool]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        complains = node.name in self._passed or any(map(_is_text, _returned(node)))
        self._inside.append((node.name, complains))
        self.generic_visit(node)
        self._inside.pop()
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        # The called function has its own notes.
        parts = node.value.values if isinstance(node.value, ast.BoolOp) else [node.value]
        silent = all(isinstance(one, ast.Constant | ast.Call | ast.Lambda) for one in parts)
        complains = bool(self._inside) and self._inside[-1][1]
        if node.value is not None and (not silent or _is_text(node.value)) and complains:
            node.value = self._note(node, node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) in _COMPLAINTS:
            node.exc = self._note(node, node.exc)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        # Elsewhere, an assertion is about a function of the author's.
        if node.msg is not None and self._inside and self._inside[-1][0] in self._passed:
            node.msg = self._note(node, node.msg)
        return node

    def _note(self, node: ast.stmt, value: ast.expr) -> ast.expr:
        questions = self._reached.get(self._inside[0][0], ()) if self._inside else ()
        if not questions:
            return value
        text = " ".join(ast.unparse(node).split())
        label = ast.Constant(self._first + len(self.lines))
        self.lines.append(Line(questions, self._cell.id, node.lineno, text))
        return ast.Call(ast.Name(_SPOKE, ast.Load()), [label, value], [])


def _returned(function: ast.FunctionDef) -> Iterator[ast.expr]:
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        elif not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)


def _is_text(value: ast.expr) -> bool:
    """Return whether an expression is a sentence rather than an answer's value."""
    if isinstance(value, ast.IfExp):
        return _is_text(value.body) or _is_text(value.orelse)
    if isinstance(value, ast.BinOp):
        return _is_text(value.left) or _is_text(value.right)
    if isinstance(value, ast.BoolOp):
        return any(map(_is_text, value.values))
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr == "format" and _is_text(value.func.value)
    return isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )
