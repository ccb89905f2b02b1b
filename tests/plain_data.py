"""All plain data that can cross the trust line, made from the form that the log's schema gives them.

A kind of data that is new in the schema is made here without further lines. `REFINED` has the kinds
of which the schema does not say everything, as that the columns of a table are of one length.
"""

import contextlib
import copy
import functools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from autograder.records import codec, data
from autograder.records.errors import UserError
from autograder.records.tables import Frame
from tests.schemas import schema

Json = st.SearchStrategy[Any]
FORMS: Mapping[str, Any] = schema("submission_log.json")["$defs"]
ODD_TEXTS = ("", " ", "a", "A ", "a\x0cb", "\x1c", "1\r\n2\r", "\u2028", "\ud800", "e\u0301", "\ufdfa", "nan", "ValueError")  # fmt: skip
ODD_NUMBERS = (0, 1, -1, 0.0, -0.0, 1.0, 1e308, 5e-324, 2**53 + 1, 2.0**53, -(2**63), 10**999, -(10**999))  # fmt: skip
KINDS = (
    "numbers",
    "whole numbers",
    "text",
    "truth values",
    "moments",
    "categories",
    "objects",
    "?",
)
SCALARS: Mapping[str, Json] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "number": st.sampled_from(ODD_NUMBERS) | st.integers(-3, 3) | st.floats(-1e9, 1e9),
    "string": st.sampled_from(ODD_TEXTS)
    | st.text(st.characters(exclude_categories=()), max_size=4),
}


def _tagged(kind: str, parts: Json) -> Json:
    return parts.map(lambda content: {kind: content})


def _hashable(scalars: Json) -> Json:
    return st.recursive(
        scalars,
        lambda inner: _tagged("tuple", st.lists(inner, max_size=3)) | _tagged("set", st.lists(inner, max_size=3)),
        max_leaves=4,
    )  # fmt: skip


@st.composite
def _table(draw: st.DrawFn, inner: Json) -> Any:
    """Draw the four parts of a table, whose columns may share a name."""
    rows, names = draw(st.integers(0, 3)), draw(st.lists(_hashable(_leaves()), max_size=3))
    columns = [draw(st.lists(inner, min_size=rows, max_size=rows)) for _ in names]
    kinds = [draw(st.sampled_from(KINDS)) for _ in names]
    index = draw(st.lists(_hashable(_leaves()), min_size=rows, max_size=rows))
    parts = (names, kinds, [{"tuple": column} for column in columns], index)
    return [{"tuple": part} for part in parts]


@st.composite
def _array(draw: st.DrawFn) -> Any:
    """Draw an array whose numbers fit its shape and its kind."""
    dtype = draw(st.sampled_from(["float64", "int64"]))
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    numbers = (
        st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0])
        if dtype == "float64"
        else st.integers(-(2**63), 2**63 - 1) | st.integers(0, 2)
    )
    size = math.prod(shape)
    return {"dtype": dtype, "shape": shape, "values": draw(st.lists(numbers, min_size=size, max_size=size))}  # fmt: skip


REFINED: Mapping[str, Callable[[Json], Json]] = {
    "set": lambda inner: st.lists(_hashable(_leaves()), max_size=3),
    "dict": lambda inner: st.lists(st.tuples(_hashable(_leaves()), inner).map(list), max_size=3),
    "table": _table,
    "array": lambda inner: _array(),
}


def _made(form: Mapping[str, Any], inner: Json | None) -> Json:
    """Return JSON of a form in the schema, with `inner` for data inside, if any."""
    if "$ref" in form:
        name = form["$ref"].removeprefix("#/$defs/")
        if name == "data":
            return st.nothing() if inner is None else inner
        return _array() if name == "array" else _made(FORMS[name], inner)
    if "enum" in form:
        return st.sampled_from(form["enum"])
    if "anyOf" in form:
        return st.one_of(*(_made(one, inner) for one in form["anyOf"]))
    if form["type"] == "array":
        part = _made(form["items"], inner)
        return st.lists(part, min_size=form.get("minItems", 0), max_size=form.get("maxItems", 3))
    if form["type"] == "object":
        kinds = {
            kind: REFINED[kind](st.nothing() if inner is None else inner)
            if kind in REFINED
            else _made(one, inner)
            for kind, one in form["properties"].items()
        }
        return st.one_of(*(_tagged(kind, content) for kind, content in kinds.items()))
    types = [form["type"]] if isinstance(form["type"], str) else form["type"]
    return st.one_of(*(SCALARS[name] for name in types))


def _leaves() -> Json:
    """Return data without inner data, which can be keys: JSON's scalars, and missing ones."""
    one, _, tagged = FORMS["data"]["anyOf"]
    return _made(one, None) | _tagged("number", _made(tagged["properties"]["number"], None))


def across(value: Mapping[str, Any]) -> Any:
    """Return the value that arrives on the other side of the trust line."""
    return data.decode_value(codec.loads(codec.dumps(data.encode_value(value))))


def _read(content: Any) -> tuple[Any, ...]:
    try:
        return (data.decode_value(codec.loads(codec.dumps({"it": {"data": content}})))["it"],)
    except UserError:
        return ()


def _decoded(content: Json) -> Json:
    return content.map(_read).filter(bool).map(lambda found: found[0])


JSON = st.recursive(_leaves(), lambda inner: _made(FORMS["data"], inner), max_leaves=8)
ANYTHING = _decoded(JSON)
"""Plain data as they come out on our side."""
KEYED = _decoded(_tagged("set", REFINED["set"](JSON)) | _tagged("dict", REFINED["dict"](_leaves())))
TABLES = _decoded(_tagged("table", _table(_leaves())))


@st.composite
def nearly(draw: st.DrawFn, value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Draw a right value in which some parts, at any depth, are replaced or missing."""
    content: Any = {"it": data.encode_value(value)}
    for _ in range(draw(st.integers(1, 3))):
        paths = places(content)[1:]
        numbers = [path for path in paths if isinstance(at(content, path), bool | int | float)]
        if numbers and draw(st.booleans()):
            path = draw(st.sampled_from(numbers))
            content = put(content, path, draw(_twins(at(content, path))))
        else:
            content = put(content, draw(st.sampled_from(paths)), draw(JSON))
    found = content["it"] if isinstance(content["it"], dict) else {}
    for name in draw(st.lists(st.sampled_from(names), max_size=2)):
        found = {**found, name: {"data": draw(JSON)}}
    for name in draw(st.lists(st.sampled_from(names), max_size=1)):
        found = {other: item for other, item in found.items() if other != name}
    readable = {}
    for name, item in found.items():
        with contextlib.suppress(UserError):
            readable |= data.decode_value(codec.loads(codec.dumps({name: item})))
    return readable


def _twins(number: Any) -> Json:
    """Draw values that Python or people take for the same number."""
    others = [int(number), float(number)] if isinstance(number, bool) else [bool(number), -number]
    return st.sampled_from([*others, str(number)])


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """Return the part of a JSON value at a path."""
    return functools.reduce(lambda part, key: part[key], path, value)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path to everything in a JSON value."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key, item in inside for place in places(item, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a JSON value with a different part at a path."""
    if not path:
        return new
    key, *rest = path
    changed = copy.copy(value)
    changed[key] = put(value[key], tuple(rest), new)
    return changed


def same(one: Any, other: Any) -> bool:
    """Return whether plain data are the same: numbers by their size, truth values by themselves, kinds apart."""
    return bool(_canonical(one) == _canonical(other))


def _canonical(item: Any) -> Any:
    match item:
        case None | bool() | str():
            return type(item).__name__, item
        case int() | float():
            return "number", Fraction(item) if math.isfinite(_small(item)) else str(item)
        case list() | tuple():
            return type(item).__name__, tuple(map(_canonical, item))
        case set() | frozenset():
            return "set", frozenset(map(_canonical, item))
        case dict():
            return "dict", frozenset(
                (_canonical(key), _canonical(part)) for key, part in item.items()
            )
        case np.ndarray():
            return "array", item.shape, tuple(map(Fraction, item.reshape(-1).tolist()))
        case Frame():
            return "table", tuple(map(_canonical, vars(item).values()))
    raise TypeError(type(item))


def _small(number: float) -> float:
    return number if isinstance(number, float) else 0.0
