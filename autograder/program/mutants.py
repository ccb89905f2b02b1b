"""Small single changes to a solution: a check that notices none of them cannot fail."""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograder.course.cells import parse

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


@dataclass(frozen=True)
class Mutant:
    """An answer cell with one change, such as "line 12: Q @ K.T -> Q @ K"."""

    what: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield an answer cell with every change of CHANGES at every place of its solution, each once.

    Only code between ### BEGIN SOLUTION and ### END SOLUTION is changed.
    """
    tree = parse(source, "the solution")
    seen = {ast.unparse(tree)}
    for place in places(tree, _solution_lines(source)):
        found = mutant(tree, place)
        if found.source not in seen:
            seen.add(found.source)
            yield found


class Place(NamedTuple):
    """The place of one change: the node of a tree, the entry of CHANGES, and the variant."""

    node: int
    change: int
    form: int


def places(tree: ast.Module, lines: Collection[int]) -> list[Place]:
    """Return every place in some lines of a tree where a change is possible."""
    return [
        Place(number, kind, form)
        for number, node in enumerate(list(ast.walk(tree)))
        if getattr(node, "lineno", 0) in lines
        for kind, change in enumerate(CHANGES)
        for form in range(len(change(node, tree)))
    ]


def mutant(tree: ast.Module, place: Place) -> Mutant:
    """Return a tree's code with the change at one place; the tree itself is restored."""
    target = next(n for k, n in enumerate(ast.walk(tree)) if k == place.node)
    before = ast.unparse(target)
    changed, fields = CHANGES[place.change](target, tree)[place.form]
    kept = {name: getattr(changed, name) for name in fields}
    _set(changed, fields)
    after = (ast.unparse(target) if changed is target else "") or "nothing"
    text = ast.unparse(tree)
    _set(changed, kept)
    line = getattr(target, "lineno", 0)
    return Mutant(f"line {line}: {_short(before)} -> {_short(after)}", text)


def _set(node: ast.AST, fields: Mapping[str, object]) -> None:
    for name, value in fields.items():
        setattr(node, name, value)


def _solution_lines(source: str) -> frozenset[int]:
    inside, found = False, set()
    for number, line in enumerate(source.split("\n"), start=1):
        if line.strip() in (BEGIN, END):
            inside = line.strip() == BEGIN
        elif inside:
            found.add(number)
    return frozenset(found)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


Form = tuple[ast.AST, Mapping[str, object]]
"""A node, with new values for some of its fields."""
# A function of a node and its tree.
Change = Callable[[ast.AST, ast.AST], list[Form]]


def _forms(node: ast.AST, field: str, values: Iterable[object]) -> list[Form]:
    return [(node, {field: value}) for value in values]


_OPERATORS: dict[type[ast.operator], tuple[ast.operator, ...]] = {
    ast.Add: (ast.Sub(), ast.Mult()),
    ast.Sub: (ast.Add(),),
    ast.Mult: (ast.Div(), ast.Add()),
    ast.Div: (ast.Mult(), ast.Sub()),
    ast.MatMult: (ast.Mult(),),
    ast.Pow: (ast.Mult(), ast.Div()),
    ast.FloorDiv: (ast.Mult(),),
    ast.Mod: (ast.Mult(),),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[ast.cmpop, ...]] = {
    ast.Is: (ast.IsNot(),),
    ast.IsNot: (ast.Is(),),
    ast.Eq: (ast.NotEq(),),
    ast.NotEq: (ast.Eq(),),
    ast.Lt: (ast.LtE(), ast.GtE()),
    ast.LtE: (ast.Lt(), ast.Gt()),
    ast.Gt: (ast.GtE(), ast.LtE()),
    ast.GtE: (ast.Gt(), ast.Lt()),
    ast.In: (ast.NotIn(),),
    ast.NotIn: (ast.In(),),
}


def _operator(node: ast.AST, _: ast.AST) -> list[Form]:
    """Replace an operator, swap its operands, or keep only one of them."""
    if isinstance(node, ast.BinOp):
        turned = (node, {"left": node.right, "right": node.left})
        return [*_forms(node, "op", _OPERATORS.get(type(node.op), ())), turned]
    if isinstance(node, ast.AugAssign):
        return _forms(node, "op", _OPERATORS.get(type(node.op), ()))
    if isinstance(node, ast.Compare):
        others = _COMPARISONS.get(type(node.ops[0]), ())
        return _forms(node, "ops", ([op, *node.ops[1:]] for op in others))
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        halves = _forms(node, "values", ([value] * 2 for value in node.values))
        return [(node, {"op": other}), *halves]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _forms(node, "op", [ast.UAdd()])
    return []


def _constant(node: ast.AST, _: ast.AST) -> list[Form]:
    """Replace a number or a boolean."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return _forms(node, "value", [not value])
    if not isinstance(value, int | float):
        return []
    others = dict.fromkeys((value + 1, value - 1, -value, 0, 2 * value, value / 2))
    whole = [int(x) if isinstance(value, int) and x == int(x) else x for x in others]
    return _forms(node, "value", (x for x in dict.fromkeys(whole) if x != value))


def _name(node: ast.AST, tree: ast.AST) -> list[Form]:
    """Replace a variable by one of the same function, or a layer by one of the same object."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        known = _variables(node, tree)
        return _forms(node, "id", sorted(known - {node.id})) if node.id in known else []
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return []
    of_self = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and _is_self(n.value)]
    stored = {n.attr for n in of_self if isinstance(n.ctx, ast.Store)}
    return _forms(node, "attr", sorted(stored - {node.attr})) if _is_self(node.value) else []


def _variables(node: ast.Name, tree: ast.AST) -> set[str]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            inside = list(ast.walk(function))
            if any(item is node for item in inside):
                stored = {
                    n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                }
                return stored | {n.arg for n in inside if isinstance(n, ast.arg)} - {"self"}
    return set()


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _call(node: ast.AST, _: ast.AST) -> list[Form]:
    """Leave out one argument of a call, or swap two of them."""
    if not isinstance(node, ast.Call):
        return []
    return [
        *_forms(node, "keywords", _shorter(node.keywords)),
        *_forms(node, "args", _shorter(node.args)),
        *_forms(node, "args", _swapped(node.args)),
    ]


def _elements(node: ast.AST, _: ast.AST) -> list[Form]:
    """Leave out one element of a list or tuple, or swap two neighbours."""
    if not isinstance(node, ast.List | ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return []
    return _forms(node, "elts", [*_shorter(node.elts), *_swapped(node.elts)])


def _shorter(items: Sequence[ast.AST]) -> Iterator[list[ast.AST]]:
    for place in range(len(items)):
        yield [*items[:place], *items[place + 1 :]]


def _swapped(items: Sequence[ast.AST]) -> Iterator[list[ast.AST]]:
    for place in range(len(items) - 1):
        yield [*items[:place], items[place + 1], items[place], *items[place + 2 :]]


def _inner(node: ast.AST, _: ast.AST) -> list[Form]:
    """Replace an expression by one inside it.

    .T and slices are left out; a call becomes its first argument, a product one factor, and a
    condition one branch.
    """
    found: list[Form] = []
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            found += _forms(node, field, _insides(value))
        elif isinstance(value, list):
            for place, item in enumerate(value):
                for inner in _insides(item) if isinstance(item, ast.expr) else ():
                    found.append((node, {field: [*value[:place], inner, *value[place + 1 :]]}))
    return found


def _insides(value: ast.expr) -> list[ast.expr]:
    if isinstance(getattr(value, "ctx", None), ast.Store):
        return []
    if isinstance(value, ast.Attribute) and value.attr in ("T", "mT"):
        return [value.value]
    if isinstance(value, ast.Subscript):
        return [value.value]
    if isinstance(value, ast.Call):
        return [one for one in value.args[:1] if not isinstance(one, ast.Starred)]
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    return []


def _slice(node: ast.AST, _: ast.AST) -> list[Form]:
    """Leave out one end of a slice."""
    ends = ("lower", "upper", "step") if isinstance(node, ast.Slice) else ()
    return [(node, {end: None}) for end in ends if getattr(node, end) is not None]


def _transpose(node: ast.AST, _: ast.AST) -> list[Form]:
    """Transpose a factor of a matrix product."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.MatMult):
        return []
    return [
        (node, {side: ast.Attribute(value=factor, attr="T", ctx=ast.Load())})
        for side, factor in (("left", node.left), ("right", node.right))
        if not (isinstance(factor, ast.Attribute) and factor.attr == "T")
    ]


def _condition(node: ast.AST, _: ast.AST) -> list[Form]:
    """Take a branch always, or never."""
    if not isinstance(node, ast.If | ast.While | ast.IfExp):
        return []
    always = [False] if isinstance(node, ast.While) else [True, False]
    return _forms(node, "test", map(ast.Constant, always))


def _statement(node: ast.AST, tree: ast.AST) -> list[Form]:
    """Leave out one statement of a body."""
    if not isinstance(node, ast.stmt):
        return []
    found: list[Form] = []
    for parent in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(parent, field, None)
            if isinstance(body, list) and node in body:
                place = body.index(node)
                found.append((parent, {field: [*body[:place], ast.Pass(), *body[place + 1 :]]}))
    return found


CHANGES: tuple[Change, ...] = (
    _operator,
    _constant,
    _name,
    _call,
    _elements,
    _inner,
    _slice,
    _transpose,
    _condition,
    _statement,
)
