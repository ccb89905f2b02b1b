"""hw4_position: its oracle is torch's own encoder, its ceiling is one, its controls tell apart."""

from itertools import product

import numpy as np
import pytest
import torch

from autograder import homework
from tests.conftest import ROOT

NAME = "hw4_position"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
adapters = homework.staff_module(ROOT, NAME, "adapters")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_forward_is_torchs() -> None:
    """With every combination of layers, padding and mask, in double precision."""
    for case in cases.logits_cases(rng()):
        weights = {name: item for name, item in case.items() if "." in name}
        net = adapters._network(len(weights["embedding.weight"]), weights).double()
        net.load_state_dict({name: torch.tensor(item) for name, item in weights.items()})
        states = net.embedding(torch.tensor(case["pairs"]))
        if case["padded"]:
            states = torch.nn.functional.pad(states, (0, 0, 0, 1))
        mask = torch.tensor(case["blocked"] > 0)
        wanted = net.unembedding(net.encoder(states, mask=mask)[:, -1]).detach().numpy()
        (found,) = reference.table_logits(**case).values()
        assert found == pytest.approx(wanted, abs=1e-10)


def test_the_ceiling_is_what_the_best_symmetric_answers_get() -> None:
    """Against every way to answer, for tables of three tokens."""
    chance = rng()
    for _ in range(5):
        M = chance.integers(0, 3, size=(3, 3))
        couples = [(i, j) for i in range(3) for j in range(i + 1)]
        best = 0
        for answers in product(range(3), repeat=len(couples)):
            given = dict(zip(couples, answers, strict=True))
            right = sum(
                given[max(i, j), min(i, j)] == M[i, j] for i, j in product(range(3), repeat=2)
            )
            best = max(best, right)
        assert reference.ceiling(M)["the share"] == pytest.approx(best / 9)


@pytest.mark.parametrize(
    ("layers", "padded", "masked", "blind"),
    [(1, 1, 1, True), (2, 1, 0, True), (4, 1, 0, True), (2, 1, 1, False), (1, 0, 1, False)],
)
def test_what_is_blind_to_order(layers: int, padded: int, masked: int, blind: bool) -> None:
    """As the notebook says: depth gives no order, the mask does, and so does reading at a token."""
    shapes = reference.weights_shapes(6, layers)
    weights = cases._weights(rng(), shapes)
    pairs = np.array(list(product(range(6), repeat=2)))
    blocked = reference.future(2 + padded) * masked
    here, there = (reference.logits(p, padded, blocked, **weights) for p in (pairs, pairs[:, ::-1]))
    gap = np.abs(here - there).max()
    assert gap < 1e-12 if blind else gap > 0.05


def test_no_weights_pass_the_ceiling_without_a_mask() -> None:
    """The judge's model without a mask answers (i, j) and (j, i) alike, whatever crossed."""
    for seed in range(20):
        weights = cases._weights(np.random.default_rng(seed), models.TWO)
        right = models._without_a_mask(weights)
        assert right.sum() <= models.CEILING
    assert models.NO_MASK.at_least * models.ALL == pytest.approx(models.CEILING - models.BELOW)


def test_a_lookup_that_is_no_weight_is_worth_nothing() -> None:
    """Weights of zeros answer one token everywhere."""
    zeros = {name: np.zeros(size) for name, size in models.TWO.items()}
    assert models.TABLE({}, zeros).fraction == 0
    assert models.NO_MASK({}, zeros).fraction == 0


@pytest.mark.parametrize("wrong", ["missing", "not symmetric", "of the other half", "as it is"])
def test_another_table_than_the_symmetric_one(wrong: str) -> None:
    """It is said what is wrong with it, before any weight is looked at."""
    table: object = {
        "missing": None,
        "not symmetric": cases.TABLE.astype(float),
        "of the other half": reference.symmetric(cases.TABLE.T).astype(float),
        "as it is": reference.symmetric(cases.TABLE).astype(float),
    }[wrong]
    zeros = {name: np.zeros(size) for name, size in models.ONE.items()}
    verdict = models.SYMMETRIC({}, {"the symmetric table": table, **zeros})
    assert verdict.fraction == 0
    said = {
        "missing": "should return the symmetric table",
        "not symmetric": "is not symmetric",
        "of the other half": "on and above the diagonal",
        "as it is": "of 144 pairs",
    }
    assert said[wrong] in verdict.message


def test_states_tell_the_order_and_embeddings_do_not() -> None:
    """Each pair's states are found again, in either order."""
    for case in cases.order_cases(rng()):
        (found,) = reference.order_from_states(**case).values()
        (turned,) = reference.order_from_states(case["states"][:, ::-1], case["E"]).values()
        assert (found == turned).all()
        made = reference.states_of(found, case["E"])
        distance = np.minimum(
            np.abs(made - case["states"]).max(axis=(1, 2)),
            np.abs(made[:, ::-1] - case["states"]).max(axis=(1, 2)),
        )
        assert distance.max() < 1e-12


def test_both_draw_the_same_table() -> None:
    """What the adapters train on is what the judge counts on."""
    assert (adapters._table().numpy() == cases.TABLE).all()
    assert models.CEILING == 82
