"""What can be said of a wrong answer without the right one, and of a case without its numbers."""

import numpy as np

from autograder.model import Inputs, Value

from . import reference
from .cases import NUMBER_TOLERANCE


def describe(inputs: Inputs) -> str:
    """Say what a case was by its sizes; its other numbers stay hidden."""
    sizes = [
        f"{name} of shape {np.shape(item)}" if isinstance(item, np.ndarray) else f"{name} = {item}"
        for name, item in inputs.items()
        if not isinstance(item, float)
    ]
    hidden = " and ".join(name for name, item in inputs.items() if isinstance(item, float))
    sizes += [f"some {hidden}"] if hidden else []
    return ", ".join(sizes) or "this question"


def losses(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which of the four are wrong, and whether their sums are right."""
    got, right = value["the list of losses"], reference.purification_losses(**inputs)
    names = ("rec_I", "reg_I", "rec_P", "reg_P")
    wrong = np.abs(got - right["the list of losses"]) > NUMBER_TOLERANCE
    return (f"Wrong: {', '.join(n for n, bad in zip(names, wrong, strict=True) if bad)}.",)


def threshold(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say which matrix has the smaller objective at the number that is given."""
    rec_I, reg_I, rec_P, reg_P = reference.purification_losses(float(value["the threshold"]))[
        "the list of losses"
    ]
    smaller = "I" if rec_I + reg_I < rec_P + reg_P else "diag(1, 0)"
    return (f"At this lam the objective of {smaller} is the smaller one.",)


def purifier(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say what of a matrix cannot be, whatever the data is."""
    W = value["the purifier"]
    said = []
    if not np.allclose(W, W.T, atol=1e-3):
        said.append("It is not symmetric.")
    else:
        factors = np.linalg.eigvalsh(W)
        if factors.max() > 1 + 1e-6:
            said.append("It makes some direction larger than it was.")
        if factors.min() < -1e-6:
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
    if 4.0**2 / (4.0**2 + high) < 0.8 - 1e-6:
        said.append("At the upper end, one of the first three directions keeps less than 0.8.")
    if 1 / (1 + low) > 0.5 + 1e-6:
        said.append("At the lower end, one of the other directions keeps more than 0.5.")
    return (" ".join(said) or "All conditions hold in it, and beyond it as well.",)


def argmax(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Say whether what came back is one of the values."""
    near = np.abs(inputs["V"] - value["the output"]).max(axis=1) < 1e-4
    if near.any():
        return ("It is the value of another key than the one with the largest score.",)
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
