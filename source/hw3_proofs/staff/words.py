"""What can be said of a wrong answer without the right one, and of a case without its numbers."""

import numpy as np

from autograder.kit import Inputs, Value

from . import reference
from .cases import NUMBER_TOLERANCE


def describe(inputs: Inputs) -> str:
    """Say what a case was by its sizes; two cases of one size differ in what is said of them."""
    if "pieces" in inputs:
        pieces = inputs["pieces"].tolist()
        some = f"in pieces of {pieces}" if len(pieces) < 10 else "one at a time"
        return f"{len(inputs['tokens'])} tokens {some}"
    if "K" in inputs and "q" in inputs:
        return f"{_size('K', inputs['K'])}, {reference.best_key(inputs['q'], inputs['K'])}"
    said = [_size(name, item) for name, item in inputs.items() if name != "order"]
    return ", ".join(said) or "this question"


def _size(name: str, item: object) -> str:
    if isinstance(item, np.ndarray) and not item.size:
        return "phi(x) = x"
    if isinstance(item, np.ndarray):
        return f"{name} of shape {item.shape} with numbers up to {np.abs(item).max():.1f} in size"
    return f"{name} about {item:.1g}" if isinstance(item, float) else f"{name} = {item}"


def losses(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which of the four are wrong."""
    got = value["the list of losses"]
    right = reference.purification_losses(**inputs)["the list of losses"]
    names = ("rec_I", "reg_I", "rec_P", "reg_P")
    good = np.isclose(got, right, rtol=NUMBER_TOLERANCE, atol=NUMBER_TOLERANCE)
    return (f"Wrong: {', '.join(n for n, fine in zip(names, good, strict=True) if not fine)}.",)


def threshold(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which matrix has the smaller objective at the number that is given."""
    rec_I, reg_I, rec_P, reg_P = reference.purification_losses(float(value["the threshold"]))[
        "the list of losses"
    ]
    smaller = "I" if rec_I + reg_I < rec_P + reg_P else "diag(1, 0)"
    return (f"At this lam the objective of {smaller} is the smaller one.",)


def purifier(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what of a matrix cannot be, whatever the data is."""
    W = np.clip(value["the purifier"], -1e6, 1e6)  # larger numbers say no more, and overflow
    if not np.allclose(W, W.T, atol=1e-3):
        return ("It is not symmetric.",)
    said = []
    if np.linalg.norm(W, 2) > 1 + 1e-6 and np.linalg.eigvalsh(W + W.T).max() > 2 + 2e-6:
        said.append("It makes some direction larger than it was.")
    if np.linalg.eigvalsh(W + W.T).min() < -2e-6:
        said.append("It turns some direction round.")
    if said:
        said.append("It makes some direction larger, or turns it round.")
    if np.allclose(W @ W, W, atol=1e-3):
        said.append("Each direction is kept whole or dropped, which no lam > 0 does.")
    return tuple(said)


def interval(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what is wrong with each end, by the factors there."""
    low, high = value["the interval"]
    if low <= 0:
        return ("The lower end is not positive.",)
    if low >= high:
        return ("The lower end is not below the upper one.",)
    said = []
    if 4.0**2 / (4.0**2 + high) < 0.8 - 1e-7:
        said.append("At the upper end, one of the first three directions keeps less than 0.8.")
    if 1 / (1 + low) > 0.5 + 1e-7:
        said.append("At the lower end, one of the other directions keeps more than 0.5.")
    return (
        " ".join(said) or "All conditions hold inside it, and somewhere outside of it as well.",
    )


def argmax(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether what came back is one of the values."""
    output = value["the output"]
    if np.abs(output - reference.argmax_attention(**inputs)["the output"]).max() < 1e-2:
        return ()  # the right value, rounded or so
    near = np.abs(inputs["V"] - output).max(axis=1) < 1e-4
    if near.any():
        return ("It is the value of a key whose score is not the largest.",)
    return ("It is none of the values.",)


def variance(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what no variance is."""
    return ("It is negative, which no variance is.",) * bool(value["the variance"] < 0)


def attention(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether outputs could be weighted means of the values."""
    V, output = inputs["V"], value["the output"]
    outside = (output > V.max(axis=0) + 1e-6) | (output < V.min(axis=0) - 1e-6)
    return (
        "Some numbers lie outside the range of the values, where no weighted mean of them can be.",
    ) * bool(outside.any())


def count(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether there are too many features or too few."""
    right = reference.feature_dimension(**inputs)["the number of features"]
    many = value["the number of features"] > right
    return ("Fewer features are enough." if many else "So few features are not enough.",)
