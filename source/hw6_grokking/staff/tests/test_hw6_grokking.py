"""hw6_grokking: its slopes are torch's, its two forms are one, its bands can be missed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.authoring.calibrate.bands import answers
from autograder.course import homework
from autograder.kit.checks import Close
from autograder.records.values import plain
from tests.helpers import ROOT

NAME = "hw6_grokking"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
adapters = homework.staff_module(ROOT, NAME, "adapters")
shared = homework.staff_module(ROOT, NAME, "shared")
quick = homework.staff_module(ROOT, NAME, "quick")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def weights_of(case: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    names = shared.weights_shapes(1, 4, 1)
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
        moved = {
            name: item.detach() + torch.tensor(case[f"along_{name}"]) for name, item in w.items()
        }
        logits = quick.logits(moved, torch.tensor(case["pairs"]))
        after = wanted["the array of logits after a change of the weights"]
        assert logits.numpy() == pytest.approx(after, abs=1e-10)


def test_epochs_are_those_of_torch() -> None:
    """AdamW in numpy and in torch, from the same weights."""
    for case in cases.epoch_cases(rng()):
        w, pairs = weights_of(case), torch.tensor(case["pairs"])
        optimizer = adapters._optimizer(w, case["rate"])
        losses = []
        for _ in range(case["epochs"]):
            loss = quick.cross_entropy(quick.logits(w, pairs), pairs.sum(dim=1) % 5)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(loss.item())
        wanted = reference.one_epoch(**case)
        assert losses == pytest.approx(wanted["the array of losses"], abs=1e-10)
        for name, item in w.items():
            assert item.detach().numpy() == pytest.approx(wanted[f"{name} afterwards"], abs=1e-8)


def test_the_naive_form_costs_what_is_said() -> None:
    """As PyTorch counts it, with what it leaves out; the pass's logits and slopes are compared."""
    lab = homework.staff_module(ROOT, NAME, "lab")
    inputs = cases.cost_cases(rng())[0]
    inputs = {**inputs, "pairs": inputs["pairs"][:300], "rows": inputs["rows"] % 300}
    found = {n: plain(item) for n, item in adapters.fast_cost(lab._naive, **inputs).items()}
    # Its last position alone goes through the unembedding.
    wanted = reference.naive_cost(300, 97, 128, 512)
    assert found["multiply-adds"] == pytest.approx(wanted, rel=0.02)
    for name, right in models.counted_pass(inputs).items():
        assert found[name] == pytest.approx(right, rel=1e-4, abs=1e-4)
    shares = {0.02: "cannot be all", 0.1: "10%", 0.3: "30%", 0.34: "a third is allowed"}
    for share, said in shares.items():
        value = {**found, "multiply-adds": np.array(share * wanted)}
        verdict = models.CHEAP(inputs, value)
        assert said in verdict.message
        assert verdict.fraction == (0.05 < share < 1 / 3)
        other = {**value, "the array of logits": value["the array of logits"] + 0.1}
        assert "is not right" in models.CHEAP(inputs, other).message
        other = {**value, "the slope along W_K": np.array(value["the slope along W_K"] + 0.1)}
        assert "the slope along W_K is not right" in models.CHEAP(inputs, other).message


def test_every_product_is_counted_in_both() -> None:
    """In the sandbox and in the notebook, whatever it is called: 30 sums of 20 products, ten times."""
    one, other, vector = torch.randn(10, 20), torch.randn(20, 30), torch.randn(20)
    none = torch.zeros(10, 30)
    products = {
        "mm": (lambda: one @ other, 6000),
        "addmm": (lambda: torch.addmm(none, one, other), 6000),
        "bmm": (lambda: torch.bmm(one[None], other[None]), 6000),
        "baddbmm": (lambda: torch.baddbmm(none[None], one[None], other[None]), 6000),
        "addbmm": (lambda: torch.addbmm(none, one[None], other[None]), 6000),
        "einsum": (lambda: torch.einsum("ij,jk->ik", one, other), 6000),
        "sparse": (lambda: torch.sparse.mm(one.to_sparse(), other), 6000),
        "sparse added": (lambda: torch.sparse.addmm(none, one.to_sparse(), other), 6000),
        "hspmm": (lambda: torch.hspmm(one.to_sparse(), other), 6000),
        "with relu": (lambda: torch._addmm_activation(none[0], one, other), 6000),
        "numbers": (lambda: (one[:, :, None] * other).sum(dim=1), 6000),
        "addcmul": (lambda: torch.addcmul(none[:, None], one[:, :, None], other), 6000),
        "mv": (lambda: one @ vector, 200),
        "addmv": (lambda: torch.addmv(none[:, 0], one, vector), 200),
        "dot": (lambda: vector @ vector, 20),
        "outer": (lambda: torch.outer(vector, vector), 400),
        "addr": (lambda: torch.addr(torch.zeros(20, 20), vector, vector), 400),
        "attention": (
            lambda: torch.nn.functional.scaled_dot_product_attention(
                one[None, None], one[None, None], one[None, None]
            ),
            4000,
        ),
        "a number": (lambda: one * 0.5 + one / 3, 0),
    }
    for counter in (adapters.counter, answers(ROOT, NAME)["counter"]):
        for name, (product, wanted) in products.items():
            with counter() as counted:
                product()
            assert counted.get_total_flops() // 2 == wanted, name


def drawn(case: dict[str, int], kind: str) -> dict[str, np.ndarray]:
    """Return what the adapter gives of a start."""

    def initial_weights(p: int, width: int, hidden: int, seed: int) -> dict[str, torch.Tensor]:
        return quick.start(p, width, hidden, seed, kind)

    return adapters.initial_weights(initial_weights, **case)


@pytest.mark.parametrize("kind", quick.STARTS)
def test_only_the_right_start_is_taken(kind: str) -> None:
    """By mean, deviation and law, in both cases."""
    for case in cases.initial_cases(rng()):
        value = drawn(case, kind)
        verdict = models.DRAWN(case, value)
        assert (verdict.fraction == 1) == (kind == "right"), verdict.message
        assert models.DRAWN.likeness(case, value, value) == 1


@pytest.mark.slow
@pytest.mark.turns(8)
def test_right_starts_are_far_from_the_bounds() -> None:
    """Sixty of them: of the distance to a normal law a wide margin is left, and of correlations."""
    farthest = most = 0.0
    for number in range(60):
        for case in cases.initial_cases(np.random.default_rng(number)):
            value = drawn(case, "right")
            assert models.DRAWN(case, value).fraction == 1
            for name in shared.weights_shapes(3, 8, 5):
                wanted = (case["p"] + 1 if name == "W_U" else case["width"]) ** -0.5
                farthest = max(farthest, models.distance_to_normal(value[name] / wanted))
            if case["models"] == cases.SMALL_MODELS:
                names = shared.weights_shapes(3, 8, 5)
                rows = np.concatenate([value[n].reshape(100, -1) for n in names], axis=1)
                correlations = np.corrcoef(rows.T) - np.eye(rows.shape[1])
                most = max(most, np.abs(correlations).max())
    assert farthest < 0.75 * models.FARTHEST
    assert most < 0.75 * models.DEPENDENT


@pytest.mark.parametrize("spoiled", [np.array(np.nan), np.array([]), np.array(1.0), None, "text"])
def test_only_the_same_numbers_are_drawn_again(spoiled: object) -> None:
    """A difference that is no 0 is refused, whatever it is."""
    case = cases.initial_cases(rng())[0]
    value = drawn(case, "right")
    verdict = models.DRAWN(case, {**value, "W_in: the same seed again": spoiled})
    assert verdict.message.startswith("W_in: the same seed gives other numbers")


def test_numbers_of_few_values_are_not_normal() -> None:
    """Of -a, 0 and a, with the right deviation and as many beyond it as there should be."""
    for case in cases.initial_cases(rng()):
        value = drawn(case, "right")
        few = {n: np.sign(item) * (np.abs(item) > item.std()) for n, item in value.items()}
        few |= {n: few[n] / few[n].std() * value[n].std() for n in few if np.ndim(few[n])}
        assert models.DRAWN(case, {**value, "W_in": few["W_in"]}).fraction == 0


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
        for part, other in ((kept, ~chosen), (removed, chosen)):
            if not other.all():  # else it is the mean alone, and has no power at all
                power = reference.fourier_power(part)["the power of each frequency"]
                assert power[other].max(initial=0) < 1e-12


def test_weights_that_are_rounded_still_grok() -> None:
    """Rounded weights give another loss: training stops well below what is asked for."""
    assert adapters.LOW < models.GROKKED


def start_of(setting: tuple[int, float, int, int]) -> dict[str, torch.Tensor]:
    p, _, width, hidden = setting
    return quick.start(p, width, hidden, 0)


def test_an_untrained_model_is_in_no_band() -> None:
    """The right start, before anything was learned; and weights that are no numbers of a model."""
    w = {name: item.detach().numpy() for name, item in start_of(shared.LOG).items()}
    assert models.LOG({}, w).fraction == 0
    small = {name: item.detach().numpy() for name, item in start_of(shared.SMALL).items()}
    assert models.GROKS({}, small).fraction == 0
    huge = {name: 1e30 * item for name, item in small.items()}
    assert models.GROKS({}, huge).fraction == 0
    assert models.GROKS({}, {**small, "W_U": small["W_U"].T}).fraction == 0
    for check, weights in ((models.LOG, w), (models.GROKS, small)):
        constant = {name: np.full(item.shape, 0.1) for name, item in weights.items()}
        for size in (1e30, 1e5, 5.0):
            verdict = check({}, {**constant, "W_U": np.full(weights["W_U"].shape, size)})
            assert verdict.fraction == 0
            assert ("no training" in verdict.message) == (size > models.LARGEST)


def test_a_loss_is_not_rounded_off() -> None:
    """Where all logits are equal it is that of guessing, however large they are."""
    w = {name: np.full(size, 0.1) for name, size in shared.weights_shapes(7, 8, 5).items()}
    pairs = np.array([[1, 2], [3, 3]])
    for size in (1.0, 1e8, 1e30):
        equal = {**w, "W_U": np.full(w["W_U"].shape, size)}
        assert reference.cross_entropy(pairs, equal) == pytest.approx(np.log(8))


def test_cases_repeat_a_shape_and_each_is_called_something_else() -> None:
    """So that what is remembered by shapes is wrong, and a student knows which case is meant."""
    questions = homework.staff_module(ROOT, NAME, "spec").HOMEWORK.questions
    compared = [q for q in questions if isinstance(q.check, Close)]
    assert len(compared) == 6
    for question in compared:
        drawn = question.cases(rng())
        shapes = [tuple((n, np.shape(item)) for n, item in case.items()) for case in drawn]
        assert len(set(shapes)) < len(shapes), question.id
        assert len({question.check.describe(case) for case in drawn}) == len(drawn), question.id


def test_the_band_is_around_twenty_starts() -> None:
    """Each of them is in its inner half, as they were when `make grok` wrote them."""
    losses = homework.staff_module(ROOT, NAME, "saved").LOG_LOSSES
    assert len(losses) == 20
    assert max(abs(loss - models.LOG_MEAN) for loss in losses) < models.HALF_WIDTH / 2


def log_figure(start: dict[str, torch.Tensor]) -> float:
    """Return what the judge makes of a start that the adapter trains with quick answers."""
    value = adapters.log_reproduction(None, quick_epoch, lambda *_: start)
    return float(models.LOG.figure(value))


def quick_epoch(
    w: dict[str, torch.Tensor], optimizer: torch.optim.Optimizer, pairs: torch.Tensor
) -> None:
    answers = pairs.sum(dim=1) % (len(w["W_E"]) - 1)
    optimizer.zero_grad()
    quick.cross_entropy(quick.logits(w, pairs), answers).backward()
    optimizer.step()


@pytest.mark.slow
@pytest.mark.turns(8)
def test_wrong_starts_are_far_outside_of_the_band() -> None:
    """Torch's, and embeddings of deviation 1, from five seeds each: by several times its half width."""
    p, _, width, hidden = shared.LOG
    for seed in range(5):
        right = quick.start(p, width, hidden, seed)
        long = {
            name: (item.detach() * (width**0.5 if name in ("W_E", "W_pos") else 1)).requires_grad_()
            for name, item in right.items()
        }
        linear = quick.start(p, width, hidden, seed, "linear")
        assert models.LOG.low < log_figure(right) < models.LOG.high
        for wrong in (linear, long):
            assert log_figure(wrong) > models.LOG.high + 3 * models.HALF_WIDTH


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
