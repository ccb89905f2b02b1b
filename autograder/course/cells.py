"""The cells of a notebook, and information read from their code without running it."""

import ast
import contextlib
import functools
import hashlib
import re
import symtable
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autograder.records import codec
from autograder.records.homework import Cell

# A parser needs memory and time for hostile text: no real answer is that long.
MAX_PARSED = 20_000
# A magic, a command, a question mark before or after a name, or a command's output.
_MAGIC = re.compile(
    r"^([ \t]*)(?:[%!].*|\?\??[\w.]+|[\w.%]+\?\??|\w[\w ,]* = ?[!%].*)[ \t]*$", re.MULTILINE
)
_PARSING = threading.RLock()
"""Python 3.11 counts a tree's depth over all threads, so two parsing at once raise SystemError.
"""
# Signs, in a line or an error message, that a later Python may accept the line.
_WRITES = re.compile(r"^%%(?:writefile|file)[ \t]+(?:\./)?(\w+)\.py[ \t]*$", re.MULTILINE)
_NEWER = re.compile(
    r"^\s*type\s+\w+.*=|\b(?:def|class)\s+\w+\[|\bexcept\b.*,|\b(?:r?[ft]|[ft]r)[\"']|^\s*lazy\s"
    r"|\Af-string|unpacking cannot",
    re.IGNORECASE | re.MULTILINE,
)


def cells_of(notebook: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Return the cells of a notebook of format 4, without their malformed parts.

    Metadata and outputs decide nothing, so broken ones are no reason to refuse a notebook.
    """
    cells = notebook.get("cells")
    nodes = cells if isinstance(cells, list) else []
    return tuple(_cell(node, n) for n, node in enumerate(nodes) if isinstance(node, dict))


def parse(source: str, where: str = "<unknown>") -> ast.Module:
    """Parse code without printing Python's warnings, which would name no file.

    Raises:
        SyntaxError: it is not Python; also ValueError, RecursionError and MemoryError.
    """
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source, where)


def parsed(source: str) -> ast.Module | None:
    """Parse code as in a notebook, without IPython's own lines; return None without code.

    Lines count as IPython's only if Python alone cannot read the whole cell.
    """
    if len(source) > MAX_PARSED:
        return None
    for text in (source, _MAGIC.sub(r"\1pass", source)):
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return parse(text)
    return None


def mistake(source: str) -> str:
    """Return why Python cannot read a cell's code, with the line, or "".

    Huge cells, and those in other languages (`%%bash`), are accepted.
    """
    error = _unreadable(source)
    if error and not error.lineno:
        return f"it is not Python ({error.msg})"
    return f"line {error.lineno}: {error.msg}{newer_syntax(error)}" if error else ""


def _unreadable(source: str) -> SyntaxError | None:
    if parsed(source) is not None or len(source) > MAX_PARSED or source.lstrip().startswith("%%"):
        return None
    try:
        parse(_MAGIC.sub(r"\1pass", source))
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))
    return None


def newer_syntax(error: SyntaxError | str) -> str:
    """Return an addition to a message if a newer Python may accept the line, or "".

    Args:
        error: Python's error, or the source that it cannot read.
    """
    found = _unreadable(error) if isinstance(error, str) else error
    if found is None or not _NEWER.search(f"{found.msg}\n{found.text or ''}"):
        return ""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"; this may be newer syntax; the grader runs Python {running}"


def first_line(node: ast.stmt) -> int:
    """Return the first line of a statement, which may be a decorator's."""
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(one.lineno for one in decorators)])


def text_of(source: str, node: ast.stmt) -> str:
    """Return a statement's lines, with its decorators."""
    return "\n".join(source.split("\n")[first_line(node) - 1 : node.end_lineno])


class Code(NamedTuple):
    """The meaning of a cell; empty if the cell is huge or not Python."""

    defined: frozenset[str] = frozenset()  # functions and classes at top level
    used: frozenset[str] = frozenset()  # every name that it reads
    statements: tuple[str, ...] | None = None  # a digest of each one's syntax tree


@functools.lru_cache(maxsize=20_000)
def read(source: str) -> Code:
    """Parse a cell once for all uses."""
    tree = parsed(source)
    if tree is None:
        return Code()
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return Code(
        frozenset(n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)),
        frozenset(name.id for name in names if isinstance(name.ctx, ast.Load)),
        tuple(map(digest, tree.body)),
    )


def digest(node: ast.AST) -> str:
    """Return a digest of a syntax tree, whose dump may be a hundred times the source."""
    return hashlib.sha256(ast.dump(node).encode(errors="replace")).hexdigest()


def defined_names(source: str) -> frozenset[str]:
    """Return the functions and classes that a cell defines at top level."""
    return read(source).defined


@functools.lru_cache(maxsize=20_000)
def bound_names(source: str) -> frozenset[str]:
    """Return every name that a cell binds or deletes at top level; none if it is not readable."""
    table = symbols(source)
    found = table.get_symbols() if table else ()
    return frozenset(one.get_name() for one in found if one.is_assigned() or one.is_imported())


def symbols(source: str) -> symtable.SymbolTable | None:
    """Return Python's table of a cell's names; None if the cell is huge or not Python."""
    # SyntaxError comes from a `return` outside a function, for example.
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        if tree := parsed(source):
            return symtable.symtable(ast.unparse(tree), "cell", "exec")
    return None


def defines(cell: Cell) -> frozenset[str]:
    """Return the functions and classes that a code cell defines at top level."""
    return read(cell.source).defined if cell.type == "code" else frozenset()


def used_names(source: str) -> frozenset[str]:
    """Return every name that a cell reads."""
    return read(source).used


def free(scope: ast.AST) -> frozenset[str]:
    """Return the names that code reads but does not bind."""
    nodes = list(ast.walk(scope))
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {
        n.name
        for n in nodes
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    bound |= {n.name for n in nodes if isinstance(n, ast.ExceptHandler) and n.name}
    bound |= {(n.asname or n.name).split(".")[0] for n in nodes if isinstance(n, ast.alias)}
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return frozenset(read - bound)


def imported_names(source: str) -> frozenset[str]:
    """Return the full names of the modules that a cell imports; none if it is huge or not Python."""
    nodes = list(ast.walk(parsed(source) or ast.Module([], [])))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    absolute = (node for node in nodes if isinstance(node, ast.ImportFrom) and not node.level)
    return frozenset(names | {node.module for node in absolute if node.module})


def written_names(source: str) -> frozenset[str]:
    """Return the names of the modules that a cell writes with `%%writefile`."""
    return frozenset(_WRITES.findall(source))


def _cell(node: Mapping[str, Any], number: int) -> Cell:
    metadata = _dictionary(node.get("metadata"))
    marks = _dictionary(metadata.get("nbgrader"))
    demo = _dictionary(metadata.get("autograder")).get("role") == "demo"
    graded, solution = bool(marks.get("grade")), bool(marks.get("solution"))
    role = {
        (True, True): "written",
        (True, False): "check",
        (False, True): "answer",
        (False, False): "demo" if demo else "provided",
    }[graded, solution]
    points = marks.get("points") if graded else None
    grade_id, outputs = marks.get("grade_id"), node.get("outputs")
    return Cell(
        id=str(node.get("id", f"cell-{number}")),
        type=str(node.get("cell_type")),
        source=_text(node.get("source")),
        grade_id=grade_id if isinstance(grade_id, str) else None,
        role=role,
        points=float(points) if isinstance(points, int | float) and 0 <= points < 1e6 else None,
        outputs=tuple(item for item in outputs if isinstance(item, dict))
        if isinstance(outputs, list)
        else (),
        attachments=_images(node.get("attachments")),
    )


def _text(source: object) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return codec.printable(source) if isinstance(source, str) else ""


def _images(attachments: object) -> dict[str, str]:
    """Return the first image of each attachment: a name may have the same one in several types."""
    found = {
        name: [
            _text(data) for kind, data in _dictionary(kinds).items() if kind.startswith("image/")
        ]
        for name, kinds in _dictionary(attachments).items()
    }
    return {name: images[0] for name, images in found.items() if images}


def _dictionary(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}
