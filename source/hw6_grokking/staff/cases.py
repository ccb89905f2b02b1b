"""The hidden inputs of each question."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Inputs

from . import reference, saved
from .shared import weights_shapes

COUNTED = {"p": 97, "width": 128, "hidden": 512}
NUMBER, LOOKED_AT = 2822, 40
"""Of the pairs in the pass that is counted, and of those whose logits are compared."""
SMALL_MODELS = 100


def saved_embedding() -> Array:
    """Return the embedding (97, 16) that a long run ended with, in its strongest directions."""
    rows = np.array(saved.EMBEDDING.split(), dtype=float).reshape(97, -1)
    embedding: Array = rows / rows.std()
    return embedding


def naive_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models, two of them of the same size; a direction in each weight, and a sum of the logits."""
    return _forward_cases(rng, 3)


def fast_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw as for the naive form, with a sum of the logits at the last position."""
    return _forward_cases(rng, None)


def _forward_cases(rng: np.random.Generator, positions: int | None) -> Sequence[Inputs]:
    cases = []
    for p, width, hidden, number, last in (
        (7, 16, 20, 9, True),
        (7, 16, 20, 9, False),
        (5, 8, 12, 0, False),
        (11, 24, 8, 30, True),
    ):
        pairs = _pairs_with(rng, p, number, last=last)
        # The last pair twice: its rows of a table are looked up twice.
        pairs = np.concatenate([pairs, pairs[-1:]]) if number else _pairs_with(rng, p, 1, last=last)
        weights = _weights(rng, p, width, hidden)
        along = {f"along_{name}": _direction(rng, item.shape) for name, item in weights.items()}
        size = (len(pairs), p + 1) if positions is None else (len(pairs), positions, p + 1)
        coefficients = rng.normal(size=size) / np.sqrt(len(pairs))
        cases.append({"pairs": pairs, "coefficients": coefficients, **weights, **along})
    return cases


def _pairs_with(rng: np.random.Generator, p: int, number: int, *, last: bool) -> Array:
    """Draw pairs in which the largest number, p - 1, is there or is not: p cannot be read from them."""
    pairs = rng.integers(0, p - 1, size=(number, 2))
    if last and number:
        pairs[rng.integers(number), rng.integers(2)] = p - 1
    return pairs


def cost_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw as many pairs as the source trains on, and those of them that are looked at, twice."""
    return [
        {
            "pairs": rng.integers(0, 97, size=(NUMBER, 2)),
            "seed": int(rng.integers(2**31)),
            "rows": rng.choice(NUMBER, size=LOOKED_AT, replace=False),
            "coefficients": rng.normal(size=(LOOKED_AT, 98)) / np.sqrt(LOOKED_AT),
            **COUNTED,
        }
        for _ in range(2)
    ]


def epoch_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw small models and some of their pairs; learning rates are large, so that each step counts."""
    cases = []
    for rate, last in ((0.02, True), (0.03, False)):
        p = 5
        every = np.argwhere(np.ones((p, p)) if last else np.ones((p - 1, p - 1)))
        # A pair with the largest number, or one whose sum shows that p is larger than all numbers.
        shows = every.max(axis=1) == p - 1 if last else every.sum(axis=1) >= p - 1
        pair, pairs = rng.choice(every[shows]), rng.permutation(every)
        pairs = np.concatenate([[pair], pairs[(pairs != pair).any(axis=1)][:6]])
        weights = _weights(rng, p, 8, 5)
        cases.append({"pairs": rng.permutation(pairs), "epochs": 3, "rate": rate, **weights})
    return cases


def initial_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Ask for two models, none of whose sizes is another's, and for many that are small.

    Of the small ones p is so small that 1/sqrt(p) is far from 1/sqrt(p + 1). Seed 0 is among the two.
    """
    first = int(rng.integers(10_000))
    return [
        {"p": 37, "width": 40, "hidden": 120, "first": 0, "models": 2},
        {"p": 3, "width": 8, "hidden": 5, "first": first, "models": SMALL_MODELS},
    ]


def fourier_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Take the saved embedding with its tokens renumbered, and draw others.

    One has no mean, and one is a single column with a token at 0.
    """
    centred = _waves(rng, 13, 5)
    centred = centred - centred.mean(axis=0)
    column = _waves(rng, 11, 1)
    column = column - column[rng.integers(11)]
    drawn = _renumbered(rng), _waves(rng, 13, 5), centred, _waves(rng, 7, 2), column
    return [{"E": E} for E in drawn]


def keep_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Choose some frequencies of embeddings as above: some in a row, some in no order, none, all."""
    some = np.sort(rng.choice(np.arange(1, 7), size=3, replace=False))
    mixed = rng.choice(np.array([[3, 1, 6], [6, 1, 3], [4, 6, 1], [6, 3, 1]]))
    large = rng.choice(np.arange(1, 49), size=4, replace=False)
    chosen = (
        (_renumbered(rng), large),
        (_waves(rng, 13, 5), some),
        (_waves(rng, 13, 5), mixed),
        (_waves(rng, 7, 2), np.array([], dtype=int)),
        (_waves(rng, 7, 2), rng.permutation(np.array([1, 2, 3]))),
    )
    return [{"E": E, "frequencies": frequencies} for E, frequencies in chosen]


def mirror_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw pairs to train on and others, of which every kind is there.

    The first trains on one pair. In the last two the largest numbers are on one side only, and
    with a p that is read from the other side different pairs would be taken for one.
    """
    pair = rng.choice(11, size=2, replace=False)
    others = rng.permutation(pair[[[1, 0], [0, 0]]])  # its mirror image, and one that is its own
    return [
        {"trained": pair[None], "others": others},
        _split(rng, 11, 11, (50, 60)),
        _split(rng, 11, 11, (50, 60), diagonal=False),
        _split(rng, 8, 5, (12, 25)),
        _split(rng, 8, 5, (12, 25), trains_on_the_small=False),
    ]


def _split(
    rng: np.random.Generator,
    p: int,
    below: int,
    sizes: tuple[int, int],
    *,
    trains_on_the_small: bool = True,
    diagonal: bool = True,
) -> Inputs:
    """Draw a split, until some of the mirror images are trained on and some are not.

    Args:
        rng: Of all draws.
        p: The modulus.
        below: The pairs of one side have numbers below this.
        sizes: How many pairs are on that side, and how many on the other.
        trains_on_the_small: Whether that side is trained on.
        diagonal: Whether others of the form (a, a) are there.
    """
    while True:
        every = rng.permutation(np.argwhere(np.ones((p, p))))
        small = (every < below).all(axis=1)
        one = every[small][: sizes[0]]
        two = rng.permutation(np.concatenate([every[~small], every[small][sizes[0] :]]))
        if not diagonal:
            two = two[two[:, 0] != two[:, 1]]
        trained, others = (one, two[: sizes[1]])[:: 1 if trains_on_the_small else -1]
        share = float(reference.mirror_share(trained, others)["the share"])
        twice = (others[:, 0] == others[:, 1]).any()
        confused = below == p or share not in _shares_of_codes(trained, others, below)
        if 0 < share < 1 and twice == diagonal and confused:
            return {"trained": trained, "others": others}


def _shares_of_codes(trained: Array, others: Array, p: int) -> set[float]:
    """Return the shares that come out where a pair (a, b) is known by a p + b, or by b p + a."""
    forward, back = np.array([p, 1]), np.array([1, p])
    return {
        float(np.isin(others @ one, trained @ other).mean())
        for one, other in ((back, forward), (forward, back))
    }


def _weights(rng: np.random.Generator, p: int, width: int, hidden: int) -> dict[str, Array]:
    """Draw weights: products with them keep their size, and scores differ."""
    shapes = weights_shapes(p, width, hidden)
    large = {"W_E": 1.0, "W_pos": 1.0, "W_Q": 1.5, "W_K": 1.5}
    return {
        name: rng.normal(size=size) * (large.get(name, 1.0) if name in ("W_E", "W_pos") else large.get(name, 1.0) / np.sqrt(width))
        for name, size in shapes.items()
    }  # fmt: skip


def _direction(rng: np.random.Generator, size: tuple[int, ...]) -> Array:
    direction = rng.normal(size=size)
    result: Array = direction / np.linalg.norm(direction)
    return result


def _renumbered(rng: np.random.Generator) -> Array:
    """Return the saved embedding with token m a called a, which multiplies its frequencies by m."""
    E = saved_embedding()
    tokens = int(rng.integers(2, 96)) * np.arange(97) % 97
    # Some of every frequency, so that each matters.
    return E[tokens] + 0.2 * rng.normal(size=E.shape) + rng.normal(size=E.shape[1])


def _waves(rng: np.random.Generator, p: int, width: int) -> Array:
    """Draw an embedding in which some frequencies are strong, each in other columns."""
    E = 0.2 * rng.normal(size=(p, width)) + 2 * rng.normal(size=width)
    for k in rng.choice(np.arange(1, (p + 1) // 2), size=2, replace=False):
        for turn in (0.0, np.pi / 2):
            wave = np.cos(2 * np.pi * k * np.arange(p) / p - turn)
            E = E + np.outer(wave, rng.normal(size=width))
    return E


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its weights."""
    pairs, p = inputs["pairs"], len(inputs["W_E"]) - 1
    number = f"{len(pairs)} pair{'s' * (len(pairs) > 1)}"
    return f"p = {p}, d = {inputs['W_E'].shape[1]} and {number}, {_last(pairs, p)}"


def describe_epochs(inputs: Inputs) -> str:
    """Say what a case was, without its weights."""
    pairs, p = inputs["pairs"], len(inputs["W_E"]) - 1
    return f"{inputs['epochs']} epochs on {len(pairs)} pairs of p = {p}, {_last(pairs, p)}"


def _last(pairs: Array, p: int) -> str:
    return f"{p - 1} {'among' if (pairs == p - 1).any() else 'not among'} their numbers"


def describe_embedding(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    p, width = inputs["E"].shape
    centred = np.allclose(inputs["E"].mean(axis=0), 0)
    return f"p = {p} and d = {width}{', with mean 0' * centred}"


def describe_choice(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    (p, width), frequencies = inputs["E"].shape, inputs["frequencies"]
    order = "in ascending order" if (np.diff(frequencies) > 0).all() else "in no order"
    chosen = f"{len(frequencies)} frequencies {order}" if len(frequencies) else "no frequency"
    return f"p = {p}, d = {width} and {chosen}"


def describe_split(inputs: Inputs) -> str:
    """Say what a case was, without its pairs."""
    trained, others = inputs["trained"], inputs["others"]
    twice = "some" if (others[:, 0] == others[:, 1]).any() else "none"
    plural = "s" * (len(trained) > 1)
    return (
        f"{len(trained)} trained pair{plural} of numbers up to {trained.max()} and {len(others)} others "
        f"up to {others.max()}, {twice} of the form (a, a)"
    )
