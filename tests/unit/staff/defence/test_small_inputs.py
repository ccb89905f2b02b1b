"""Each homework's staff/defence.py: valid inputs that a person can work through."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from autograder.staff.defence import batch
from autograder.staff.defence.records import Call
from autograder.staff.defence.running.study import is_workable
from tests.helpers import ROOT

SMALL = [
    pytest.param(path.parents[1].name, id, draw, id=f"{path.parents[1].name} {id}")
    for path in sorted(ROOT.glob("source/*/staff/defence.py"))
    for id, draw in batch.given(ROOT, path.parents[1].name).small.items()
]


@pytest.mark.parametrize(("name", "id", "draw"), SMALL)
def test_small_inputs_are_workable(name: str, id: str, draw: Callable[..., Any]) -> None:
    (question,) = (one for one in homework.load(ROOT, name).questions if one.id == id)
    assert question.cases is not None
    wanted = set(question.cases(np.random.default_rng(0))[0])
    for seed in range(20):
        for case in draw(np.random.default_rng(seed)):
            assert set(case) == wanted
            assert is_workable(Call(given=case))
