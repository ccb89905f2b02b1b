"""attention: designed heads are tried on every short sequence, as the slow reference would."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from autograder.course import homework
from tests.helpers import ROOT

attention = homework.staff_module(ROOT, "hw2_transformer", "attention")
reference = homework.staff_module(ROOT, "hw2_transformer", "reference")
spec = homework.staff_module(ROOT, "hw2_transformer", "spec")

IDENTITY = {"Km": np.eye(3), "Qm": 20 * np.eye(3), "Vm": np.eye(3)}
COPY_FIRST = {
    "Km": np.vstack([np.zeros((3, 1)), [[20], [0], [0], [0]]]),
    "Qm": np.ones((7, 1)),
    "Vm": np.vstack([np.eye(3), np.zeros((4, 3))]),
    "pos": np.eye(4),
}


def task(question: str) -> Any:
    check = spec.HOMEWORK.question(question).check
    assert isinstance(check, attention.AttentionTask)
    return check


@pytest.mark.parametrize("positions", [False, True])
def test_attention_on_many_sequences_equals_the_reference(positions: bool) -> None:
    """One array operation over all sequences of a length gives what the slow loop gives."""
    rng = np.random.default_rng(0)
    Km, Qm, Vm = rng.normal(size=(7, 2)), rng.normal(size=(7, 2)), rng.normal(size=(7, 5))
    pos = rng.normal(size=(6, 4)) if positions else None
    sequences = rng.normal(size=(11, 4, 3 if positions else 7))
    averages, weights, _ = attention.attention(Km, Qm, pos, sequences)
    outputs = averages @ Vm
    expected = [reference.transformer(Km, Qm, Vm, sequence, pos) for sequence in sequences]
    np.testing.assert_allclose(outputs, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(weights.sum(axis=-1), 1)


@pytest.mark.parametrize(
    ("question", "count"), [("identity", 1092), ("copy_first", 120), ("unique", 120)]
)
def test_every_sequence_is_tried_and_judged_as_the_slow_loop_would(
    question: str, count: int
) -> None:
    """The verdict on random matrices is that of one reference call a sequence."""
    check, rng = task(question), np.random.default_rng(1)
    right = wrong = 0
    for length in range(1, check.max_length + 1):
        for numbers in product(range(3), repeat=length):
            asked = check.target(np.array([numbers]))[0]
            assert asked.shape == (length, check.v_dim)
            right += 1
    assert right == count
    rows = 3 + (check.prefix is not None) + (5 if check.positions else 0)
    value = {name: rng.normal(size=(rows, 4)) for name in ("Km", "Qm")}
    value["Vm"] = rng.normal(size=(rows, check.v_dim))
    if check.positions:
        value["pos"] = rng.normal(size=(5, 5))
    size = 3 + (check.prefix is not None)
    for length in range(1, check.max_length + 1):
        for numbers in product(range(3), repeat=length):
            word = (3, *numbers) if check.prefix else numbers
            outputs = reference.transformer(
                value["Km"], value["Qm"], value["Vm"], np.eye(size)[list(word)], value.get("pos")
            )[-length:]
            asked = check.target(np.array([numbers]))[0]
            if check.tolerance is None:
                wrong += not (np.sign(outputs) == asked).all()
            else:
                wrong += not np.allclose(outputs, asked, rtol=1e-3, atol=1e-3)
    verdict = check({}, value)
    assert verdict.fraction == 0
    assert f"Wrong on {wrong:,} of the {count:,} sequences" in verdict.message


def test_half_is_earned_by_the_right_order_only() -> None:
    """Soft but right attention earns half; sharper, all; a wrong largest entry, nothing."""
    check = task("identity")
    fractions = [check({}, IDENTITY | {"Qm": gain * np.eye(3)}).fraction for gain in (20, 4, 0)]
    assert fractions == [1.0, 0.5, 0.0]


def test_a_score_of_eight_is_off_only_on_long_sequences() -> None:
    """The tolerance bites where the arithmetic says: 5 e^-8 = 1.7e-3 at length 6."""
    root = np.sqrt(3)
    verdict = task("identity")({}, IDENTITY | {"Qm": 8 * root * np.eye(3)})
    assert verdict.fraction == 0.5
    assert "0.0017" in verdict.message
    assert task("identity")({}, IDENTITY | {"Qm": 9 * root * np.eye(3)}).fraction == 1.0


def test_equal_keys_are_named_and_drawn() -> None:
    """The answer of the source: an average, said in words and shown as 0.5 / 0.5."""
    Km = np.vstack([np.zeros((3, 1)), np.ones((4, 1))])
    verdict = task("copy_first")({}, COPY_FIRST | {"Km": Km})
    assert "Wrong on 108 of the 120" in verdict.message
    assert "all keys are equal" in verdict.message
    (picture,) = verdict.pictures
    assert picture.values == ((0.5, 0.5), (0.5, 0.5))
    assert picture.rows == ("A (position 0)", "B (position 1)")


def test_equal_keys_of_one_sequence_are_not_called_all_keys() -> None:
    """Here two tokens have one key, and the third has none like it."""
    Km = np.array([[1.0], [1.0], [9.0]])
    message = task("identity")({}, IDENTITY | {"Km": Km, "Qm": np.ones((3, 1))}).message
    assert "because all keys of this sequence are equal" in message
    assert "all keys are equal" not in message


def test_what_is_below_the_margin_is_not_called_positive() -> None:
    """Zero and a wrong sign are told so; a right sign within the margin is told where that ends."""
    check = attention.AttentionTask("AB", lambda n: np.ones((*n.shape, 1)), 1, 1, tolerance=None)
    value = {"Km": np.zeros((2, 1)), "Qm": np.zeros((2, 1))}
    for size, said in (
        (1e-7, "a number above 1e-06."),
        (0.0, "a positive number."),
        (-1.0, "a positive"),
    ):
        assert said in check({}, value | {"Vm": np.full((2, 1), size)}).message


def test_huge_gains_do_not_overflow() -> None:
    """Scores far above 709 are fine; only what float64 cannot hold is refused."""
    assert task("identity")({}, IDENTITY | {"Qm": 1e6 * np.eye(3)}).fraction == 1.0
    verdict = task("identity")({}, IDENTITY | {"Qm": 1e308 * np.eye(3), "Km": 1e308 * np.eye(3)})
    assert verdict.fraction == 0
    assert "overflow" in verdict.message


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"Km": np.eye(3)[0]}, r"Km should be a matrix .* shape \(3,\)"),
        ({"Km": np.eye(4)}, r"Km needs input_dim \+ pos_dim = 3 \+ 4 rows"),
        ({"Qm": np.ones((7, 2))}, "same number of columns"),
        ({"Vm": np.ones((7, 2))}, "v_dim = 3 columns"),
        ({"pos": np.eye(3, 4)}, "at least 4 rows"),
        ({"pos": np.zeros((4, 0))}, "pos should be a matrix"),
        ({"Km": np.ones((7, 2000))}, "Km may have at most 1,024 rows and columns"),
        ({"Km": "text"}, "Km is not an array"),
    ],
)
def test_wrong_shapes_are_explained(change: dict[str, np.ndarray], complaint: str) -> None:
    """A matrix of a wrong shape gets a sentence, not an exception."""
    verdict = task("copy_first")({}, COPY_FIRST | change)
    assert verdict.fraction == 0
    assert re.search(complaint, verdict.message), verdict.message


def test_signs_need_a_margin() -> None:
    """For signs only, zero and near-zero are neither positive nor negative."""
    check = attention.AttentionTask("AB", lambda n: np.ones((*n.shape, 1)), 1, 1, tolerance=None)
    value = {"Km": np.zeros((2, 1)), "Qm": np.zeros((2, 1))}
    for size, fraction in ((1.0, 1.0), (2e-6, 1.0), (1e-6, 0.0), (0.0, 0.0), (-1.0, 0.0)):
        assert check({}, value | {"Vm": np.full((2, 1), size)}).fraction == fraction


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Km": COPY_FIRST["Km"] / 5}, "not sharp enough: larger numbers in Km or Qm would do"),
        ({"Vm": 2 * COPY_FIRST["Vm"]}, "off by the same factor: look at the size of Vm"),
        ({"Vm": np.roll(COPY_FIRST["Vm"], 1, axis=1)}, "finds the right tokens: look at what Vm"),
        ({"Qm": np.eye(7, 1, k=-3)}, "Right on all sequences of length 1. "),
    ],
)
def test_the_one_change_that_would_do_is_named(change: dict[str, np.ndarray], words: str) -> None:
    """Too soft, too large, handed over wrongly; or right for the shortest sequences only."""
    verdict = task("copy_first")({}, COPY_FIRST | change)
    assert words in verdict.message, verdict.message


def test_matrices_in_another_order_or_turned_round_are_seen() -> None:
    """The shapes say so."""
    turned = {n: m if n == "pos" else m.T for n, m in COPY_FIRST.items()}
    assert "turned round: transpose them" in task("copy_first")({}, turned).message
    mixed = COPY_FIRST | {"pos": COPY_FIRST["Km"], "Km": COPY_FIRST["pos"]}
    assert "fit in another order: return (Km, Qm, Vm, pos)" in task("copy_first")({}, mixed).message


def test_tokens_under_other_names_are_alike_and_other_wrong_values_are_not() -> None:
    """Two rows of Vm that changed places fit three that were moved on; a constant token does not."""
    check = task("identity")
    moved = IDENTITY | {"Vm": np.roll(np.eye(3), 1, axis=1)}
    swapped = IDENTITY | {"Vm": np.eye(3)[[1, 0, 2]]}
    always = IDENTITY | {"Vm": np.eye(3)[[0, 0, 0]]}
    assert [check.likeness({}, other, moved) for other in (moved, swapped, always)] == [1, 0.25, 0]


def test_an_average_is_not_called_a_token_that_is_found() -> None:
    """One message does not say both that the right tokens are found and that all scores are equal."""
    Qm, Km = np.zeros((2, 9, 8))  # as designed, but for CLS: nothing prefers it
    Qm[:3, :3], Km[:3, :3] = np.eye(3), 60 * np.eye(3)
    Qm[4:, 3:], Km[4:, 3:] = np.eye(5), -60 * np.eye(5)
    Vm = np.array([-1.0, -1, -1, 1, 0, 0, 0, 0, 0])[:, None]
    message = task("unique")({}, {"Km": Km, "Qm": Qm, "Vm": Vm, "pos": np.eye(5)}).message
    assert message.startswith("With other numbers in Vm this attention would do. ")
    assert "That position attends equally (0.5) to every token" in message
    assert "finds the right tokens" not in message


def test_matrices_fit_by_what_they_do() -> None:
    """Other numbers with the same attention and outputs, or only the same fault."""
    check = task("copy_first")
    equal_keys = np.vstack([np.zeros((3, 1)), np.ones((4, 1))])
    known = COPY_FIRST | {"Km": equal_keys}
    alike = COPY_FIRST | {"Km": -7 * equal_keys, "Qm": np.zeros((7, 1))}
    other = COPY_FIRST | {"Vm": np.roll(COPY_FIRST["Vm"], 1, axis=1)}
    assert check.likeness({}, alike, known) == 1
    assert check.likeness({}, alike, other) < 0.5
    soft, softer = (COPY_FIRST | {"Km": COPY_FIRST["Km"] * size} for size in (0.2, 0.15))
    assert check.likeness({}, soft, softer) == 0.25
    assert check.likeness({}, soft, soft) == 1
    for odd in (
        {},
        {"Km": "text"},
        COPY_FIRST | {"Km": np.eye(2)},
        COPY_FIRST | {"Km": np.full((7, 1), 1e308)},
    ):
        assert check.likeness({}, odd, known) == 0
