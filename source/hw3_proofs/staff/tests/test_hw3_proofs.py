"""hw3_proofs: its oracle is right, its checks tell right from nearly right, its source is marked fairly."""

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import homework
from autograder.grading.grader import Grader
from autograder.records.homework import Homework
from autograder.records.questions import Inputs, Verdict
from autograder.records.values import Refused
from autograder.sandbox.mistake_bank import bank
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover
from tests.helpers import COURSE, FUZZ, ROOT

NAME = "hw3_proofs"
reference = homework.staff_module(ROOT, NAME, "reference")
adapters = homework.staff_module(ROOT, NAME, "adapters")
CHOSEN = homework.load(ROOT, NAME)
cases = homework.staff_module(ROOT, NAME, "cases")
derivations = homework.staff_module(ROOT, NAME, "derivations")


@pytest.fixture(scope="module")
def hw3() -> Homework:
    return homework.load(ROOT, NAME)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def number(values: dict[str, np.ndarray]) -> float:
    (value,) = values.values()
    return float(value)


# The oracle, against facts that were found in another way.


def test_losses_and_threshold_are_those_of_the_source() -> None:
    """W = I: 0 and 2 lam; W = diag(1, 0): 0.001 and lam; equal at 0.001."""
    (losses,) = reference.purification_losses(0.7).values()
    assert losses == pytest.approx([0, 1.4, 0.001, 0.7])
    assert number(reference.purification_threshold()) == pytest.approx(0.001)


@pytest.mark.parametrize("case", cases.purifier_cases(rng()), ids=lambda case: str(case["X"].shape))
def test_purifier_is_the_minimum(case: Inputs) -> None:
    """The gradient vanishes, the minimum has the value that proofs give, and the SVD says the same."""
    X, lam = case["X"], case["lam"]
    (W,) = reference.purifier(X, lam).values()
    assert np.abs(-2 * (X - W @ X) @ X.T + 2 * lam * W).max() < 1e-12
    U, s, _ = np.linalg.svd(X)
    objective = ((X - W @ X) ** 2).sum() + lam * (W**2).sum()
    assert objective == pytest.approx((lam * s**2 / (s**2 + lam)).sum())
    (again,) = reference.purifier_from_svd(U, s, lam).values()
    assert np.abs(again - W).max() < 1e-12
    assert np.linalg.cond(X[X.any(axis=1)]) < 1e3  # one case has a sensor that measures nothing


def test_interval_is_exact() -> None:
    """At its ends the conditions hold with equality, for the singular values of the text."""
    (low, high) = reference.lambda_interval()["the interval"]
    assert 16 / (16 + high) == pytest.approx(0.8)
    assert 1 / (1 + low) == pytest.approx(0.5)


def test_argmax_of_the_text() -> None:
    """The example on paper gives (1, 4, 3)."""
    K = np.array([[1, 2, 0], [0, 3, 4], [5, 0, 0], [0, 0, 1]])
    V = np.array([[2, 0, 1], [1, 4, 3], [0, -1, 4], [1, 0, -1]])
    (output,) = reference.argmax_attention(np.array([1, 1, 2]), K, V).values()
    assert output.tolist() == [1, 4, 3]


@pytest.mark.parametrize("seed", range(30))
def test_every_draw_has_every_best_key(seed: int) -> None:
    """First, in the middle, last and alone, with both signs; other ways to choose miss two cases."""
    drawn = cases.argmax_cases(np.random.default_rng(seed))
    kinds = {reference.best_key(case["q"], case["K"]) for case in drawn}
    for place in ("key first", "in the middle", "key last", "single key"):
        assert any(place in kind for kind in kinds)
    assert sum("a negative score" in kind for kind in kinds) >= 3
    assert sum("a positive score" in kind for kind in kinds) >= 3
    for wrong in (
        lambda s: max([0.0, *s[1:]]),
        lambda s: max([-1.0, *s[1:]]),
        lambda s: max(s[:-1] or s),
        lambda s: max(s[1:] or s),
        lambda s: max(s, key=abs),
    ):
        scores = [(case["K"] @ case["q"]).tolist() for case in drawn]
        assert any(wrong(some) != max(some) for some in scores)


@pytest.mark.parametrize(("mu", "sigma", "d"), [(0.0, 1.0, 3), (0.7, 1.3, 2), (-1.5, 0.4, 3)])
def test_moments_hold_for_coins(mu: float, sigma: float, d: int) -> None:
    """With coordinates mu + sigma or mu - sigma, all outcomes can be listed: no draw, no error."""
    outcomes = np.array(list(itertools.product((mu - sigma, mu + sigma), repeat=2 * d)))
    scores = (outcomes[:, :d] * outcomes[:, d:]).sum(axis=1)
    assert scores.mean() == pytest.approx(number(reference.dot_mean(mu, sigma, d)))
    assert scores.var() == pytest.approx(number(reference.dot_variance(mu, sigma, d)))
    waypoint = derivations.MOMENTS.waypoints["E[(q.k)^2]"]
    assert (scores**2).mean() == pytest.approx(float(waypoint(mu=mu, sigma=sigma, d=d)))


@pytest.mark.parametrize("D", [1, 2, 5])
def test_dimension_is_the_smallest(D: int) -> None:
    """As many features are needed as the kernel's matrix on many points has rank."""
    points = rng().normal(size=(60, D))
    rank = np.linalg.matrix_rank((points @ points.T + 1) ** 2)
    assert number(reference.feature_dimension(D)) == rank


def test_linear_form_is_softmax_like_attention() -> None:
    """The oracle's loop equals a matrix of all pairs."""
    case = cases.attention_cases(rng())[1]
    phi_Q, phi_K = (reference.phi(case[name], case["A"]) for name in "QK")
    (output,) = reference.kernel_attention(**case).values()
    assert np.abs(output - derivations.softmax_like(phi_Q, phi_K, case["V"])).max() < 1e-12


def test_the_law_of_the_frequencies() -> None:
    """With 400,000 draws at D = 4, N(0, sigma^-2 I) gives the kernel and N(0, sigma^2 I) nearly nothing."""
    sigma, away = 2**0.5, np.full(4, 1.811)
    kernel = np.exp(-away @ away / (2 * sigma**2))
    assert kernel == pytest.approx(0.0376, abs=1e-4)
    draws = rng().normal(size=(400_000, 4))
    assert np.cos(draws / sigma @ away).mean() == pytest.approx(kernel, abs=0.004)
    assert abs(np.cos(draws * sigma @ away).mean()) < 0.004


# The checks, beside answers that are nearly right.


def frequencies_verdicts(D: int, scale: float) -> list[Verdict]:
    question = next(q for q in CHOSEN.questions if q.id == "sample_frequencies")
    case = cases.frequencies_cases(rng())[0]
    away = case["away"][:, :D]
    away = away / np.linalg.norm(away, axis=1)[:, None] * case["sigma"]
    verdicts = []
    for seed in range(20):
        draws = np.random.default_rng(seed).normal(size=(case["D_random"], D))
        draws *= case["sigma"] ** scale
        inputs = {**case, "D": D, "away": away}
        assert question.check is not None
        verdicts.append(question.check(inputs, {"the frequencies": draws}))
    return verdicts


def test_frequencies_of_the_right_law_pass() -> None:
    """No draw of the right law misses by 6 standard errors, and none of a wrong law does not."""
    assert all(verdict.fraction == 1 for verdict in frequencies_verdicts(4, -1))
    for wrong in (1, -2, 0):
        assert not any(verdict.fraction for verdict in frequencies_verdicts(4, wrong))


def test_equal_rows_are_no_sample() -> None:
    """One vector, repeated, is no sample of independent frequencies."""
    question = next(q for q in CHOSEN.questions if q.id == "sample_frequencies")
    case = cases.frequencies_cases(rng())[0]
    one = np.random.default_rng(3).normal(size=(1, case["D"])) / case["sigma"]
    assert question.check is not None
    verdict = question.check(case, {"the frequencies": np.repeat(one, case["D_random"], axis=0)})
    assert verdict.fraction == 0


def linear(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q), phi(K)  # type: ignore[operator]
    return phi_Q @ (phi_K.T @ V) / (phi_Q @ phi_K.sum(0))[:, None]


def by_rows(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_K = phi(K)  # type: ignore[operator]
    S, z = phi_K.T @ V, phi_K.sum(0)
    return torch.stack([phi(q) @ S / (phi(q) @ z) for q in Q])  # type: ignore[operator]


def all_pairs(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    weights = phi(Q) @ phi(K).T  # type: ignore[operator]
    return weights @ V / weights.sum(1, keepdim=True)


def outer_products(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q), phi(K)  # type: ignore[operator]
    S = (phi_K[:, :, None] * V[:, None, :]).sum(0)
    return (phi_Q[:, :, None] * S).sum(1) / (phi_Q * phi_K.sum(0)).sum(1, keepdim=True)


def cost(function: object) -> tuple[dict[str, Any], Verdict]:
    """Return what is counted of a function, and what is said of it."""
    question = next(q for q in CHOSEN.questions if q.id == "kernel_attention_cost")
    case = cases.cost_cases(rng())[0]
    value = adapters.kernel_attention_cost(function, **case)
    assert question.check is not None
    return value, question.check(case, {k: np.array(v) for k, v in value.items()})


def sparse(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q), phi(K)  # type: ignore[operator]
    S = torch.sparse.mm(phi_K.T.to_sparse(), V)
    return torch.sparse.mm(phi_Q.to_sparse(), S) / (phi_Q @ phi_K.sum(0))[:, None]


def mapped(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_K = phi(K)  # type: ignore[operator]
    S, z = phi_K.T @ V, phi_K.sum(0)
    return torch.vmap(lambda q: phi(q) @ S / (phi(q) @ z))(Q)  # type: ignore[operator]


def divided_outside(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q), phi(K)  # type: ignore[operator]
    above, below = phi_Q @ (phi_K.T @ V), phi_Q @ phi_K.sum(0)
    return torch.stack([row / float(number) for row, number in zip(above, below, strict=True)])


LINEAR = (linear, by_rows, outer_products, sparse, mapped, divided_outside)


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("function", LINEAR)
def test_cost_of_attention(function: Any, mode: Any) -> None:
    """All linear forms pass, with or without gradients; all pairs do not, and stop at the first length."""
    found = []
    for some in (function, all_pairs):
        with mode():
            found.append(cost(some))
    (value, right), (pairs, wrong) = found
    assert right.fraction == 1, right
    assert wrong.fraction == 0
    assert [len(v["operations"]) for v in (value, pairs)] == [2, 1]


@pytest.mark.filterwarnings("ignore:Sparse CSR")  # torch makes one on its way
def test_every_product_is_counted() -> None:
    """A product of matrices takes as many operations however it is written."""
    one, other = torch.randn(30, 20), torch.randn(20, 10)
    ways: tuple[Any, ...] = (
        lambda: one @ other,
        lambda: torch.einsum("ab,bc->ac", one, other),
        lambda: torch.nn.functional.linear(one, other.T.contiguous()),
        lambda: torch.addmm(torch.zeros(30, 10), one, other),
        lambda: torch.baddbmm(torch.zeros(1, 30, 10), one[None], other[None])[0],
        lambda: torch.sparse.mm(one.to_sparse(), other),
        lambda: torch.sparse.mm(one.to_sparse(), other.to_sparse()).to_dense(),
        lambda: (one[:, :, None] * other).sum(1),
        lambda: torch.stack([torch.mv(other.T, row) for row in one]),
    )
    for way in ways:
        for mode in (torch.enable_grad, torch.inference_mode):
            with mode(), adapters._Counter() as made:  # type: ignore[operator]
                product = way()
            assert torch.allclose(product, one @ other, atol=1e-4)
            assert made.operations >= 30 * 20 * 10


def loop(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_K = phi(K)  # type: ignore[operator]
    rows = []
    for q in phi(Q):  # type: ignore[operator]
        weights = phi_K @ q
        rows.append(weights @ V / weights.sum())
    return torch.stack(rows)


def sums_again(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q), phi(K)  # type: ignore[operator]
    S = phi_K.T @ V
    return torch.stack([q @ S / (q @ phi_K.sum(dim=0)) for q in phi_Q])


def products_again(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q), phi(K)  # type: ignore[operator]
    z = phi_K.sum(dim=0)
    columns = range(V.shape[1])
    return torch.stack(
        [torch.stack([q @ (phi_K.T @ V[:, m]) for m in columns]) / (q @ z) for q in phi_Q]
    )


@pytest.mark.parametrize("function", [loop, sums_again, products_again])
def test_what_all_queries_share_is_made_once(function: object) -> None:
    """What is made again for each query is quadratic, however small the tensors are."""
    assert "times as many operations" in cost(function)[1].message


def only_short(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    return linear(Q, K, V, phi) if len(Q) <= 200 else V + 0 * linear(Q, K, V, phi)


def last_rows_missing(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object
) -> torch.Tensor:
    right = linear(Q, K, V, phi)
    right[300:] = 0
    return right


@pytest.mark.parametrize("function", [only_short, last_rows_missing])
def test_the_counted_pass_is_compared(function: object) -> None:
    """What is counted has to be right: another function for long inputs earns nothing."""
    assert "some rows of the output are not right" in cost(function)[1].message


def outside(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = (phi(x).detach().numpy() for x in (Q, K))  # type: ignore[operator]
    weights = phi_Q @ phi_K.T
    return torch.tensor(weights @ V.detach().numpy() / weights.sum(axis=1, keepdims=True))


def outside_and_something(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object
) -> torch.Tensor:
    return outside(Q, K, V, phi) + 0 * linear(Q, K, V, phi)


def in_lists(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, phi: object) -> torch.Tensor:
    phi_Q, phi_K = phi(Q).tolist(), phi(K).tolist()  # type: ignore[operator]
    S, z = np.array(phi_K).T @ np.array(V.tolist()), np.sum(phi_K, axis=0)
    return torch.tensor(np.array(phi_Q) @ S / (np.array(phi_Q) @ z)[:, None])


@pytest.mark.parametrize("function", [outside, outside_and_something, in_lists])
def test_what_torch_does_not_see_is_no_proof_of_cost(function: object) -> None:
    """All pairs in numpy make no tensor and no operation: that is refused, with or without detach."""
    with pytest.raises(Refused, match="stay in torch"):
        cost(function)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("memory", "fraction"),
    [
        (lambda N, D, M, C: N * C + C * M + N * M, 1),
        (lambda N, D, M, C: N * (C + D + 2 * M) + C * M, 1),
        (lambda N, D, M, C: N * (D + M) + C * M, 1),
        (lambda N, D, M, C: N * max(D, M) + C * M, 1),
        (lambda N, D, M, C: N * C + C * M, 0),
        (lambda N, D, M, C: N * C + N * M, 0),
        (lambda N, D, M, C: N * M + C * M, 0),
        (lambda N, D, M, C: N * C * M, 0),
        (lambda N, D, M, C: N * N + C * M, 0),
        (lambda N, D, M, C: N * (D + M) + D * D * M, 0),
    ],
)
def test_both_right_memories_pass(memory: Any, fraction: float, seed: int) -> None:
    """Features of all rows at once or row after row; no term of either can be left out."""
    question = next(q for q in CHOSEN.questions if q.id == "costs")
    case, _ = question.cases(np.random.default_rng(seed))
    points = np.array([case[name] for name in cases.VARIABLES]).T
    value = {
        **right_values()["costs"][0][1],
        "linear_memory": np.array([memory(*p) for p in points]),
    }
    for name in ("softmax_time", "softmax_memory", "linear_time"):
        value[name] = np.array([getattr(reference, name)(*p) for p in points])
    assert question.check is not None
    assert question.check(case, value).fraction == (0.75, 1)[fraction]


HIDDEN_RESULTS = (
    "functools.lru_cache(formula)",
    "functools.lru_cache(functools.lru_cache(formula))",
    "(lambda f: lambda *a: f(*a))(formula)",
    "Holder(formula).call",
)


@pytest.mark.parametrize("result", HIDDEN_RESULTS)
@pytest.mark.parametrize("call", ["dot_variance", "alias", "cached"])
def test_a_result_is_withheld_behind_caches(result: str, call: str) -> None:
    """A derivation cannot call its result, whatever it is wrapped in and however it is named."""
    namespace: dict[str, Any] = {}
    exec(
        "import functools\n"
        "def formula(mu, sigma, d): return d * (sigma**4 + 2 * mu**2 * sigma**2)\n"
        "class Holder:\n"
        "    def __init__(self, f): self.f = f\n"
        "    def call(self, *a): return self.f(*a)\n"
        f"dot_variance = {result}\n"
        "alias = dot_variance\n"
        "cached = functools.lru_cache(functools.partial(dot_variance))\n"
        f"def derivation(): return [('Var[q.k]', lambda mu, sigma, d, f={call}: f(mu, sigma, d))]",
        namespace,
    )
    for _ in range(2):
        case = cases.variance_lines(rng())[0]
        value = adapters.variance_derivation(namespace["derivation"], **case)
        assert value["line 1, trouble"] == "it calls the result that is to be derived"
        assert float(value["last"]) == pytest.approx(
            number(reference.dot_variance(case["mu"], case["sigma"], case["d"]))
        )


def test_features_do_not_depend_on_what_came_before() -> None:
    """Features that remember x and answer when y comes lose: all pairs are looked at, twice."""
    seen: list[torch.Tensor] = []

    def remembering(x: torch.Tensor) -> torch.Tensor:
        made = torch.ones(*x.shape[:-1], 1, dtype=x.dtype)
        if seen and seen[-1].shape == x.shape:
            made = ((seen.pop() * x).sum(-1, keepdim=True) + 1) ** 2
        else:
            seen.append(x.clone())
        return made

    check = next(q.check for q in CHOSEN.questions if q.id == "quadratic_features")
    for case in cases.features_cases(rng()):
        seen.clear()
        try:
            value = adapters.quadratic_products(remembering, **case)
        except Refused:
            continue
        assert check(case, value).fraction == 0


def test_equal_frequencies_are_refused() -> None:
    """A frequency that is drawn once and used several times is no draw of its own."""

    def repeated(D_random: int, D: int, sigma: float, rng: Any) -> Any:
        half = rng.normal(size=(D_random // 2, D)) / sigma
        return np.vstack([half, -half])

    with pytest.raises(Refused, match="equal"):
        adapters.sample_frequencies(repeated, 6, 4, 1.5, 0)


def test_a_result_may_change_what_it_is_given() -> None:
    """A result that works in place loses its own question, and costs its derivation nothing."""

    def purifier_from_svd(U: np.ndarray, s: np.ndarray, lam: float) -> np.ndarray:
        s *= s
        return U[:, : len(s)] * (s / (s + lam)) @ U[:, : len(s)].T

    namespace = {"purifier_from_svd": purifier_from_svd}
    lines = """lambda: [
        ("eigenvalues of X X^T", lambda s: s**2),
        ("eigenvalues of A^-1", lambda s, lam: 1 / (s**2 + lam)),
        ("eigenvalues of the purifier", lambda s, lam: s**2 / (s**2 + lam)),
    ]"""
    check = derivations.EIGENVALUES
    for case in cases.svd_lines(rng()):
        value = adapters.svd_derivation(eval(lines, namespace), **case)
        value = {k: v if isinstance(v, str) else np.asarray(v) for k, v in value.items()}
        assert check(case, value).fraction == 1


@pytest.mark.parametrize(
    "id",
    [
        "purification_losses",
        "purification_threshold",
        "lambda_interval",
        "scale",
        "feature_dimension",
        "gaussian_sigma",
    ],
)
def test_no_distance_gives_a_number_away(id: str) -> None:
    """A wrong guess is not told by how much it is wrong."""
    check = next(q.check for q in CHOSEN.questions if q.id == id)
    for case, right in right_values()[id]:
        message = check(
            case, {name: np.full(array.shape, 0.1) for name, array in right.items()}
        ).message
        assert "off by" not in message
        assert "is not right" in message


def test_frequencies_from_elsewhere_are_refused() -> None:
    """What does not come from the generator that is given cannot be drawn again."""
    generator = np.random.default_rng(1)

    def own(D_random: int, D: int, sigma: float, rng: object) -> np.ndarray:
        return generator.normal(size=(D_random, D)) / sigma

    with pytest.raises(Refused, match="draw from `rng`"):
        adapters.sample_frequencies(own, 5, 4, 1.5, 0)


@functools.cache
def right_values() -> dict[str, list[tuple[Inputs, dict[str, Any]]]]:
    """Return each question's cases with what the instructor's answers give."""
    namespace: dict[str, Any] = {}
    for cell in homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb"):
        if cell.type == "code" and cell.role in ("provided", "answer"):
            exec(cell.source, namespace)
    found: dict[str, list[tuple[Inputs, dict[str, Any]]]] = {}
    for question in CHOSEN.questions:
        if question.ask is None:
            continue
        objects = [namespace[name] for name in question.ask.objects]
        for case in question.cases(rng()):
            value = getattr(adapters, question.ask.adapter)(*objects, **case)
            plain = {k: v if isinstance(v, str) else np.asarray(v) for k, v in value.items()}
            found.setdefault(question.id, []).append((case, plain))
    return found


EVALUATED = [question.id for question in CHOSEN.questions if question.ask]


@pytest.mark.parametrize("id", EVALUATED)
def test_right_values_earn_everything(id: str) -> None:
    """The instructor's answers, without a sandbox in between."""
    check = next(q.check for q in CHOSEN.questions if q.id == id)
    assert all(check(case, value).fraction == 1 for case, value in right_values()[id])


@pytest.mark.fuzzed
@given(st.data())
@FUZZ
def test_no_forged_value_is_a_crash(data: st.DataObject) -> None:
    """A reply in which anything is exchanged is judged and compared, and costs or nothing (slice: 700)."""
    id = data.draw(st.sampled_from(EVALUATED))
    check = next(q.check for q in CHOSEN.questions if q.id == id)
    case, right = data.draw(st.sampled_from(right_values()[id]))
    forged = st.builds(
        lambda shape, fill: np.full(shape, fill),
        st.lists(st.integers(0, 4), max_size=3).map(tuple),
        st.sampled_from([0.0, 1.0, -1.0, 1e308, 5e-324, 0, 1, 2**62, -(2**62)]),
    )
    names = sorted(right) + [f"line {n}, {what}" for n in (1, 3) for what in LINE_PARTS]
    changes = st.dictionaries(st.sampled_from(names), forged | st.just("text"), min_size=1)
    value = {**right, **data.draw(changes)}
    for name in data.draw(st.lists(st.sampled_from(sorted(right)), max_size=2)):
        value.pop(name, None)
    other = {**right, **data.draw(changes)}
    with np.errstate(all="ignore"):  # as where marks are made: a forged number may overflow
        verdict = check(case, value)
        assert 0 <= verdict.fraction <= 1
        assert len(verdict.message) < 5000
        assert check.likeness(case, value, other) in (0, 0.5, 1)
        check.overview([(case, value, False)])


LINE_PARTS = ("left", "right", "left anywhere", "right anywhere", "error", "waypoint", "trouble")


# Part 6: one pass over the keys, and a cache.


def answers() -> dict[str, Any]:
    """Return what the instructor's notebook defines, without its demos and checks."""
    namespace: dict[str, Any] = {}
    for cell in homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb"):
        if cell.type == "code" and cell.role in ("provided", "answer"):
            exec(cell.source, namespace)
    return namespace


def test_one_pass_is_exact_and_a_forgotten_rescale_is_not() -> None:
    """Of 2,048 rows in blocks of 64, a thirty-second of the numbers; scores in the thousands stay finite."""
    torch.manual_seed(0)
    Q, K, V = (torch.randn(2048, 64, dtype=torch.float64) for _ in "QKV")
    mine = answers()
    right = torch.softmax(Q @ K.T / 8, dim=1) @ V
    with adapters._Counter() as made:  # type: ignore[operator]
        found = mine["attend_in_blocks"](Q, K, V, 64)
    assert made.largest == 131_072 == 2048**2 // 32
    assert (found - right).abs().max() < 1e-15
    large = mine["attend_in_blocks"](1000 * Q, K, V, 64)
    assert (large - torch.softmax(1000 * Q @ K.T / 8, dim=1) @ V).abs().max() < 1e-9
    mine["merge"] = lambda m1, l1, o1, m2, l2, o2: (torch.maximum(m1, m2), l1 + l2, o1 + o2)
    wrong = mine["attend_in_blocks"](Q, K, V, 64)
    assert float((wrong - right).abs().max()) > 0.1


def test_decoding_needs_what_the_reference_says() -> None:
    """For width 64 and 256 tokens, 8,404,992 multiplications; all tokens again take 150 times as many."""
    case = cases.decode_cases(rng())[-1]
    assert reference.multiplications({**case, "pieces": np.ones(256, int)}) == 8_404_992
    assert sum(4 * t * 64**2 + 2 * t * t * 64 for t in range(1, 257)) == 1_258_995_712
    again = sum(4 * t * 64**2 + 2 * t * t * 64 for t in range(1, len(case["tokens"]) + 1))
    assert 2 * again > 12 * reference.operations_allowed(case)


def test_a_cache_of_a_large_model() -> None:
    """64 GiB with 32 key-value heads, 16 GiB with 8."""
    for heads, gigabytes in ((32, 64), (8, 16)):
        assert number(reference.cache_bytes(32, heads, 128, 131_072, 16)) == gigabytes * 2**30


@pytest.mark.parametrize("many", range(1, 5))
def test_torchs_own_attention_is_refused(many: int) -> None:
    """Whatever the axes in front, and whichever kernel torch takes."""

    def attend(Q: Any, K: Any, V: Any, size: int) -> Any:
        parts = (part[(None,) * (many - 1)] for part in (Q, K, V))
        return torch.nn.functional.scaled_dot_product_attention(*parts)[(0,) * (many - 1)]

    with pytest.raises(Refused, match="does this for you"):
        adapters.attend_in_blocks(attend, **cases.blocks_cases(rng())[0])


@pytest.mark.parametrize("seed", range(20))
def test_which_block_is_largest_differs(seed: int) -> None:
    """No order of the blocks is safe: of the large scores, several blocks have a query's largest."""
    case = cases.merge_cases(np.random.default_rng(seed))[-1]
    assert len(set(case["m"][:, :, 0].argmax(axis=0))) > 1


@pytest.mark.parametrize("seed", range(20))
def test_each_block_is_the_larger_one_somewhere(seed: int) -> None:
    """A derivation that rescales one block alone is wrong in every draw."""
    drawn = cases.blocks_lines(np.random.default_rng(seed))
    assert {case["m1"] > case["m2"] for case in drawn} == {True, False}


# The notebook and the submissions.


def test_every_visible_check_passes_in_the_solution() -> None:
    """The solution's own outputs say `passed` for every question that a machine marks."""
    cells = homework.read_cells(ROOT / "solutions" / NAME / f"{NAME}.ipynb")
    checks = [cell for cell in cells if cell.role == "check"]
    assert len(checks) == 28
    for cell in checks:
        text = "".join("".join(output["text"]) for output in cell.outputs)
        assert text == f"[{cell.grade_id}] passed\n"


def test_points_are_as_the_issue_has_them(hw3: Homework) -> None:
    """29 points for functions, 12 for derivations, 19 by hand, 5 extra; the first cell's table agrees."""
    points = {question.id: question.points for question in hw3.questions}
    extra = {question.id for question in hw3.questions if question.extra}
    assert extra == {"svd_derivation", "purifier_from_svd", "lambda_interval"}
    required = {id: p for id, p in points.items() if id not in extra}
    derivations = sum(p for id, p in required.items() if id.endswith("_derivation"))
    by_hand = sum(question.points for question in hw3.questions if question.by_hand)
    assert (derivations, by_hand, sum(required.values())) == (12, 19, 60)
    assert sum(points.values()) == 65
    rows = [line for line in hw3.cells[0].source.splitlines() if line.startswith("|")]
    in_table = {}
    for row in rows[2:]:
        names, worth = (part.strip() for part in row.split("|")[4:6])
        ids = [name.strip().strip("`") for name in names.split(",")]
        in_table |= dict(zip(ids, map(float, worth.removesuffix(" extra").split("+")), strict=True))
    assert in_table == {id: p for id, p in points.items() if p}


@pytest.mark.slow
@pytest.mark.turns(8)
def test_the_source_earns_what_it_deserves(hw3: Homework, tmp_path: Path) -> None:
    """Its missing cross terms, its law of the frequencies and its variance are found and named."""
    found, complaints = discover.find([ROOT / "tests" / "submissions" / NAME])
    assert not complaints
    with Sandbox() as sandbox, bank(ROOT, hw3) as mistakes:
        (graded,) = Grader(hw3, COURSE, sandbox, mistakes).grade_all(found, tmp_path / "out")
    assert graded.grade is not None
    lost = {m.question: m.earned for m in graded.grade.marks if m.earned not in (m.points, None)}
    assert lost == {
        "purifier_from_svd": 0,
        "variance_derivation": 0,
        "dot_variance": 0,
        "features_derivation": 1.33,  # 4 / 3
        "quadratic_features": 0,
        "feature_dimension": 0,
        "gaussian_derivation": 0,
        "gaussian_sigma": 0,
        "sample_frequencies": 0,
        **dict.fromkeys(("merge_derivation", "merge", "attend_in_blocks"), 0),  # not in the source
        **dict.fromkeys(("decode", "cache_bytes"), 0),
        "argue_purifier": 0,  # left blank
        "argue_scale": 0,
        "argue_random": 0,
    }
    marks = graded.grade.marks
    named = {one.question: one.misconception.name for one in marks if one.misconception}
    assert named["quadratic_features"] == "missing_cross_terms"
    assert named["sample_frequencies"] == "frequencies_too_wide"
    assert named["dot_variance"] == "variance_d_sigma_squared"
    assert named["purifier_from_svd"] == "as_many_singular_values_as_rows"
