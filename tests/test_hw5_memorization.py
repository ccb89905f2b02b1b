"""hw5_memorization: its oracle is torch's own attention, its laws are laws, its bounds can be missed."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from autograder import homework
from tests.conftest import ROOT

NAME = "hw5_memorization"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
adapters = homework.staff_module(ROOT, NAME, "adapters")
batched = homework.staff_module(ROOT, NAME, "batched")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_the_forward_is_a_sum_of_modules() -> None:
    """One nn.MultiheadAttention for each head, in double precision; heads have the model's width."""
    w = cases._model(rng(), 7, 4, 3, 4)
    contexts = rng().integers(0, 7, size=(11, 2))
    x = torch.tensor(w["W_E"][contexts] + w["W_pos"])
    stream = x[:, 1]
    for head in range(3):
        module = torch.nn.MultiheadAttention(4, 1, bias=False, batch_first=True).double()
        q, k, v, o = (torch.tensor(w[f"W_{kind}"][head]) for kind in "QKVO")
        module.load_state_dict({"in_proj_weight": torch.cat([q, k, v]), "out_proj.weight": o})
        stream = stream + module(x[:, 1:], x, x)[0][:, 0]
    wanted = (stream @ torch.tensor(w["W_U"]).T).detach().numpy()
    assert reference.logits(contexts, w) == pytest.approx(wanted, abs=1e-12)


def test_the_lab_s_model_is_the_reference_s() -> None:
    """All heads in one product, with and without the residual stream."""
    w = batched.start(7, 4, 3, seed=0)
    contexts = torch.cartesian_prod(torch.arange(7), torch.arange(7))
    plain = {name: item.detach().double().numpy() for name, item in w.items()}
    for residual, skips in ((True, ()), (False, ("residual",))):
        found = batched.logits(w, contexts, residual=residual).detach().numpy()
        assert found == pytest.approx(reference.logits(contexts.numpy(), plain, skips), abs=1e-5)


def test_parts_add_up() -> None:
    """Heads and residual stream make the logits."""
    for case in cases.head_cases(rng()):
        heads, own = reference.head_logits(**case).values()
        w = {name: item for name, item in case.items() if name != "contexts"}
        assert heads.sum(axis=1) + own == pytest.approx(reference.logits(case["contexts"], w))


def test_every_switch_changes_something() -> None:
    """Whatever is skipped, the logits are others, and each choice of switches others again."""
    w, contexts = cases._model(rng(), 7, 4, 3, 4), rng().integers(0, 7, size=(11, 2))
    found = [reference.logits(contexts, w)]
    found += [reference.logits(contexts, w, (name,)) for name in reference.SKIPS]
    for number, one in enumerate(found):
        assert all(np.abs(one - other).max() > 0.1 for other in found[:number])


def test_laws_add_up_to_one() -> None:
    """At every place, whatever was before."""
    for case in cases.power_cases(rng()):
        for law in reference.power_unif(**case).values():
            assert law.sum(axis=-1) == pytest.approx(np.ones(law.shape[:-1]))
    for case in cases.last_cases(rng()):
        (law,) = reference.last_position_law(**case).values()
        assert law.sum(axis=-1) == pytest.approx(np.ones(law.shape[:-1]))


@pytest.mark.parametrize("choices", [1, 3, 5])
def test_the_entropy_of_equal_choices(choices: int) -> None:
    """It is the logarithm of their number; a uniform answer is off by ln N less that."""
    drawn = cases._choices(rng(), 5, (4, 2, choices))
    laws = reference.power_unif_law(np.ones(3), N=5, **drawn)
    (found,) = reference.entropy(*laws).values()
    assert found == pytest.approx(np.log(choices))


def test_point_masses_make_one_loss_of_two() -> None:
    """And laws with entropy do not."""
    for case in cases.loss_cases(rng()):
        divergence, next_token = reference.two_losses(**case).values()
        assert (divergence == pytest.approx(next_token)) == (case["law"].max(axis=1).min() == 1)


def test_what_no_law_determines_changes_no_distance() -> None:
    """Constants in columns, and other bases; a column more does."""
    A = rng().normal(size=(9, 3))
    turn = np.random.default_rng(1).normal(size=(3, 3))
    (same,) = reference.gauge(A, A @ turn + [3.0, -1.0, 7.0]).values()
    assert same < 1e-12
    assert reference.gauge(A, A[:, [0, 1, 1]] + 0.3 * A**2)["the distance"] > 0.1


def test_both_draw_the_same_start_and_law() -> None:
    """What the adapters train on is what the judge counts on; what should not move is known."""
    contexts, law = adapters._law(20, 12)
    judged, tokens = cases.law(20, 12)
    assert (contexts.numpy() == judged).all()
    assert (law.numpy().argmax(axis=1) == tokens).all()
    begun = cases.start(10, 5, 20)
    for name, item in adapters._start(10, 5, 20, 0).items():
        assert item.detach().numpy() == pytest.approx(begun[name], abs=1e-6)


def untrained() -> dict[str, np.ndarray]:
    N, _, d, heads = cases.FEW
    return {
        f"{what}: {name}": item.copy()
        for what in models.PARTS
        for name, item in cases.start(N, d, heads).items()
    }


def test_what_moves_is_looked_at() -> None:
    """Nothing moved, something else moved, and the right thing moved to no use."""
    assert "W_E has not moved" in models.FROZEN({}, untrained()).message
    value = untrained()
    for name in value:
        if name.endswith(": W_O") == name.startswith("W_O alone"):
            value[name] += 0.1
    assert "is needed" in models.FROZEN({}, value).message
    value["W_O alone: W_pos"] += 0.1
    assert "W_pos has moved, too" in models.FROZEN({}, value).message
    other = replace(models.FROZEN, seed=1)
    assert "W_E has moved, too" in other({}, value).message


def test_more_heads_have_to_remember_more() -> None:
    """The paper's bound three times over is not enough, if a head more is of no use."""
    contexts, tokens = cases.law(*cases.MANY[:2])
    value: dict[str, np.ndarray] = {}
    for heads in cases.HEADS:
        starts = [cases.start(cases.MANY[0], cases.MANY[2], heads, seed) for seed in range(3)]
        for name in starts[0]:
            value[f"{heads}: {name}"] = np.stack([w[name] for w in starts])
    verdict = models.REMEMBERS({}, value)
    assert verdict.fraction == 0
    assert "at least 24 with 1 are needed" in verdict.message
    assert models.REMEMBERS.figure(value) < 3
    assert len(contexts) == len(tokens) == 144
