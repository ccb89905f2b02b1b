"""data: values cross unchanged, in plain types, and nothing else crosses."""

import collections
import datetime
import json
import math
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import jsonschema
import msgspec
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.records import codec, data
from autograder.records.errors import UserError
from autograder.records.tables import Frame, to_pandas
from autograder.records.values import Refused
from tests.schemas import schema

KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.tuples(st.integers(), st.text())
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(KEYS, inner)
        | st.frozensets(KEYS)
    ),
    max_leaves=20,
)


def across(item: Any) -> Any:
    """Return the value that arrives on the other side."""
    return data.decode_value(codec.loads(codec.dumps(data.encode_value({"it": item}))))["it"]


@given(PLAIN)
def test_plain_data_cross_as_they_are(item: Any) -> None:
    """Types count: a tuple is not a list, and 1 is neither 1.0 nor True."""
    assert repr(_ordered(across(item))) == repr(_ordered(item))
    assert data.read(item) == item


def _ordered(item: Any) -> Any:
    """Return data in which sets, which have no order, are lists."""
    if isinstance(item, frozenset):
        return ["set", *sorted(map(repr, item))]
    if isinstance(item, dict):
        return {key: _ordered(part) for key, part in item.items()}
    if isinstance(item, list | tuple):
        return type(item)(map(_ordered, item))
    return item


def test_numbers_that_json_has_not() -> None:
    """They cross inside plain data, but never in an array."""
    assert across([math.inf, -math.inf]) == [math.inf, -math.inf]
    assert math.isnan(across([math.nan])[0])


class Word(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("item", "plain"),
    [
        (np.int32(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (Fraction(1, 2), 0.5),
        (Decimal("0.5"), 0.5),
        (torch.tensor(2.0), 2.0),
        (np.array("a"), "a"),
        (np.array(["a", "b"]), ["a", "b"]),
        (Word("a"), "a"),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.namedtuple("P", "x y")(1, 2), (1, 2)),
        ({1, 2}, frozenset({1, 2})),
        (range(3), [0, 1, 2]),
        ({"a": 1}.keys(), ["a"]),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (pd.NA, None),
        (pd.Index([1, 2]), [1, 2]),
        (pd.Timestamp("2026-01-02"), "2026-01-02 00:00:00"),
    ],
)
def test_usual_forms_become_plain(item: Any, plain: Any) -> None:
    """Their types count, too."""
    found = data.read(item)
    assert found == plain
    assert type(found) is type(plain)


def test_arrays_and_tensors_are_arrays() -> None:
    """This includes those in lists."""
    one, two = data.read([np.eye(2, dtype=np.float32), torch.ones(3, requires_grad=True)])
    assert (one.dtype, two.dtype) == (np.float64, np.float64)
    assert (across([one])[0] == np.eye(2)).all()
    assert two.tolist() == [1, 1, 1]


def test_a_table() -> None:
    """Columns, kinds of any size and missing values survive the round trip."""
    table = pd.DataFrame(
        {
            "n": np.array([1, 2], np.int16),
            "x": [0.5, np.nan],
            "s": ["a", None],
            "b": [True, False],
            "t": pd.to_datetime(["2026-01-02", None]),
            "c": pd.Categorical(["u", "v"]),
        },
        index=["r", "q"],
    )
    found = data.read(table)
    assert found == Frame(
        ("n", "x", "s", "b", "t", "c"),
        ("whole numbers", "numbers", "text", "truth values", "dates", "categories of text"),
        (
            (1, 2),
            (0.5, None),
            ("a", None),
            (True, False),
            ("2026-01-02 00:00:00", None),
            ("u", "v"),
        ),
        ("r", "q"),
    )
    assert across(found) == found
    has_the_form_of_the_log(found)
    assert data.read(to_pandas(found)) == found
    assert data.read(table["n"]) == Frame(("n",), ("whole numbers",), ((1, 2),), ("r", "q"))


def _endless() -> Iterator[int]:
    yield 1


def test_what_does_not_cross_is_named() -> None:
    """The sentence is for the student who returned it."""
    nested: list[Any] = []
    for _ in range(data.MAX_DEPTH + 1):
        nested = [nested]
    loop: list[Any] = []
    loop.append(loop)
    for item, why in (
        (object(), "is or contains a object"),
        (_endless(), "used up by looking"),
        (nested, "nested more than"),
        (loop, "nested more than"),
        ([0] * (data.MAX_ELEMENTS + 1), "contains more than"),
        (10**5000, "more than 1,000 digits"),
        ({"a": print}, "builtin_function"),
        ([np.array([1.0, np.nan])], "contains NaN or infinity"),
        ([torch.tensor([math.inf])], "contains NaN or infinity"),
    ):
        with pytest.raises(Refused, match=why):
            data.read(item)


@pytest.mark.parametrize(
    "forged",
    [
        5,
        None,
        {"data": 1, "more": 2},
        {"data": {"set": [[1]]}},
        {"data": {"set": 1}},
        {"data": {"dict": [[1]]}},
        {"data": {"dict": [[[1], 2]]}},
        {"data": {"what": []}},
        {"data": {}},
        {"data": {"number": "1e9"}},
        {"data": {"array": {"dtype": "float64", "shape": [2], "values": [1.0]}}},
        {"data": {"table": [[], [], []]}},
        {"data": {"table": [{"tuple": ["a"]}, {"tuple": ["text"]}, {"tuple": []}, {"tuple": []}]}},
        {
            "data": {
                "table": [
                    {"tuple": ["a"]},
                    {"tuple": [1]},
                    {"tuple": [{"tuple": [1]}]},
                    {"tuple": [0]},
                ]
            }
        },
        {
            "data": {
                "table": [
                    {"tuple": [[]]},
                    {"tuple": ["text"]},
                    {"tuple": [{"tuple": []}]},
                    {"tuple": []},
                ]
            }
        },
        {"data": json.loads("[" * 60 + "]" * 60)},
    ],
)
def test_a_forged_reply_is_refused(forged: Any) -> None:
    """Whatever it is, it gives our own error."""
    with pytest.raises(UserError):
        data.decode_value({"it": forged})


@settings(deadline=None)  # the schema is slow to walk
@given(PLAIN)
def test_what_crosses_has_the_form_of_the_log(item: Any) -> None:
    """That is the schema's definition of plain data."""
    has_the_form_of_the_log(item)


def has_the_form_of_the_log(item: Any) -> None:
    form = schema("submission_log.json")
    written = json.loads(codec.dumps(data.encode(item)))
    jsonschema.validate(written, {"$defs": form["$defs"], "$ref": "#/$defs/data"})


BITS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


@pytest.mark.parametrize("bits", BITS)
def test_a_generator_arrives_new_and_in_its_state(bits: str) -> None:
    """It crosses as numbers in JSON, for each answer and each reference call; it may be split."""
    rng = np.random.Generator(getattr(np.random, bits)(7))
    rng.random(3)
    rng.integers(5, dtype=np.uint32)  # which leaves half of a number
    case = data.as_drawn({"n": 3, "rng": rng})
    sent = msgspec.json.encode(data.encode_inputs(case))

    def drawn(n: int, rng: np.random.Generator) -> list[float]:
        return [*rng.random(n), *rng.spawn(1)[0].random(n)]

    answers = [drawn(**data.decode_inputs(msgspec.json.decode(sent))) for _ in range(2)]
    references = [drawn(**case), drawn(**{**case, "n": 3}), drawn(*case.values())]
    assert answers[0] == answers[1] == references[0] == references[1] == references[2]
    assert rng.random() == answers[0][0]
    assert msgspec.json.encode(data.encode_inputs(case)) == sent


def test_a_case_without_a_generator_stays_as_it_is() -> None:
    """Nothing is copied in that case."""
    case = {"n": 3}
    assert data.as_drawn(case) is case


@pytest.mark.parametrize("number", [2**63, -(2**80), 2**64 - 1, 10**999])
def test_an_input_may_be_a_number_of_many_digits(number: int) -> None:
    """The channel carries 64 bits of a number directly."""
    case = {"n": number, "several": [number, 1]}
    sent = msgspec.json.encode(data.encode_inputs(case))
    assert data.decode_inputs(msgspec.json.decode(sent)) == case


@pytest.mark.parametrize("kind", ["set", "dict"])
def test_members_with_the_same_hash_are_few(kind: str) -> None:
    """Thousands of them would take hours to read; honest sets of zeros and NaN have few."""
    keys = [number * sys.hash_info.modulus for number in range(1, 7_000)]
    forged = {"it": {"data": {kind: [[key, 0] for key in keys] if kind == "dict" else keys}}}
    with pytest.raises(UserError, match="more than 100 keys or members have the same hash"):
        data.decode_value(forged)
    honest = {float("nan") for _ in range(200)} | {*range(200)}
    assert len(across({"set": honest, "dict": dict.fromkeys(honest)})["set"]) == 201
