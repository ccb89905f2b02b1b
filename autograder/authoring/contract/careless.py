"""The instructor's own answers, made careless in many ways: each has to lose what it answers.

Whatever a homework asks, a check that evaluates every case twice, repeats shapes, compares inputs,
looks at gradients and takes no NaN notices these. They are put behind each answer of the
instructor's notebook.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from autograder.course import inputs
from autograder.course.cells import defined_names
from autograder.records.facts import Submission, SubmissionId
from autograder.records.homework import Homework
from autograder.records.questions import Inputs, Question

# The code that is put behind an answer. It is student code, so it knows the notebook's names alone.
TEXT = """\
import contextlib as _contextlib
import functools as _functools
import sys as _sys
import numpy as _np
_torch, _pandas = _sys.modules.get("torch"), _sys.modules.get("pandas")


def _is_table(item):
    return _pandas is not None and isinstance(item, (_pandas.DataFrame, _pandas.Series))


def _columns(table):
    if table.ndim == 1:
        return {"": table.to_numpy()}
    return {name: table.iloc[:, n].to_numpy() for n, name in enumerate(table.columns)}


def _tables(item):
    if _is_table(item):
        return [item]
    parts = item.values() if isinstance(item, dict) else item
    return [one for part in parts for one in _tables(part)] if type(item) in (list, tuple, dict) else []


def _leaves(item):
    if _is_table(item):
        return list(_columns(item).values())
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
    # A function or object made for one call has a different name at the next.
    plain = [a.tolist() if _is_array(a) else a for a in _leaves(args)]
    nameless = [callable(a) or type(a).__repr__ is object.__repr__ for a in plain]
    return str([type(a).__name__ if bare else a for a, bare in zip(plain, nameless)])


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
        tables = _tables([args, kwargs])
        arrays = [leaf for leaf in _leaves([args, kwargs]) if _is_array(leaf)]
        if not arrays:
            raise RuntimeError("it is given nothing to be careless with")
        result = function(*args, **kwargs)
        with _torch.no_grad() if _torch else _contextlib.nullcontext():
            for table in tables:
                table.index = range(1, len(table) + 1)
            for array in arrays * (not tables):
                array[...] = ~array if str(array.dtype).endswith("bool") else array + 1
        return result

    return call


_changes_inputs.stateful = False  # what a method is given is its adapter's, which nobody watches


def _nothing():
    raise RuntimeError("it is given nothing to be careless with")


def _changed(item, how, place=None):
    # Of what an answer returned, changes one leaf, by its number, or all of them.
    number = -1
    if place is not None and place < 0:
        place += len(_leaves(item))

    def walk(part):
        nonlocal number
        if _is_table(part):  # no table then: a check of one column sees that
            return {name: dict(enumerate(column)) for name, column in _columns(part).items()}
        if isinstance(part, (list, tuple)):
            return type(part)([walk(one) for one in part])
        if hasattr(part, "keys") and hasattr(part, "__getitem__"):
            return {key: walk(part[key]) for key in part.keys()}
        number += 1
        return how(part) if place in (None, number) else part

    return walk(item)


def _is_number(item):
    return isinstance(item, (int, float, _np.number, _np.bool_))


def _with_one(leaf, corner, new):
    # Replace its first number (0) or its last (-1).
    if _is_number(leaf):
        return new(leaf)
    if not _is_array(leaf) or 0 in leaf.shape or str(leaf.dtype).endswith("bool"):
        return _nothing()
    if _is_tensor(leaf):
        leaf = (leaf if leaf.is_floating_point() else leaf.double()) + 0
    else:
        leaf = _np.array(leaf, dtype=_np.result_type(leaf.dtype, _np.float32))
    place = (corner,) * len(leaf.shape)
    leaf[place] = new(leaf[place])
    return leaf


def _computed(leaf, new):
    if isinstance(leaf, str) or not (_is_number(leaf) or _is_array(leaf)):
        return _nothing()
    return ~leaf if str(getattr(leaf, "dtype", "")).endswith("bool") else new(leaf)


def _without_numbers(leaf):
    if _is_array(leaf) and len(leaf.shape):
        return leaf[:0]
    return "" if isinstance(leaf, str) else []


def _without_the_last(leaf):
    return leaf[:-1] if _is_array(leaf) and len(leaf.shape) and len(leaf) > 1 else _nothing()


def _in_another_order(leaf):
    if not _is_array(leaf) or not len(leaf.shape) or len(leaf) < 2:
        return _nothing()
    return _torch.roll(leaf, 1, 0) if _is_tensor(leaf) else _np.roll(leaf, 1, 0)


def _without_parts(item):
    if isinstance(item, (list, tuple)):
        return item[:0]
    return {} if hasattr(item, "keys") else _nothing()


_NAN, _INFINITY = float("nan"), float("inf")
_CHANGES = {
    "nan first": lambda item: _changed(item, lambda x: _with_one(x, -1, lambda _: _NAN), 0),
    "nan last": lambda item: _changed(item, lambda x: _with_one(x, 0, lambda _: _NAN), -1),
    "all nan": lambda item: _changed(item, lambda x: _computed(x, lambda y: y * _NAN)),
    "infinity": lambda item: _changed(item, lambda x: _with_one(x, 0, lambda _: _INFINITY), -1),
    "none": lambda item: None,
    "empty": lambda item: _changed(item, _without_numbers, 0),
    "no parts": _without_parts,
    "text": lambda item: _changed(item, lambda x: 0 if isinstance(x, str) else "text", -1),
    "none first": lambda item: _changed(item, lambda x: None, 0),
    "more first": lambda item: _changed(item, lambda x: _computed(x, lambda y: y + 1), 0),
    "more last": lambda item: _changed(item, lambda x: _computed(x, lambda y: y + 1), -1),
    "one more first": lambda item: _changed(item, lambda x: _with_one(x, -1, lambda y: y + 1), 0),
    "one more last": lambda item: _changed(item, lambda x: _with_one(x, -1, lambda y: y + 1), -1),
    "twice": lambda item: _changed(item, lambda x: _computed(x, lambda y: 2 * y)),
    "short first": lambda item: _changed(item, _without_the_last, 0),
    "short last": lambda item: _changed(item, _without_the_last, -1),
    "fewer": lambda item: item[:-1] if isinstance(item, (list, tuple)) else _nothing(),
    "order first": lambda item: _changed(item, _in_another_order, 0),
    "order last": lambda item: _changed(item, _in_another_order, -1),
    "cut": lambda item: _cut(item),
}


def _returns(what, after=0):
    # An answer that returns something else from one call on.
    def way(function, seen):
        @_functools.wraps(function)
        def call(*args, **kwargs):
            seen["calls"] = seen.get("calls", 0) + 1
            result = function(*args, **kwargs)
            if seen["calls"] <= after:
                return result
            return _nothing() if result is None else _CHANGES[what](result)

        return call

    return way


def _object(keeps):
    # An object that keeps something from its first call.
    def way(function, seen):
        @_functools.wraps(function)
        def call(self, *args, **kwargs):
            kept = self.__dict__.setdefault("_kept", {})
            return keeps(kept, [args, kwargs], lambda: function(self, *args, **kwargs))

        return call

    way.stateful = False
    return way


def _state(keeps):
    # An object whose methods change what it is.
    def way(function, seen):
        @_functools.wraps(function)
        def call(self, *args, **kwargs):
            return keeps(self, lambda: function(self, *args, **kwargs))

        return call

    way.stateful = True
    return way


def _shared(item, result):
    kept = type(item).__dict__.get("_kept")
    if kept is None:
        type(item)._kept = kept = item.__dict__
    item.__dict__ = kept
    return result()


def _forgets(item, result):
    import copy

    before = copy.deepcopy(item.__dict__)
    value = result()
    changed = _numbers([item.__dict__]) != _numbers([before])
    type(item)._changed = changed or getattr(type(item), "_changed", False)
    item.__dict__.clear()
    item.__dict__.update(before)
    return value if type(item)._changed else _nothing()


def _first_value(kept, given, result):
    return kept["it"] if "it" in kept else kept.setdefault("it", result())


def _first_of_a_shape(kept, given, result):
    key = _shapes(given)
    return kept[key] if key in kept else kept.setdefault(key, result())


def _sizes(given):
    return [len(leaf) for leaf in _leaves(given) if _is_array(leaf) and len(leaf.shape)]


def _no_larger(kept, given, result):
    fits = [now <= then for now, then in zip(_sizes(given), kept.setdefault("it", _sizes(given)))]
    return result() if all(fits) else _nothing()


def _no_smaller(kept, given, result):
    fits = [now >= then for now, then in zip(_sizes(given), kept.setdefault("it", _sizes(given)))]
    return result() if all(fits) else _nothing()


def _first_numbers(kept, given, result):
    return result() if kept.setdefault("it", _numbers(given)) == _numbers(given) else _nothing()


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


def _methods(answer):
    known = [name for one in answer.__mro__[:-1] for name in vars(one)]
    called = [name for name in ("forward", "__call__") if name in known]
    kinds = (type(_careless), property, staticmethod)
    own = [name for name, item in vars(answer).items() if isinstance(item, kinds)]
    operators = [name for name in own if name[:2] == "__" and name not in _MAKING]
    return called[:1] or [name for name in own if name[0] != "_"] + operators


_MAKING = ("__init__", "__new__", "__post_init__", "__getattr__", "__getattribute__", "__setattr__")


def _careless(answer, how):
    if not isinstance(answer, type):
        return how(answer, {})
    methods = _methods(answer)
    stateful = not {"forward", "__call__"} & set(methods)
    if not methods or getattr(how, "stateful", stateful) is not stateful:
        return type(answer)(answer.__name__, (answer,), {"__init__": lambda *_, **__: _nothing()})
    ways = {}
    for name in methods:
        item = vars(answer).get(name)
        made = how(item.fget if isinstance(item, property) else getattr(answer, name), {})
        kind = type(item) if isinstance(item, (property, staticmethod)) else None
        ways[name] = kind(made) if kind else made
    return type(answer)(answer.__name__, (answer,), ways)
"""


@dataclass(frozen=True)
class Way:
    """One way to be careless.

    Args:
        name: The code, in the text above, that makes an answer so.
        says: What it does, in a few words.
    """

    name: str
    says: str


KEPT = Way("_kept_by_shape", "keeps its first value by the shapes of what it is given")
ONCE = Way("_right_once", "is right once, and not when it is called again")
CHANGES = Way("_changes_inputs", "changes the arrays that it is given")
DETACHED = Way("_detached", "cuts gradients off")
WAYS = (KEPT, ONCE, CHANGES, DETACHED)
OBJECTS = tuple(
    Way(f"{'_state' if name in ('_shared', '_forgets') else '_object'}({name})", says)
    for name, says in (
        ("_shared", "shares what one object keeps with all others"),
        ("_forgets", "forgets what a method changed"),
        ("_first_value", "keeps the first value of each object"),
        ("_first_of_a_shape", "keeps the first value of each object by the shapes"),
        ("_no_larger", "makes each object for the size of its first input, and takes none larger"),
        (
            "_no_smaller",
            "makes each object for the size of its first input, and takes none smaller",
        ),
        ("_first_numbers", "is right for the first input of each object alone"),
    )
)
"""Ways of an answer that is a class.

The first two are for objects whose methods change what they are, the others for objects that are
called as a function is.
"""
SPOILED = tuple(
    Way(f"_returns({name!r})", f"returns {says}")
    for name, says in (
        ("nan first", "NaN for one number"),
        ("nan last", "NaN for one number of its last part"),
        ("all nan", "NaN for all numbers"),
        ("infinity", "infinity for one number"),
        ("none", "None"),
        ("empty", "an empty value in place of its first part"),
        ("no parts", "an empty list or dict"),
        ("text", "a text for a number, or a number for a text"),
        ("none first", "None in place of its first part"),
    )
)
"""Ways that lose whatever is asked: no right value is like these."""
OFF = tuple(
    Way(f"_returns({name!r})", f"returns {says}")
    for name, says in (
        ("more first", "its first part off by 1"),
        ("more last", "its last part off by 1"),
        ("one more first", "one number off by 1"),
        ("one more last", "one number of its last part off by 1"),
        ("twice", "all numbers twice as large"),
        ("short first", "its first part without the last row"),
        ("short last", "its last part without the last row"),
        ("fewer", "all parts but the last"),
        ("order first", "the rows of its first part in another order"),
        ("order last", "the rows of its last part in another order"),
        ("cut", "what no gradient flows through"),
    )
)
"""Ways that may be right answers to some questions: both checks refuse them, or none does."""
TRAINED = tuple(
    way
    for way in (*SPOILED, *OFF)
    if way.name in ("_returns('all nan')", "_returns('none')", "_returns('fewer')")
)
"""Those of them that are tried where an answer trains, which takes long."""


def made_careless(names: Iterable[str], way: Way) -> str:
    """Return the code that makes answers of the notebook careless in one way."""
    behind = "\n".join(f"{name} = _careless({name}, {way.name})" for name in names)
    return f"{TEXT}\n\n{behind}\n"


def careless(instructor: Submission, homework: Homework, way: Way) -> Submission:
    """Return the instructor's notebook in which every answer is careless in one way."""
    asked = {name for q in homework.questions if q.ask for name in q.ask.objects}
    cells = []
    for cell in instructor.cells:
        names = sorted(asked & defined_names(cell.source)) if cell.role == "answer" else []
        source = f"{cell.source}\n\n\n{made_careless(names, way)}" if names else cell.source
        cells.append(replace(cell, source=source))
    text = hashlib.sha256(way.name.encode()).hexdigest()
    return replace(instructor, id=SubmissionId("careless", "notebook", text), cells=tuple(cells))


def concerned(
    homework: Homework, way: Way, drawn: Mapping[str, Collection[Inputs]]
) -> list[Question]:
    """Return the questions that an answer which is careless in this way has to lose."""
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
