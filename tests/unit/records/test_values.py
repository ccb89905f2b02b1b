"""Answers may have any usual form, and must leave their arguments alone."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from autograder.records.values import (
    Refused,
    agree,
    differing,
    named,
    number,
    plain,
    several,
    watched,
)

PARAMETER = torch.nn.Parameter(torch.ones(2))
FORMS: list[tuple[Any, Any]] = [
    (1, 1),
    (True, 1),
    (np.bool_(False), 0),
    (Fraction(1, 4), 0.25),
    (Decimal("0.5"), 0.5),
    (2 + 0j, 2.0),
    (2**70, float(2**70)),
    (np.array([1 + 0j, 2]), [1.0, 2.0]),
    (torch.tensor([1 + 0j]), [1.0]),
    (torch.ones(2, dtype=torch.bfloat16), [1.0, 1.0]),
    (torch.eye(2).to_sparse(), [[1.0, 0.0], [0.0, 1.0]]),
    ([PARAMETER, PARAMETER], [[1.0, 1.0], [1.0, 1.0]]),
    ([torch.tensor(1.0, requires_grad=True), 2], [1.0, 2.0]),
    ([Fraction(1, 2), 1], [0.5, 1.0]),
    (range(3), [0, 1, 2]),
]


UNUSABLE = [
    *[
        float("nan"),
        torch.tensor(float("inf")),
        [1, float("nan")],
        np.array([-np.inf]),
        1j * np.inf,
    ],
    Decimal("NaN"),
]


@pytest.mark.parametrize(("value", "right"), FORMS, ids=[repr(v)[:30] for v, _ in FORMS])
def test_numbers_are_taken_in_any_usual_form(value: Any, right: Any) -> None:
    """Each becomes an array of float64 or int64 with the same numbers."""
    found = plain(value)
    assert type(found) is np.ndarray
    assert found.dtype in (np.float64, np.int64)
    np.testing.assert_array_equal(found, np.array(right))


@pytest.mark.parametrize(
    "value", [None, "1", 1j, {}, object(), [[1], [1, 2]], [None, 1], ["a"], [lambda: 0], *UNUSABLE]
)
def test_everything_else_is_refused_in_a_sentence(value: Any) -> None:
    """Text, holes, imaginary parts and ragged lists are not arrays."""
    with pytest.raises(Refused, match=r"^the answer (is|contains NaN or infinity)"):
        plain(value, "the answer")


def test_one_number_may_be_wrapped() -> None:
    """An array of one number is a number, but an array of two is not."""
    assert number(torch.tensor([[2.5]])) == 2.5
    with pytest.raises(Refused, match="one number"):
        number([1, 2])


def test_a_mask_may_contain_infinity() -> None:
    """The caller decides; NaN is then the caller's own business."""
    mask = torch.full((2, 2), -float("inf")).triu(1)
    with pytest.raises(Refused, match="the mask contains NaN or infinity"):
        plain(mask, "the mask")
    np.testing.assert_array_equal(plain(mask, "the mask", finite=False), mask.numpy())
    assert np.isnan(plain(mask * 0, finite=False)).any()


def test_numbers_agree_in_one_place_by_one_rule() -> None:
    """The tolerance is relative to 1 plus the right number, or to a given size; NaN never agrees."""
    right = np.array([0.0, 1.0, 100.0])
    assert agree(right + np.array([0.9e-3, 1.9e-3, 0.1]), right, 1e-3)
    assert differing(right + np.array([1.1e-3, 2.1e-3, 0.11]), right, 1e-3).all()
    assert differing(right + 0.5, right, 0.1, 6.0).tolist() == [False] * 3
    assert differing(right + 0.7, right, 0.1, 6.0).tolist() == [True] * 3
    for wrong in (np.nan, np.inf, -np.inf, 1e308):
        for one, other in ((wrong, 1.0), (1.0, wrong), (wrong, wrong), (wrong, -wrong)):
            same = one == other == 1e308
            assert agree(np.array([one, 1.0]), np.array([other, 1.0]), 1e-6) is same
            assert differing([one, 1.0], [other, 1.0], 1e-6).tolist() == [not same, False]
            assert agree(one, other, 1e-6) is same
    assert not agree(right, right[None], 1e-3)
    assert not agree(right[:0], right, 1e-3)


def test_parts_and_names() -> None:
    """A stacked tensor is a pair, and a ParameterDict a dict."""
    assert len(several(torch.zeros(2, 3), 2)) == 2
    assert set(named(torch.nn.ParameterDict({"W": PARAMETER}), ["W"])) == {"W"}
    for value in (3, [1]):
        with pytest.raises(Refused, match="2 things"):
            several(value, 2)
    for value, kind in (
        ({"low": 1, "high": 2}, "one dict"),
        ({1, 2}, "one set"),
        ("ab", "one str"),
        (torch.zeros(36, 6), r"one Tensor of shape \(36, 6\)"),
        (np.zeros(3), r"one ndarray of shape \(3,\)"),
    ):
        with pytest.raises(Refused, match=f"it should be 2 things, and is {kind}"):
            several(value, 2)
    with pytest.raises(Refused, match="is None"):
        several(None, 2)
    for wrong in ([1], {"V": 1}):
        with pytest.raises(Refused, match=r"dict|'W'"):
            named(wrong, ["W"])


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (torch.ones(2), "x"),
        (np.ones(2), "x"),
        ({"W": torch.ones(2)}, r"x\['W'\]"),
        ([np.ones(2)], r"x\[0\]"),
        (torch.nn.ParameterDict({"W": PARAMETER}), r"x\['W'\]"),
    ],
)
def test_a_changed_input_is_noticed(given: Any, place: str) -> None:
    """It may be anywhere; even a changed shape or length is noticed."""

    def double(x: Any) -> Any:
        for part in x.values() if hasattr(x, "keys") else x if isinstance(x, list) else [x]:
            part.data.__imul__(2) if isinstance(part, torch.Tensor) else part.__imul__(2)
        return 1

    with pytest.raises(Refused, match=f"`double` changes `{place}`"):
        watched(double)(given)
    assert watched(lambda x: 1)(given) == 1


def test_what_stays_is_no_complaint() -> None:
    """NaN equals itself here; a list that grows has changed."""
    assert watched(len)([np.array([np.nan])]) == 1
    for change in (lambda x: x.append(2), lambda x: x.sort()):
        with pytest.raises(Refused, match="changes"):
            watched(change)([3, 1])
    for holds in (set, lambda words: {"skips": set(words)}, lambda words: [set(words)]):
        given = holds(["residual"])
        assert watched(len)(given) == 1

        def empty(x: Any) -> None:
            (x if isinstance(x, set) else x["skips"] if isinstance(x, dict) else x[0]).clear()

        with pytest.raises(Refused, match="`empty` changes `x"):
            watched(empty)(given)
