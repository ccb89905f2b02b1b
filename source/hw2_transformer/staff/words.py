"""What can be said of a port's wrong output without the right one: the weights that it implies."""

import numpy as np

from autograder.kit import Array, Inputs, Value

from . import reference

CLOSE = 1e-2  # weights are found by solving, which magnifies rounding
CONDITION = 100.0
KEPT = (
    "The first sequence that a model gets comes out right, and a later one does not: what does "
    "your model keep of the first?"
)


@np.errstate(all="ignore")
def implied_weights(inputs: Inputs, value: Value) -> tuple[str, ...]:
    """Return sentences that are true of a wrong output, the most telling first.

    Where the values V (seq_len, v_dim) have rank seq_len, an output W V has one W only.
    With positions nothing is said: V is not known where they are joined in another way.

    Args:
        inputs: The port's case.
        value: output, (seq_len, v_dim); beside, names of weights that were not asked for.
    """
    output, beside = value["output"], value.get("beside")
    if isinstance(beside, str) and beside:
        return (f"Your model has weights that the table does not name: {beside[:200]}.",)
    right = reference.port(**inputs)["output"]
    if np.allclose(output, right, atol=1e-3, rtol=1e-3):
        return (KEPT,)
    if "pos" in inputs:
        return ()
    said: list[str] = []
    if output.shape[1] > 1 and np.abs(output.mean(axis=1)).max() < 1e-4 < np.abs(output).max():
        said.append("Each of your rows has mean 0: is something normalised at the end?")
    values = inputs["seq"] @ inputs["Vm"]
    length, v_dim = values.shape
    if not 1 < length <= v_dim or np.linalg.cond(values) > CONDITION:
        return tuple(said)
    weights = output @ np.linalg.pinv(values)
    if np.allclose(weights @ values, output, atol=CLOSE):
        return (*said, *_on_weights(weights))
    return (*said, "Your rows are no weighted sums of the values: is something added to them?")


def _on_weights(weights: Array) -> list[str]:
    """Describe a matrix of weights (seq_len, seq_len) that is not the right one."""

    def near(a: Array, b: float) -> bool:
        return bool(np.abs(a - b).max() < CLOSE)

    said: list[str] = []
    rows, columns = weights.sum(axis=1), weights.sum(axis=0)
    if near(rows, 1):
        if near(weights * (1 - weights), 0):
            said.append("Each of your rows is one of the values, no average: is there a softmax?")
        if near(np.triu(weights, 1), 0):
            said.append(
                "Each token looks at itself and at what stands before it only: does a mask hide "
                "the rest?"
            )
        return [
            *said,
            "The weights of each row sum to one, but they are not the right ones: look at the scores.",
        ]
    if near(columns, 1):
        said.append("The weights of each column sum to one, and those of a row do not.")
    if near(rows, float(rows[0])):
        said.append(
            "The weights of every row sum to the same number, but they have to sum to one: "
            "is something added, or multiplied, after the softmax?"
        )
    return [*said, "The weights of a row do not sum to one."]
