"""hw4_position: its oracle is torch's own encoder, its ceiling is one, its controls tell apart."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

from autograder.course import homework
from autograder.records.values import Refused
from tests.helpers import ROOT

NAME = "hw4_position"
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
adapters = homework.staff_module(ROOT, NAME, "adapters")
shared = homework.staff_module(ROOT, NAME, "shared")
spec = homework.staff_module(ROOT, NAME, "spec")


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
        mask = adapters._mask(case["blocked"], case["added"])
        if case["added"].any():
            mask = torch.tensor(np.where(case["blocked"] > 0, -np.inf, case["added"]))
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
        "not symmetric": shared.TABLE.astype(float),
        "of the other half": reference.symmetric(shared.TABLE.T).astype(float),
        "as it is": reference.symmetric(shared.TABLE).astype(float),
    }[wrong]
    zeros = {name: np.zeros(size) for name, size in models.ONE.items()}
    value = {"the symmetric table": table, "the turned table": table, **zeros}
    if wrong == "as it is":
        value["the turned table"] = reference.symmetric(shared.TABLE.T).astype(float)
    elif wrong == "of the other half":
        value["the turned table"] = reference.symmetric(shared.TABLE).astype(float)
    verdict = models.SYMMETRIC({}, value)
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
            *(
                (np.abs(states - case["states"]) - cases.ROUNDED * np.abs(states)).max(axis=(1, 2))
                for states in (made, made[:, ::-1])
            )
        )
        assert distance.max() < 1e-12


def test_adam_is_torchs() -> None:
    """The losses of a table that is learned freely are those of torch's own optimiser."""
    (case,) = cases.table_cases(rng())
    M, start = case["M"][0], case["start"][0]
    free = torch.tensor(start).requires_grad_()
    optimizer, losses = torch.optim.Adam([free], lr=5e-3), []
    for _ in range(shared.STEPS):
        loss = torch.nn.functional.cross_entropy(free.flatten(0, 1), torch.tensor(M).ravel())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    found, learned = reference.training(M, start, shared.STEPS)
    assert found == pytest.approx(losses, abs=1e-9)
    assert learned == pytest.approx(free.detach().numpy(), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("losses", lambda right: None, "list of its 90 losses"),
        ("losses", lambda right: right[::2], "list of its 90 losses"),
        ("losses", lambda right: right**1.2, "first loss"),
        ("losses", lambda right: 16 * right, "first loss"),
        ("losses", lambda right: np.append(right[1:], 0), "first loss"),
        ("losses", lambda right: np.append(right[:1], right[:-1]), "from step 2 on"),
        ("losses", lambda right: np.append(right[:-1], np.nan), "from step 90 on"),
        ("calls", lambda right: np.append(right, right), "calls `logits_of` 180 times"),
        ("calls", lambda right: right // 2, "all pairs in each step"),
        ("learned", lambda right: right + 0.005, "after the last step"),
        ("learned", lambda right: right * np.nan, "after the last step"),
    ],
)
def test_training_that_is_not_the_texts(
    name: str, wrong: Callable[[np.ndarray], object], said: str
) -> None:
    """Weights that learned the table are not enough: what the free tables do is compared."""
    (case,) = cases.table_cases(rng())
    value: dict[str, object] = {}
    for n, (M, start) in enumerate(zip(case["M"], case["start"], strict=True)):
        losses, learned = reference.training(M, start, shared.STEPS)
        value |= {f"losses {n}": losses, f"learned {n}": learned}
        value[f"calls {n}"] = np.full(shared.STEPS, 16)
    assert not models.TABLE._losses(case, value)
    assert said in models.TABLE._losses(case, {**value, f"{name} 1": wrong(value[f"{name} 1"])})


def test_a_model_of_which_one_norm_is_left() -> None:
    """Only expected weights cross, and one that is missing is named; what comes beside them is nothing."""

    def only_a_norm(model: torch.nn.Module, M: torch.Tensor, steps: int) -> None:
        layer = torch.nn.Module()
        layer.norm1 = torch.nn.LayerNorm(16)
        model.encoder = torch.nn.Module()
        model.encoder.layers = torch.nn.ModuleList([layer])

    def a_third(model: torch.nn.Module, M: torch.Tensor, steps: int) -> None:
        layer = torch.nn.Module()
        layer.norm1 = torch.nn.LayerNorm(16)
        model.encoder.layers.append(layer)

    with pytest.raises(Refused, match=r"has nothing under 'encoder\.layers\.0\.self_attn"):
        adapters.no_mask_control(None, None, only_a_norm)
    found = {n: np.asarray(w) for n, w in adapters.no_mask_control(None, None, a_third).items()}
    assert found.keys() == {*models.TWO, "masked"}
    assert models.NO_MASK({}, found).fraction == 0
    beside = {**found, "encoder.layers.2.norm1.weight": np.ones(16)}
    assert models.NO_MASK({}, beside).fraction == 0


@pytest.mark.parametrize("size", [1e200, np.finfo(float).max])
def test_huge_weights_are_judged_and_are_wrong(size: float) -> None:
    weights = {name: np.full(shape, size) for name, shape in models.TWO.items()}
    assert models.NO_MASK({}, weights).fraction == 0


def test_a_control_on_the_symmetric_table_reaches_the_ceiling_and_is_told() -> None:
    """As many pairs are right as without order: the loss on M tells that its other half was never seen."""
    logits = 50 * np.eye(12)[reference.symmetric(shared.TABLE)].reshape(144, 12)
    right = logits.argmax(axis=1) == shared.TABLE.ravel()
    assert right.sum() == models.CEILING
    check = replace(models.NO_MASK, right=lambda value: right, loss=lambda value: 3.0)
    zeros = {name: np.zeros(shape) for name, shape in models.TWO.items()}
    assert "sure of entries that are wrong" in check({}, zeros).message
    likely = replace(check, loss=lambda value: models.FLOOR + 0.1)
    assert likely({}, {**zeros, "masked": np.array(0.0)}).fraction == 1
    assert "with a mask" in likely({}, {**zeros, "masked": np.array(1.0)}).message


def test_a_table_that_is_kept_from_call_to_call_is_told() -> None:
    turned = reference.symmetric(shared.TABLE.T)
    zeros = {name: np.zeros(size) for name, size in models.ONE.items()}
    value = {"the turned table": turned, "the symmetric table": turned, **zeros}
    assert "from call to call" in models.SYMMETRIC({}, value).message


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        (lambda T: torch.full((T, T), -100.0).triu(1), "has to weigh nothing"),
        (lambda T: torch.full((T, T), -float("inf")).triu(1), ""),
        (lambda T: torch.full((T, T), -1e9).triu(1), ""),
        (lambda T: torch.ones(T, T).triu(1) > 0, ""),
        (lambda T: torch.ones(T, T).tril() > 0, "is not a number"),
    ],
)
def test_masks(mask: Callable[[int], torch.Tensor], said: str) -> None:
    """A finite number is not enough, however right the outputs are; NaN is said to be none."""
    check, found = spec.HOMEWORK.question("causal_mask").check, []
    drawn = cases.masked_cases(rng())[:4]
    for case in drawn:
        value = {n: np.asarray(a, dtype=float) for n, a in adapters.masked(mask, **case).items()}
        found.append(check(case, value).message)
    if said:
        assert all(said in message and "1e+06" not in message for message in found)
    else:
        assert set(found) == {"Equal to the reference in every case."}


def test_a_mask_that_holds_nan_is_told_so() -> None:
    case = cases.masked_cases(rng())[0]
    with pytest.raises(Refused, match="holds NaN"):
        adapters.masked(lambda T: torch.ones(T, T).triu(1) * -float("inf"), **case)


@pytest.mark.parametrize("shape", [(1_000_000, 1), (1, 1_000_000), (64, 8), (3,)])
def test_what_a_mask_adds_is_square(shape: tuple[int, ...]) -> None:
    """Whoever forges it does not have the judge count the places above a long diagonal."""
    case = cases.masked_cases(rng())[0]
    check = spec.HOMEWORK.question("causal_mask").check
    assert check is not None
    found = adapters.masked(lambda T: torch.ones(T, T).triu(1) > 0, **case)
    right = {name: np.asarray(item, dtype=float) for name, item in found.items()}
    assert check(case, right).fraction == 1
    assert check(case, {**right, "what the mask adds": np.full(shape, -np.inf)}).fraction == 0


def _logits(
    model: torch.nn.Module,
    pairs: torch.Tensor,
    padded: bool,
    mask: torch.Tensor | None,
    **how: bool,
) -> torch.Tensor:
    x = model.embedding(pairs)
    if padded:
        x = torch.nn.functional.pad(x, (0, 0, 0, 1))
    return model.unembedding(model.encoder(x, mask=mask, **how)[:, -1])


def _own_causal(
    model: torch.nn.Module, pairs: torch.Tensor, padded: bool, mask: torch.Tensor | None
) -> torch.Tensor:
    causal = None if mask is None else torch.ones(2 + padded, 2 + padded).triu(1) > 0
    return _logits(model, pairs, padded, causal)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (_logits, True),
        (lambda *given: _logits(*given).detach(), False),
        (lambda *given: _logits(*given).detach().numpy(), False),
        (torch.no_grad()(_logits), False),
        (lambda *given: _logits(*given, is_causal=given[3] is not None), False),
        (_own_causal, False),
    ],
)
def test_logits_need_gradients_and_the_given_mask(
    answer: Callable[..., object], right: bool
) -> None:
    """Numbers that are cut off earn nothing, and masks are not all causal."""
    check = spec.HOMEWORK.question("table_logits").check
    found = []
    for case in cases.logits_cases(rng()):
        value = adapters.table_logits(answer, **case)
        found.append(check(case, value).fraction)
    assert (min(found) == 1) == right


def test_logits_that_change_the_model_are_refused() -> None:
    def scales(*given: object) -> torch.Tensor:
        with torch.no_grad():
            given[0].embedding.weight.mul_(2)
        return _logits(*given)

    with pytest.raises(Refused, match=r"changes `embedding\.weight`"):
        adapters.table_logits(scales, **cases.logits_cases(rng())[0])


def test_a_control_that_writes_into_the_table_is_refused() -> None:
    def writes(model: torch.nn.Module, M: torch.Tensor, steps: int) -> torch.Tensor:
        return M.copy_(M.triu() + M.triu(1).T)

    with pytest.raises(Refused, match="`symmetric_control` changes `M`"):
        adapters.symmetric_control(None, None, writes)


def test_embeddings_can_be_told_apart_in_single_precision() -> None:
    """By their directions, too, which is how one of the right styles looks."""
    for case in cases.order_cases(rng()):
        E = case["E"].astype(np.float32)
        cosines = cases._cosines(E, E)
        np.fill_diagonal(cosines, 0)
        assert cosines.max() < 1 - 5e-6


def test_each_case_has_a_description_of_its_own() -> None:
    """What is said of one case is not said of another."""
    for question in spec.HOMEWORK.questions:
        if question.check is not None and hasattr(question.check, "describe"):
            drawn = question.cases(rng())
            assert len({question.check.describe(case) for case in drawn}) == len(drawn)


def test_the_ceiling_is_a_figure_of_the_table() -> None:
    """So many of its pairs are right at most where (i, j) and (j, i) cannot be told apart."""
    assert models.CEILING == 82


def test_a_rotation_is_relative_and_keeps_lengths() -> None:
    """As the notebook says: scores depend on the difference of positions alone."""
    q, k = rng().normal(size=(2, 8))
    here, there = (
        reference.turned(q, m, 10000.0) @ reference.turned(k, m - 5, 10000.0) for m in (7, 40)
    )
    assert here == pytest.approx(there, abs=1e-12)
    assert np.linalg.norm(reference.turned(q, 33, 100.0)) == pytest.approx(np.linalg.norm(q))


def test_the_gradient_of_a_rotation_is_torchs() -> None:
    """Of complex numbers, which is no way that the reference goes."""

    def answer(x: torch.Tensor, positions: torch.Tensor, base: float) -> torch.Tensor:
        pairs = torch.view_as_complex(x.double().unflatten(1, (-1, 2)))
        angles = positions.double()[:, None] * base ** (
            -torch.arange(pairs.shape[1]).double() / pairs.shape[1]
        )
        return torch.view_as_real(pairs * torch.exp(1j * angles)).flatten(1)

    check = spec.HOMEWORK.question("rotate").check
    for case in cases.rotate_cases(rng()):
        assert check(case, adapters.rotate(answer, **case)).fraction == 1


@pytest.mark.parametrize(("d", "share"), [(2, 0.23), (4, 0.40), (8, 0.98), (16, 1.0)])
def test_one_hand_cannot_tell_the_previous_position(d: int, share: float) -> None:
    """With two numbers the weight is shared with the position 45 back."""
    q = np.full(d, 5.0)
    shares = reference.weights_back(q, reference.turned(q, 1, reference.BASE))
    assert shares[1] == pytest.approx(share, abs=0.005)
    if d == 2:
        assert shares[45] == pytest.approx(shares[1], abs=0.005)


def test_whole_numbers_are_a_query_as_well() -> None:
    """They are turned as real numbers, and are not cut down to whole ones."""
    q = np.full(8, 5)
    k = reference.turned(q, 1, reference.BASE)
    assert reference.looks_back({"q": q, "k": k}, 8) is True
    assert "real numbers" in reference.looks_back({"q": q + 1j, "k": k}, 8)
