"""The judge's own models: weights that came back are tried on sentences that are always the same."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autograder.kit import Accurate, Array, Close, Inputs, Value, Verdict, tolerance

from . import cases, reference, shared

SENTENCES = 20_000
TRAINING_SENTENCES = 4_096
MOST = 0.36
"""The cross-entropy that one head with positions may have; 1/2 ln 2 = 0.3466 is possible."""

ALIKE_LOSS = 0.05
"""Between the losses of two answers with the same mistake."""


@functools.cache
def _test(kind: str) -> tuple[Array, Array]:
    rng = np.random.default_rng(5)
    if kind == "easy":
        return shared.sentences(rng, SENTENCES, length=3)
    return (reference.hard_sentences if kind == "hard" else shared.sentences)(rng, SENTENCES)


def _easy(value: Value) -> Array:
    """Say where the model is right whose loss is least on sentences to choose by."""
    chosen = shared.sentences(np.random.default_rng(6), TRAINING_SENTENCES, length=3)
    models = list(zip(*(value[name] for name in "QKwb"), strict=True))
    losses = [_loss(_easy_logits(chosen[0], *model), chosen[1]) for model in models]
    tokens, label = _test("easy")
    return _right(_easy_logits(tokens, *models[int(np.argmin(losses))]), label)


def _easy_logits(tokens: Array, Q: Array, K: Array, w: Array, b: Array) -> Array:
    queries = (tokens[:, 1] @ Q)[:, None]
    scores = (queries * (tokens @ K)).sum(axis=2)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    logits: Array = np.einsum("nt,ntk,k->n", weights, tokens, w) + b
    return logits


def _by_hand(value: Value) -> Array:
    tokens, label = _test("hard")
    logits = reference.heads(tokens, value["queries"], value["K"], value["w"], float(value["b"]))
    return _right(logits, label)


def _placed(value: Value) -> Array:
    """Say for which choices of the noise the mean loss over the four sign patterns is small."""
    small: Array = _placed_losses(value).mean(axis=1) <= MOST  # NaN is not
    return small


@np.errstate(over="ignore", invalid="ignore")  # weights may be of any size
def _placed_losses(value: Value) -> Array:
    """Return the cross-entropy, (choices, 4): a row for a choice of the noise, a column for a pattern."""
    tokens, label = reference.placed_sentences(np.random.default_rng(7), 5_000)
    weights = value["q"][None], value["K"], value["w"][None], float(value["b"])
    logits = reference.heads(tokens.reshape(-1, 4, 8), *weights).reshape(-1, 4)
    losses: Array = np.logaddexp(0.0, logits) - logits * label
    return losses


def _trained(value: Value) -> Array:
    """Say where the model is right whose loss is least on sentences to choose by."""
    chosen = shared.sentences(np.random.default_rng(6), TRAINING_SENTENCES)
    models = list(zip(*(value[name] for name in ("queries", "K", "w", "b")), strict=True))
    losses = [_loss(reference.heads(chosen[0], *model), chosen[1]) for model in models]
    tokens, label = _test("xor")
    logits = reference.heads(tokens, *models[int(np.argmin(losses))])
    return _right(logits, label)


def _right(logits: Array, label: Array) -> Array:
    """Return where a logit has the sign of its label; one that overflowed has none."""
    right: Array = ((logits > 0) == label) & np.isfinite(logits)
    return right


def _loss(logits: Array, label: Array) -> float:
    return float(np.mean(np.logaddexp(0.0, logits) - logits * label))


def _patterns(kind: str) -> Callable[[Array], str]:
    """Return what says of wrong sentences which sign patterns they have most of."""

    def words(wrong: Array) -> str:
        signs = _test(kind)[0][:, [0, 3], 0]
        shares = {
            "".join("+" if sign > 0 else "-" for sign in pair): wrong[
                (signs == pair).all(axis=1)
            ].mean()
            for pair in np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
        }
        worst = max(shares, key=lambda name: shares[name])
        return f"Of those with the signs {worst[0]} and {worst[1]}, {100 * shares[worst]:.0f} % are wrong."

    return words


@dataclass(frozen=True, kw_only=True)
class ComparedFirst(Accurate):
    """Compares a function's values and gradients where a case has inputs, and what it is trained to.

    Args:
        compared: Judges the cases that have inputs.
    """

    compared: Close

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        if not inputs:
            return super().__call__(inputs, value)
        verdict = self.compared(inputs, value)
        if verdict.fraction < 1:
            return verdict
        return Verdict(1.0, "Values and gradients are right, and so is what is trained with them.")

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return what the cases that have inputs have in common."""
        return self.compared.overview([case for case in cases if case[0]])

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how well a value, or what was trained, fits a known mistake's."""
        if inputs:
            return self.compared.likeness(inputs, value, known)
        return super().likeness(inputs, value, known)


class ByHand(Accurate):
    """Weights that nobody trained: they are there at once, and again."""

    trains: ClassVar[bool] = False


class Placed(ByHand):
    """Weights of a head with positions, told apart by their losses: most wrong ones are right nowhere."""

    def _does_alike(self, value: Value, known: Value) -> float:
        """Return 0.9 for weights with the same loss on each sign pattern and choice of the noise."""
        one, other = (_placed_losses(some) for some in (value, known))
        return 0.9 * float(np.allclose(one, other, atol=ALIKE_LOSS))


def unreached(
    right: Callable[..., dict[str, Array]],
) -> Callable[[Inputs, Value], tuple[str, ...]]:
    """Return what says which gradients are zero, all of them, and should not be."""
    before = "its gradient with respect to "

    def words(inputs: Inputs, value: Value) -> tuple[str, ...]:
        due = right(**inputs)
        missed = [
            name.removeprefix(before)
            for name, item in value.items()
            if name.startswith(before)
            and isinstance(item, np.ndarray)
            and not item.any()
            and np.abs(due[name]).max() > 1e-3
        ]
        return (f"No gradient reaches {' and '.join(missed)}.",) if missed else ()

    return words


# A key sums four products, a score up to six, the average up to seven tokens, a logit four more;
# then the weighted sum of up to 18 logits, and the same way back.
HEAD = ((4, 2.5), (6, 2.5), (7, 1.0), (7, 1.0), (4, 1.0))
COMPARED = tolerance((*HEAD, (18, 1.0), *HEAD), scale=4.0)
EASY = ComparedFirst(
    {"Q": (3, 4, 3), "K": (3, 4, 3), "w": (3, 4), "b": (3,)},
    _easy,
    at_least=0.998,
    examples="sentences",
    compared=Close(
        reference.token_logit, COMPARED, cases.describe_model, unreached(reference.token_logit)
    ),
)
BY_HAND = ByHand(
    {"queries": (2, "d"), "K": (4, "d"), "w": (2, 4), "b": ()},
    _by_hand,
    at_least=1.0,
    examples="sentences",
    words=_patterns("hard"),
)
PLACED = Placed(
    {"q": ("d",), "K": (8, "d"), "w": (8,), "b": ()},
    _placed,
    at_least=1.0,
    examples="choices of the noise",
    words=lambda wrong: (  # noqa: ARG005
        f"A choice counts where the mean cross-entropy over the four sign patterns is at most {MOST}."
    ),
)
TRAINED = ComparedFirst(
    {"queries": (8, 2, 3), "K": (8, 4, 3), "w": (8, 2, 4), "b": (8,)},
    _trained,
    at_least=0.97,
    examples="sentences",
    words=_patterns("xor"),
    compared=Close(
        reference.xor_logits, COMPARED, cases.describe_model, unreached(reference.xor_logits)
    ),
)
