"""Explanations -> a notebook with the student's cells and the hidden inputs, for staff to try out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.records import codec
from autograder.records.data import encode_inputs
from autograder.records.homework import Homework
from autograder.records.questions import Question, Value
from autograder.records.tables import Frame
from autograder.staff.explain.explanation import Explanation

CAUTION = (
    "**Only for staff: this notebook has hidden inputs and expected values.** Its cells "
    "are a student's code, and run with your rights: run them where they can do no harm, "
    "such as in a container without the course's secret."
)


def notebook(items: Sequence[Explanation], cells: Sequence[str], homework: Homework) -> str:
    """Return the notebook's JSON."""
    nodes = [_text(f"# {homework.title}: one submission\n\n{CAUTION}\n\n## The cells that ran")]
    nodes += [_code(source) for source in cells]
    if any(item.question.ask and item.question.ask.adapter for item in items):
        nodes.append(_text("## How the grader calls answers: `staff/adapters.py`"))
        nodes.append(_code(f"adapters = {{}}\nexec({homework.adapters!r}, adapters)"))
    for item in items:
        case = item.first_wrong or next(iter(item.cases), None)
        if case is None:
            continue
        which = "the first that is not right" if item.first_wrong else "all are right"
        nodes.append(_text(f"## `{item.question.id}`, case {case.number + 1}: {which}"))
        nodes.append(_code(f"import numpy as np\n\n{literal('inputs', case.inputs)}"))
        nodes.append(_code(f"value = {_call(item.question)}\nvalue"))
        if case.expected is not None:
            nodes.append(_code(f"{literal('expected', case.expected)}\nexpected"))
    for place, node in enumerate(nodes):
        node["id"] = f"cell-{place}"
    whole = {"cells": nodes, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return codec.indented(whole) + "\n"


def _call(question: Question) -> str:
    assert question.ask is not None
    names = ", ".join(question.ask.objects)
    if question.ask.adapter:
        return f"adapters[{question.ask.adapter!r}]({names}{', ' * bool(names)}**inputs)"
    return f"{question.ask.objects[-1]}(*inputs.values())"


def literal(name: str, values: Value) -> str:
    """Return Python code that assigns a dictionary of exactly these values to a name."""
    if all(map(_is_plain, values.values())):
        items = "".join(f"    {key!r}: {_written(item)},\n" for key, item in values.items())
        return f"{name} = {{\n{items}}}"
    text = codec.dumps(encode_inputs(values))
    return (
        "import json\n\nfrom autograder.records.data import decode_inputs\n\n"
        f"{name} = decode_inputs(json.loads({text!r}))"
    )


def _is_plain(item: Any) -> bool:
    """Return whether `repr` gives valid Python for a value."""
    if isinstance(item, np.ndarray):
        return item.dtype.kind in "fiub" and bool(np.isfinite(item).all())
    if isinstance(item, Frame):
        return False
    if isinstance(item, Mapping):
        return all(map(_is_plain, (*item.keys(), *item.values())))
    if isinstance(item, list | tuple | set | frozenset):
        return all(map(_is_plain, item))
    if isinstance(item, float):
        return bool(np.isfinite(item))
    return item is None or isinstance(item, bool | int | str)


def _written(item: Any) -> str:
    if isinstance(item, np.ndarray):
        shape = f".reshape({item.shape})" if item.size == 0 or item.ndim == 0 else ""
        return f"np.array({item.tolist()!r}, dtype={str(item.dtype)!r}){shape}"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{_written(k)}: {_written(v)}" for k, v in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(map(_written, item)) + "]"
    if isinstance(item, tuple):
        return "(" + "".join(f"{_written(part)}, " for part in item) + ")"
    if isinstance(item, np.generic):
        return repr(item.item())
    return repr(item)


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    code = {"cell_type": "code", "metadata": {}, "source": source}
    return code | {"outputs": [], "execution_count": None}
