"""Outcome -> a short digest, which finds the same wrong answer in a whole class.

Answers that differ only by rounding have similar digests; whole numbers, texts and the form of a
value must be equal. A digest reveals only the size of numbers.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.records import codec
from autograder.records.data import encode_value
from autograder.records.facts import Common, Digest, Outcome

PROJECTIONS = 6
"""The number of randomly weighted sums over all numbers: equal sums mean equal values."""
NEAR = 1e-4
"""Tolerance relative to the largest sum: rounding stays below it, and different mistakes exceed
it."""


def digest(outcome: Outcome) -> Digest:
    """Return the digest of one case's value or complaint."""
    if outcome.value is None:
        # Without the failed line: it differs between students who make the same mistake.
        return _digest([outcome.status, outcome.error.split("\n")[0]], [])
    numbers: list[float] = []
    form = _without_fractions(encode_value(outcome.value), numbers)
    return _digest([outcome.status, form], numbers)


def alike(one: Sequence[Digest], other: Sequence[Digest]) -> bool:
    """Return whether two answers gave the same results in every case, up to rounding."""
    return len(one) == len(other) and all(
        a.kind == b.kind and _near(a.numbers, b.numbers) for a, b in zip(one, other, strict=True)
    )


def groups(answers: Sequence[Sequence[Digest]]) -> list[list[int]]:
    """Return groups of similar answers, as positions: the largest group first, each in order.

    All digests of one form are compared at once: thousands take a second.
    """
    forms: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for place, answer in enumerate(answers):
        forms.setdefault(tuple((one.kind, len(one.numbers)) for one in answer), []).append(place)
    found: list[list[int]] = []
    for form, places in forms.items():
        cases = [
            np.array([answers[place][case].numbers for place in places])
            for case, (_, length) in enumerate(form)
            if length
        ]
        left = np.arange(len(places))
        while len(left):
            near = np.ones(len(left), dtype=bool)
            for numbers in cases:
                first, others = numbers[left[0]], numbers[left]
                largest = np.maximum(np.abs(others).max(axis=1), np.abs(first).max())
                near &= np.abs(others - first).max(axis=1) <= NEAR * largest
            found.append([places[place] for place in left[near]])
            left = left[~near]
    return sorted(found, key=lambda group: (-len(group), group))


def group_name(question: str, common: Common) -> str:
    """Return the name of a wrong answer's group, derived from its digest: "port-3f9a2c1b"."""
    given = [common.inputs, *((one.kind, *one.numbers) for one in common.values)]
    return f"{question}-{hashlib.sha256(codec.dumps(given).encode()).hexdigest()[:8]}"


def _digest(form: Any, numbers: Sequence[float]) -> Digest:
    kind = hashlib.sha256(codec.dumps(form).encode()).hexdigest()[:16]
    if not numbers:
        return Digest(kind)
    with np.errstate(all="ignore"):
        weights = np.random.default_rng(0).standard_normal((PROJECTIONS, len(numbers)))
        sums = weights @ np.array(numbers) / np.sqrt(len(numbers))
    if not np.isfinite(sums).all():  # numbers near the largest float overflow
        exact = hashlib.sha256(np.array(numbers).tobytes()).hexdigest()[:16]
        return Digest(f"{kind}{exact}")
    return Digest(kind, tuple(float(f"{total:.6g}") for total in sums))


def _without_fractions(item: Any, numbers: list[float]) -> Any:
    """Return JSON without its floats, which are appended to `numbers` in order."""
    if isinstance(item, float):
        numbers.append(item)
        return None
    if isinstance(item, list):
        return [_without_fractions(part, numbers) for part in item]
    if isinstance(item, dict):
        return {key: _without_fractions(item[key], numbers) for key in sorted(item)}
    return item


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    if len(one) != len(other):
        return False
    allowed = NEAR * max(map(abs, (*one, *other)), default=0.0)
    return all(abs(a - b) <= allowed for a, b in zip(one, other, strict=True))
