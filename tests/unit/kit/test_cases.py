"""Sentences on all cases of a wrong answer: each is true in every case that it covers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from autograder.kit import Close, Inputs, Value
from autograder.kit.cases import counted, is_plural
from autograder.records.questions import RESULT, Array

RNG = np.random.default_rng(0)


def attention(Q: Array, K: Array, V: Array) -> dict[str, Array]:
    scores = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    weights = scores / scores.sum(axis=1, keepdims=True)
    return {"the weights": weights, "the output": weights @ V}


def cases(*sizes: tuple[int, int, int]) -> list[Inputs]:
    return [
        {"Q": RNG.normal(size=(n, d)), "K": RNG.normal(size=(n, d)), "V": RNG.normal(size=(n, v))}
        for n, d, v in sizes
    ]


THREE = cases((2, 3, 4), (3, 5, 2), (4, 2, 3))


def said(
    answer: Callable[..., Any], inputs: Sequence[Inputs] = THREE, reference: Any = attention
) -> str:
    """Return a question's sentences on an answer in all its cases."""
    check = Close(reference, 1e-6, lambda inputs: f"n = {len(inputs['Q'])}, small")
    seen: list[tuple[Inputs, Value | None, bool]] = []
    for case in inputs:
        found = answer(**case)
        value = found if isinstance(found, dict) else {RESULT: np.asarray(found)}
        seen.append((case, value, check(case, value).fraction == 1))
    return check.overview(seen)


def changed(name: str, change: Callable[[Array], Array]) -> Callable[..., dict[str, Array]]:
    """Return attention with one array modified afterwards."""

    def answer(**inputs: Array) -> dict[str, Array]:
        found = attention(**inputs)
        return {**found, name: change(found[name])}

    return answer


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda Q, K, V: attention(K, Q, V), "The weights are what would be right if `Q` and `K` were exchanged."),
        (
            lambda Q, K, V: attention(Q * np.sqrt(Q.shape[1]), K, V),
            "The weights are what would be right if `Q` were larger by a factor that is the square root of the number of columns of `Q`.",
        ),
        (lambda Q, K, V: attention(0 * Q, K, V), "The weights are what would be right if `Q` were 0."),
        (lambda Q, K, V: attention(Q, K, -V), "Only the output is wrong; the weights are right. The output is what would be right if `V` had the other sign."),
        (changed("the output", lambda z: z + 2), "Only the output is wrong; the weights are right. All are off by the same amount."),
        (changed("the output", lambda z: z + len(z)), "Only the output is wrong; the weights are right. In each case all are off by the same amount, which differs between cases."),
        (changed("the weights", lambda w: 2 * w), "Only the weights are wrong; the output is right. All are off by the same factor."),
        (changed("the weights", lambda w: w * len(w)), "Only the weights are wrong; the output is right. All are larger than they should be by a factor that is the number of rows of `Q`."),
        (changed("the weights", lambda w: w / np.sqrt(len(w))), "Only the weights are wrong; the output is right. All are smaller than they should be by a factor that is the square root of the number of rows of `Q`."),
        (changed("the weights", lambda w: w * len(w) ** 3), "Only the weights are wrong; the output is right. In each case all are off by the same factor, which differs between cases."),
        (changed("the output", lambda z: 0 * z), "Only the output is wrong; the weights are right. All of them are zero."),
        (changed("the output", lambda z: RNG.normal(size=z.shape)), "Only the output is wrong; the weights are right."),
    ],
)  # fmt: skip
def test_what_points_somewhere_is_said(answer: Callable[..., Any], sentence: str) -> None:
    """This covers arrays, arguments and factors; a wrong answer without a pattern gets no sentence."""
    assert said(answer) == sentence


def test_one_true_case_is_not_all() -> None:
    """A sentence of `words` comes with the number of cases in which it is true."""

    def words(inputs: Inputs, value: Value) -> tuple[str, ...]:
        return ("It is negative.",) * bool(value[RESULT] < 0)

    check = Close(lambda x: x, 1e-6, words=words)
    for numbers, sentence in (
        ([-1.0, -2.0], "It is negative."),
        ([-1.0, 5.0], "It is negative (in 1 of 2 wrong cases)."),
        ([3.0, 5.0], ""),
    ):
        seen = [({"x": 1.0}, {RESULT: np.array(number)}, False) for number in numbers]
        assert check.overview(seen) == sentence


def total(Q: Array, K: Array, V: Array) -> float:
    return float(np.exp((Q * K).sum()) * (1 + (V**2).sum()))


def test_numbers_alone_are_seen_together() -> None:
    """With one number per case, no sentence covers several."""
    for change, sentence in (
        (0.0, "It is zero in each case that is wrong."),
        (-1.0, "In each case that is wrong it has the wrong sign and the right size."),
        (3.0, "It is off by the same factor in each case that is wrong."),
    ):

        def answer(Q: Array, K: Array, V: Array, c: float = change) -> float:
            return c * total(Q, K, V)

        assert said(answer, reference=total) == sentence
    assert said(lambda Q, K, V: 0.0, THREE[:1], lambda Q, K, V: Q.sum()) == ""


def test_an_answer_that_does_not_move_is_told_what_it_leaves_out() -> None:
    """Two cases show it: they differ in one input, and have different right answers."""
    case = THREE[0]
    other = {**case, "V": case["V"] + 1}
    frozen = RNG.normal(size=(2, 4))

    def answer(**inputs: Array) -> dict[str, Array]:
        return {"the output": frozen}

    def reference(**inputs: Array) -> dict[str, Array]:
        return {"the output": attention(**inputs)["the output"]}

    assert said(answer, [case, other], reference) == (
        "It is the same in two cases that differ in `V`, and should not be."
    )


def test_what_is_wrong_only_again_is_not_spoken_of() -> None:
    """Its first values are right, so no sentence is true of wrong ones."""
    check = Close(lambda x: 2 * x, 1e-6)
    seen = [({"x": np.ones(3)}, {RESULT: 2 * np.ones(3)}, False), ({"x": np.ones(3)}, {RESULT: 0 * np.ones(3)}, False)]  # fmt: skip
    assert check.overview(seen) == ""


def test_an_expensive_or_fussy_reference_costs_nothing() -> None:
    """It raises for unexpected inputs, and has a time limit."""

    def fussy(x: Array) -> Array:
        if not x.any() or x[0] < 0:
            raise ZeroDivisionError
        return x**2

    check = Close(fussy, 1e-6)
    x, got = np.arange(1.0, 6.0), np.array([5.0, 1.0, 30.0, 2.0, 9.0])
    assert check.overview([({"x": x}, {RESULT: got}, False)]) == ""


@pytest.mark.parametrize(
    ("described", "right", "sentence"),
    [
        (["a", "b", "c"], [1, 0, 0], "Right for a, and in no other of the 3 cases."),
        (["a", "a", "c"], [1, 0, 0], "1 of the 3 cases is right."),
        (["", "", ""], [1, 0, 0], "1 of the 3 cases is right."),
        (["a", "b", "c"], [1, 1, 0], "2 of the 3 cases are right."),
        (["a, one head", "b, skips", "c, skips"], [1, 0, 0], "Right for a, one head, and in no other of the 3 cases."),
        (["x of shape (2, 3), a", "b", "x of shape (2, 3), c", "b"], [0, 1, 0, 1],
         "2 of the 4 cases are right; those with x of shape (2, 3) are not."),
        (["a", "b"], [0, 0], ""),
        (["a", "b"], [1, 1], ""),
    ],
)  # fmt: skip
def test_cases_are_counted(described: list[str], right: list[int], sentence: str) -> None:
    """Features of only the wrong ones are named."""
    cases = [({"name": name}, {}, bool(one)) for name, one in zip(described, right, strict=True)]
    assert counted(cases, lambda inputs: inputs["name"]) == sentence


def test_names_of_several_things() -> None:
    """They decide between "is" and "are"."""
    many = ("the terms", "the weights of a head", "the rows", "the probabilities")
    one = (
        "the loss",
        "W_Q",
        "pos",
        "the array of logits",
        "what it returns",
        "the bias",
        "the status",
    )
    assert [is_plural(name) for name in (*many, *one)] == [True] * len(many) + [False] * len(one)


def test_a_sentence_on_a_call_begins_with_a_capital_letter() -> None:
    """Its subject is in our words, not a student's name."""
    name = "what f returns"
    check = Close(lambda x: {name: 2 * x}, 1e-6)
    x = np.arange(3.0)
    wrong = ({"x": x}, {name: -2 * x}, False)
    said = "What f returns is what would be right if `x` had the other sign."
    assert check.overview([wrong, wrong]) == said


def test_cases_without_a_value_are_not_spoken_of() -> None:
    """If one raised, no sentence covers all wrong ones, and its error comes first."""
    check = Close(lambda x: 2 * x, 1e-6)
    x = np.arange(3.0)
    wrong = ({"x": x}, {RESULT: -2 * x}, False)
    assert (
        check.overview([wrong, wrong])
        == "The result is what would be right if `x` had the other sign."
    )
    assert check.overview([wrong, ({"x": x}, None, False)]) == ""
