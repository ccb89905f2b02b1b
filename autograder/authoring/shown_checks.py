"""What of a notebook follows from spec.py: above all checks on inputs that everybody sees.

An author who writes `shown` in a question leaves its check cell empty. Reference, tolerance and
order of the arguments are then the same for both checks, so that they cannot disagree.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

from autograder.course.cells import imported_names, used_names
from autograder.course.homework import HomeworkError, staff_module
from autograder.course.inputs import complain_of_order
from autograder.kit import Check, Close, Exact, Prints, Raises, Text
from autograder.model import RESULT, Homework, Inputs, Question

_LOCAL = {"inputs", "right", "given", "got", "ignoring", "due", "raised", "yours", "error"}
_TAKES = (Close, Exact, Text, Prints, Raises)
FIRST_LINE = "# Given: the check of this question, on inputs that you see."


def texts(course: Path, name: str) -> dict[str, str]:
    """Return the text of each check cell that follows from a homework's spec.py, by question.

    It is "" where no check could follow from `shown`.

    Raises:
        HomeworkError: spec.py cannot be read, or a check cannot be shown.
    """
    where = f"source/{name}/staff/spec.py: question"
    return {
        question.id: _text(f"{where} {question.id!r}", question) if question.shown else ""
        for question in _questions(course, name)
        if question.shown or not _may_show(question)
    }


def extra(course: Path, name: str) -> frozenset[str]:
    """Return the questions that are extra credit by a homework's spec.py."""
    return frozenset(question.id for question in _questions(course, name) if question.extra)


def _questions(course: Path, name: str) -> list[Question]:
    if not (course / "source" / name / "staff" / "spec.py").is_file():
        return []
    spec = getattr(staff_module(course, name, "spec"), "HOMEWORK", None)
    questions = spec.questions if isinstance(spec, Homework) else ()
    return [question for question in questions if isinstance(question, Question)]


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
        if "np" in used_names(text) and "numpy" not in names:
            raise HomeworkError(
                f"{where}: the check of {id!r} shows an array; import numpy as np in a cell above it"
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
    compared = _comparison(where, question.check).replace("CALL", f"{name}(*inputs.values())")
    pairs = "".join(_pair(where, question, inputs) for inputs in question.shown)
    mine = f", {name!r}" if name != question.id else ""
    return f"""{FIRST_LINE}
def {question.id}_complaint():
    for inputs, right in [
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
        right = question.check.expected(inputs)
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
    raise HomeworkError(f"{where}: `shown` needs Close, NoLoop, Exact, Text, Prints or Raises")


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
            return f"for {given} it should be {right!r}, yours is {got!r}"
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


def _literal(where: str, item: Any) -> str:
    """Return Python's text for a value, which gives the same value back."""
    if isinstance(item, np.ndarray):
        return f"np.array({item.tolist()!r})" if item.ndim else repr(item.item())
    if isinstance(item, np.generic):
        return repr(item.item())
    if isinstance(item, set | frozenset):  # in an order that does not change
        inside = ", ".join(sorted(_literal(where, one) for one in item))
        return f"{{{inside}}}" if item else "set()"
    try:
        same = ast.literal_eval(repr(item)) == item
    except (ValueError, SyntaxError, TypeError):
        same = False
    if not same:
        raise HomeworkError(
            f"{where}: `shown` has {type(item).__name__}, which no literal of Python gives; use "
            "arrays, numbers, text, lists, tuples, sets and dicts"
        )
    return repr(item)
