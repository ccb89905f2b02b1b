"""The solution compared with a student's answer: mixtures of both, and the edits as text."""

import ast
import difflib
import itertools
import textwrap
from collections.abc import Iterator, Sequence

from autograder.course.cells import parse
from autograder.records.homework import Cell

MOST_HUNKS = 8
"""The most differing places; beyond this number only the whole answer is tried."""
_FUNCTIONS = ast.FunctionDef | ast.ClassDef


def of_answer(cells: Sequence[Cell], own: str) -> Iterator[tuple[str, str]]:
    """Yield the solution with parts of a student's answer; per function, the fewest changes first."""
    theirs = {node.name: node for node in _definitions(own)}
    for cell in cells:
        tree = parse(cell.source)
        for place, node in enumerate(tree.body):
            other = theirs.get(getattr(node, "name", ""))
            if other is None or not isinstance(node, _FUNCTIONS):
                continue
            said = node.body[:1] if ast.get_docstring(node) is not None else []
            (mine,) = _definitions(ast.unparse(node))
            for text in _between(ast.unparse(mine), ast.unparse(_renamed(mine, other))):
                for changed in _definitions(text)[:1]:
                    changed.body[:0] = said
                    tree.body[place] = changed
                    yield cell.id, ast.unparse(tree)
            tree.body[place] = node


def _between(solution: str, answer: str) -> Iterator[str]:
    mine, theirs = solution.split("\n"), answer.split("\n")
    matcher = difflib.SequenceMatcher(a=mine, b=theirs, autojunk=False)
    hunks = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if len(hunks) > MOST_HUNKS:
        return
    for size in range(1, len(hunks) + 1):
        for some in itertools.combinations(hunks, size):
            lines = list(mine)
            for _, start, end, first, last in reversed(some):
                lines[start:end] = theirs[first:last]
            text = "\n".join(lines)
            if _parses(text):
                yield text


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _definitions(source: str) -> list[ast.FunctionDef | ast.ClassDef]:
    """Return the functions and classes in a student's cell, without docstrings, if readable."""
    try:
        tree = parse(source)
    except SyntaxError:
        return []
    found = [node for node in tree.body if isinstance(node, _FUNCTIONS)]
    for node in found:
        if ast.get_docstring(node) is not None and len(node.body) > 1:
            del node.body[0]
    return found


def _renamed(mine: ast.stmt, theirs: ast.stmt) -> ast.stmt:
    """Return a student's function with its arguments renamed like the solution's."""
    if not (isinstance(mine, ast.FunctionDef) and isinstance(theirs, ast.FunctionDef)):
        return theirs
    pairs = zip(theirs.args.args, mine.args.args, strict=False)
    other = {one.arg: two.arg for one, two in pairs}
    copy = ast.parse(ast.unparse(theirs)).body[0]
    if {*other.values()} & {n.id for n in ast.walk(copy) if isinstance(n, ast.Name)} - {*other}:
        return theirs  # the student uses the name of one of the solution's arguments
    for node in ast.walk(copy):
        if isinstance(node, ast.arg):
            node.arg = other.get(node.arg, node.arg)
        elif isinstance(node, ast.Name):
            node.id = other.get(node.id, node.id)
    return copy


def whole(own: str) -> str:
    """Return a student's functions with their imports, without comments and docstrings."""
    try:
        tree = parse(own)
    except SyntaxError:
        return ""
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return "\n\n\n".join(map(ast.unparse, [*imports, *_definitions(own)]))


def edits(found: tuple[str, str] | None, cells: Sequence[Cell]) -> tuple[tuple[str, str], ...]:
    """Return a changed cell as pieces of the solution's text, each with its replacement."""
    if found is None:
        return ()
    source = next(cell.source for cell in cells if cell.id == found[0])
    lines = source.split("\n")
    changes = _changes(parse(source).body, parse(found[1]).body)
    pieces = tuple(_quoted(lines, *one, cells) for one in changes)
    edited = source
    for old, new in pieces:
        edited = edited.replace(old, new, 1)
    same = _parses(edited) and ast.dump(parse(edited)) == ast.dump(parse(found[1]))
    return pieces if same else ((source, found[1]),)


def _changes(mine: list[ast.stmt], other: list[ast.stmt]) -> Iterator[tuple[int, int, str]]:
    """Yield the first and last differing lines of two lists of statements, and the replacement."""
    old, new = ([ast.dump(node) for node in body] for body in (mine, other))
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        if kind == "replace" and end - start == last - first:
            for one, two in zip(mine[start:end], other[first:last], strict=True):
                yield from _change(one, two)
            continue
        if start == end:  # an insertion belongs to the statement beside it
            start, first = (start - 1, first - 1) if start else (start, first)
            end, last = (end, last) if start < end else (end + 1, last + 1)
        yield _replaced(mine[start:end], other[first:last])


def _change(one: ast.stmt, two: ast.stmt) -> Iterator[tuple[int, int, str]]:
    mine, other = (getattr(node, "body", []) for node in (one, two))
    in_parts = type(one) is type(two) and mine and other and mine[0].lineno > one.lineno
    if not in_parts or any(map(_has_more, (one, two))):
        yield _replaced([one], [two])
        return
    before, after = (ast.unparse(_emptied(node)) for node in (one, two))
    if before != after:
        text = textwrap.indent(after.rsplit("\n", 1)[0], " " * one.col_offset)
        yield one.lineno, mine[0].lineno - 1, text
    yield from _changes(mine, other)


def _has_more(node: ast.stmt) -> bool:
    """Return whether a statement has more than one head and one body."""
    return any(getattr(node, name, []) for name in ("orelse", "handlers", "decorator_list"))


def _emptied(node: ast.stmt) -> ast.stmt:
    copy = ast.parse(ast.unparse(node)).body[0]
    copy.body = [ast.Pass()]  # type: ignore[attr-defined]
    return copy


def _replaced(mine: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> tuple[int, int, str]:
    text = textwrap.indent("\n".join(map(ast.unparse, other)), " " * mine[0].col_offset)
    return mine[0].lineno, mine[-1].end_lineno or mine[-1].lineno, text


def _quoted(
    lines: Sequence[str], first: int, last: int, text: str, cells: Sequence[Cell]
) -> tuple[str, str]:
    """Return the lines and their replacement, with enough context to make the place unique."""
    whole = "\n".join(cell.source for cell in cells)
    start = first - 1
    while start and whole.count("\n".join(lines[start:last])) > 1:
        start -= 1
    before = "".join(f"{line}\n" for line in lines[start : first - 1])
    return "\n".join(lines[start:last]), before + text
