"""The instructor's own answers, made careless in four ways: each has to lose what it answers.

Whatever a homework asks, a check that evaluates every case twice, repeats shapes, compares inputs
and looks at gradients notices these. They are put behind each answer of the instructor's notebook.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from autograder.course import inputs
from autograder.course.cells import defined_names
from autograder.model import Homework, Inputs, Question, Submission, SubmissionId

# The code that is put behind an answer. It is student code, so it knows the notebook's names alone.
_TEXT = """\
import contextlib as _contextlib
import functools as _functools
import sys as _sys
import numpy as _np
_torch = _sys.modules.get("torch")


def _leaves(item):
    if isinstance(item, (list, tuple, set)):
        return [leaf for part in item for leaf in _leaves(part)]
    if hasattr(item, "keys") and hasattr(item, "__getitem__"):
        return [leaf for key in item.keys() for leaf in _leaves(item[key])]
    return [item]


def _is_tensor(item):
    return _torch is not None and isinstance(item, _torch.Tensor)


def _is_array(item):
    return isinstance(item, _np.ndarray) or _is_tensor(item)


def _shapes(args):
    return str([tuple(a.shape) if _is_array(a) else type(a).__name__ for a in _leaves(args)])


def _numbers(args):
    # A function that is made anew for each call has another name each time.
    plain = [type(a).__name__ if callable(a) else a for a in _leaves(args)]
    return str([a.tolist() if _is_array(a) else a for a in plain])


def _kept_by_shape(function, seen):
    @_functools.wraps(function)
    def call(*args, **kwargs):
        if not args and not kwargs:
            raise RuntimeError("it is given nothing to be careless with")
        key = _shapes([args, kwargs])
        if key not in seen:
            seen[key] = function(*args, **kwargs)
        return seen[key]

    return call


def _right_once(function, seen):
    @_functools.wraps(function)
    def call(*args, **kwargs):
        key = _numbers([args, kwargs])
        if key in seen:
            raise RuntimeError("it was called with this before")
        seen[key] = True
        return function(*args, **kwargs)

    return call


def _changes_inputs(function, seen):
    @_functools.wraps(function)
    def call(*args, **kwargs):
        arrays = [leaf for leaf in _leaves([args, kwargs]) if _is_array(leaf)]
        if not arrays:
            raise RuntimeError("it is given nothing to be careless with")
        result = function(*args, **kwargs)
        with _torch.no_grad() if _torch else _contextlib.nullcontext():
            for array in arrays:
                array[...] = ~array if str(array.dtype).endswith("bool") else array + 1
        return result

    return call


def _cut(item):
    if _is_tensor(item):
        return item.detach()
    if isinstance(item, (list, tuple)):
        return type(item)(_cut(part) for part in item)
    if isinstance(item, dict):
        return {key: _cut(part) for key, part in item.items()}
    return item


def _detached(function, seen):
    return _functools.wraps(function)(lambda *args, **kwargs: _cut(function(*args, **kwargs)))


def _careless(answer, how):
    if not isinstance(answer, type):
        return how(answer, {})
    if hasattr(answer, "forward"):
        answer.forward = how(answer.forward, {})
    return answer
"""


@dataclass(frozen=True)
class Way:
    """One way to be careless.

    Args:
        name: Of the function in the text above.
        says: What it does, in a few words.
    """

    name: str
    says: str


KEPT = Way("_kept_by_shape", "keeps its first value by the shapes of what it is given")
ONCE = Way("_right_once", "is right once, and not when it is called again")
CHANGES = Way("_changes_inputs", "changes the arrays that it is given")
DETACHED = Way("_detached", "cuts gradients off")
WAYS = (KEPT, ONCE, CHANGES, DETACHED)


def careless(instructor: Submission, homework: Homework, way: Way) -> Submission:
    """Return the instructor's notebook in which every answer is careless in one way."""
    asked = {name for q in homework.questions if q.ask for name in q.ask.objects}
    cells = []
    for cell in instructor.cells:
        names = sorted(asked & defined_names(cell.source)) if cell.role == "answer" else []
        behind = "\n".join(f"{name} = _careless({name}, {way.name})" for name in names)
        source = f"{cell.source}\n\n\n{_TEXT}\n\n{behind}\n" if names else cell.source
        cells.append(replace(cell, source=source))
    text = hashlib.sha256(way.name.encode()).hexdigest()
    return replace(instructor, id=SubmissionId("careless", "notebook", text), cells=tuple(cells))


def concerned(
    homework: Homework, way: Way, drawn: Mapping[str, Collection[Inputs]]
) -> list[Question]:
    """Return the questions that an answer which is careless in this way has to lose.

    Args:
        homework: Its questions.
        way: How the answers are careless.
        drawn: Each question's cases.
    """
    return [q for q in homework.questions if q.ask and not q.trains and _concerns(q, way, drawn)]


def _concerns(question: Question, way: Way, drawn: Mapping[str, Collection[Inputs]]) -> bool:
    assert question.ask is not None
    cases = drawn[question.id]
    if way is DETACHED:
        return question.gradients is True
    if way is CHANGES:
        return question.ask.objects[-1] in question.ask.watched
    if way is KEPT:
        return len({inputs.digest([case]) for case in cases}) > 1
    return True


def repeats_a_shape(cases: Collection[Inputs]) -> bool:
    """Whether two cases have arrays of the same shapes and other values."""
    seen: dict[str, set[str]] = {}
    for case in cases:
        shapes = str(
            [
                (name, item.shape if isinstance(item, np.ndarray) else type(item))
                for name, item in case.items()
            ]
        )
        seen.setdefault(shapes, set()).add(inputs.digest([case]))
    return any(len(digests) > 1 for digests in seen.values())
