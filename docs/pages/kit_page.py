"""docs/reference/kit.md: the classes and functions that staff/ files import, in their own docstrings' words.

python -m docs.pages.kit_page
"""

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from autograder import kit
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "reference" / "kit.md"
HEAD = """\
# autograder.kit

Files in `staff/` can import these classes and functions. [Writing a homework](../writing/writing_a_homework.md) shows how they work together. `make figures` writes this page from their docstrings.
"""
ANY = """\
## ANY

`from autograder.kit import ANY`, as for all names here. In the reference of a `Picture`, use it for a title, label or legend text that has to be there, with any words.
"""
_SECTION = re.compile(r"^(Args|Attributes|Raises|Returns):\n((?:(?: .*)?\n)+)", re.MULTILINE)
_TO_CALL = (
    (re.compile(r"InitVar\[(.*)\](?= =|$)"), r"\1"),
    (re.compile(r"= field\(default_factory=dict.*\)$"), "= {}"),
    (re.compile(r"= field\(default=(.*?)(?:, .*)?\)$"), r"= \1"),
)
_ITEM = re.compile(r"^    (\w+): ", re.MULTILINE)


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def names() -> list[str]:
    """Return the public classes and functions, sorted; the others are names of types and values."""
    found = {name: getattr(kit, name) for name in kit.__all__}
    return [
        name for name, item in found.items() if inspect.isclass(item) or inspect.isroutine(item)
    ]


def page() -> str:
    """Return the page."""
    parts = [HEAD, ANY]
    for name in names():
        item = getattr(kit, name)
        parts += [f"## {name}", "", "```python", _signature(item), "```", ""]
        parts += [*_described(item), *_methods(item)]
    return "\n".join(parts).rstrip() + "\n"


def _signature(item: Any) -> str:
    """Return how something is called, as its source has it."""
    if not inspect.isclass(item):
        node = _node(item)
        assert isinstance(node, ast.FunctionDef)
        return _call(node)
    fields = _fields(item)
    if not fields:
        return f"class {item.__name__}"
    return f"{item.__name__}(\n" + "".join(f"    {field},\n" for field in fields.values()) + ")"


def _call(node: ast.FunctionDef) -> str:
    arguments = ast.unparse(node.args)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){returned}"


def _node(item: Any) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(item))).body[0]


def _fields(item: type) -> dict[str, str]:
    """Return the fields of a record in their order, each as its class has it, inherited ones too."""
    if dataclasses.is_dataclass(item):
        order = [*inspect.signature(item).parameters]
    else:
        order = list(getattr(item, "_fields", ()))
    there: dict[str, str] = {}
    for kind in reversed(item.__mro__) if order else ():
        if kind.__module__.startswith("autograder."):
            node = _node(kind)
            assert isinstance(node, ast.ClassDef)
            for line in node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    there[line.target.id] = ast.unparse(line)
    return {name: _as_given(there[name]) for name in order}


def _as_given(line: str) -> str:
    """Return a field as who calls its class reads it: its name, type and default."""
    for pattern, kept in _TO_CALL:
        line = pattern.sub(kept, line)
    return line


def _described(item: Any) -> Iterator[str]:
    """Yield a docstring as Markdown: its text, then what it lists; of a record every field it has."""
    text = (inspect.getdoc(item) or "") + "\n"
    yield _SECTION.sub("", text).strip()
    yield ""
    listed = {match[1]: dict(_items(match[2])) for match in _SECTION.finditer(text)}
    if fields := _fields(item) if inspect.isclass(item) else {}:
        for kind in item.__mro__[1:]:
            for match in _SECTION.finditer((inspect.getdoc(kind) or "") + "\n"):
                if match[1] == "Args" and kind.__module__.startswith("autograder."):
                    listed["Args"] = {**dict(_items(match[2])), **listed.get("Args", {})}
        own = listed.get("Args", {})
        listed["Args"] = {name: own[name] for name in fields if name in own}
    for title, items in listed.items():
        if items:
            yield f"{title}:"
            yield ""
            yield from (f"- `{name}`: {said}" for name, said in items.items())
            yield ""


def _items(section: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a list in a docstring, with its text in one line."""
    _, *parts = _ITEM.split(section)
    for name, said in zip(parts[::2], parts[1::2], strict=True):
        yield name, " ".join(said.split())


def _methods(item: Any) -> Iterator[str]:
    """Yield what a class to derive from can define."""
    if item is not kit.Check:
        return
    yield "A class of your own defines `__call__`, and of the others what it needs:"
    yield ""
    for method in vars(item).values():
        if inspect.isfunction(method):
            node = _node(method)
            assert isinstance(node, ast.FunctionDef)
            summary = (inspect.getdoc(method) or "").split("\n\n")[0]
            yield f"- `{_call(node)}`: {' '.join(summary.split())}"
    yield ""


if __name__ == "__main__":
    main()
