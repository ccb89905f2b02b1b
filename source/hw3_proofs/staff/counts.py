"""Values that have to be right, and that took no more than is allowed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from autograder.kit import AuthorsFunction, Check, Close, Inputs, Value, Verdict


@dataclass(frozen=True)
class Within(Check):
    """Compares values with the reference's, then what was counted with what is allowed.

    Args:
        values: Compares the values.
        count: Under which name the count is.
        allowed_count: The largest right one, by the case's inputs.
        sentence: Says that `{count}` is more than `{allowed}`.
    """

    values: Close
    count: str
    allowed_count: Callable[[Inputs], float]
    sentence: str
    reads: ClassVar[Any] = "alone"
    decides: ClassVar[bool] = True
    heavy: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        verdict = self.values(inputs, value)
        if verdict.fraction < 1:
            return verdict
        counted = self._counted(value)
        if counted is None:
            return Verdict(0.0, "The count could not be read.")
        allowed = self.allowed_count(inputs)
        if counted > allowed:
            said = self.sentence.format(count=f"{counted:,.0f}", allowed=f"{allowed:,.0f}")
            return Verdict(0.0, f"For {self.values.describe(inputs)}: {said}")
        return verdict

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 for the same numbers where both counts are allowed, or too large by about as much."""
        mine, theirs = (self._counted(item) for item in (value, known))
        if mine is None or theirs is None:
            return 0.0
        allowed = self.allowed_count(inputs)
        arrays = {name: item for name, item in known.items() if name != self.count}
        alike = self.values.likeness(inputs, value, arrays)
        both = mine > allowed and theirs > allowed
        close = max(mine, theirs) <= 2 * min(mine, theirs)
        return alike * float((mine <= allowed and theirs <= allowed) or (both and close))

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return what wrong numbers have in common; nothing where one has only a large count."""
        for inputs, value, right in cases:
            if not right and value is not None and self.values(inputs, value).fraction == 1:
                return ""
        return self.values.overview(cases)

    def expected(self, inputs: Inputs) -> Any:
        """Return the reference's arrays."""
        return self.values.expected(inputs)

    def allowed(self) -> float:
        """Return how far off a number may be."""
        return self.values.allowed()

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the reference."""
        return self.values.functions()

    def _counted(self, value: Value) -> float | None:
        counted = value.get(self.count)
        if not isinstance(counted, np.ndarray) or counted.shape != ():
            return None
        return float(counted) if counted.dtype.kind in "iuf" and np.isfinite(counted) else None
