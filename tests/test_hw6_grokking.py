"""hw6_grokking: its slopes are torch's, its two forms are one, its bands can be missed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder import homework
from tests.conftest import ROOT
from tests.truth.bands import answers

NAME = "hw6_grokking"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
adapters = homework.staff_module(ROOT, NAME, "adapters")
quick = homework.staff_module(ROOT, NAME, "quick")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def weights_of(case: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    names = reference.weights_shapes(1, 4, 1)
    return {name: torch.tensor(case[name]).requires_grad_() for name in names}


def test_slopes_are_those_of_autograd() -> None:
    """By a complex step through the naive form, and by torch through the quick one."""
    for case in cases.fast_cases(rng()):
        w = weights_of(case)
        logits = quick.logits(w, torch.tensor(case["pairs"]))
        (logits * torch.tensor(case["coefficients"])).sum().backward()
        wanted = reference.fast_forward(**case)
        assert logits.detach().numpy() == pytest.approx(wanted["the array of logits"], abs=1e-10)
        for name, item in w.items():
            assert item.grad is not None
            slope = float((item.grad * torch.tensor(case[f"along_{name}"])).sum())
            assert slope == pytest.approx(float(wanted[f"the slope along {name}"]), abs=1e-10)


def test_epochs_are_those_of_torch() -> None:
    """AdamW in numpy and in torch, from the same weights."""
    (case,) = cases.epoch_cases(rng())
    w, pairs = weights_of(case), torch.tensor(case["pairs"])
    optimizer = adapters._optimizer(w, case["rate"])
    losses = []
    for _ in range(case["epochs"]):
        loss = quick.cross_entropy(quick.logits(w, pairs), pairs.sum(dim=1) % 3)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    wanted = reference.one_epoch(**case)
    assert losses == pytest.approx(wanted["the array of losses"], abs=1e-10)
    for name, item in w.items():
        assert item.detach().numpy() == pytest.approx(wanted[f"{name} afterwards"], abs=1e-8)


def test_the_naive_form_costs_what_is_said() -> None:
    """As PyTorch counts it."""
    lab = homework.staff_module(ROOT, NAME, "lab")
    found = adapters.fast_cost(lab._naive, rng().integers(0, 97, size=(300, 2)), 97, 128, 512)
    # SDPA and the last position's unembedding are counted in another way.
    wanted = reference.naive_cost(300, 97, 128, 512)
    assert found["multiply-adds"] == pytest.approx(wanted, rel=0.02)
    inputs = {"pairs": rng().integers(0, 97, size=(300, 2)), **cases.COUNTED}
    logits = models.counted_logits(inputs["pairs"], cases.COUNTED)
    assert found["the logits of the first pairs"].numpy() == pytest.approx(logits, abs=1e-4)
    shares = {0.02: "cannot be all", 0.1: "10%", 0.3: "30%", 0.34: "a third is allowed"}
    for share, said in shares.items():
        value = {"multiply-adds": np.array(share * wanted), "the logits of the first pairs": logits}
        verdict = models.CHEAP(inputs, value)
        assert said in verdict.message
        assert verdict.fraction == (0.05 < share < 1 / 3)
        other = {**value, "the logits of the first pairs": logits + 0.1}
        assert "are not right" in models.CHEAP(inputs, other).message


@pytest.mark.parametrize("kind", quick.STARTS)
def test_only_the_right_start_is_taken(kind: str) -> None:
    """By mean, deviation and law, and by what the seed does."""
    drawn = [quick.start(*cases.DRAWN.values(), seed, kind) for seed in (7, 7, 8)]
    value = {name: item.detach().numpy() for name, item in drawn[0].items()}
    for name in drawn[0]:
        again, other = (w[name].detach().numpy() for w in drawn[1:])
        value[f"{name}: the same seed again"] = np.abs(value[name] - again).max()
        value[f"{name}: another seed"] = np.abs(value[name] - other).max()
    verdict = models.DRAWN(cases.DRAWN, value)
    assert (verdict.fraction == 1) == (kind == "right"), verdict.message
    assert models.DRAWN.likeness(cases.DRAWN, value, value) == 1
    if kind == "right":
        again = {**value, "W_K": value["W_Q"]}
        assert "depend on each other" in models.DRAWN(cases.DRAWN, again).message


def test_power_is_shared_out() -> None:
    """It adds up to one, knows no mean, and finds a wave where it is."""
    for case in cases.fourier_cases(rng()):
        (power,) = reference.fourier_power(**case).values()
        assert power.sum() == pytest.approx(1)
        (moved,) = reference.fourier_power(case["E"] + 7).values()
        assert moved == pytest.approx(power)
    wave = np.cos(2 * np.pi * 3 * np.arange(13) / 13 + 1)[:, None]
    assert reference.fourier_power(wave)["the power of each frequency"][2] == pytest.approx(1)


def test_what_is_kept_and_what_is_left_make_the_whole() -> None:
    """But for the mean, which is in both; each has no power where the other has."""
    for case in cases.keep_cases(rng()):
        kept, removed = reference.keep_and_remove(**case).values()
        E = case["E"]
        assert kept + removed - E == pytest.approx(np.tile(E.mean(axis=0), (len(E), 1)))
        chosen = np.isin(np.arange(1, (len(E) + 1) // 2), case["frequencies"])
        assert reference.fourier_power(kept)["the power of each frequency"][~chosen].max() < 1e-12
        assert reference.fourier_power(removed)["the power of each frequency"][chosen].max() < 1e-12


def test_both_draw_the_same_pairs() -> None:
    """What the adapters train on is what the judge measures on."""
    for ours, theirs in zip(models.halves(53, 0.8), adapters._halves(53, 0.8), strict=True):
        assert (ours == theirs.numpy()).all()


def test_an_untrained_model_is_in_no_band() -> None:
    """The right start, before anything was learned; and weights that are no numbers of a model."""
    w = {name: item.detach().numpy() for name, item in quick.start(97, 128, 512, 0).items()}
    assert models.LOG({}, w).fraction == 0
    small = {name: item.detach().numpy() for name, item in quick.start(53, 64, 128, 0).items()}
    assert models.GROKS({}, small).fraction == 0
    huge = {name: 1e30 * item for name, item in small.items()}
    assert models.GROKS({}, huge).fraction == 0
    assert models.GROKS({}, {**small, "W_U": small["W_U"].T}).fraction == 0


def test_the_band_is_around_twenty_starts() -> None:
    """Each of them is in it, and torch's default, at .0058, is far out."""
    losses = homework.staff_module(ROOT, NAME, "saved").LOG_LOSSES
    assert len(losses) == 20
    assert all(models.LOG.low < loss < models.LOG.high for loss in losses)
    assert np.log10(0.0058) > models.LOG.high + 0.2


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """As if it had never been interrupted: weights, optimiser and history."""
    given = answers(ROOT, NAME)
    small = {"p": 11, "share": 0.5, "width": 16, "hidden": 8}
    whole = given["Run"](**small).go(100)
    given["Run"](**small).save(tmp_path / "run.npz")
    given["Run"].load(tmp_path / "run.npz").go(30).save(tmp_path / "run.npz")
    resumed = given["Run"].load(tmp_path / "run.npz").go(70)
    assert np.array(resumed.history) == pytest.approx(np.array(whole.history))
    for name, item in whole.w.items():
        assert torch.equal(item, resumed.w[name])


def test_the_notebook_shows_the_long_runs() -> None:
    """What `make grok` wrote is short enough for a cell, and shows what the text says."""
    cells = homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb")
    (source,) = (cell.source for cell in cells if cell.id == "saved_runs")
    assert len(source) < 50_000
    found: dict[str, Any] = {"np": np}
    exec(source, found)
    assert found["SAVED_E"].shape == (97, 16)
    for run in found["SAVED"].values():
        assert max(run["test"]) > 20
        assert (run["test"] < 0.1).any()
    smooth, single = (run["train"] for run in found["SAVED"].values())
    later = slice(30, None)
    assert max(smooth[later]) < 1e-5
    assert max(single[later]) > 1e-3
