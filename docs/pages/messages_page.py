"""docs/reference/troubleshooting.md: every message that the autograder prints, with what to do.

python -m docs.pages.messages_page

A message is a text in the code that ends in a UserError, a complaint or a note. Its values are
shown as an ellipsis. The command writes the page again: new messages come in, stale ones go, and the
sentence below a message, which a person wrote, stays.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from docs.pages.message_groups import GROUPS, HEAD, NOTES, RETURNED
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "reference" / "troubleshooting.md"
PACKAGE = ROOT / "autograder"
RAISED = {"UserError", "HomeworkError", "SandboxFault", "BuildFailed", "GivesAway", "Lost"}
PRINTED = {"complain", "stderr.print", "Unusable", "_unusable", "_refuse", "_tell"}
LISTS = {"complaints", "notes", "why_not", "faults"}
KEYWORDS = {"complaint", "note"}
VALUE = "…"
_WORD = re.compile(r"(?<!\S)\W*[A-Za-z]{2,}")
_ENTRY = re.compile(r"^- (`+) ?(.+?) ?\1\n(?:  (.+)\n)?", re.MULTILINE)


def main() -> None:
    """Write the page; print each sentence whose message is gone."""
    before = sentences()
    PAGE.write_text(page(before), encoding="utf-8")
    for message in before.keys() - sentences().keys():
        print(f"gone: {message}\n    {before[message]}", file=sys.stderr)


def sentences() -> dict[str, str]:
    """Return what the page has to say about messages today."""
    written = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {found[2]: found[3] for found in _ENTRY.finditer(written) if found[3]}


def page(written: Mapping[str, str]) -> str:
    """Return the page, with a sentence below each message that has one."""
    return HEAD + "".join(section(title, written) for title in GROUPS)


def section(title: str, written: Mapping[str, str]) -> str:
    """Return the section of a group."""
    lines = ["", f"## {title}", "", GROUPS[title][0], ""]
    for message in messages(title):
        quote = "``" if "`" in message else "`"
        inner = f" {message} " if "`" in message else message
        lines += [
            f"- {quote}{inner}{quote}",
            *([f"  {written[message]}"] if message in written else ()),
        ]
    return "\n".join(lines) + "\n"


def modules(title: str) -> list[Path]:
    """Return the modules of a group."""
    found = [PACKAGE / name for name in GROUPS[title][1]]
    return list(chain.from_iterable(sorted(p.rglob("*.py")) if p.is_dir() else [p] for p in found))


def messages(title: str) -> list[str]:
    """Return the messages of a group, each once, in the order of the code."""
    return list(
        dict.fromkeys(chain.from_iterable(Module(path).messages() for path in modules(title)))
    )


class Module:
    """The messages of one module.

    Args:
        path: The module.
    """

    def __init__(self, path: Path) -> None:
        self._tree = ast.parse(path.read_text(encoding="utf-8"))
        self._returned = RETURNED.get(path.relative_to(PACKAGE).as_posix(), ())
        self._functions = {
            node.name: node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef)
        }
        self._notes = path.relative_to(PACKAGE).as_posix() in NOTES
        self._constants = dict(_assigned(self._tree.body))

    def messages(self) -> Iterator[str]:
        """Yield each text that is printed, raised or kept as a complaint."""
        for text in self._printed(self._tree, self._tree):
            line = " ".join(text.split())
            if len(_WORD.findall(line)) >= 2 and line[0] not in ",;":
                yield line

    def _printed(self, node: ast.AST, scope: ast.AST) -> Iterator[str]:
        """Yield what is printed below a node; `scope` is the function around it."""
        for child in ast.iter_child_nodes(node):
            inner = child if isinstance(child, ast.FunctionDef) else scope
            match child:
                case ast.FunctionDef(name=name) if name in self._returned:
                    before = "note: " if self._notes else ""
                    yield from (before + text for text in self._all(child))
                case ast.Raise(exc=ast.Call(func, [said, *_])) if _name(func) in RAISED:
                    yield from self._texts(said, scope)
                case ast.Call(ast.Name("note"), [said]):
                    yield from (f"note: {text}" for text in self._texts(said, scope))
                case ast.Call(func, said, keywords):
                    if _dotted(func) in PRINTED or _appends(func):
                        kept = self._notes and _dotted(func).startswith("notes.")
                        texts = chain.from_iterable(self._texts(one, scope) for one in said)
                        yield from ("note: " * kept + text for text in texts)
                    for keyword in keywords:
                        if keyword.arg in KEYWORDS:
                            yield from self._texts(keyword.value, scope)
                case ast.AugAssign(target, _, said) | ast.Assign([target], said):
                    if (name := _name(target).lstrip("_")) in LISTS:
                        before = "note: " * (self._notes and name == "notes")
                        yield from (before + text for text in self._texts(said, scope))
            if not (isinstance(child, ast.FunctionDef) and child.name in self._returned):
                yield from self._printed(child, inner)

    def _all(self, function: ast.FunctionDef) -> Iterator[str]:
        """Yield all texts of a function, each as a whole; not docstrings, patterns and lists of words."""
        parts: set[int] = set()
        yielded = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Yield)}
        for node in ast.walk(function):
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            pattern = isinstance(node, ast.Call) and _dotted(node.func).startswith("re.")
            if docstring or pattern or isinstance(node, ast.JoinedStr | ast.BinOp | ast.Attribute):
                parts |= {id(one) for one in ast.walk(node)} - {id(node)}
        for node in ast.walk(function):
            if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) and id(node) not in parts:
                texts = self._texts(node, function)
                least = 2 if id(node) in yielded else 3
                yield from (text for text in texts if len(_WORD.findall(text)) >= least)

    def _texts(self, node: ast.AST, scope: ast.AST, depth: int = 3) -> Iterator[str]:
        """Yield the texts that an expression may be, as far as they are written in this module."""
        if depth == 0:
            return
        match node:
            case ast.Constant(str() as text):
                yield text
            case ast.JoinedStr(parts):
                yield "".join(self._part(part, scope) for part in parts)
            case ast.BinOp(left, ast.Add(), right):
                ends = list(self._texts(right, scope, depth)) or [VALUE]
                for begins in list(self._texts(left, scope, depth)) or [VALUE]:
                    yield from (begins + end for end in ends)
            case ast.IfExp(_, one, other):
                yield from self._texts(one, scope, depth)
                yield from self._texts(other, scope, depth)
            case ast.List(items) | ast.Tuple(items) | ast.BoolOp(_, items):
                yield from chain.from_iterable(self._texts(one, scope, depth) for one in items)
            case ast.ListComp(item) | ast.GeneratorExp(item):
                yield from self._texts(item, scope, depth)
            case ast.Name(name) if name in self._constants:
                yield from self._texts(self._constants[name], scope, depth - 1)
            case ast.Name(name):
                for one, said in _assigned(ast.walk(scope)):
                    if one == name:
                        yield from self._texts(said, scope, depth - 1)
            case ast.Call(ast.Name(name), _) if name in self._functions:
                function = self._functions[name]
                for inner in ast.walk(function):
                    if isinstance(inner, ast.Return | ast.Yield) and inner.value is not None:
                        yield from self._texts(inner.value, function, depth - 1)
            case ast.Call(func, [said, *_]) if _name(func) in {"one_line", "str", "join"}:
                yield from self._texts(said, scope, depth)

    def _part(self, part: ast.expr, scope: ast.AST) -> str:
        """Return a part of a text: its words, those of a constant, or the sign for a value."""
        match part:
            case ast.Constant(str() as text):
                return text
            case ast.FormattedValue(ast.Name(name)) if name in self._constants:
                return next(self._texts(self._constants[name], scope), VALUE)
        return VALUE


def _assigned(nodes: Iterator[ast.AST] | list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name and what it is given."""
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], said) | ast.NamedExpr(ast.Name(name), said):
                yield name, said
            case ast.For(ast.Name(name), said):
                yield name, said


def _dotted(node: ast.AST) -> str:
    return f"{_name(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else _name(node)


def _name(node: ast.AST) -> str:
    """Return the last name of a dotted one."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def _appends(func: ast.AST) -> bool:
    """Return whether a call adds to a list of complaints or notes."""
    return (
        isinstance(func, ast.Attribute)
        and func.attr in {"append", "extend"}
        and _name(func.value).lstrip("_") in LISTS
    )


if __name__ == "__main__":
    main()
