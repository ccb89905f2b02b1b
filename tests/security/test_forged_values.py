"""Values that nobody computed: whatever comes out of the sandbox in place of an answer, it never earns."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import inputs
from autograder.marking.diagnose import Given, diagnose
from autograder.marking.judge import judge
from autograder.records.facts import Outcome, SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Misconception
from autograder.records.questions import Inputs, Question
from tests.helpers import FUZZ, SECRET

ME = SubmissionId("someone", "notebook", "1" * 64)


@pytest.mark.slow
@pytest.mark.turns(5)
@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_a_forged_value_never_earns_or_crashes(hw2: Homework, data: st.DataObject) -> None:
    """Whatever comes back for a question that was not answered: zero points, no crash (slice: 700)."""
    names = (
        "Km",
        "Qm",
        "Vm",
        "pos",
        "output",
        "operations",
        "shape",
        "expected_shape",
        "gradients",
        "beside",
    )
    arrays = st.builds(
        lambda shape, fill: np.full(shape, fill),
        st.lists(st.integers(0, 5), max_size=3).map(tuple),
        st.sampled_from([0.0, 1.0, -1.0, 1e308, 5e-324, 0, 1, -(2**62)]),
    )
    value = data.draw(st.dictionaries(st.sampled_from(names), arrays | st.just("text")))
    question = data.draw(st.sampled_from([q for q in hw2.questions if q.check]))
    # A count is a statement of the sandbox: it is worth nothing without the port.
    earlier = [hw2.question(id) for id in ("port", *question.if_right)]
    alone = replace(hw2, questions=tuple(dict.fromkeys((*earlier, question))))
    log = SubmissionLog(
        homework=hw2.name,
        submission=ME,
        inputs=inputs.digests(alone, submission=ME, secret=SECRET),
        outcomes=tuple(Outcome(question.id, n, "returned", value) for n in range(9)),
    )
    grade = judge(alone, log, secret=SECRET)
    assert grade.score == 0
    known = data.draw(st.dictionaries(st.sampled_from(names), arrays))
    misconception = Misconception("known", "n", "e")

    def bank(asked: Question, cases: Sequence[Inputs], /, *, among: object = None) -> Given:
        outcomes = [Outcome(asked.id, n, "returned", known) for n in range(len(cases))]
        return [(misconception, outcomes)]

    named = diagnose(grade, alone, log, secret=SECRET, bank=bank)
    assert not any(mark.fault for mark in named.marks)
