"""codec: it reads everything that was written, and nothing else."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.records import codec
from autograder.records.data import decode_array, encode_array
from autograder.records.errors import UserError
from autograder.records.facts import (
    CellError,
    Common,
    Digest,
    Outcome,
    Remark,
    SubmissionId,
    SubmissionLog,
)
from autograder.records.marks import Grade, Mark
from autograder.sandbox.execute import kept_within
from tests.helpers import FUZZ

NUMBERS = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
    elements=st.floats(allow_nan=False, allow_infinity=False),
)
LOG = SubmissionLog(
    homework="hw",
    submission=SubmissionId("a001", "notebook", "f" * 64),
    versions={"autograder": "1"},
    inputs={"q": "d"},
    isolation=("own process",),
    repairs=(Remark("student", "one"),),
    remarks=(Remark("staff", "two"),),
    errors=(CellError("the cell 'x'", "NameError", "y"),),
    written={"w": "answered"},
    outcomes=(
        Outcome("q", 0, "returned", {"output": np.array([[1.5, -2.0]]), "text": "hello"}),
        Outcome("q", 1, "raised", error="ValueError: no"),
    ),
    common={"q": Common("d", (Digest("k", (1.5, -2e30)), Digest("raised")))},
    original={"attention_by_content": [1.0, 0.0]},
    time=12.5,
)


@given(NUMBERS)
@settings(derandomize=True, max_examples=200)
def test_an_array_comes_back_bit_for_bit(array: np.ndarray) -> None:
    """Finite float64 arrays of any shape survive JSON exactly."""
    back = decode_array(json.loads(codec.dumps(encode_array(array))))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


def test_a_log_comes_back_whole() -> None:
    """Every field of a log survives, including arrays."""
    back = codec.decode_log(codec.encode_log(LOG))
    assert codec.encode_log(back) == codec.encode_log(LOG)
    np.testing.assert_array_equal(back.outcomes[0].value["output"], [[1.5, -2.0]])
    assert back.errors == LOG.errors
    assert back.original == LOG.original
    assert back.common == LOG.common


def test_numbers_stand_on_one_line() -> None:
    """People can read a log with thousands of weights; similar texts stay unchanged."""
    value = {"a": [1, 2.5, -3e-07], "none": [], "text": "[\n1,\n2]", "rows": [[1, 2], [3]]}
    text = codec.indented(value)
    assert json.loads(text) == value
    assert text.splitlines()[1] == ' "a": [1, 2.5, -3e-07],'
    assert len(text.splitlines()) == 9


def test_the_original_keys_stand_at_top_level() -> None:
    """A reader of the original homework's log can read ours."""
    assert json.loads(codec.encode_log(LOG))["attention_by_content"] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[1, NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ('{"a": 1, "a": 2}', "twice"),
        ("{", "not JSON"),
        ("[" * 100_000, "deeply"),
        ("1" * 5000, "not JSON"),
        ("[1e400]", "too large"),
        ("{" + ", ".join(f'"{n}": 1' for n in range(200_000)) + ', "0": 2}', "'0' appears twice"),
        (b"\xff\xfe[\x001\x00]\x00", "UTF-8"),
        (b"", "not JSON"),
    ],
)
def test_strange_json_is_refused(text: str | bytes, complaint: str) -> None:
    """Anything but strict JSON in UTF-8 gives one clear sentence, never a crash."""
    with pytest.raises(UserError, match=complaint):
        codec.loads(text)


def test_half_a_surrogate_pair_becomes_printable() -> None:
    """Characters that JSON allows but UTF-8 does not are replaced when text comes in."""
    assert codec.printable(codec.loads('"smile \\ud83d!"')) == "smile ?!"
    assert codec.printable("smile 🙂") == "smile 🙂"
    assert codec.indented(["\ud83d!"]) == '[\n "?!"\n]'


def test_a_log_stays_small_enough_to_be_read() -> None:
    """Values that would exceed the limit are refused; smaller ones still fit, and none is cut."""
    large = Outcome("mean", 0, "returned", {"x": np.ones(1_000)}, at="check")
    nested = replace(large, value={"x": [[[[[[[[[1.0]]]]]]]]] * 30})  # indented lines take more
    small = replace(large, value={"x": np.ones(3)})
    kept, room = kept_within([small, large, nested, small], 1_000)
    assert [one.status for one in kept] == ["returned", "refused", "refused", "returned"]
    assert [one.value is None for one in kept] == [False, True, True, False]
    assert 0 < room < 1_000
    assert kept[1].at == "check"


def test_too_much_is_refused() -> None:
    """The size limit applies before anything is parsed."""
    with pytest.raises(UserError, match="larger"):
        codec.loads("[" + "1," * 100 + "1]", limit=100)


@pytest.mark.parametrize(
    "data",
    [
        {"dtype": "float64", "shape": [2], "values": [1.0]},
        {"dtype": "float64", "shape": [1], "values": [True]},
        {"dtype": "float64", "shape": [1], "values": ["1.0"]},
        {"dtype": "float64", "shape": [1], "values": [1]},
        {"dtype": "int64", "shape": [1], "values": [2**70]},
        {"dtype": "object", "shape": [1], "values": [1.0]},
        {"dtype": ["float64"], "shape": [1], "values": [1.0]},
        {"dtype": "float64", "shape": [-1], "values": []},
        {"dtype": "float64", "shape": [1.0], "values": [1.0]},
        {"dtype": "float64", "shape": [1] * 9, "values": [1.0]},
        {"dtype": "float64", "shape": "1", "values": [1.0]},
        {"dtype": "float64", "shape": [1], "values": [1.0], "more": 1},
        {"dtype": "float64", "shape": [1], "values": [math.inf]},
        {"shape": [1], "values": [1.0]},
        {"dtype": "float64", "shape": [10**9, 0], "values": []},
        {"dtype": "int64", "shape": [200_001], "values": [1] * 200_001},
    ],
)
def test_an_array_that_lies_is_refused(data: dict[str, object]) -> None:
    """Wrong counts, booleans, text, huge integers, other dtypes: all refused."""
    with pytest.raises(UserError):
        decode_array(data)


@pytest.mark.parametrize("text", ["[]", "{}", '{"schema": 1}', '{"schema": true}', '"log"', "1"])
def test_what_is_no_log_is_refused(text: str) -> None:
    """A JSON document that is not our record is refused with a reason."""
    with pytest.raises(UserError):
        codec.decode_log(text)


@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_a_mutated_log_is_read_or_refused(data: st.DataObject) -> None:
    """With any byte changed, cut or doubled, the log is read or refused, nothing else (slice: 700)."""
    text = bytearray(codec.encode_log(LOG).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        match data.draw(st.sampled_from(["change", "cut", "double"])):
            case "change":
                text[place] = data.draw(st.integers(0, 255))
            case "cut":
                del text[place : place + data.draw(st.integers(1, 40))]
            case "double":
                text[place:place] = text[place : place + data.draw(st.integers(1, 40))]
        if not text:
            return
    try:
        log = codec.decode_log(bytes(text))
    except UserError:
        return
    assert isinstance(log, SubmissionLog)


def test_marks_of_an_earlier_version_keep_what_lateness_took() -> None:
    """It applied to the machine's points, and stays so until the submission is judged again."""
    marks = (Mark("port", 8, 7.0, "Right."), Mark("words", 4, None, "", by_hand=True))
    grade = Grade(SubmissionId("ada", "notebook", "0" * 64), marks, late="Late.", late_share=0.3)
    assert codec.decode_grade(codec.encode_grade(grade)) == grade
    record = codec.loads(codec.encode_grade(grade))
    assert record.pop("penalty") == 2.1
    old = {key: value for key, value in record.items() if not key.startswith("late_")} | {
        "penalty": 2.1
    }
    now = codec.decode_grade(codec.dumps(old))
    assert (now.penalty, now.score, now.late_points) == (2.1, 4.9, "machine")
    given = replace(now, marks=(marks[0], replace(marks[1], earned=4.0)))
    assert given.score == 8.9


@pytest.mark.parametrize("said", ["No line is right. (Lines earn no points.)", "Why?", "No."])
def test_a_sentence_that_has_an_end_gets_no_other(said: str) -> None:
    """A full stop inside a bracket counts as its end."""
    assert codec.with_full_stop(said) == said
    assert codec.with_full_stop("off by 2") == "off by 2."
