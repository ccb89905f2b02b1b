"""The hidden inputs of each question, and what the adapters train on."""

from collections.abc import Sequence

import numpy as np

from autograder.model import Array, Inputs

from . import reference

HEADS, STARTS = (1, 2, 4), 3
MANY = (20, 12, 4)
FEW = (10, 10, 5, 20)


def law(N: int, followers: int) -> tuple[Array, Array]:
    """Return the contexts (n, 2) that the adapters train on, and the token after each (n,)."""
    rng = np.random.default_rng(5)
    firsts = rng.choice(N, size=followers, replace=False)
    contexts = [(i, j) for i in firsts for j in rng.choice(N, size=followers, replace=False)]
    return np.array(contexts), rng.integers(0, N, size=len(contexts))


def start(N: int, d: int, heads: int, seed: int = 0) -> dict[str, Array]:
    """Return the weights with which the adapters begin."""
    rng = np.random.default_rng([55, seed, heads])
    return {
        name: (1.0 if name in ("W_E", "W_pos") else (2 * d) ** -0.5) * rng.normal(size=size)
        for name, size in reference.weights_shapes(N, d, heads, d).items()
    }


def power_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw choices and powers, with one that is 1 and one below it."""
    cases = []
    for N, sizes, alphas in (
        (7, (4, 3, 1), (1.0, 0.7, 0.4)),
        (5, (5, 2, 3), (0.5, 1.0, 0.8)),
        (6, (1, 6, 6), (0.9, 0.6, 1.0)),
    ):
        cases.append({"alphas": np.array(alphas), **_choices(rng, N, sizes), "N": N})
    return cases


def last_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the likeliest tokens, and how likely they are."""
    return [
        {"best": rng.integers(0, N, size=(N, N)), "beta": beta}
        for N, beta in ((6, 0.95), (9, float(rng.uniform(0.3, 0.7))), (4, 1.0))
    ]


def rank_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw vectors; in the last case the largest score of each context is 2,000."""
    drawn = [
        {"E": size * rng.normal(size=(n, d)), "U": rng.normal(size=(N, d))}
        for n, N, d, size in ((12, 7, 3, 1.0), (5, 9, 2, 2.0), (6, 5, 4, 1.0))
    ]
    scores = drawn[-1]["E"] @ drawn[-1]["U"].T
    furthest = np.take_along_axis(scores, np.abs(scores).argmax(axis=1, keepdims=True), axis=1)
    drawn[-1]["E"] *= 2000 / furthest
    return drawn


def entropy_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw laws, with zeros in them; one whose contexts are far from equally likely."""
    cases = []
    for N, sizes, alphas in (
        (6, (4, 3, 2), (0.5, 0.8, 0.6)),
        (5, (5, 5, 5), (0.3, 0.4, 0.7)),
        (8, (3, 4, 1), (1.0, 1.0, 1.0)),
    ):
        laws = reference.power_unif_law(np.array(alphas), N=N, **_choices(rng, N, sizes))
        if sizes == (5, 5, 5):  # third tokens of different entropies
            laws[2] = rng.dirichlet(np.full(N, 0.5), size=(N, N))
        cases.append({f"law_{number}": law for number, law in enumerate(laws, 1)})
    return cases


def share_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw scores, small and so large that their exponentials are no numbers."""
    return [
        {"scores": rng.normal(size=(7, 2))},
        {"scores": rng.normal(size=(3, 4, 2)) * 3},
        {"scores": np.concatenate([rng.normal(size=(4, 2)) + 2000, rng.normal(size=(4, 2)) * 900])},
    ]


def attention_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of several sizes, and which switches are on."""
    cases = []
    for (N, d, heads, size, n), on in (
        ((7, 4, 3, 4, 11), ()),
        ((6, 5, 2, 3, 1), ("residual",)),
        ((5, 3, 4, 6, 8), ("pos_QK", "emb_OV")),
        ((8, 6, 3, 6, 9), ("emb_QK",)),
        ((6, 4, 2, 4, 7), ("pos_OV", "residual")),
    ):
        skipped = np.array([int(name in on) for name in reference.SKIPS])
        cases.append({**_contexts(rng, N, n), "skipped": skipped, **_model(rng, N, d, heads, size)})
    return cases


def head_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw models of several sizes."""
    return [
        {**_contexts(rng, N, n), **_model(rng, N, d, heads, size)}
        for N, d, heads, size, n in ((7, 4, 3, 4, 11), (6, 5, 2, 3, 1), (5, 3, 5, 6, 8))
    ]


def loss_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw logits and laws: one of point masses, one with zeros, one without, one of huge logits."""
    cases = []
    for n, N, kind, size in (
        (9, 6, 0.0, 1.0),
        (7, 5, 0.4, 2.0),
        (5, 8, 2.0, 1.0),
        (6, 4, 1.0, 500.0),
    ):
        tokens = rng.integers(0, N, size=n)
        if kind:
            law = rng.dirichlet(np.full(N, kind), size=n)
            law[law < 0.05] = 0
            law /= law.sum(axis=1, keepdims=True)
            tokens = np.array([rng.choice(N, p=row) for row in law])
        else:
            law = np.eye(N)[tokens]
        cases.append({"found": size * rng.normal(size=(n, N)), "law": law, "tokens": tokens})
    return cases


def gauge_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw spaces: far apart, the same but for constants, and near; with columns of many lengths."""
    cases = []
    for N, d in ((10, 5), (7, 2), (12, 3)):
        A = rng.normal(size=(N, d)) * rng.uniform(0.3, 3, size=d) + rng.normal(size=d)
        cases.append({"A": A, "B": rng.normal(size=(N, d)) + rng.normal(size=d)})
        moved = A @ rng.normal(size=(d, d)) + 2 * rng.normal(size=d)
        noise = 0.1 * (d < 5)
        cases.append({"A": A, "B": moved + noise * rng.normal(size=(N, d))})
    return cases


def _choices(rng: np.random.Generator, N: int, sizes: Sequence[int]) -> dict[str, Array]:
    every = [
        rng.permuted(np.tile(np.arange(N), (*shape, 1)), axis=-1) for shape in ((), (N,), (N, N))
    ]
    names = ("first", "second", "third")
    return {name: item[..., :size] for name, item, size in zip(names, every, sizes, strict=True)}


def _contexts(rng: np.random.Generator, N: int, n: int) -> dict[str, Array]:
    return {"contexts": rng.integers(0, N, size=(n, 2))}


def _model(rng: np.random.Generator, N: int, d: int, heads: int, size: int) -> dict[str, Array]:
    """Draw weights: products with them keep their size, and scores differ."""
    return {
        name: rng.normal(size=shape) * (1.0 if len(shape) == 2 else 1.5 / np.sqrt(shape[-1]))
        for name, shape in reference.weights_shapes(N, d, heads, size).items()
    }


def describe_sizes(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    sizes = ", ".join(str(inputs[name].shape[-1]) for name in ("first", "second", "third"))
    return f"{inputs['N']} tokens, with {sizes} choices"


def describe_best(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"{len(inputs['best'])} tokens"


def describe_rank(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"{len(inputs['E'])} contexts, {len(inputs['U'])} tokens and rank {inputs['E'].shape[1]}"


def describe_laws(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    return f"{len(inputs['law_1'])} tokens"


def describe_scores(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    large = " that are very large" if np.abs(inputs["scores"]).max() > 100 else ""
    return f"scores of shape {inputs['scores'].shape}{large}"


def describe_model(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    heads, size, d = inputs["W_Q"].shape
    on = [n for n, yes in zip(reference.SKIPS, inputs.get("skipped", ()), strict=False) if yes]
    said = f", {' and '.join(on)} skipped" if on else ""
    return f"d = {d}, {heads} head{'s' * (heads > 1)} of size {size}{said}"


def describe_losses(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    kind = "point masses" if inputs["law"].max(axis=1).min() == 1 else "laws"
    large = " and very large logits" if np.abs(inputs["found"]).max() > 100 else ""
    return f"{len(inputs['law'])} contexts with {kind}{large}"


def describe_spaces(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    N, d = inputs["A"].shape
    return f"{d} columns of {N} numbers"
