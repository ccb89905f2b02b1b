"""A forward pass dispatches no more operations for a longer sequence, and is right where it is counted."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from autograder.kit import Array, Check, Inputs, Value, Verdict

from . import reference

MAX_DIMENSIONS = 8
_MATRICES = ("Km", "Qm", "Vm", "seq")
_SIZES = {"operations": 2, "shape": None, "expected_shape": None, "gradients": None}


@dataclass(frozen=True)
class Vectorised(Check):
    """Checks the number of operations, the gradients and the output that was counted.

    Args:
        parameters: What the gradients of a value belong to, in their order.
        tolerance: Of the output: absolute, and relative to the reference's value.
        gradient_tolerance: Of the gradients, in the same way.
    """

    parameters: tuple[str, ...]
    tolerance: float
    gradient_tolerance: float
    decides: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case.

        Args:
            inputs: short and long, the two lengths; direction, the weights of the outputs in the
                sum whose gradients are taken.
            value: operations (2,), the number of dispatched tensor operations at each
                length; output, that of the longer; shape, that of the output; expected_shape;
                gradients (k,), 1 for each parameter that a gradient reaches; and these, as
                "the gradient of Qm".
        """
        if not _readable(value) or len(value["gradients"]) != len(self.parameters):
            return Verdict(0.0, "The count of operations could not be read.")
        short, long = (int(count) for count in value["operations"])
        shape, expected = (tuple(value[name].tolist()) for name in ("shape", "expected_shape"))
        if shape != expected:
            return Verdict(0.0, f"The output should have shape {expected}, yours has {shape}.")
        if not value["gradients"].all():
            missed = [
                name
                for name, reached in zip(self.parameters, value["gradients"], strict=True)
                if not reached
            ]
            return Verdict(
                0.0,
                f"No gradient reaches {' and '.join(missed)}. Stay in torch from the sequence to "
                "the output, and round nothing: no .detach(), .numpy(), .item() or argmax.",
            )
        if long > short:
            return Verdict(
                0.0,
                f"A forward pass takes {short} tensor operations for a sequence of length "
                f"{inputs['short']} and {long} for length {inputs['long']}: the number may not grow "
                "with the length. Compute all scores at once, as one product of two matrices.",
            )
        if not self._is_right(inputs, value):
            return Verdict(0.0, "The output that was counted is not that of a right port.")
        # What the graph of right gradients lacks was not needed for them: a count in it is true.
        if not self._has_right_gradients(inputs, value):
            return Verdict(0.0, "The gradients of the pass that was counted are not right.")
        return Verdict(
            1.0,
            f"{long} tensor operations, whether the sequence has {inputs['short']} or "
            f"{inputs['long']} tokens.",
        )

    def _is_right(self, inputs: Inputs, value: Value) -> bool:
        right = reference.transformer(*(inputs[name] for name in _MATRICES))
        return _near(value.get("output"), right, self.tolerance)

    def _has_right_gradients(self, inputs: Inputs, value: Value) -> bool:
        given = {name: inputs[name] for name in (*_MATRICES, "direction")}
        right = reference.gradients(**given, pos=np.zeros((len(inputs["seq"]), 0)))
        names = (f"the gradient of {name}" for name in self.parameters)
        return all(_near(value.get(name), right[name], self.gradient_tolerance) for name in names)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for the same counts, 0.5 where the same parts are right and wrong."""
        if not (_readable(value) and _readable(known)):
            return 0.0
        if all(np.array_equal(value[name], known[name]) for name in _SIZES):
            return 1.0
        return 0.5 * (_parts(value) == _parts(known))


def _near(got: Array | str | None, right: Array, allowed: float) -> bool:
    return (
        isinstance(got, np.ndarray)
        and got.shape == right.shape
        and np.allclose(got, right, rtol=allowed, atol=allowed)
    )


def _readable(value: Value) -> bool:
    return all(
        isinstance(got := value.get(name), np.ndarray)
        and got.ndim == 1
        and len(got) <= MAX_DIMENSIONS
        and size in (None, len(got))
        for name, size in _SIZES.items()
    )


def _parts(value: Value) -> tuple[bool, bool, tuple[int, ...]]:
    """Return which parts of a count are as they should be."""
    short, long = value["operations"]
    return (
        bool(long > short),
        np.array_equal(value["shape"], value["expected_shape"]),
        tuple(value["gradients"].tolist()),
    )
