"""checks: each passes right answers, fails wrong ones, and says something useful."""

import numpy as np
import pytest

from autograder.kit.checks import Close, tolerance
from autograder.records.questions import Inputs, Value


def test_close_says_shape_size_and_case_but_no_number_of_the_answer() -> None:
    """The message tells how far off a wrong value is, never the expected value."""
    check = Close(lambda x: {"output": 123.456 * x}, 1e-4, lambda _: "a case")
    x = np.ones((2, 3))
    assert check({"x": x}, {"output": 123.456 * x}).fraction == 1
    off = check({"x": x}, {"output": 100 * x})
    assert off.fraction == 0
    assert off.message.startswith("For a case: output is not right (tolerance 0.0001).")
    x = x + np.arange(3)
    off = check({"x": x}, {"output": 100 * x})
    assert "off by up to 70" in off.message
    assert "123" not in off.message
    assert "should have shape (2, 3), yours has (3, 2)" in check({"x": x}, {"output": x.T}).message
    assert "output is missing" in check({"x": x}, {}).message
    assert "output is not an array" in check({"x": x}, {"output": "text"}).message
    assert "contains NaN" in check({"x": x}, {"output": np.nan * x}).message


def test_values_in_the_wrong_order_are_told() -> None:
    """Their numbers show it, whatever the shapes; a single number may be chance."""
    for other in (np.ones((5, 4)), 2.0 + np.arange(15).reshape(5, 3)):
        right = {"z": other, "the weights": np.arange(15.0).reshape(5, 3)}
        check = Close(lambda right=right: right, 1e-4, lambda _: "")
        said = check({}, {"z": right["the weights"], "the weights": right["z"]}).message
        assert said.endswith("That is what the weights should be: is the order right?")
        assert "order" not in check({}, {"z": 0 * other, "the weights": other}).message
    ends = Close(lambda: {"low": np.array(1.0), "high": np.array(4.0)}, 1e-4, lambda _: "")
    assert "order" not in ends({}, {"low": np.array(4.0), "high": np.array(1.0)}).message


def test_words_see_no_names_that_are_not_due() -> None:
    """Text instead of an array, or under its own name, never reaches a homework's `words`."""

    def words(inputs: Inputs, value: Value) -> tuple[str, ...]:
        assert set(value) <= {"output", "beside"}
        return tuple(f"{float(np.abs(item).max()):g}" for item in value.values())

    right = np.arange(6.0).reshape(2, 3)
    check = Close(lambda: {"output": right}, 1e-4, lambda _: "a case", words, beside=("beside",))
    for value in ({"output": right**2, "output two": "text", "x": np.ones(0)}, {"output": "text"}):
        assert check.overview([({}, value, False)]) == ("25" if len(value) > 1 else "")


def test_tolerances_grow_with_length_scale_and_roundoff() -> None:
    """SAFETY u scale sum(m sqrt(n)), rounded up to a power of ten."""
    assert tolerance([(100, 1.0)], scale=1.0) == 1e-5  # 4 * 6e-8 * 10 = 2.4e-6
    assert tolerance([(100, 1.0)], scale=10.0) == 1e-4
    assert tolerance([(100, 1.0)] * 10, scale=1.0) == 1e-4
    assert tolerance([(100, 10.0)], scale=1.0) == 1e-4
    assert tolerance([(100, 1.0)], scale=1.0, dtype="float64") == 1e-14
    assert tolerance([(100, 1.0)], scale=1.0, dtype="bfloat16") == 1.0


@pytest.mark.parametrize(("dtype", "kind"), [("float32", np.float32), ("float64", np.float64)])
@pytest.mark.parametrize("length", [10, 1000, 100_000])
def test_a_sum_of_products_stays_within_its_tolerance(
    dtype: str, kind: type[np.floating], length: int
) -> None:
    """Even when added one by one, the sum stays below the bound, but not far below."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(20):
        a, b = rng.normal(size=(2, length))
        exact = float(np.longdouble(1) * (a.astype(kind).astype(np.longdouble) @ b.astype(kind)))
        rough = float(np.cumsum((a.astype(kind) * b.astype(kind)).astype(kind), dtype=kind)[-1])
        worst = max(worst, abs(rough - exact))
    allowed = tolerance([(length, 1.0)], scale=length**0.5, dtype=dtype)
    assert worst < allowed < 1000 * worst
