"""All that people read: messages and help in the code, pages, docs, notebooks -> (where, text)."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.helpers import ROOT

TOLD = ("NUDGE", "EXPLANATION", "TITLE")
"""What a student reads of a known mistake."""
IN_EVERY_NOTEBOOK = "What is called: a function, or an object that is called like one."
"""Left out: a docstring of values.py, whose text is in the solutions, which were executed with it."""
_HAS_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef)
_CODE = re.compile(r"^(```|~~~)(?:.*\n)*?\1|^(?: {4}|\t).*$|`[^`\n]*`", re.MULTILINE)
_MARKUP = re.compile(
    r"\{[%#{].*?[%#}]\}|<[^>]*>|^\s*[.#@a-z][^\n]*\{[^\n]*$", re.DOTALL | re.MULTILINE
)
_WORDS = re.compile(r"[A-Za-z]{2,} .*[A-Za-z]{2,}")


def places() -> Iterator[Path]:
    """Yield what is looked through: files, each part of the package, and homeworks."""
    for form in (
        "*.md",
        "docs/**/*.md",
        "extras/*.html",
        "autograder/[!_]*",
        "release/*/*.ipynb",
        "source/*/staff/wrong",
        "source/*/staff/mistakes.toml",
    ):
        yield from sorted(ROOT.glob(form))


def texts(place: Path) -> Iterator[tuple[str, str]]:
    """Yield where a text is, and the text."""
    for path in sorted(place.rglob("*")) if place.is_dir() else (place,):
        name = str(path.relative_to(ROOT))
        if path.suffix == ".py":
            found = told(path) if "staff" in path.parts else literals(path)
            yield from ((f"{name}:{line}", said) for line, said in found)
        elif path.suffix == ".toml" or (path.name.endswith(".toml.txt") and "staff" in path.parts):
            for mistake, fields in tomllib.loads(path.read_text(encoding="utf-8")).items():
                said = (fields.get(field, "") for field in ("nudge", "explanation"))
                yield f"{name}: {mistake}", " ".join(said)
        elif path.suffix == ".md":
            yield name, prose(path.read_text(encoding="utf-8").replace(IN_EVERY_NOTEBOOK, ""))
        elif path.suffix == ".ipynb":
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "markdown":
                    yield f"{name} {cell['id']}", prose("".join(cell["source"]))
        elif path.suffix in {".html", ".jinja", ".js", ".txt", ".sh"}:
            yield name, _MARKUP.sub(" ", path.read_text(encoding="utf-8"))


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts in a module that may be printed, with their lines.

    Those of regular expressions and docstrings are left out; a verb's docstring is its help. A
    value in a text is shown as {}.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _dotted(node.func).startswith("re."):
            left_out |= {id(inner) for inner in ast.walk(node)}
        elif isinstance(node, ast.JoinedStr):
            left_out |= {id(inner) for inner in node.values}
        elif isinstance(node, _HAS_DOCSTRINGS) and not _is_verb(node):
            left_out |= {id(inner.value) for inner in node.body if isinstance(inner, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) not in left_out and _WORDS.search(said := text(node)):
            yield getattr(node, "lineno", 0), said


def told(path: Path) -> Iterator[tuple[int, str]]:
    """Yield what a student is told of a known mistake."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and _dotted(node.targets[0]) in TOLD:
            yield node.lineno, text(node.value)


def text(node: ast.AST) -> str:
    """Return a literal's text, {} for each value in it; "" for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text(part) or "{}" for part in node.values)
    return ""


def prose(markdown: str) -> str:
    """Return Markdown without code and the targets of links."""
    return re.sub(r"\]\([^)]*\)", "]", _CODE.sub("`code`", markdown))


def _is_verb(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(one, ast.Call) and _dotted(one.func).endswith(".command")
        for one in node.decorator_list
    )


def _dotted(node: ast.AST) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return f"{_dotted(node.value)}.{node.attr}"
    return ""
