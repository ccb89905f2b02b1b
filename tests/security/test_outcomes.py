"""What comes out of the sandbox line by line: mangled or forged, it never earns and never crashes."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import inputs
from autograder.marking.judge import judge
from autograder.program.build import Program
from autograder.records import codec
from autograder.records.data import encode_value
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.sandbox.execution import Execution
from autograder.sandbox.scrubber import Scrubber
from tests.helpers import FUZZ, SECRET
from tests.plain_data import places, put

ME = SubmissionId("me", "notebook", "0" * 64)
SHAPES = {
    "identity": {"Km": (3, 2), "Qm": (3, 2), "Vm": (3, 3)},
    "copy_first": {"Km": (7, 2), "Qm": (7, 2), "Vm": (7, 3), "pos": (4, 4)},
    "unique": {"Km": (8, 2), "Qm": (8, 2), "Vm": (8, 1), "pos": (5, 5)},
    "port": {"output": (1, 2)},
}
ODD = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["returned", "float64", "int64", "object", [], {}, [[]], 1e308, 5e-324])
)
JSON = st.recursive(
    ODD,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def reply(question: str) -> dict[str, Any]:
    """Return a reply in the right form with wrong numbers."""
    arrays = {name: np.ones(shape) for name, shape in SHAPES[question].items()}
    value = encode_value(arrays)
    return {
        "question": question,
        "number": 0,
        "status": "returned",
        "value": value,
        "error": "",
        "seconds": 0.1,
    }


def mangled(data: st.DataObject, question: str) -> bytes:
    """Return the line of a reply, with a few things or a few bytes in it replaced."""
    message: Any = reply(question)
    for _ in range(data.draw(st.integers(0, 3))):
        path = data.draw(st.sampled_from(places(message)))
        message = put(message, path, data.draw(JSON))
    line = bytearray(json.dumps(message).encode())
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(line) - 1))
        line[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        if not line:
            break
    return bytes(line)


@pytest.mark.slow
@pytest.mark.turns(5)
@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_a_mangled_outcome_never_earns_or_crashes(hw2: Homework, data: st.DataObject) -> None:
    """Read as the supervisor reads it, judged as the judge judges it (slice: 700)."""
    question = data.draw(st.sampled_from(sorted(SHAPES)))
    state = Execution(Program(()), hw2, SCRUB)
    try:
        message = codec.loads(mangled(data, question))
    except UserError:
        return
    if not isinstance(message, dict):
        return
    outcome = state.outcome(question, 0, message)
    log = SubmissionLog(
        homework=hw2.name,
        submission=ME,
        inputs=inputs.digests(hw2, submission=ME, secret=SECRET),
        outcomes=(outcome,),
    )
    assert judge(hw2, codec.decode_log(codec.encode_log(log)), secret=SECRET).score == 0


SCRUB = Scrubber()
