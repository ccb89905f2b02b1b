"""What was counted is compared, too: a port that is right elsewhere may cut corners where it is counted."""

from dataclasses import dataclass

import numpy as np

from autograder.kit import Inputs, Value, Vectorised, Verdict

from . import reference


@dataclass(frozen=True)
class VectorisedPort(Vectorised):
    """As `Vectorised`, where the longer output has to be right.

    Args:
        tolerance: Absolute, and relative to the reference's value.
    """

    tolerance: float = 0.0

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge the counts, then the output."""
        verdict = super().__call__(inputs, value)
        right = reference.transformer(*(inputs[name] for name in ("Km", "Qm", "Vm", "seq")))
        output, allowed = value.get("output"), self.tolerance
        same = (
            isinstance(output, np.ndarray)
            and output.shape == right.shape
            and np.allclose(output, right, rtol=allowed, atol=allowed)
        )
        if verdict.fraction == 1 and not same:
            return Verdict(0.0, "The output that was counted is not that of a right port.")
        return verdict
