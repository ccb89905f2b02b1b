"""docs/reference/course_toml.md: every key of course.toml, from the records that read it.

python -m docs.pages.course_toml
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from autograder.course import course
from tests.helpers import ROOT

PAGE = ROOT / "docs" / "reference" / "course_toml.md"
HEAD = """\
# course.toml

`course.toml` is the file that an instructor edits on the first day; `autograder new course` writes one with comments. Unknown keys are refused, so you notice typing errors. `make figures` writes this page from the code.
"""
NOT_FROM_HERE = {"called", "late_days"}
"""What a course has and course.toml does not: it is read from roster.csv and late_days.csv."""
PLAIN = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page."""
    lines = [HEAD, *_table("The file", course.Course)]
    for name, kind in course.added_tables().items():
        lines += _table(f"`[{name}]`", kind, f"{name}.")
    return "\n".join(lines).rstrip() + "\n"


def _table(title: str, kind: type[msgspec.Struct], place: str = "") -> Iterator[str]:
    """Yield a table of the keys of a record, then the tables that are in it."""
    hints, said = get_type_hints(kind, include_extras=True), _said(kind)
    inner: list[tuple[str, str, type[msgspec.Struct]]] = []
    yield from (f"## {title}", "")
    if place:
        yield from (" ".join((inspect.getdoc(kind) or "").split()), "")
    yield from ("| Key | Value | Default | Meaning |", "|---|---|---|---|")
    for field in msgspec.structs.fields(kind):
        if not place and field.name in NOT_FROM_HERE:
            continue
        name, hint = f"{place}{field.name}", hints[field.name]
        if table := _record(hint):
            every = ".NAME" if get_origin(hint) is dict else ""
            inner.append((f"[{name}{every}]", f"{name}{every}.", table))
            continue
        cells = (f"`{field.name}`", _value(hint), _default(field), said[field.name])
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""
    for deeper, where, table in inner:
        yield from _table(f"`{deeper}`", table, where)


def _said(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the text below each field of a record, by its name."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(node, ast.ClassDef)
    found = {}
    for line, below in zip(node.body, node.body[1:], strict=False):
        if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr):
            assert isinstance(line.target, ast.Name)
            found[line.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return found


def _record(hint: Any) -> type[msgspec.Struct] | None:
    """Return the record that a key's value is, or that each value of its table is."""
    kind = get_args(hint)[1] if get_origin(hint) is dict else hint
    return kind if inspect.isclass(kind) and issubclass(kind, msgspec.Struct) else None


def _value(hint: Any) -> str:
    """Return what may be written, in words."""
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is datetime:
        return f"a date with a time (`{course.A_DATE}`)"
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return " or ".join(f'`"{one}"`' for one in inner)
    if get_origin(hint) is dict:
        return f"a table: name = {_value(inner[1])}"
    if get_origin(hint) is tuple:
        return f"a list, each {_value(inner[0])}"
    if limits := getattr(hint, "__metadata__", ()):
        (limit,) = limits
        words = {"ge": "at least", "le": "at most", "gt": "more than"}
        bounds = [
            f"{word} {getattr(limit, key):g}"
            for key, word in words.items()
            if getattr(limit, key) is not None
        ]
        return ", ".join([_value(inner[0]), *bounds])
    return ", or ".join(_value(kind) for kind in inner if kind is not type(None))


def _default(field: Any) -> str:
    """Return the value without the key."""
    if field.required:
        return "(required)"
    value = field.default
    if value is msgspec.NODEFAULT:
        value = field.default_factory()
    if isinstance(value, str):
        return f'`"{value}"`'
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "" if value in (None, {}, ()) else f"`{value:g}`"


if __name__ == "__main__":
    main()
