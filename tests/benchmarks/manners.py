"""How one student writes down what another writes down otherwise, and how a copy is disguised.

All of it changes syntax trees and keeps what code does, but for numbers.
"""

import ast
import builtins
import keyword
import random
from collections.abc import Callable, Mapping

Code = Mapping[str, str]
WORDS = (
    "a b c d e h i j k m n p q r s t u v w x y z aa att attn score sc logits sims dots raw out res "
    "result tmp temp val vals mat m1 m2 left right top emb inp data arr seq_in tok toks place idx "
    "head key_mat query_mat value_mat gain scale factor big size dim_k first last base rows cols"
).split()
REMARKS = (
    "# see the text",
    "# shapes agree",
    "# TODO: check",
    "# softmax over keys",
    "# as in the lecture",
    "# works now",
    "# large enough",
    "# one row a token",
    "# no idea why this works",
    "# transpose",
)


class Manner:
    """One student's habits: each is had or not, and names are chosen anew.

    Args:
        draw: Decides.
        known: Names that nobody can choose.
        least: How often, from 0 to 1, a habit is followed by those who have it least.
    """

    def __init__(self, draw: random.Random, known: frozenset[str], least: float) -> None:
        self.draw, self.known = draw, known
        self.often = {habit: draw.choice((least, 0.5, 0.9)) for habit in HABITS}

    def does(self, habit: str) -> bool:
        """Whether it is done in this place."""
        return self.draw.random() < self.often[habit]


HABITS = "matmul transpose root size eye steps apart keyword print gain remark rename".split()


def own_manner(source: str, manner: Manner) -> str:
    """Return code as a student with these habits would have written it."""
    tree = ast.parse(source)
    _without_docstrings(tree)
    tree = _Habits(manner).visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = _in_steps(node.body, manner)
            _reorder(node.body, manner.draw, 0.5)
    if manner.does("rename"):
        tree = _renamed(tree, manner)
    return _with_remarks(ast.unparse(ast.fix_missing_locations(tree)), manner)


def renamed(source: str, manner: Manner) -> str:
    """Return code with all names of its own replaced."""
    return ast.unparse(_renamed(ast.parse(source), manner))


def disguises() -> Mapping[str, Callable[[Code, Code, Manner], dict[str, str]]]:
    """Return the ways to hide a copy: of the code, one's own code and a manner."""
    return {
        "renamed": lambda code, own, manner: {
            id: renamed(text, manner) for id, text in code.items()
        },
        "comments": lambda code, own, manner: {
            id: _commented(text, manner) for id, text in code.items()
        },
        "reordered": lambda code, own, manner: {
            id: _reordered(text, manner) for id, text in code.items()
        },
        "half": _half,
        "rewritten": lambda code, own, manner: {
            id: _rewritten(text, manner) for id, text in code.items()
        },
    }


def disguised_text(text: str, draw: random.Random) -> str:
    """Return a text with every sixth word or so replaced."""
    return " ".join(
        draw.choice(("really", "quite", "this", "here", "so")) if draw.random() < 0.15 else word
        for word in text.split()
    )


def _half(code: Code, own: Code, manner: Manner) -> dict[str, str]:
    """Copy half of the answers, with other names."""
    taken = manner.draw.sample(list(code), len(code) // 2)
    return {id: renamed(code[id], manner) if id in taken else own[id] for id in code}


def _commented(source: str, manner: Manner) -> str:
    """Write remarks and docstrings, and other numbers."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body.insert(0, ast.Expr(ast.Constant("My own way to do it.")))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value > 5:
            node.value = node.value + manner.draw.randrange(1, 9)
    manner.often["remark"] = 0.9
    return _with_remarks(ast.unparse(ast.fix_missing_locations(tree)), manner)


def _reordered(source: str, manner: Manner) -> str:
    """Put statements and functions into another order where that changes nothing, and rename."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for _ in range(4):
                _reorder(node.body, manner.draw, 0.8)
        if isinstance(node, ast.ClassDef):
            node.body.reverse()
    return ast.unparse(_renamed(tree, manner))


def _rewritten(source: str, manner: Manner) -> str:
    """Write it down in one's own manner once more, some of it."""
    for habit in HABITS:
        manner.often[habit] = 0.25
    manner.often["rename"] = 1.0
    return own_manner(source, manner)


def _without_docstrings(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]


class _Habits(ast.NodeTransformer):
    def __init__(self, manner: Manner) -> None:
        self.manner = manner

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult) and self.manner.does("matmul"):
            return _call(
                self.manner.draw.choice(("torch.matmul", "torch.mm")), node.left, node.right
            )
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "T" and self.manner.does("transpose"):
            pair = self.manner.draw.choice(((0, 1), (-2, -1), (-1, -2), (1, 0)))
            return ast.Call(
                ast.Attribute(node.value, "transpose", ast.Load()),
                [_number(one) for one in pair],
                [],
            )
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        is_shape = is_shape and not isinstance(node.slice, ast.Slice)
        if is_shape and isinstance(node.ctx, ast.Load) and self.manner.does("size"):
            assert isinstance(node.value, ast.Attribute)
            return ast.Call(ast.Attribute(node.value.value, "size", ast.Load()), [node.slice], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if called in ("math.sqrt", "np.sqrt", "torch.sqrt") and self.manner.does("root"):
            return ast.BinOp(node.args[0], ast.Pow(), ast.Constant(0.5))
        if called in ("np.eye", "np.identity") and self.manner.does("eye") and len(node.args) == 1:
            return _call("np.identity" if called == "np.eye" else "np.eye", *node.args)
        if called.endswith(".softmax") and self.manner.does("keyword"):
            method = ast.Attribute(
                node.args[0] if node.args else ast.Name("x", ast.Load()), "softmax", ast.Load()
            )
            if called in ("F.softmax", "torch.softmax") and node.args:
                return ast.Call(method, node.args[1:], node.keywords)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) in (int, float) and node.value > 9 and self.manner.does("gain"):
            return ast.Constant(
                self.manner.draw.choice((15, 20, 25, 30.0, 40, 50, 64, 80, 100, 1000))
            )
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.parse(name, mode="eval").body, list(arguments), [])


def _number(value: int) -> ast.expr:
    return ast.parse(str(value), mode="eval").body


def _in_steps(body: list[ast.stmt], manner: Manner) -> list[ast.stmt]:
    """Give names to parts, take assignments of two names apart, and look at what comes out."""
    done: list[ast.stmt] = []
    for statement in body:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Return) and value and manner.does("steps"):
            name = manner.draw.choice(WORDS[20:])
            done.append(_assign(name, value))
            if manner.does("print"):
                done.append(ast.parse(f"assert {name} is not None").body[0])
            statement = ast.Return(ast.Name(name, ast.Load()))
        elif (
            isinstance(statement, ast.Assign)
            and isinstance(value, ast.BinOp | ast.Call)
            and manner.does("steps")
        ):
            parts = [value.left] if isinstance(value, ast.BinOp) else value.args[:1]
            if parts and isinstance(parts[0], ast.BinOp | ast.Call):
                name = manner.draw.choice(WORDS[20:])
                done.append(_assign(name, parts[0]))
                if isinstance(value, ast.BinOp):
                    value.left = ast.Name(name, ast.Load())
                else:
                    value.args[0] = ast.Name(name, ast.Load())
        elif (
            isinstance(statement, ast.Assign)
            and isinstance(value, ast.Tuple)
            and manner.does("apart")
        ):
            target = statement.targets[0]
            if isinstance(target, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs = zip(target.elts, value.elts, strict=True)
                done += [ast.Assign([one], part, lineno=0) for one, part in pairs]
                continue
        done.append(statement)
    return done


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)


def _reorder(body: list[ast.stmt], draw: random.Random, often: float) -> None:
    """Swap neighbours that share no name."""
    for place in range(len(body) - 1):
        first, second = body[place], body[place + 1]
        simple = all(isinstance(one, ast.Assign) for one in (first, second))
        free = simple and not (_bound(first) & _names(second) or _bound(second) & _names(first))
        if free and draw.random() < often:
            body[place], body[place + 1] = second, first


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _bound(node: ast.AST) -> set[str]:
    """Return the names that a statement changes, an array that it writes into included."""
    assert isinstance(node, ast.Assign)
    return {name for target in node.targets for name in _names(target)}


def _renamed(tree: ast.AST, manner: Manner) -> ast.AST:
    kept = manner.known | set(dir(builtins)) | set(keyword.kwlist) | {"self"}
    stored = {
        one.id
        for one in ast.walk(tree)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    stored |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    free = [word for word in WORDS if word not in stored]
    manner.draw.shuffle(free)
    others = dict(zip(sorted(stored - kept), free, strict=False))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = others.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = others.get(node.arg, node.arg)
    return tree


def _with_remarks(source: str, manner: Manner) -> str:
    lines = []
    for line in source.split("\n"):
        if manner.does("remark") and line.strip():
            lines.append(line[: len(line) - len(line.lstrip())] + manner.draw.choice(REMARKS))
        lines.append(line)
    return "\n".join(lines)
