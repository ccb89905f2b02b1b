"""One-line edits of an answer, and their descriptions on a sheet."""

import ast
import io
import keyword
import tokenize
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from autograder.program import mutants
from autograder.staff.defence.records import Edit
from autograder.staff.defence.running.answers import laid_out

MAX_LINE = 100
"""The most characters of a line that is shown as an edit."""
LEFT_OUT = "is left out"
_NEAR_0 = 1e-3
_BOUNDING = ("max", "min", "maximum", "minimum", "clip", "clamp", "where", "masked_fill", "relu")


def edits(source: str, rng: np.random.Generator, *, function: str = "") -> Iterator[Edit]:
    """Yield edits of an answer in random order, those of `function` first."""
    tree = ast.parse(source)
    heads = {
        node.lineno for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    lines = set(range(1, source.count("\n") + 2)) - heads
    nodes, called = list(ast.walk(tree)), function.rpartition(".")[2]
    first = {
        id(part)
        for node in nodes
        if isinstance(node, ast.FunctionDef) and node.name == called
        for part in ast.walk(node)
    }
    bounds = _near_a_bound(nodes)
    places = mutants.places(tree, lines)
    drawn = [places[n] for n in rng.permutation(len(places)).tolist()]
    sources, said = set[str](), set[str]()
    for place in sorted(drawn, key=lambda place: id(nodes[place.node]) not in first):
        edit = _edit(source, laid_out(ast.parse(mutants.mutant(tree, place).source)), bounds)
        if edit and edit.says not in said and edit.source not in sources:
            said.add(edit.says)
            sources.add(edit.source)
            yield edit


def _near_a_bound(nodes: Sequence[ast.AST]) -> set[int]:
    """Return the lines that compare, choose, or have a number near 0."""
    choices = ast.Compare | ast.BoolOp | ast.IfExp
    return {line for n in nodes if isinstance(n, choices) or _limits(n) for line in _lines(n)}


def _limits(node: ast.AST) -> bool:
    """Return whether a node is a number near 0, or the name of a function that bounds values."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and 0 < abs(node.value) < _NEAR_0
    name = getattr(node, "id", "") or getattr(node, "attr", "")
    return name.rstrip("_") in _BOUNDING


def _lines(node: ast.AST) -> range:
    return range(getattr(node, "lineno", 0), (getattr(node, "end_lineno", 0) or 0) + 1)


def _edit(source: str, changed: str, bounds: Collection[int]) -> Edit | None:
    """Return an edit of one line; None for any other change, or one that cannot be described."""
    before, after = source.split("\n"), changed.split("\n")
    different = [n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]]
    if len(before) != len(after) or len(different) != 1:
        return None
    (place,) = different
    old, new = before[place].strip(), after[place].strip()
    change = _change(old, new)
    if not change or len(new) > MAX_LINE:
        return None
    shown = LEFT_OUT if new == "pass" else code(new)
    bound = place + 1 in bounds
    return Edit(place + 1, f"line {place + 1}: {shown}", changed, change, near_a_bound=bound)


def _change(old: str, new: str) -> frozenset[str]:
    """Return the kind of the difference and the new text; nothing if the line gives it away.

    A sheet shows the changed line without the original, so that nobody finds the answer without the
    code at hand.
    """
    if new == "pass":
        return frozenset() if old.startswith("return") else frozenset({LEFT_OUT})
    before, after = _tokens(old), _tokens(new)
    first, second = [one.string for one in before], [one.string for one in after]
    if not first or not second:
        return frozenset()
    start = _alike(first, second)
    end = _alike(first[start:][::-1], second[start:][::-1])
    cut, put = first[start : len(first) - end], second[start : len(second) - end]
    if len(cut) == 2 and cut[0] == "." and not put:
        return frozenset({_kind(before[start + 1]), LEFT_OUT})
    signed = len(put) == 2 and put[0] == "-" and put[1][0].isdigit()
    if len(cut) != 1 or not (len(put) == 1 or signed) or cut[0] in _BRACKETS:
        return frozenset()
    if signed and start and first[start - 1] in ("-", "+"):
        return frozenset()
    return frozenset({_kind(before[start]), "".join(put)})


_BRACKETS = frozenset("()[]{},:.")


def _kind(item: tokenize.TokenInfo) -> str:
    if item.type == tokenize.NAME:
        return "word" if keyword.iskeyword(item.string) else "name"
    if item.type == tokenize.NUMBER:
        return "number"
    return "text" if item.type == tokenize.STRING else "sign"


def code(text: str) -> str:
    """Return code in the form of a sheet's text."""
    return f"`{text.replace('`', chr(39))}`"


def _tokens(line: str) -> list[tokenize.TokenInfo]:
    try:
        found = list(tokenize.generate_tokens(io.StringIO(line).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return []
    return [item for item in found if item.string.strip()]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
