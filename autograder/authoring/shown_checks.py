"""What of a notebook follows from spec.py: above all checks on inputs that everybody sees.

An author who writes `shown` in a question leaves its check cell empty. Reference, tolerance and
order of the arguments are then the same for both checks, so that they cannot disagree.
"""

import ast
import builtins
import importlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

from autograder.course.cells import free, imported_names, used_names
from autograder.course.homework import HomeworkError, described
from autograder.course.inputs import complain_of_order
from autograder.kit import (
    Check,
    Close,
    Draws,
    Exact,
    Picture,
    Prints,
    Property,
    Raises,
    Table,
    Text,
)
from autograder.records.errors import UserError
from autograder.records.homework import Cell
from autograder.records.questions import RESULT, Inputs, Question
from autograder.records.tables import Frame, to_pandas

_LOCAL = {
    *("inputs", "right", "given", "got", "ignoring", "due", "raised", "yours", "error", "said"),
    *("tested", "pairs", "kinds", "form"),
}
_TAKES = (Close, Draws, Exact, Picture, Prints, Property, Raises, Table, Text)
_ARRAYS = {"np": "an array", "pd": "a table"}
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


def written(notebook: nbformat.NotebookNode, checks: Mapping[str, str], where: str) -> bool:
    """Put such checks into their cells; return whether that changed the notebook.

    Args:
        notebook: The source notebook.
        checks: What `texts` returned.
        where: The file that its author writes, for complaints.

    Raises:
        HomeworkError: a cell has a check of its own, or the notebook lacks what a check uses.
    """
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
    if isinstance(question.check, Property):
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


def _comparison(where: str, check: Check | None) -> str:
    """Return the lines that compare, as the hidden check does; CALL stands for the answer's value."""
    match check:
        case Close():
            near = f"rtol={check.tolerance!r}, atol={check.tolerance!r}"
            return _CLOSE.replace("NEAR", near)
        case Exact():
            near = f", tolerance={check.tolerance!r}" if check.tolerance else ""
            return _EXACT.replace("NEAR", near)
        case Text():
            return _TEXT.replace("IGNORING", repr(check.ignoring))
        case Prints():
            return _PRINTS
        case Raises():
            return _RAISES
        case Property():
            return _PROPERTY
        case Draws():
            return _DRAWS
        case Picture():
            return _PICTURE.replace("NEAR", repr(check.tolerance))
        case Table():
            return _table_lines(check)
    names = ", ".join(sorted(one.__name__ for one in _TAKES))
    raise HomeworkError(f"{where}: `shown` needs one of {names}, NoLoop")


def _property(where: str, holds: Callable[..., Any]) -> str:
    """Return the text of a property, which students can read: so it uses nothing that they lack."""
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


def _table_lines(check: Table) -> str:
    """Return the lines that compare tables as pandas does."""
    lines = _TABLE.replace("NEAR", repr(check.tolerance))
    ordered = check.columns == "in order"
    lines = lines.replace("COLUMNS", "" if ordered else "sorted").replace("KINDS", str(check.kinds))
    if check.rows == "any order":
        lines = lines.replace("        try:\n", _SORTED + "        try:\n")
    elif not check.index:
        lines = lines.replace("        try:\n", _UNNAMED + "        try:\n")
    return lines


_CLOSE = """\
        got, right = plain(CALL, f"for {given}: it"), plain(right)
        if got.shape != right.shape or not np.allclose(got, right, NEAR):
            return f"for {given}: {difference(got, right, 0)}"
"""
_EXACT = """\
        got = as_plain(CALL)
        if unlike(got, as_plain(right)NEAR):
            return f"for {given} it should be {right!r}, yours is {got!r}"
"""
_TEXT = """\
        got, ignoring = as_plain(CALL), IGNORING
        if not isinstance(got, str) or worded(got, ignoring) != worded(right, ignoring):
            form = isinstance(got, str) and worded(got, ("form",)) == worded(right, ("form",))
            said = f"for {given} it should be {right!r}, yours is {got!r}"
            return said + ", in a different Unicode form" * form
"""
_PRINTS = """\
        got = what_prints(lambda: CALL)
        if printed_lines(got) != printed_lines(right):
            return f"for {given} it should print {right!r}, yours prints {got!r}"
"""
_RAISES = """\
        due, raised = [*right["kinds"], ""][0], []
        try:
            got = CALL
        except Refused:
            raise
        except Exception as error:
            if type(error) is NotImplementedError and not str(error):
                raise
            raised = classes_of(error)
        yours = f"raises {raised[0]}" if raised else f"returns {got!r}"
        if due and due not in raised:
            return f"for {given} it should raise {due}, yours {yours}"
        if not due and (raised or unlike(as_plain(got), as_plain(right["returned"]))):
            return f"for {given} it should return {right['returned']!r}, yours {yours}"
"""


_PROPERTY = """\
        got = CALL
        if not hasattr(got, "columns") and not is_finite(got := as_plain(got)):
            return f"for {given}: it contains NaN or infinity"
        if said := lacking(tested(got, **inputs)):
            return f"for {given}: {said}"
"""
_DRAWS = """\
        if said := unlike_draws(plain(CALL, f"for {given}: it"), **right):
            return f"for {given}: {said}"
"""
_PICTURE = """\
        if said := unlike_picture(drawn(lambda: CALL), right, NEAR):
            return f"for {given}: {said}"
"""
_TABLE = """\
        pairs = (item.to_frame() if isinstance(item, pd.Series) else item for item in (CALL, right))
        got, right = pairs
        if not isinstance(got, pd.DataFrame):
            return f"for {given} it should be a table of pandas, yours is a {type(got).__name__}"
        if COLUMNS([*got.columns]) != COLUMNS([*right.columns]):
            return f"for {given} it should have the columns {[*right.columns]}, yours has {[*got.columns]}"
        got, kinds = got[[*right.columns]], ([one.kind for one in t.dtypes] for t in (got, right))
        if KINDS and len(right) and next(kinds) != next(kinds):
            return f"for {given} a column has values of another kind: {dict(got.dtypes)}"
        try:
            pd.testing.assert_frame_equal(got, right, check_dtype=False, check_names=False, rtol=NEAR, atol=NEAR)
        except AssertionError as error:
            return f"for {given}: {' '.join(str(error).split())}"
"""
_SORTED = """\
        got, right = (t.sort_values([*t.columns], key=lambda c: c.astype(str), ignore_index=True) for t in (got, right))
"""
_UNNAMED = """\
        got, right = (t.reset_index(drop=True) for t in (got, right))
"""


def _literal(where: str, item: Any) -> str:
    """Return Python's text for a value, which gives the same value back."""
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
    """Return a call of pandas that makes a table or a Series; HomeworkError where none would do."""
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
