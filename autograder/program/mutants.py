"""Small changes to a solution, one at a time: a check that notices none of them cannot fail."""

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


@dataclass(frozen=True)
class Mutant:
    """An answer cell with one change, such as "line 12: Q @ K.T -> Q @ K"."""

    what: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield an answer cell with every change of CHANGES at every place of its solution, each once.

    Only what is between ### BEGIN SOLUTION and ### END SOLUTION is changed.
    """
    tree = ast.parse(source, "the solution")
    seen = {ast.unparse(tree)}
    for place in places(tree, _solution_lines(source)):
        found = mutant(tree, place)
        if found.source not in seen:
            seen.add(found.source)
            yield found


class Place(NamedTuple):
    """Where one change is made: which node of a tree, which of CHANGES, and which of its forms."""

    node: int
    change: int
    form: int


def places(tree: ast.Module, lines: Collection[int]) -> list[Place]:
    """Return every place of some lines of a tree where a change can be made."""
    return [
        Place(number, kind, form)
        for number, node in enumerate(list(ast.walk(tree)))
        if getattr(node, "lineno", 0) in lines
        for kind, change in enumerate(CHANGES)
        for form in range(sum(1 for _ in change(node, tree)))
    ]


def mutant(tree: ast.Module, place: Place) -> Mutant:
    """Return a tree's code with the change at one place; the tree is as it was afterwards."""
    target = next(n for k, n in enumerate(ast.walk(tree)) if k == place.node)
    before = ast.unparse(target)
    forms = CHANGES[place.change](target, tree)
    after = _nth(forms, place.form)
    text = ast.unparse(tree)
    for _ in forms:  # which puts back what was there
        pass
    line = getattr(target, "lineno", 0)
    return Mutant(f"line {line}: {_short(before)} -> {_short(after)}", text)


def _solution_lines(source: str) -> frozenset[int]:
    inside, found = False, set()
    for number, line in enumerate(source.split("\n"), start=1):
        if line.strip() in (BEGIN, END):
            inside = line.strip() == BEGIN
        elif inside:
            found.add(number)
    return frozenset(found)


def _nth(changes: Iterator[str], place: int) -> str:
    """Stop a change at its n-th form, which stays in the tree; return how it reads."""
    for _ in range(place):
        next(changes)
    return next(changes)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."


# Each change takes a node, alters it in place to one form after another, and yields how
# each form reads; the next form starts from the node as it was.
Change = Callable[[ast.AST, ast.AST], Iterator[str]]


def _forms(node: ast.AST, forms: Sequence[dict[str, object]]) -> Iterator[str]:
    """Set some fields of a node to each of several forms, one after another."""
    before = {name: getattr(node, name) for form in forms for name in form}
    for form in forms:
        for name, value in {**before, **form}.items():
            setattr(node, name, value)
        yield _reads(node)
    for name, value in before.items():
        setattr(node, name, value)


def _reads(node: ast.AST) -> str:
    return ast.unparse(node) or "nothing"


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


def _operator(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """Another operator, or its operands the other way round, or only one of them."""
    if isinstance(node, ast.BinOp):
        forms: list[dict[str, object]] = [{"op": op} for op in _OPERATORS.get(type(node.op), ())]
        forms.append({"left": node.right, "right": node.left})
        yield from _forms(node, forms)
    elif isinstance(node, ast.AugAssign):
        yield from _forms(node, [{"op": op} for op in _OPERATORS.get(type(node.op), ())])
    elif isinstance(node, ast.Compare):
        for op in _COMPARISONS.get(type(node.ops[0]), ()):
            yield from _forms(node, [{"ops": [op, *node.ops[1:]]}])
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        halves: list[dict[str, object]] = [{"values": [value] * 2} for value in node.values]
        yield from _forms(node, [{"op": other}, *halves])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield from _forms(node, [{"op": ast.UAdd()}])


def _constant(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """Another number, another truth value."""
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield from _forms(node, [{"value": not value}])
    elif isinstance(value, int | float):
        others = dict.fromkeys((value + 1, value - 1, -value, 0, 2 * value, value / 2))
        whole = [int(x) if isinstance(value, int) and x == int(x) else x for x in others]
        yield from _forms(node, [{"value": x} for x in dict.fromkeys(whole) if x != value])


def _name(node: ast.AST, tree: ast.AST) -> Iterator[str]:
    """Another variable of the same function, another layer of the same object."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        known = _variables(node, tree)
        if node.id in known:
            yield from _forms(node, [{"id": other} for other in sorted(known - {node.id})])
    elif isinstance(node, ast.Attribute) and _is_self(node.value):
        set_on_self = {
            n.attr
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and _is_self(n.value)
        }
        if isinstance(node.ctx, ast.Load):
            yield from _forms(node, [{"attr": a} for a in sorted(set_on_self - {node.attr})])


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


def _call(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """A call without one of its arguments, or with two of them the other way round."""
    if not isinstance(node, ast.Call):
        return
    for place in range(len(node.keywords)):
        yield from _forms(node, [{"keywords": _without(node.keywords, place)}])
    for place in range(len(node.args)):
        yield from _forms(node, [{"args": _without(node.args, place)}])
    yield from _sequence(node, "args")


def _elements(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """A list or tuple without one of its elements, or with two neighbours swapped."""
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for place in range(len(node.elts)):
            yield from _forms(node, [{"elts": _without(node.elts, place)}])
        yield from _sequence(node, "elts")


def _sequence(node: ast.AST, field: str) -> Iterator[str]:
    items = getattr(node, field)
    for place in range(len(items) - 1):
        swapped = [*items]
        swapped[place : place + 2] = reversed(swapped[place : place + 2])
        yield from _forms(node, [{field: swapped}])


def _without(items: Sequence[Any], place: int) -> list[Any]:
    return [item for number, item in enumerate(items) if number != place]


def _inner(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """An expression inside another one, in the other's place.

    .T and slices are left out, calls give their first argument, products one factor,
    conditions one branch.
    """
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            yield from _forms(node, [{field: inner} for inner in _insides(value)])
        elif isinstance(value, list):
            for place, item in enumerate(value):
                if isinstance(item, ast.expr):
                    for inner in _insides(item):
                        yield from _forms(
                            node, [{field: [*value[:place], inner, *value[place + 1 :]]}]
                        )


def _insides(value: ast.expr) -> list[ast.expr]:
    if isinstance(getattr(value, "ctx", None), ast.Store):
        return []
    if isinstance(value, ast.Attribute) and value.attr in ("T", "mT"):
        return [value.value]
    if isinstance(value, ast.Subscript):
        return [value.value]
    if isinstance(value, ast.Call):
        return value.args[:1]
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    return []


def _slice(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """A slice without one of its ends."""
    if isinstance(node, ast.Slice):
        ends = [end for end in ("lower", "upper", "step") if getattr(node, end) is not None]
        yield from _forms(node, [{end: None} for end in ends])


def _transpose(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """A factor of a matrix product, transposed."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        for side in ("left", "right"):
            factor = getattr(node, side)
            if not (isinstance(factor, ast.Attribute) and factor.attr == "T"):
                turned = ast.Attribute(value=factor, attr="T", ctx=ast.Load())
                yield from _forms(node, [{side: turned}])


def _condition(node: ast.AST, tree: ast.AST) -> Iterator[str]:  # noqa: ARG001
    """A branch that is always taken, or never."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        always = [False] if isinstance(node, ast.While) else [True, False]
        yield from _forms(node, [{"test": ast.Constant(value)} for value in always])


def _statement(node: ast.AST, tree: ast.AST) -> Iterator[str]:
    """A body without one of its statements."""
    if not isinstance(node, ast.stmt):
        return
    for parent in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(parent, field, None)
            if isinstance(body, list) and node in body:
                place = body.index(node)
                body[place] = ast.Pass()
                yield "nothing"
                body[place] = node


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
