"""hw1_toy_attention: its oracle is right, its models are tried fairly, its claims are true."""

import contextlib
import io
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
import torch

from autograder.course import homework, known_answers
from autograder.course.cells import defined_names
from autograder.course.known_answers import KnownAnswer
from autograder.kit.weight_checks import Accurate
from autograder.records.values import Refused, plain, watched
from tests.helpers import ROOT

NAME = "hw1_toy_attention"
CHOSEN = homework.load(ROOT, NAME)
CHECKED = [question for question in CHOSEN.questions if question.ask]
adapters = homework.staff_module(ROOT, NAME, "adapters")
reference = homework.staff_module(ROOT, NAME, "reference")
cases = homework.staff_module(ROOT, NAME, "cases")
models = homework.staff_module(ROOT, NAME, "models")
Graded = Callable[[str], tuple[set[str], set[str], str]]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """The instructor's notebook after its cells ran, but for those that only illustrate."""
    namespace: dict[str, Any] = {"__name__": "notebook"}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in homework.read_cells(ROOT / "source" / NAME / f"{NAME}.ipynb"):
            if cell.type == "code" and cell.role != "demo":
                exec(cell.source, namespace)
    return namespace


@pytest.fixture
def graded(notebook: dict[str, Any]) -> Iterator[Graded]:
    """Definitions -> questions that the visible checks refuse, that the hidden ones do, and words.

    Only questions about what is defined are evaluated; nothing is trained.
    """
    before = dict(notebook)
    checks = {cell.grade_id: cell.source for cell in CHOSEN.cells if cell.role == "check"}

    def grade(define: str) -> tuple[set[str], set[str], str]:
        exec(define, notebook)
        visible, hidden, said = set(), set(), []
        for question in CHECKED:
            assert question.ask
            if not defined_names(define) & set(question.ask.objects):
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(checks[question.id], notebook)
            if f"[{question.id}] passed" not in printed.getvalue():
                visible.add(question.id)
            for case in question.cases(rng()):
                if not (case or question.id in ("xor_by_hand", "places_by_hand")):
                    continue  # that would train
                complaint = _complaint(question, case, notebook)
                if complaint:
                    hidden.add(question.id)
                    said.append(complaint)
        return visible, hidden, " ".join(said)

    yield grade
    notebook.clear()
    notebook.update(before)


def _complaint(question: Any, case: Any, notebook: dict[str, Any]) -> str:
    objects = [watched(notebook[name], name) for name in question.ask.objects]
    try:
        value = getattr(adapters, question.ask.adapter)(*objects, **case)
    except (Refused, RuntimeError) as error:  # torch's own, where the shapes do not fit
        return str(error)
    value = {name: plain(item) for name, item in value.items()}
    if not all(np.isfinite(item).all() for item in value.values()):
        return "NaN or infinity"
    verdict = question.check(case, value)
    return "" if verdict.fraction == 1 else verdict.message


NAMES = (
    "bias_forgotten_in_logits",
    "exponentials_overflow",
    "log_of_a_softmax",
    "one_largest_for_all",
    "scaled_scores",
    "scaled_scores_of_all_models",
)
MISTAKES = [
    *known_answers.unlisted(ROOT, CHOSEN),
    *(answer for answer in known_answers.wrong(ROOT, CHOSEN) if answer.name in NAMES),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_visible_and_hidden_refuse_the_same_before_any_training(
    mistake: KnownAnswer, graded: Graded
) -> None:
    """Also where what is trained with a wrong function is as good as with the right one."""
    visible, hidden, _ = graded(mistake.define)
    assert visible == hidden == mistake.fails


@pytest.mark.parametrize("what", ["cache", "state", "in place"])
def test_what_remembers_or_changes_its_inputs_loses(what: str, graded: Graded) -> None:
    """A value kept by the shape, one that changes from call to call, a token overwritten."""
    lines = {
        "cache": "    return kept.setdefault(tokens.shape, (z @ w + b))",
        "state": "    kept[0] = 1 + kept.get(0, 0)\n    return (z @ w + b) * kept[0]",
        "in place": "    tokens[:, 0] = 0\n    return z @ w + b",
    }
    _, hidden, said = graded(
        "kept = {}\ndef token_logit(tokens, Q, K, w, b):\n"
        f"    z, _ = attend(tokens, tokens[:, 1] @ Q, K)\n{lines[what]}\n"
    )
    assert hidden == {"easy_task"}
    assert ("work on a copy" in said) is (what == "in place")


def test_oddness_does_not_depend_on_token_logit(graded: Graded) -> None:
    """The text does not ask for it there."""
    visible, hidden, _ = graded(
        "def token_logit(tokens, Q, K, w, b):\n    return b + 0 * tokens[:, 0, 0]\n"
    )
    assert visible == hidden == {"easy_task"}
    visible, hidden, _ = graded(
        "def oddness(logit, tokens, b):\n    return max(map(abs, logit(tokens) + logit(-tokens) - 2 * b))\n"
    )
    assert not visible | hidden


FORMS = """
from fractions import Fraction
from decimal import Decimal

def cross_entropy(logits, labels):
    own = torch.log_softmax(logits, dim=1)[torch.arange(len(labels)), labels]
    return Decimal(-own.mean().item())

def loss_of_the_demo(logits, labels):
    own = torch.softmax(logits, dim=1)[torch.arange(len(labels)), labels]
    return [np.complex128(-own.mean().item())]

def terms(tokens, q, K, w, b):
    return (torch.exp(tokens @ K @ q) * (tokens @ w + b)).tolist()

def xor_by_hand():
    w = [[Fraction(1, 4)] * 4, [Fraction(-1, 4)] * 4]
    return torch.tensor([[50.0], [-50.0]]), torch.full((4, 1), 0.25), w, Fraction(-19, 10)

def places_by_hand():
    scores = [5, 5, 5, 5, 0, -60, -60, 20]
    return [1.0], torch.tensor(scores)[:, None], [5, 5, 5, 5, 0, 0, 0, Fraction(-20)], 0
"""


def test_visible_and_hidden_take_the_same_forms(graded: Graded) -> None:
    """Lists, fractions, decimals and complex numbers without an imaginary part."""
    visible, hidden, _ = graded(FORMS)
    assert not visible | hidden


def test_a_notebook_in_double_precision_is_evaluated_in_it(graded: Graded) -> None:
    """An answer may make tensors of the notebook's default dtype, whichever that is."""
    define = (
        "def terms(tokens, q, K, w, b):\n"
        "    ones = torch.ones(len(w), 1)\n"
        "    return torch.exp(tokens @ K @ q) * ((tokens * w) @ ones)[..., 0].add(b)\n"
    )
    assert graded(define)[1] == set()
    torch.set_default_dtype(torch.float64)
    try:
        assert graded(define)[1] == set()
        assert not any(
            _complaint(CHECKED[0], case, {"attend": _attend}) for case in cases.attend_cases(rng())
        )
    finally:
        torch.set_default_dtype(torch.float32)


def _attend(tokens: Any, queries: Any, K: Any) -> Any:
    weights = torch.zeros(tokens.shape[:2])
    for place, (sentence, query) in enumerate(zip(tokens, queries, strict=True)):
        weights[place] = torch.softmax(sentence @ K @ query, dim=0)
    return torch.einsum("nt,ntk->nk", weights, tokens), weights


@pytest.mark.parametrize(
    ("width", "right"), [(1, True), (256, True), (257, False), (49_000, False)]
)
def test_a_wide_key_costs_the_judge_nothing(width: int, right: bool, graded: Graded) -> None:
    """Visible and hidden check say alike that it is too wide."""
    queries, K = np.zeros((2, width)), np.zeros((4, width))
    queries[:, 0], K[:, 0] = (50.0, -50.0), 0.25
    value = {
        "queries": queries,
        "K": K,
        "w": np.array([[0.25] * 4, [-0.25] * 4]),
        "b": np.array(-1.9),
    }
    models._test("hard")
    tracemalloc.start()
    reference.heads(models._test("hard")[0][:1000], *value.values())
    assert (models.BY_HAND({}, value).fraction == 1) is right
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6
    visible, hidden, said = graded(
        f"def xor_by_hand():\n    queries, K = np.zeros((2, {width})), np.zeros((4, {width}))\n"
        "    queries[:, 0], K[:, 0] = (50.0, -50.0), 0.25\n"
        "    return queries, K, np.array([[0.25] * 4, [-0.25] * 4]), -1.9\n"
    )
    assert visible == hidden == (set() if right else {"xor_by_hand"})
    assert ("at most 256" in said) is not right


@pytest.mark.parametrize("question", CHECKED, ids=lambda question: question.id)
def test_cases_of_a_question_have_descriptions_of_their_own(question: Any) -> None:
    """And two of them have one shape and other values."""
    check = getattr(question.check, "compared", question.check)
    if not hasattr(check, "describe"):
        return
    for seed in range(100):
        drawn = [case for case in question.cases(np.random.default_rng(seed)) if case]
        described = [check.describe(case) for case in drawn]
        assert len(set(described)) == len(described)
        shapes = [tuple(np.shape(item) for item in case.values()) for case in drawn]
        assert len(set(shapes)) < len(shapes)


def test_gradients_are_slopes() -> None:
    """Of the weighted sum of the logits, as torch finds them."""
    case = cases.easy_cases(rng())[0]
    parameters = {name: torch.tensor(case[name], requires_grad=True) for name in "QKwb"}
    tokens = torch.tensor(case["tokens"])
    scores = torch.einsum("ntk,kd,nd->nt", tokens, parameters["K"], tokens[:, 1] @ parameters["Q"])
    z = torch.einsum("nt,ntk->nk", scores.softmax(1), tokens)
    logits = z @ parameters["w"] + parameters["b"]
    (logits * torch.tensor(case["weights"])).sum().backward()
    found = reference.token_logit(**case)
    for name, parameter in parameters.items():
        assert parameter.grad is not None
        slopes = found[f"its gradient with respect to {name}"]
        assert slopes == pytest.approx(parameter.grad.numpy(), abs=1e-7)


def test_the_example_to_check_by_hand() -> None:
    """Weights of 3/4 and 1/4."""
    found = reference.attend(np.eye(2)[None], np.array([[np.log(3.0), 0.0]]), np.eye(2))
    for array in found.values():
        assert array == pytest.approx(np.array([[0.75, 0.25]]))


def test_a_query_of_the_sentence_makes_the_logit_odd() -> None:
    """And a learned one does not."""
    for case in filter(None, cases.easy_cases(rng())):
        tokens, Q, K, w, b = (case[name] for name in ("tokens", "Q", "K", "w", "b"))
        here, there = (reference.logits(x, x[:, 1] @ Q, K, w, float(b)) for x in (tokens, -tokens))
        assert here + there == pytest.approx(np.full(len(tokens), 2 * b), abs=1e-12)
        if not Q.any():
            continue  # every token has the same weight
        learned = Q.sum(axis=0) * np.ones((len(tokens), 1))
        here, there = (reference.logits(x, learned, K, w, float(b)) for x in (tokens, -tokens))
        assert np.abs(here + there - 2 * b).max() > 0.01


def test_the_given_functions_are_odd_or_far_from_it() -> None:
    """Their oddness is as it is described, and the largest is where it is easy to miss."""
    for seed in range(50):
        drawn = cases.odd_cases(np.random.default_rng(seed))
        for number, case in enumerate(drawn):
            tokens, b = case["tokens"], case["b"]
            even = (case["square"] * tokens**2).sum(axis=(1, 2)) + case["constant"] - b
            found = reference.odd(**case)["the oddness of a function that the check gives"]
            assert found == pytest.approx(2 * np.abs(even).max(), abs=1e-12)
            places = (0, 0), (6, 1), (0, -1), (2, -1), (0, -1), (-1, 1), (0, -1)
            place, sign = places[number]
            if place == -1:  # many are as large
                assert np.abs(even).argmax() >= 40
            elif number:
                assert np.abs(even).argmax() == place
            if number:
                assert np.sign(even[place]) == sign
            else:
                assert not even.any()


def test_terms_have_the_sign_of_the_logit() -> None:
    """Each is of its token alone, and their sum is the logit times a positive number."""
    for case in cases.terms_cases(rng()):
        tokens, q, K, w, b = (case[name] for name in ("tokens", "q", "K", "w", "b"))
        (found,) = reference.terms(**case).values()
        logits = reference.logits(tokens, np.tile(q, (len(tokens), 1)), K, w, b)
        assert (np.sign(found.sum(axis=1)) == np.sign(logits)).all()


def test_rows_are_counted_as_every_threshold_would() -> None:
    """Against each threshold between two of the numbers, one row at a time."""
    counted = []
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
        counted.append(total)
    assert sum(counted) > 100
    assert 1 in counted


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
    """All four patterns, noise of every mean up to 0.8, each number from -1 to 1."""
    tokens, label = reference.hard_sentences(rng(), 20_000)
    assert np.abs(tokens[:, 1:3]).max() == 1
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


def placed(gain: float, keep_out: float) -> dict[str, Any]:
    K = np.array([[gain / 4]] * 4 + [[0.0], [-keep_out], [-keep_out], [gain]])
    w = np.array([5.0] * 4 + [0.0, 0.0, 0.0, -20.0])
    return {"q": np.ones(1), "K": K, "w": w, "b": np.zeros(())}


@pytest.mark.parametrize(
    ("gain", "keep_out", "right"),
    [(20, 60, True), (300, 900, True), (20, 0, False), (2, 60, False), (0, 60, False)],
)
def test_one_head_with_positions_has_half_the_entropy(
    gain: float, keep_out: float, right: bool
) -> None:
    """1/2 ln 2 is below the bound without positions, and needs that noise is kept out."""
    assert (models.PLACED({}, placed(gain, keep_out)).fraction == 1) is right
    tokens, label = reference.placed_sentences(rng(), 100)
    K, w = placed(20, 60)["K"], placed(20, 60)["w"][None]
    logits = reference.heads(tokens.reshape(-1, 4, 8), np.ones((1, 1)), K, w, 0.0).reshape(-1, 4)
    losses = np.logaddexp(0, logits) - logits * label
    assert losses.mean() == pytest.approx(np.log(2) / 2, abs=1e-4)


def test_without_positions_no_head_is_below_the_bound() -> None:
    """3/4 H(1/3): the two patterns in the middle share a logit, which lies between the others'."""
    m = np.linspace(-9, 9, 18001)
    least = (np.logaddexp(0, -m) / 2 + np.logaddexp(0, m) / 4).min()
    assert least == pytest.approx(0.75 * (np.log(3) / 3 + 2 / 3 * np.log(1.5)), abs=1e-7)
    tokens, label = reference.placed_sentences(rng(), 100)
    draws = rng()
    for size in (1, 5, 25):
        for _ in range(50):
            q, K, w = (size * draws.normal(size=s) for s in ((1, 3), (4, 3), (1, 4)))
            logits = reference.heads(tokens[..., :4].reshape(-1, 4, 4), q, K, w, draws.normal())
            logits = logits.reshape(-1, 4)
            assert logits[:, 1] == pytest.approx(logits[:, 2], abs=1e-9)
            losses = (np.logaddexp(0, logits) - logits * label).mean(axis=1)
            assert losses.min() >= least - 1e-9


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


def _plainly(compute: Callable[[], Any]) -> Any:
    return compute()


def _from_a_thread(compute: Callable[[], Any]) -> Any:
    found: list[Any] = []

    def run() -> None:
        with contextlib.suppress(Refused):
            found.append(compute())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if not found:
        raise Refused("without them")
    return found[0]


def _switched_off(compute: Callable[[], Any]) -> Any:
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        return compute()


def _in_inference(compute: Callable[[], Any]) -> Any:
    with torch.inference_mode():
        return compute()


@pytest.mark.parametrize("away", [_plainly, _from_a_thread, _switched_off, _in_inference])
@pytest.mark.parametrize(
    "loss",
    [
        torch.nn.functional.cross_entropy,
        torch.nn.CrossEntropyLoss(),
        lambda logits, labels: torch.nn.functional.nll_loss(logits.log_softmax(1), labels),
        lambda logits, labels: torch.nn.functional.cross_entropy(
            logits, torch.nn.functional.one_hot(labels, 2).to(logits.dtype)
        ),
        lambda logits, labels: torch.ops.aten.nll_loss_forward(logits, labels, None, 1, -100)[0],
        lambda logits, labels: torch.ops.aten.nll_loss.out(logits, labels, out=torch.zeros(())),
        lambda logits, labels: torch.vmap(torch.nn.functional.cross_entropy)(
            logits[:, None], labels[:, None]
        ).mean(),
    ],
)
def test_losses_of_torch_are_refused_wherever_they_are_called(
    loss: Callable[..., Any], away: Callable[[Callable[[], Any]], Any]
) -> None:
    """Under another name, in a thread, and where torch's own switches turn off what watches it."""

    def demo(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return -logits.softmax(1).gather(1, labels[:, None]).mean()

    def right(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (logits.logsumexp(1) - logits.gather(1, labels[:, None])[:, 0]).mean()

    case = cases.losses_cases(rng())[1]
    for _ in range(2):
        with pytest.raises(Refused, match="without them"):
            adapters.losses(demo, lambda *given: away(lambda: loss(*given)), **case)
        wanted = reference.losses(**case)
        for name, number in adapters.losses(
            demo, lambda *g: away(lambda: right(*g)), **case
        ).items():
            assert number == pytest.approx(wanted[name], abs=1e-4)
    assert loss(torch.zeros(1, 2), torch.tensor([0])).ndim == 0  # it is there again
