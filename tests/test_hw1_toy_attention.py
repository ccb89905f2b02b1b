"""hw1_toy_attention: its oracle is right, its models are tried fairly, its claims are true."""

from itertools import pairwise, product

import numpy as np
import pytest

from autograder import homework
from autograder.marks.trained import Accurate
from tests.conftest import ROOT

NAME = "hw1_toy_attention"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_example_to_check_by_hand() -> None:
    """Weights of 3/4 and 1/4."""
    found = reference.attend(np.eye(2)[None], np.array([[np.log(3.0), 0.0]]), np.eye(2))
    for array in found.values():
        assert array == pytest.approx(np.array([[0.75, 0.25]]))


def test_a_query_of_the_sentence_makes_the_logit_odd() -> None:
    """And a learned one does not."""
    for case in cases.odd_cases(rng()):
        found = reference.odd(**case)
        assert found["the oddness of token_logit"] == pytest.approx(0, abs=1e-12)
        assert found["the oddness of learned_logit"] > 0.01


def test_terms_have_the_sign_of_the_logit() -> None:
    """Each is of its token alone, and their sum is the logit times a positive number."""
    for case in cases.terms_cases(rng()):
        tokens, q, K, w, b = (case[name] for name in ("tokens", "q", "K", "w", "b"))
        (found,) = reference.terms(**case).values()
        logits = reference.logits(tokens, np.tile(q, (len(tokens), 1)), K, w, b)
        assert (np.sign(found.sum(axis=1)) == np.sign(logits)).all()


def test_rows_are_counted_as_every_threshold_would() -> None:
    """Against each threshold between two of the numbers, one row at a time."""
    for case in cases.count_cases(rng()):
        total = 0
        for row in case["outputs"]:
            order = np.sort(row)
            for low, high in pairwise(order):
                above = row >= high
                if high - low > 1e-6 and above.tolist() in (
                    [False, True, True, False],
                    [True, False, False, True],
                ):
                    total += 1
        assert reference.count(**case)["the count"] == total
    assert total > 20


def test_no_single_head_makes_xor_and_two_heads_do() -> None:
    """In 20,000 random models each."""
    chance = rng()
    for heads, least, most in ((1, 0, 0), (2, 0.05, 0.5)):
        outputs = []
        for _ in range(2000):
            noise = chance.uniform(-1, 1, size=(2, 4))
            tokens = np.array(
                [[[a] * 4, *noise, [d] * 4] for a, d in product((1.0, -1.0), repeat=2)]
            )
            weights = (chance.normal(size=(heads, 3)), chance.normal(size=(4, 3)))
            outputs.append(reference.heads(tokens, *weights, chance.normal(size=(heads, 4)), 0.0))
        share = reference.count(np.array(outputs))["the count"] / 2000
        assert least <= share <= most


def test_hard_sentences_are_within_the_promise() -> None:
    """All four patterns, noise of every mean up to 0.8, each number within (-1, 1)."""
    tokens, label = reference.hard_sentences(rng(), 20_000)
    assert np.abs(tokens[:, 1:3]).max() < 1
    means = np.abs(tokens[:, 1:3].mean(axis=2))
    assert means.max() == pytest.approx(reference.NOISE_MEAN)
    patterns = {tuple(row) for row in tokens[:, [0, 3], 0]}
    assert len(patterns) == 4
    assert label.mean() == 0.5


def test_the_same_weight_for_each_token_is_not_enough() -> None:
    """It is right on 99.4 %, as the notebook says, and 99.8 % are needed."""
    average = {
        "Q": np.zeros((3, 4, 3)),
        "K": np.zeros((3, 4, 3)),
        "w": np.ones((3, 4)),
        "b": np.zeros(3),
    }
    verdict = models.EASY({}, average)
    assert verdict.fraction == 0
    assert "99.3 %" in verdict.message or "99.4 %" in verdict.message


@pytest.mark.parametrize(
    ("threshold", "right"), [(-1.81, True), (-1.99, True), (-1.7, False), (-2.05, False)]
)
def test_by_hand_any_threshold_between_will_do(threshold: float, right: bool) -> None:
    """Between 1.8 and 2, for large scores."""
    queries, K = np.array([[200.0], [-200.0]]), np.full((4, 1), 0.25)
    w = np.array([[0.25] * 4, [-0.25] * 4])
    value = {"queries": queries, "K": K, "w": w, "b": np.array(threshold)}
    assert (models.BY_HAND({}, value).fraction == 1) is right


def test_weights_of_other_sizes_are_refused() -> None:
    """A size that is a word is the same wherever it stands."""
    check = Accurate({"a": (2, "d"), "b": ("d",)}, lambda value: np.ones(3) > 0, 1.0, "things")
    assert check({}, {"a": np.ones((2, 5)), "b": np.ones(5)}).fraction == 1
    for wrong in (
        {"a": np.ones((2, 5))},
        {"a": np.ones((2, 5)), "b": np.ones(4)},
        {"a": np.ones(2), "b": np.ones(5)},
    ):
        verdict = check({}, wrong)
        assert verdict.fraction == 0
        assert "shape" in verdict.message or "missing" in verdict.message


def test_shares_are_never_rounded_up() -> None:
    """One of 20,000 wrong is not all."""
    right = np.ones(20_000, dtype=bool)
    right[7] = False
    check = Accurate({}, lambda value: right, 1.0, "sentences")
    assert check({}, {}).message.startswith("Right on 99.9 % of 20,000 sentences; all are needed.")
    other = Accurate({"a": ("n",)}, lambda value: value["a"] > 0, 1.0, "sentences")
    ones = np.ones(100)
    almost = np.where(np.arange(100) < 1, -1.0, 1.0)
    assert other.likeness({}, {"a": ones}, {"a": ones}) == 1
    assert other.likeness({}, {"a": ones}, {"a": 2 * ones}) == 0.9
    assert other.likeness({}, {"a": ones}, {"a": almost}) == 0.5
    any_size = Accurate({"a": ("n",)}, lambda value: np.ones(3, dtype=bool), 1.0, "things")
    assert any_size.likeness({}, {"a": np.ones(1)}, {"a": ones}) == 0.9
    assert other.likeness({}, {"a": ones}, {"a": -ones}) == 0
