"""Values -> verdicts. Each class here is a check for staff/spec.py.

Each is a `Check`; see that class for its attributes and other methods.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from autograder.kit.cases import be, is_plural, of_numbers, overview
from autograder.kit.comparison import distance, rounded
from autograder.records.errors import UserError
from autograder.records.questions import (
    RESULT,
    Array,
    AuthorsFunction,
    Check,
    Inputs,
    Value,
    Verdict,
    no_array,
    the_solution,
)
from autograder.records.values import agree, differing

ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
"""Half the distance from 1 to the next number: the relative error of one rounding."""
SAFETY = 4.0
"""The constant of the probabilistic bound; `make truth` measures how much of it is used."""


def tolerance(
    stages: Sequence[tuple[int, float]], *, scale: float, dtype: str = "float32"
) -> float:
    """Return a tolerance that rounding alone does not exceed.

    A right answer is computed in stages, each a sum of n products. If a sum rounds up as often as
    down, its error is at most SAFETY sqrt(n) u times the size of its result with high probability,
    with u = ROUNDOFF[dtype] (Higham and Mary, SIAM J. Sci. Comput. 41, 2019; their constant lambda
    is SAFETY). The worst case, n u times the sum of the products' sizes (Higham, Accuracy and
    Stability of Numerical Algorithms, section 3.1), is a hundred times larger for attention, and
    never seen. The errors of the stages add up; `scale` is the typical size of the final result. So

        error <= SAFETY u scale (m_1 sqrt(n_1) + m_2 sqrt(n_2) + ...)

    which is rounded up to a power of ten, for readable messages.

    Args:
        stages: For each stage n, the length of its sum, and m, how much an error relative to
            the size of its result is magnified by the end (1 if it is passed on unchanged).
        scale: Root mean square of the compared numbers.
        dtype: The type in which a right answer may be computed.
    """
    error = SAFETY * ROUNDOFF[dtype] * scale * sum(m * math.sqrt(n) for n, m in stages)
    return float(f"1e{math.ceil(math.log10(error))}")


def shapes(inputs: Inputs) -> str:
    """Return the shapes of a case's arrays, in words."""
    return ", ".join(
        f"{name} of shape {item.shape}"
        for name, item in inputs.items()
        if isinstance(item, np.ndarray)
    )


def nothing(reference: Callable[..., Any]) -> str:
    """Return the message for a reference that returns None."""
    module = reference.__module__.rsplit(".", 1)[-1].replace("the_solution", "the solution")
    name = getattr(reference, "__name__", "reference")
    where = f"{module} {name}" if " " in module else f"{module}.{name}"
    return f"{where} returned None: is a `return` missing?"


@dataclass(frozen=True)
class Close(Check):
    """A comparison of every array with the reference's.

    Args:
        reference: Called with the case's inputs by name; returns arrays by name, or one array or number if the question has no adapter. Default: the notebook's own solution.
        tolerance: A number is right if it is off by at most tolerance * (1 + |right|): absolute near 0, and relative to large reference values; see `tolerance`.
        describe: Describes the case in a few words, without its numbers; default: the shapes.
        words: Describes a wrong value of the right shape in sentences, most informative first; none if too little is known. The message has the first one that most wrong cases share, with their number if not all do.
        says_how_far: Whether to say how far off numbers are, if there are several.
        beside: Names of texts returned beside the arrays, for `words`.
    """

    reference: Callable[..., Any] = the_solution
    tolerance: float = 1e-6
    describe: Callable[[Inputs], str] = shapes
    words: Callable[[Inputs, Value], tuple[str, ...]] = lambda inputs, value: ()  # noqa: ARG005
    says_how_far: bool = True
    beside: tuple[str, ...] = ()

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        expected = self.expected(inputs)
        for name, right in expected.items():
            complaint = self._complaint(name, value.get(name), right)
            if complaint:
                for other, item in expected.items():
                    if item.size > 1 and self._same(value.get(name), item):
                        complaint += f" That is what {other} should be: is the order right?"
                where = self.describe(inputs)
                said = (
                    f"For {where}: {complaint}" if where else complaint[0].upper() + complaint[1:]
                )
                return Verdict(0.0, said.rstrip())
        return Verdict(1.0, "Equal to the reference in every case.")

    def expected(self, inputs: Inputs) -> Mapping[str, Array]:
        """Return the reference's arrays by name."""
        if (found := self.reference(**inputs)) is None:
            raise UserError(nothing(self.reference))
        return found if isinstance(found, Mapping) else {RESULT: np.asarray(found)}

    def allowed(self) -> float:
        """Return how far off a number may be."""
        return self.tolerance

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the reference."""
        return {"reference": AuthorsFunction(self.reference)}

    def _complaint(self, name: str, got: object, right: Array) -> str:
        if complaint := no_array(name, got):
            return complaint
        assert isinstance(got, np.ndarray)
        if got.shape != right.shape:
            turned = " It is turned round: transpose it." * self._same(got.T, right)
            return f"{name} should have shape {right.shape}, yours has {got.shape}.{turned}"
        if self._same(got, right):
            return ""
        allowed = f"(tolerance {self.tolerance:g})"
        wrong = differing(got, right, self.tolerance)
        far = self.says_how_far and distance(got, right, wrong=wrong)
        if not far:
            return f"{name} {be([name])} not right {allowed}."
        has = "have" if is_plural(name) else "has"
        return (
            f"{name} {has} the right shape {right.shape}, but {'their' if has == 'have' else 'its'} "
            f"numbers are off by up to {far} {allowed}."
        )

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return a sentence or two on the common features of the cases.

        Args:
            cases: The inputs, the value if there was one, and whether it is right.
        """
        return overview(cases, self.describe, self._in_common)

    def _in_common(self, wrong: Sequence[tuple[Inputs, Value]]) -> str:
        """Return sentences true of every wrong value of the right shape, most certain first."""
        pairs: list[dict[str, tuple[Any, Array]]] = [
            {name: (value.get(name), right) for name, right in self.expected(inputs).items()}
            for inputs, value in wrong
        ]
        every = [pair for some in pairs for pair in some.values()]
        if not every or any(no_array("", got) or got.shape != right.shape for got, right in every):
            return ""
        if sentence := rounded(
            [pair for pair in every if not self._same(*pair)], tolerance=self.tolerance
        ):
            return sentence
        # Only arrays and the expected texts count.
        due = {**dict.fromkeys(self.beside, str), **dict.fromkeys(pairs[0], np.ndarray)}
        seen = [
            (inputs, {n: item for n, item in value.items() if isinstance(item, due.get(n, ()))})
            for inputs, value in wrong
        ]
        told = Counter(chain.from_iterable(dict.fromkeys(self.words(*case)) for case in seen))
        for sentence, number in told.most_common(1):
            some = f" (in {number} of {len(wrong)} wrong cases)." * (number < len(wrong))
            return sentence.removesuffix(".") + some if some else sentence
        compared = [(inputs, some) for (inputs, _), some in zip(wrong, pairs, strict=True)]
        return of_numbers(compared, self.expected, self.tolerance)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for a known mistake's numbers, 0.5 for its text, and 0 otherwise.

        If numbers are random, the text shows which mistake it is.
        """
        arrays = [name for name, item in known.items() if isinstance(item, np.ndarray)]
        if all(self._same(value.get(name), known[name]) for name in arrays):
            return 1.0
        texts = {name: item for name, item in known.items() if isinstance(item, str) and item}
        said = {name: value.get(name) for name in texts}
        return 0.5 * bool(
            texts and all(isinstance(t, str) for t in said.values()) and said == texts
        )

    def _same(self, got: object, other: Array) -> bool:
        return isinstance(got, np.ndarray) and agree(got, other, self.tolerance)
