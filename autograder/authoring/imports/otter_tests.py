"""An otter test -> code that raises if otter's test fails, and its points."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import nbformat
import yaml

from autograder.authoring.imports import foreign
from autograder.records.errors import UserError
from autograder.records.marks import rounded

_HIDDEN = re.compile(r"\s*#.*\bhidden\b", re.IGNORECASE)
_TEST_CONFIG = re.compile(
    r'(?:\w\s*=\s*)?"{2,3}\s*#\s*BEGIN\s*TEST\s*CONFIG[^\n]*\n(.*?)^"{2,3};?\s*#\s*END\s*TEST\s*CONFIG[^\n]*\n?',
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Test:
    """A test: code that raises if it fails, and points; None if they follow from the question's."""

    source: str
    points: float | None
    place: str = ""
    """Where its author finds it: "cell 3"."""


def configuration(where: str, text: str) -> dict[str, Any]:
    """Return a cell's YAML settings; raise UserError for anything else."""
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"{where}: this is not YAML ({' '.join(str(error).split())})") from error
    if not isinstance(found, dict | None):
        raise UserError(f"{where}: write `key: value` lines here, as in otter's documentation")
    return found or {}


def read(where: str, cell: nbformat.NotebookNode) -> Test:
    """Return one test, which raises if otter's fails."""
    config: dict[str, Any] = {}
    source = cell.source
    if found := _TEST_CONFIG.match(source):
        config = configuration(where, found[1])
        source = source[found.end() :]
    first, _, rest = source.partition("\n")
    hidden = bool(_HIDDEN.match(first))
    if hidden:
        source = rest
    hidden = bool(config.get("hidden", hidden))
    points = config.get("points")
    if points is not None and not _is_number(points):
        raise UserError(f"{where}: this test has the points {points!r}; give it a number")
    try:
        tree = ast.parse(source, where)
    except SyntaxError as error:
        raise UserError(
            f"{where} is not Python (line {error.lineno}); its test cannot run"
        ) from error
    failure = str(config.get("failure_message") or "")
    code = _called(source, tree) or _compared(where, source, tree, cell)
    if failure:
        indented = "\n".join(f"    {line}".rstrip() for line in code.split("\n"))
        code = (
            f"try:\n{indented}\nexcept Exception as error:\n"
            f"    raise AssertionError({failure!r}) from error"
        )
    if hidden:
        code = f"### BEGIN HIDDEN TESTS\n{code}\n### END HIDDEN TESTS"
    return Test(code, points, cell.get(foreign.PLACE, ""))


def _called(source: str, tree: ast.Module) -> str:
    """Return a test function with its call; "" for any other test.

    For each parameter, otter passes the notebook's object of that name; for `env`, all objects.
    """
    function = tree.body[0] if tree.body else None
    if not isinstance(function, ast.FunctionDef) or len(tree.body) > 2:
        return ""
    if len(tree.body) == 2:
        last = tree.body[1]
        if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)):
            return ""
        if ast.unparse(last.value.func) != function.name:
            return ""
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    given = ", ".join("globals()" if name == "env" else name for name in names)
    lines = source.split("\n")[: function.end_lineno]
    return "\n".join([*lines, "", f"{function.name}({given})"]).lstrip("\n")


def _compared(where: str, source: str, tree: ast.Module, cell: nbformat.NotebookNode) -> str:
    outputs = cell.get("outputs", ())
    printed = "".join("".join(output.get("text", "")) for output in outputs)
    shown = "".join("".join(output.get("data", {}).get("text/plain", "")) for output in outputs)
    if not (printed or shown) or not tree.body:
        if tree.body and _needs_output(tree, ran=cell.get("execution_count") is not None):
            raise UserError(
                f"{where} has no stored output for this test to compare with; run the notebook "
                "and save it with its outputs"
            )
        return source.strip("\n")
    lines = source.split("\n")
    last = tree.body[-1]
    before = lines[: last.lineno - 1]
    value = ast.unparse(last.value) if isinstance(last, ast.Expr) else ""
    if value and not printed:
        compares = isinstance(last, ast.Expr) and isinstance(last.value, ast.Compare)
        true = value if compares and shown == "True" else f"repr({value}) == {shown!r}"
        return "\n".join([*before, f"assert {true}"]).lstrip("\n")
    ends = (
        [f"print(repr({value}))"] if shown and value else lines[last.lineno - 1 : last.end_lineno]
    )
    return "\n".join(
        [
            "import contextlib, io",
            "with contextlib.redirect_stdout(io.StringIO()) as printed:",
            *_indented("\n".join([*before, *ends])),
            f"assert printed.getvalue().rstrip('\\n') == {(printed + shown).rstrip(chr(10))!r}",
        ]
    )


def _needs_output(tree: ast.Module, *, ran: bool) -> bool:
    """Return whether a test compares nothing without an output: it shows a value, or prints.

    A call may show nothing, as assertions do; that of another function has to have run.
    """
    last = tree.body[-1]
    value = last.value if isinstance(last, ast.Expr) else None
    if not isinstance(value, ast.Call):
        prints = any(isinstance(n, ast.Name) and n.id == "print" for n in ast.walk(tree))
        return value is not None or (prints and not ran)
    name = ast.unparse(value.func).rpartition(".")[2]
    return not ran and not re.match(r"_*(?:assert|check|test)", name, re.IGNORECASE)


def _indented(source: str) -> list[str]:
    """Return a source's lines further to the right, but for those within a text."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts = (one for one in tokens if one.type == tokenize.STRING)
    within = {n for one in texts for n in range(one.start[0] + 1, one.end[0] + 1)}
    return [
        line if n in within or not line.strip() else f"    {line}"
        for n, line in enumerate(source.split("\n"), start=1)
    ]


def joined(tests: Sequence[Test]) -> Test:
    """Combine tests that only count together into one."""
    return Test("\n\n".join(test.source for test in tests), None, tests[0].place)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e6


def number(where: str, value: Any) -> float:
    """Return points; raise UserError for anything but a number."""
    if not _is_number(value):
        raise UserError(f"{where} has the points {value!r}; give it a number")
    return float(value)


def points(where: str, wanted: Any, tests: Sequence[Test]) -> list[float]:
    """Return the points of each test, divided as otter does, with exactly this total."""
    own = [test.points for test in tests]
    if isinstance(wanted, dict):
        wanted = number(where, wanted.get("each", 1)) * len(own)
    if isinstance(wanted, list):
        if len(wanted) != len(own):
            raise UserError(f"{where} has {len(own)} tests and points for {len(wanted)}")
        own, wanted = [number(where, one) for one in wanted], None
    some = sum(one for one in own if one is not None)
    total = number(where, wanted) if wanted is not None else (some or 1.0)
    if some > total:
        raise UserError(f"{where} has {total:g} points, and its tests have {some:g}")
    left = own.count(None)
    exact = [(total - some) / left if one is None else one for one in own]
    return in_cents(exact)


def in_cents(exact: Iterable[float]) -> list[float]:
    """Return points in hundredths, as marks are, whose sum stays the same."""
    found: list[float] = []
    sum_so_far = before = 0.0
    for one in exact:
        sum_so_far += one
        now = rounded(sum_so_far)
        found.append(rounded(now - before))
        before = now
    return found
