"""Write the visible checks that follow from spec.py, on inputs that everybody sees.

An author who writes `shown` in a question leaves its check cell empty. Reference, tolerance and
order of the arguments are then the same for both checks, so that they cannot disagree.
"""

import ast
import builtins
import importlib
import inspect
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

from autograder import kit
from autograder.course.cells import free, imported_names, used_names
from autograder.course.homework import HomeworkError, described
from autograder.course.inputs import complain_of_order
from autograder.records.errors import UserError
from autograder.records.homework import Cell
from autograder.records.questions import RESULT, Inputs, Question
from autograder.records.tables import Frame, to_pandas

_LOCAL = {
    *("inputs", "right", "given", "got", "ignoring", "due", "raised", "yours", "error", "said"),
    *("tested", "pairs", "kinds"),
}
_ARRAYS = {"np": "an array", "pd": "a table"}
_TEXT = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_LINES: dict[str, str] = tomllib.loads(_TEXT)
_TAKES = tuple(getattr(kit, name) for name in _LINES if name[0].isupper())
"""Classes of checks that a visible one can follow from."""
FIRST_LINE = "# Given: the check of this question, on inputs that you see."


def texts(questions: Sequence[Question], name: str) -> dict[str, str]:
    """Return the text of each check cell that follows from a homework's spec.py, by question.

    It is "" where no check could follow from `shown`; HomeworkError where one cannot be shown.
    """
    where = f"source/{name}/staff/spec.py: question"
    return {
        question.id: _text(f"{where} {question.id!r}", question) if question.shown else ""
        for question in questions
        if question.shown or not _may_show(question)
    }


def questions(course: Path, name: str, cells: Sequence[Cell]) -> tuple[Question, ...]:
    """Return a homework's questions, with what spec.py leaves to its cells; () without a spec.py."""
    if not (course / "source" / name / "staff" / "spec.py").is_file():
        return ()
    return described(course, name, cells).questions


def fill(notebook: nbformat.NotebookNode, checks: Mapping[str, str], where: str) -> bool:
    """Put such checks into their cells; return whether that changed the notebook."""
    changed = False
    names = {name for cell in notebook.cells for name in imported_names(cell.source)}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("grade") or marks.get("solution"):
            continue
        id = marks["grade_id"]
        if not checks.get(id) and not cell.source.strip():
            more = "give the question `shown` in spec.py, from which its lines follow, or "
            raise HomeworkError(
                f"{where}: the check of {id!r} is empty; {more * (id not in checks)}write a check"
            )
        if not (text := checks.get(id, "")):
            continue
        if cell.source.strip() and not cell.source.startswith(FIRST_LINE):
            raise HomeworkError(
                f"{where}: the check of {id!r} has lines of its own, and spec.py has `shown` for it; "
                "leave the cell empty, or take `shown` away"
            )
        for short, module in (("np", "numpy"), ("pd", "pandas")):
            if short in used_names(text) and module not in names:
                raise HomeworkError(
                    f"{where}: the check of {id!r} shows {_ARRAYS[short]}; import {module} as {short} in "
                    "a cell above it"
                )
        changed |= cell.source != text
        cell.source = text
    return changed


def _may_show(question: Question) -> bool:
    return isinstance(question.check, _TAKES) and not (question.ask and question.ask.adapter)


def _text(where: str, question: Question) -> str:
    if question.ask is not None and question.ask.adapter:
        raise HomeworkError(f"{where} has an adapter, so no visible check follows from `shown`")
    name = (question.ask.objects or (question.id,))[-1] if question.ask else question.id
    if name in _LOCAL:
        raise HomeworkError(
            f"{where}: the lines that follow from `shown` have a {name!r} of their own; give the function "
            "another name, or write the check"
        )
    before = ""
    if isinstance(question.check, kit.Property):
        before = textwrap.indent(_property(where, question.check.holds), "    ")
    compared = _comparison(where, question.check).replace("CALL", f"{name}(*inputs.values())")
    pairs = "".join(_pair(where, question, inputs) for inputs in question.shown)
    mine = f", {name!r}" if name != question.id else ""
    return f"""{FIRST_LINE}
def {question.id}_complaint():
{before}    for inputs, right in [
{pairs}    ]:
        given = ", ".join(f"{{name}} = {{item!r}}" for name, item in inputs.items())
{compared}

check({question.id!r}, {question.id}_complaint{mine})"""


def _pair(where: str, question: Question, inputs: Inputs) -> str:
    if not isinstance(inputs, Mapping):
        raise HomeworkError(
            f'{where}: `shown` has {inputs!r}; write a list of inputs by name, such as [{{"n": 3}}]'
        )
    given = ", ".join(f"{name!r}: {_literal(where, item)}" for name, item in inputs.items())
    assert question.check is not None
    for one in question.check.functions().values():
        complain_of_order(f"{where}: `shown`", one.function, inputs)
    try:
        right = question.check.shows(inputs)
    except UserError as error:
        raise HomeworkError(f"{where}: {error}") from error
    except Exception as error:  # the author's code raises whatever it likes
        raise HomeworkError(
            f"{where}: the reference raised {type(error).__name__} for what is in `shown`: {error}"
        ) from error
    value = right.get(RESULT) if isinstance(right, dict) and RESULT in right else right
    return f"        ({{{given}}}, {_literal(where, value)}),\n"


def _comparison(where: str, check: kit.Check | None) -> str:
    """Return the lines that compare, as the hidden check does; CALL stands for the answer's value."""
    kind = next((one for one in _TAKES if isinstance(check, one)), None)
    if kind is None:
        names = ", ".join(sorted(one.__name__ for one in _TAKES))
        raise HomeworkError(f"{where}: `shown` needs one of {names}, NoLoop")
    lines, tolerance = _LINES[kind.__name__], getattr(check, "tolerance", None)
    if isinstance(check, kit.Exact):  # where it has none, numbers are equal
        lines = lines.replace("NEAR", f", tolerance={tolerance!r}" if tolerance else "")
    if isinstance(check, kit.Text):
        lines = lines.replace("IGNORING", repr(check.ignoring))
    if isinstance(check, kit.Table):
        lines = lines.replace("COLUMNS", "" if check.columns == "in order" else "sorted")
        lines = lines.replace("KINDS", str(check.kinds))
        ordered = _LINES["unnamed"] if not check.index else ""
        before = _LINES["sorted"] if check.rows == "any order" else ordered
        lines = lines.replace("        try:\n", f"{before}        try:\n")
    return lines.replace("NEAR", repr(tolerance))


def _property(where: str, holds: Callable[..., Any]) -> str:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(holds)))
    except (OSError, TypeError, SyntaxError):
        tree = ast.Module([], [])
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        raise HomeworkError(
            f"{where}: `shown` puts the property into the notebook, so write it as a function with `def`"
        )
    if lost := sorted(free(node) - {*dir(builtins), "np", "pd", node.name}):
        raise HomeworkError(
            f"{where}: `shown` puts the property {node.name} into the notebook, where there is no "
            f"`{lost[0]}`; import or write it inside of the function, or write the check"
        )
    node.name = "tested"
    return f"{ast.unparse(node)}\n\n"


def _literal(where: str, item: Any) -> str:
    if isinstance(item, Frame):
        item = to_pandas(item)
    if hasattr(item, "iloc"):
        return _table(where, item)
    if isinstance(item, np.ndarray) and item.ndim:
        return f"np.array({_literal(where, item.tolist())})"
    if isinstance(item, np.ndarray | np.generic):
        return _literal(where, item.item())
    if type(item).__name__ in ("Timestamp", "Timedelta"):
        return f"pd.{type(item).__name__}({str(item)!r})"
    if isinstance(item, float) and not np.isfinite(item):
        return f"float({str(item)!r})"
    if type(item) in (list, tuple, set, frozenset, dict):
        return _collection(where, item)
    try:
        same = ast.literal_eval(repr(item)) == item
    except (ValueError, SyntaxError, TypeError):
        same = False
    if not same:
        raise HomeworkError(
            f"{where}: `shown` has {type(item).__name__}, which no literal of Python gives; use "
            "arrays, tables, numbers, text, lists, tuples, sets and dicts"
        )
    return repr(item)


def _collection(where: str, item: Any) -> str:
    if isinstance(item, dict):
        pairs = (f"{_literal(where, key)}: {_literal(where, one)}" for key, one in item.items())
        return f"{{{', '.join(pairs)}}}"
    parts = [_literal(where, one) for one in item]
    if isinstance(item, set | frozenset):  # in an order that does not change
        return f"{{{', '.join(sorted(parts))}}}" if item else "set()"
    inside = ", ".join(parts)
    if isinstance(item, tuple):
        return f"({inside},)" if len(item) == 1 else f"({inside})"
    return f"[{inside}]"


def _table(where: str, item: Any) -> str:
    pd = importlib.import_module("pandas")  # a table is one of it
    series = isinstance(item, pd.Series)
    columns = {} if series else {name: item[name].tolist() for name in item.columns}
    text = _literal(where, item.tolist() if series else columns)
    if not item.index.equals(pd.RangeIndex(len(item))):
        text += f", index={_literal(where, item.index.tolist())}"
    text = f"pd.Series({text}, name={item.name!r})" if series else f"pd.DataFrame({text})"
    made = eval(text, {"pd": pd, "np": np})
    if not (made.equals(item) and np.array_equal(made.index.names, item.index.names)):
        raise HomeworkError(
            f"{where}: `shown` has a table that lines of Python would not give back, such as one with "
            "categories or a named index; make it plain, or write the check"
        )
    return text
