"""The cells of a graded submission -> the answers that questions can be about."""

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograder.course.cells import parsed
from autograder.records.homework import Homework
from autograder.records.questions import Question
from autograder.sandbox.execution import definitions
from autograder.staff.defence.records import Answer

MAX_LINES, MAX_WIDTH, WIDTH = 30, 110, 88
"""The most lines of an answer: a longer one does not fit on a one-page sheet."""


@dataclass(frozen=True)
class Cells:
    """The answers in a submission.

    Args:
        answers: The answers, in the order of the homework's questions.
        without: Name of an answer -> why there can be no question about it, for staff.
    """

    answers: tuple[Answer, ...]
    without: dict[str, str]


def read(cells: Sequence[str], homework: Homework) -> Cells:
    """Return the answers in a submission's code cells, without running its code."""
    found = {name: _answer(cells, name, questions) for name, questions in _objects(homework)}
    return Cells(
        tuple(one for one in found.values() if isinstance(one, Answer)),
        {name: why for name, why in found.items() if isinstance(why, str)},
    )


def _objects(homework: Homework) -> Iterator[tuple[str, tuple[Question, ...]]]:
    asked = [q for q in homework.questions if q.ask and q.check and not q.asserted]
    for name in dict.fromkeys(name for q in asked if q.ask for name in q.ask.objects):
        own = tuple(q for q in asked if q.ask and q.ask.objects[-1] == name)
        # Counts of operations reveal less about an answer than its results.
        own = tuple(q for q in own if not q.needs) or own
        yield name, own or tuple(q for q in asked if q.ask and name in q.ask.objects)


def _answer(cells: Sequence[str], name: str, questions: tuple[Question, ...]) -> Answer | str:
    for source in reversed(cells):
        tree = parsed(definitions(source))
        nodes = tree.body if tree else []
        for place, node in enumerate(nodes):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                return _of(nodes, place, node, questions)
    return "no code cell that could be read defines it"


def _of(
    nodes: Sequence[ast.stmt],
    place: int,
    node: ast.FunctionDef | ast.ClassDef,
    questions: tuple[Question, ...],
) -> Answer | str:
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            _without_docstring(one)
        if isinstance(one, ast.Yield | ast.YieldFrom | ast.Await):
            return "it is a generator"
    watched = _main(node)
    if watched is None:
        return "it is a class without a method that is called"
    source = laid_out(node)
    lines = source.split("\n")
    if len(lines) > MAX_LINES or max(map(len, lines)) > MAX_WIDTH:
        return f"it has {len(lines)} lines, the longest of {max(map(len, lines))} characters"
    if all(isinstance(one, ast.Raise | ast.Pass) for one in watched.body):
        return "it was not written"
    around = ["\n\n\n".join(map(ast.unparse, part)) for part in (nodes[:place], nodes[place + 1 :])]
    qualified = node.name if watched is node else f"{node.name}.{watched.name}"
    again = ast.parse(source).body[0]
    return Answer(
        node.name, qualified, source, around[0], around[1], questions, _stores(again, watched.name)
    )


def laid_out(node: ast.AST) -> str:
    """Return code with its long lines broken at commas between brackets, where possible."""
    text = ast.unparse(node)
    try:
        broken = "\n".join(part for line in text.split("\n") for part in _broken(line))
        return broken if ast.dump(ast.parse(broken)) == ast.dump(ast.parse(text)) else text
    except (tokenize.TokenError, SyntaxError):  # a line of a multi-line string
        return text


def _broken(line: str) -> list[str]:
    """Return a line in pieces: each part of its longest brackets gets its own line."""
    margin, text = " " * (len(line) - len(line.lstrip())), line.lstrip()
    groups = [places for places in _groups(text) if len(places) > 2] if len(line) > WIDTH else []
    if not groups:
        return [line]
    places = max(groups, key=lambda found: found[-1] - found[0])
    inner = [text[one:other].strip() for one, other in pairwise(places)]
    between = [part for one in inner if one for part in _broken(f"{margin}    {one}")]
    return [margin + text[: places[0]], *between, margin + text[places[-1] :]]


def _groups(text: str) -> list[list[int]]:
    """Return where each outermost pair of brackets opens, has commas, and closes."""
    found: list[list[int]] = []
    depth, in_lambda = 0, False
    for item in tokenize.generate_tokens(io.StringIO(text).readline):
        if item.type == tokenize.OP and item.string in ("(", "[", "{"):
            depth += 1
            if depth == 1:
                found.append([item.end[1]])
        elif item.type == tokenize.OP and item.string in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                found[-1].append(item.start[1])
        elif depth == 1 and item.string == "lambda":
            in_lambda = True
        elif depth == 1 and item.string == ":":
            in_lambda = False
        elif depth == 1 and item.string == "," and not in_lambda:
            found[-1].append(item.end[1])
    return found


def _without_docstring(node: ast.FunctionDef | ast.ClassDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]


def _main(node: ast.FunctionDef | ast.ClassDef) -> ast.FunctionDef | None:
    if isinstance(node, ast.FunctionDef):
        return node
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    return methods.get("forward") or methods.get("__call__")


def _stores(node: ast.stmt, function: str) -> dict[int, tuple[str, ...]]:
    """Return the names that each line of a function assigns, outside loops and nested functions."""
    found: dict[int, tuple[str, ...]] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef) and one.name == function:
            for statement in one.body:
                if isinstance(statement, ast.Assign | ast.AugAssign):
                    names = tuple(
                        part.id
                        for part in ast.walk(statement)
                        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                    )
                    found[statement.lineno] = (*found.get(statement.lineno, ()), *names)
    return found
