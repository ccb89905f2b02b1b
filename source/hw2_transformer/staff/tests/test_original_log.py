"""Logs in the original format, which hw2_transformer reads: their matrices count, and nothing else in them."""

import json
from pathlib import Path

import pytest

from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.submission import discover, reading


def read(folder: Path, values: object, homework: Homework) -> Submission:
    """Read a log with these values."""
    path = folder / "submission_log.json"
    path.write_text(values if isinstance(values, str) else json.dumps(values))
    (found,), complaints = discover.find([path])
    assert not complaints
    return reading.read(found, homework)


def a_log() -> dict[str, object]:
    """A right log in the original format."""
    identity = [1.0, 0, 0, 0, 1, 0, 0, 0, 1]
    first = [1.0, 0, 0] * 4
    return {
        "time": 1.0,
        "attention_by_content": [float(v == c) for c in "CAACBA" for v in "ABC"],
        "attention_by_content_K": identity,
        "attention_by_content_Q": [30 * v for v in identity],
        "attention_by_content_V": identity,
        "attention_by_position": first,
        "attention_by_position_pos": [1.0, 0, 0, 0],
        "attention_by_position_K": [0, 0, 0, 30.0],
        "attention_by_position_Q": [1.0, 1, 1, 0],
        "attention_by_position_V": [*identity, 0, 0, 0],
    }


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"a": 1}', "neither a notebook nor a log of this homework"),
        ('{"attention_by_content": [NaN]}', "NaN"),
        ('{"attention_by_content": [1e999]}', "too large"),
    ],
)
def test_what_is_no_log_is_refused_in_one_line(
    tmp_path: Path, hw2: Homework, content: str, complaint: str
) -> None:
    """A sentence that tells what and how to mend it."""
    with pytest.raises(UserError, match=complaint) as error:
        read(tmp_path, content, hw2)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("attention_by_content_K", [1.0] * 8, "not a multiple of 3"),
        ("attention_by_content_K", ["1.0"] * 9, "not a number"),
        ("attention_by_content_K", [True] * 9, "not a number"),
        ("attention_by_content_K", [10**400] * 9, "too large"),
        ("attention_by_content_K", [1.0] * 6, "same length"),
        ("attention_by_content_K", [], "list of numbers"),
        ("attention_by_content_K", 1.0, "list of numbers"),
        ("attention_by_content_V", [1.0] * 12, "should hold 9 numbers"),
        ("attention_by_position_V", [1.0] * 13, "not a multiple of 3"),
        ("attention_by_position_V", [1.0] * 9, "more than 3 rows"),
        ("attention_by_position_K", [1.0] * 5, "not a multiple of 4"),
    ],
)
def test_a_log_with_wrong_numbers_is_refused(
    tmp_path: Path, hw2: Homework, key: str, value: object, complaint: str
) -> None:
    """Lengths that fit no shape, and things that are no numbers, name their key."""
    with pytest.raises(UserError, match=complaint) as error:
        read(tmp_path, a_log() | {key: value}, hw2)
    assert key.rsplit("_", 1)[0] in str(error.value)


def test_a_log_is_read_for_its_matrices_only(tmp_path: Path, hw2: Homework) -> None:
    """Whatever else a log claims, scores and outcomes included, is not looked at."""
    claims = a_log() | {"score": 60, "outcomes": [{"status": "returned"}], "schema": 1}
    submission = read(tmp_path, claims, hw2)
    assert submission.id.kind == "log"
    assert len(submission.cells) == 2
    assert set(submission.refusals) == {
        "port",
        "port_positions",
        "port_gradients",
        "port_vectorised",
        "unique",
    }


def test_outputs_that_matrices_did_not_make_are_refused(tmp_path: Path, hw2: Homework) -> None:
    """Right outputs pasted beside other matrices cost that question."""
    forged = a_log() | {"attention_by_position_K": [0, 0, 0, 0.0]}
    submission = read(tmp_path, forged, hw2)
    assert submission.refusals["copy_first"].startswith("The outputs in this log were not made by")
    assert "identity" not in submission.refusals
