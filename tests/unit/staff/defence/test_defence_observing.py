"""The records of a watched call."""

from typing import Any

import numpy as np
import pytest

from autograder.staff.defence.running.call_observer import defence_observed
from autograder.staff.defence.values import same, size

SOURCE = "def f(x):\n    return {'a': x, 'b': [len(x)]}"


def observed(x: Any, *, shown: bool = False) -> dict[str, Any]:
    """Return the record of one call."""
    notebook: dict[str, Any] = {}
    exec(compile(SOURCE, "<answer>", "exec"), notebook)
    how = {"adapter": "", "function": "f", "stores": {}, "shown": shown}
    call: dict[str, Any] = defence_observed(notebook["f"], x=x, defence=how)["call"]
    return call


def test_a_small_result_is_there_as_it_is() -> None:
    """So are its arguments, if a sheet may show them."""
    call = observed([1, 2.5], shown=True)
    assert call["returned"] == ["value", {"a": [1, 2.5], "b": [2]}]
    assert call["given"] == {"x": ["value", [1, 2.5]]}
    assert observed([1, 2.5])["given"] == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x + 0.1 * (np.arange(x.size).reshape(x.shape) == 4_321),
        lambda x: x + 0.01,
        lambda x: x[::-1],
        lambda x: x.T,
        lambda x: x.reshape(-1),
        lambda x: np.roll(x, 1, axis=1),
    ],
)
def test_a_large_result_is_a_few_sums_in_which_changes_show(change: Any) -> None:
    """One changed number of 9,900, a new order or shape; equal results are the same."""
    x = np.random.default_rng(0).normal(size=(99, 100))
    before, again, after = (observed(item)["returned"][1] for item in (x, x.copy(), change(x)))
    assert 12 < size(before) < 40  # a sheet shows no more than 12
    assert same(before, again) is True
    assert same(before, after) is not True
