"""Costs: factors in formulas do not matter, but growth does; Python loops take too many steps."""

import _thread
import re
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.kit.costs import NoLoop, SameGrowth, growing_points
from autograder.records.questions import RESULT, STEPS
from autograder.records.values import Refused
from autograder.sandbox.inside.evaluate import counted
from tests.helpers import FUZZ

VARIABLES = ("N", "D", "M", "C")
CHECK = SameGrowth({"time": (lambda N, D, M, C: N * N * max(D, M),)}, VARIABLES)


def drawn(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return growing_points(rng, VARIABLES, {"D": "C"})


def verdict(formula: Any, seed: int = 0) -> Any:
    points = drawn(seed)
    values = [formula(*point) for point in np.array([points[name] for name in VARIABLES]).T]
    return CHECK(points, {"time": np.array(values)})


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "formula",
    [
        lambda N, D, M, C: N**2 * max(D, M),
        lambda N, D, M, C: N**2 * (D + M),
        lambda N, D, M, C: 3 * N**2 * D + N**2 * M + N**2,
        lambda N, D, M, C: 1e-6 * N**2 * (D**2 + M**2) ** 0.5,
    ],
)
def test_factors_and_sums_do_not_matter(formula: Any, seed: int) -> None:
    """Each of these is the same order of magnitude, whatever the points."""
    assert verdict(formula, seed).fraction == 1


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("formula", "says"),
    [
        (lambda N, D, M, C: N**2 * D, "as D|as M"),
        (lambda N, D, M, C: N * max(D, M), "as N alone grows, it grows more slowly"),
        (lambda N, D, M, C: N**3 * max(D, M), "as N alone grows, it grows faster"),
        (lambda N, D, M, C: N**2 * D * M, "as D, M and C grow, it grows faster"),
        (lambda N, D, M, C: N**2, "grows more slowly"),
        (lambda N, D, M, C: N**2 * max(D, M) * C, "as C alone grows, it grows faster"),
        (lambda N, D, M, C: N**2 * max(D, M) ** 1.5, "grows faster"),
        (lambda N, D, M, C: N**2 * max(D, M) * np.log(N) ** 3, "N alone"),
    ],
)
def test_another_growth_is_wrong(formula: Any, says: str, seed: int) -> None:
    """The message names the variable that grows too much or too little, not the right growth."""
    found = verdict(formula, seed)
    assert found.fraction == 0
    assert any(word in found.message for word in says.split("|")), found.message


@pytest.mark.fuzzed
@given(
    st.sampled_from([0, 0.5, 1, 1.5, 2, 3]),
    st.sampled_from([0, 0.5, 1, 1.5, 2, 3]),
    st.integers(0, 50),
)
@FUZZ
def test_what_is_said_of_growth_is_true(a: float, b: float, seed: int) -> None:
    """This compares exponents of the reported growth with those of the true cost."""
    points = growing_points(np.random.default_rng(seed), ("N", "M"), {})
    check = SameGrowth({"time": (lambda N, M: N * M,)}, ("N", "M"))
    found = check(points, {"time": points["N"] ** a * points["M"] ** b})
    assert (found.fraction == 1) is (a == b == 1)
    said = re.search(r"as (.*?) (?:alone grows|grow), it grows (faster|more slowly)", found.message)
    if said:
        more = sum({"N": a - 1, "M": b - 1}[name] for name in said[1].split(" and "))
        assert more > 0 if said[2] == "faster" else more < 0


def test_sizes_are_named_only_where_they_are_the_cause() -> None:
    """A formula with different factors elsewhere is not wrong because several sizes are large."""
    points = growing_points(np.random.default_rng(0), ("N", "M"), {})
    true = points["N"] * points["M"]
    check = SameGrowth({"time": (lambda N, M: N * M,)}, ("N", "M"))
    odd = true * np.repeat([1.0, 100.0, 1.0], len(true) // 3)
    assert check(points, {"time": odd}).message == (
        "`time`: it does not grow as the true cost does."
    )
    for wrong in (np.where(true == true.max(), np.inf, true), np.full_like(true, np.nan), -true):
        said = check(points, {"time": wrong}).message
        assert said == "`time`: it should give a positive number for all sizes."


TWO = SameGrowth(
    {"memory": (lambda N, D, M, C: N * C + C * M + N * M, lambda N, D, M, C: N * (D + M) + C * M)},
    VARIABLES,
)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    "formula",
    [
        lambda N, D, M, C: N * M + C * M,  # N D is missing, and N alone does not show it
        lambda N, D, M, C: N * D + C * M,
        lambda N, D, M, C: N * C + C * M,
        lambda N, D, M, C: N * C * M,
        lambda N, D, M, C: C * M,
        lambda N, D, M, C: N**2,
        lambda N, D, M, C: N * D + 10000 * C * M,
    ],
)
def test_what_is_said_of_growth_is_true_beside_each_right_formula(formula: Any, seed: int) -> None:
    """The named sizes grow once more here, far from the compared ones."""
    points = drawn(seed)
    at = np.array([points[name] for name in VARIABLES]).T
    said = TWO(points, {"memory": np.array([formula(*point) for point in at])}).message
    if not (found := re.search("as (.*?) (?:alone grows|grow), it grows (faster|more)", said)):
        return
    grown = re.findall("[NDMC]", found[1])
    before = np.exp(np.random.default_rng(seed).uniform(2, 4, size=4))
    before[3] *= before[1]
    after = before * [1e9 if name in grown else 1 for name in VARIABLES]
    for right in TWO.formulas["memory"]:
        change = formula(*after) / formula(*before) / (right(*after) / right(*before))
        assert change > 1 if found[2] == "faster" else change < 1, said


@pytest.mark.parametrize(
    "value", [{}, {"time": "it is not written yet"}, {"time": np.zeros(36)}, {"time": np.ones(3)}]
)
def test_what_is_no_formula_earns_nothing(value: Any) -> None:
    """Missing, unwritten, zero and short answers give complaints, never exceptions."""
    points = drawn(0)
    assert CHECK(points, value).fraction == 0


@pytest.mark.parametrize("other", [np.array([]), np.ones(3), "it raised ValueError", None])
def test_a_text_is_like_an_equal_text_alone(other: Any) -> None:
    """A formula's error is compared with other errors, never with numbers."""
    points = drawn(0)
    mine: Any = {"time": "it raised TypeError"}
    assert CHECK.likeness(points, mine, {"time": other}) == 0
    assert CHECK.likeness(points, mine, mine) == 1


LONG = {"numbers": np.arange(1.0, 1001.0)}
ALL_AT_ONCE = NoLoop(lambda numbers: np.mean(numbers**2), 1e-9)


@pytest.mark.parametrize(
    ("answer", "loops"),
    [
        (lambda x: np.mean(x**2), False),
        (lambda x: np.einsum("i,i->", x, x) / len(x), False),
        (lambda x: sum(n * n for n in x) / len(x), True),
        (lambda x: sum([n * n for n in x]) / len(x), True),
        (lambda x: sum(map(lambda n: n * n, x)) / len(x), True),  # noqa: C417
        (lambda x: np.vectorize(lambda n: n * n)(x).mean(), True),
        (lambda x: np.apply_along_axis(lambda n: n * n, 1, x[:, None]).mean(), True),
    ],
)
def test_a_loop_of_any_form_has_too_many_steps(answer: Any, loops: bool) -> None:
    """The loop may take any form; the numbers are right in each."""
    value = counted(lambda: {RESULT: np.array(answer(LONG["numbers"]))})
    verdict = ALL_AT_ONCE(LONG, value)
    assert (verdict.fraction, "a loop over" in verdict.message) == (not loops, loops)


def test_wrong_numbers_are_said_first_and_a_count_is_needed() -> None:
    """Both lose; known mistakes are compared by their numbers if both loop or neither does."""
    right, wrong = np.array(np.mean(LONG["numbers"] ** 2)), np.array(7.0)
    few, many = np.array([12]), np.array([5000])
    assert "is not right" in ALL_AT_ONCE(LONG, {RESULT: wrong, STEPS: many}).message
    for steps in ({}, {STEPS: np.array([-1])}, {STEPS: np.array([1, 2])}, {STEPS: "7"}):
        assert ALL_AT_ONCE(LONG, {RESULT: right, **steps}).fraction == 0
    looped = {RESULT: right, STEPS: many}
    assert ALL_AT_ONCE.likeness(LONG, looped, looped | {STEPS: np.array([4000])}) == 1
    assert ALL_AT_ONCE.likeness(LONG, looped, {RESULT: right, STEPS: few}) == 0
    assert ALL_AT_ONCE.likeness(LONG, looped, {RESULT: wrong, STEPS: many}) < 1


def _in_a_thread(loop: Callable[[], None]) -> None:
    thread = threading.Thread(target=loop)
    thread.start()
    thread.join()


def _in_a_bare_thread(loop: Callable[[], None]) -> None:
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(lambda: (loop(), done.release()), ())
    done.acquire()


def _untraced(loop: Callable[[], None]) -> None:
    before = sys.gettrace()
    sys.settrace(None)
    loop()
    sys.settrace(before)


@pytest.mark.parametrize("away", [_in_a_thread, _in_a_bare_thread, _untraced])
def test_a_loop_where_nothing_counts_is_refused(away: Callable[[Any], None]) -> None:
    """This covers threads, which Python's trace does not follow, and a removed trace."""
    found: list[float] = []
    numbers = LONG["numbers"]

    def answer() -> dict[str, Any]:
        away(lambda: found.append(sum(n * n for n in numbers) / len(numbers)))
        return {RESULT: np.array(found)}

    with pytest.raises(Refused, match="nothing can be counted"):
        counted(answer)


def test_a_thread_that_is_there_already_is_refused() -> None:
    """A different question may have started it to wait for work."""
    ends = threading.Event()
    thread = threading.Thread(target=ends.wait)
    thread.start()
    try:
        with pytest.raises(Refused, match="nothing can be counted"):
            counted(dict)
    finally:
        ends.set()
        thread.join()
    assert counted(dict)


def test_what_traces_already_goes_on() -> None:
    """Coverage does so in the same process."""
    before = sys.gettrace()
    counted(dict)
    assert sys.gettrace() is before
