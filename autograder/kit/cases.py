"""Sentences on the common features of all wrong cases of a question.

Each sentence is tested on every case that it covers, and contains no number of the right answer.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from time import process_time
from typing import Any

import numpy as np

from autograder.kit.comparison import AMOUNT, FACTOR, FUNCTIONS, SIGN, ZERO, factor, relations
from autograder.records.questions import Array, Inputs, Value
from autograder.records.values import agree

Pair = tuple[Array, Array]
"""The returned array and the right one."""
Compared = tuple[Inputs, Mapping[str, Pair]]
"""A case's inputs, and its arrays by name."""
Expected = Callable[[Inputs], Mapping[str, Array]]
FEW = 3
"""The most names that a sentence lists."""
ALIKE = 0.01
"""The relative difference up to which factors count as equal."""
MOST_NUMBERS, MOST_SECONDS = 50_000, 1.0
"""Seconds for one case, and for all calls of a reference, in the search for what an answer
ignores."""
ALONE = {
    ZERO: "It is zero in each case that is wrong.",
    SIGN: "In each case that is wrong it has the wrong sign and the right size.",
    FACTOR: "It is off by the same factor in each case that is wrong.",
    AMOUNT: "It is off by the same amount in each case that is wrong.",
} | {
    f"Each is the {name} of what it should be.": f"In each case that is wrong it is the {name} of "
    "what it should be."
    for name, _ in FUNCTIONS
}
"""The same sentences, for cases with one number each."""
FACTORS = "In each case all are off by the same factor, which differs between cases."
AMOUNTS = "In each case all are off by the same amount, which differs between cases."
POWERS: tuple[tuple[str, str, Callable[[float], float]], ...] = (
    ("larger", "", lambda n: n),
    ("smaller", "", lambda n: 1 / n),
    ("larger", "the square root of ", math.sqrt),
    ("smaller", "the square root of ", lambda n: 1 / math.sqrt(n)),
)
LESS = "n / (n - 1), where n is "
DEGREES: tuple[tuple[str, str, Callable[[float], float]], ...] = (
    ("larger", LESS, lambda n: n / (n - 1)),
    ("smaller", LESS, lambda n: (n - 1) / n),
    ("larger", f"the square root of {LESS}", lambda n: math.sqrt(n / (n - 1))),
    ("smaller", f"the square root of {LESS}", lambda n: math.sqrt((n - 1) / n)),
)
"""Like `POWERS`, for sizes above 1: the ratios of variances, and of standard deviations."""
Change = Callable[[Any], Any]
OF_ALL: tuple[tuple[str, Change], ...] = (("were 0", lambda x: 0 * x),)
"""Changes of a whole input, in words and as functions."""
OF_ARRAYS = (
    ("were transposed", np.transpose),
    ("were in the reverse order", lambda x: x[::-1]),
)
OF_REAL = (("had the other sign", lambda x: -x),)
OF_NUMBERS = (
    ("were 1", lambda x: 0 * x + 1),
    ("were larger by 1", lambda x: x + 1),
    ("were smaller by 1", lambda x: x - 1),
    ("were twice as large", lambda x: 2 * x),
    ("were half as large", lambda x: x / 2),
    ("were squared", np.square),
    ("were replaced by the square root", np.sqrt),
)
"""Changes of single numbers, and of lists of them."""


def counted(
    cases: Sequence[tuple[Inputs, Value | None, bool]], described: Callable[[Inputs], str]
) -> str:
    """Return how many cases are right, and which, if a description exists."""
    good = [described(inputs) for inputs, _, right in cases if right]
    bad = [described(inputs) for inputs, _, right in cases if not right]
    if not good or not bad:
        return ""
    if len(good) == 1 and good[0] and good[0] not in bad:
        return f"Right for {good[0]}, and in no other of the {len(cases)} cases."
    parts = [
        [set(re.split(r", (?![^(]*\))", text)) - {""} for text in some] for some in (bad, good)
    ]
    only = min(set.intersection(*parts[0]) - set.union(*parts[1]), key=len, default="")
    more = f"; those with {only} are not" if only and len(bad) > 1 else ""
    return f"{len(good)} of the {len(cases)} cases {'is' if len(good) == 1 else 'are'} right{more}."


def overview(
    cases: Sequence[tuple[Inputs, Value | None, bool]],
    described: Callable[[Inputs], str],
    in_common: Callable[[Sequence[tuple[Inputs, Value]]], str],
) -> str:
    """Return what all wrong cases have in common, and how many are right.

    If a case has no value, nothing can be said about all wrong cases; its error comes first.

    Args:
        cases: The inputs, the value if there was one, and whether it is right.
        described: Describes a case in a few words.
        in_common: Returns sentences that are true of all these wrong values, or "".
    """
    wrong = [(inputs, value) for inputs, value, right in cases if not right]
    given = [(inputs, value) for inputs, value in wrong if value is not None]
    said = in_common(given) if len(given) == len(wrong) else ""
    return " ".join(filter(None, (said, counted(cases, described))))


def of_numbers(wrong: Sequence[Compared], expected: Expected, tolerance: float) -> str:
    """Return one or two sentences on the arrays of all wrong cases.

    Args:
        wrong: The results of the wrong cases, all arrays in the right shape.
        expected: The reference, which is also called with changed inputs.
        tolerance: Absolute, and relative to the right value.
    """
    off = [(inputs, _wrong(pairs, tolerance)) for inputs, pairs in wrong]
    if not off or not all(pairs for _, pairs in off):  # wrong only the second time
        return ""
    first = next(iter(off[0][1]))
    every = [(inputs, pair) for inputs, pairs in off for pair in pairs.values()]
    empty = not any(np.any(got) for _, (got, _) in every)
    said = "" if empty else _as_if(first, off, expected, tolerance)
    said = said or _related(every, tolerance)
    if not said and any(len(pairs) > 1 for _, pairs in off):
        of_first = [(inputs, pairs[first]) for inputs, pairs in off if first in pairs]
        related = _related(of_first, tolerance)
        said = related and f"Of {first}: {related[0].lower()}{related[1:]}"
    return " ".join(filter(None, (_which(wrong, off), said or _unmoved(wrong))))


def _wrong(pairs: Mapping[str, Pair], tolerance: float) -> dict[str, Pair]:
    return {name: pair for name, pair in pairs.items() if not agree(*pair, tolerance)}


def _which(wrong: Sequence[Compared], off: Sequence[Compared]) -> str:
    """Return which arrays are wrong, if the same ones are in all cases, and not all."""
    names, bad = [*wrong[0][1]], [*off[0][1]]
    good = [name for name in names if name not in bad]
    if not good or any(pairs.keys() != off[0][1].keys() for _, pairs in off):
        return ""
    if len(bad) <= FEW:
        others = listed(good) if len(good) <= FEW else f"the other {len(good)} arrays"
        return f"Only {listed(bad)} {be(bad)} wrong; {others} {be(good)} right."
    if len(good) <= FEW:
        said = listed(good)
        return f"{said[0].upper()}{said[1:]} {be(good)} right, and the other {len(bad)} arrays are not."
    return f"{len(good)} of the {len(names)} arrays are right."


def _related(pairs: Sequence[tuple[Inputs, Pair]], tolerance: float) -> str:
    """Return the most informative relation that holds in every case."""
    if all(
        right.ndim == 0 for _, (_, right) in pairs
    ):  # one number per case, so all cases are compared at once
        got, right = (np.array([float(pair[side]) for _, pair in pairs]) for side in (0, 1))
        found = [
            ALONE[said] for said in relations(got, right, tolerance=tolerance) if said in ALONE
        ]
        factors = got / right if right.all() else np.zeros(0)
        sized = (
            _sized([inputs for inputs, _ in pairs], [*factors])
            .replace("All are", "It is")
            .replace("they", "it", 1)
        )
        return sized or next(iter(found), "")
    told = [relations(*pair, tolerance=tolerance) for _, pair in pairs]
    common = next((said for said in told[0] if all(said in others for others in told)), "")
    if common == FACTOR:
        factors = [factor(*pair, tolerance) or 0.0 for _, pair in pairs]
        sized = _sized([inputs for inputs, _ in pairs], factors)
        return sized or (FACTOR if _are_one(factors) else FACTORS)
    if common == AMOUNT:
        return AMOUNT if _are_one([float((g - r).mean()) for _, (g, r) in pairs]) else AMOUNTS
    return common


def _are_one(numbers: Sequence[float]) -> bool:
    return float(np.ptp(numbers)) <= ALIKE * float(np.abs(numbers).max())


def _sized(cases: Sequence[Inputs], factors: Sequence[float]) -> str:
    """Return a complaint if the factor that scales each case can be computed from an input's sizes."""
    sizes = [dict(_sizes(inputs)) for inputs in cases]
    for label in sizes[0] if factors else ():
        numbers = [some.get(label, 0.0) for some in sizes]
        if len(set(numbers)) < 2 or min(numbers) <= 0:
            continue
        for words, root, power in (*POWERS, *DEGREES * (min(numbers) > 1)):
            due = [power(n) for n in numbers]
            # Near 1, the distance from 1 counts.
            sizes_of = [abs(d - 1) if root.endswith(LESS) else d for d in due]
            pairs = zip(factors, due, sizes_of, strict=True)
            if all(abs(f - d) <= ALIKE * size for f, d, size in pairs):
                return f"All are {words} than they should be by a factor that is {root}{label}."
    return ""


def _sizes(inputs: Inputs) -> Iterator[tuple[str, float]]:
    """Yield each size of a case's inputs, with its name."""
    for name, item in inputs.items():
        if isinstance(item, int | float):
            yield f"`{name}`", float(item)
        if isinstance(item, np.ndarray):
            for axis, size in enumerate(item.shape):
                words = {1: ("the length",), 2: ("the number of rows", "the number of columns")}
                named = words.get(item.ndim, ())
                yield f"{named[axis] if named else f'the size of axis {axis}'} of `{name}`", size


def _as_if(name: str, off: Sequence[Compared], expected: Expected, tolerance: float) -> str:
    """Return the change of an input that would make an array right in all wrong cases.

    The change shows what an answer leaves out, swaps or reverses.
    """
    wrong = sorted(
        [(inputs, pairs[name][0]) for inputs, pairs in off if name in pairs], key=_numbers
    )  # most changes fail on the first case
    if len(wrong) < len(off) or _numbers(wrong[-1]) > MOST_NUMBERS:
        return ""
    inputs, started = wrong[0][0], process_time()
    for words, change in _changes(inputs):
        for case, got in wrong:
            if process_time() - started > MOST_SECONDS:
                return ""
            if not _fits(name, got, lambda: expected(change(case)), tolerance):  # noqa: B023
                break
        else:
            words_of_ours = name.startswith(("the ", "what "))
            said = name[0].upper() + name[1:] if words_of_ours else name
            return f"{said} {be([name])} what would be right if {words}."
    return ""


def _numbers(compared: tuple[Inputs, object]) -> int:
    """Return how many numbers a case's inputs have."""
    return sum(np.size(item) for item in compared[0].values() if _is_number(item))


def _fits(
    name: str, got: Array, expected: Callable[[], Mapping[str, Array]], tolerance: float
) -> bool:
    """Return whether an array would be right for changed inputs."""
    try:
        found = expected()[name]
    except Exception:  # a reference may only support the inputs of the cases
        return False
    return np.isrealobj(found) and agree(got, found, tolerance)


def _changes(inputs: Inputs) -> Iterator[tuple[str, Callable[[Inputs], Inputs]]]:
    """Yield changes of a case's inputs, in words and as functions."""
    names = [name for name, item in inputs.items() if _is_number(item)]
    for one, other in combinations(names, 2):
        if np.shape(inputs[one]) == np.shape(inputs[other]):
            yield f"`{one}` and `{other}` were exchanged", _exchanged(one, other)
    for name in names:
        item = np.asarray(inputs[name])
        real = item.dtype.kind == "f"
        some = (
            *OF_ALL,
            *OF_ARRAYS * (item.ndim > 0),
            *OF_REAL * real,
            *OF_NUMBERS * (item.ndim < 2),
        )
        for words, change in some:
            yield f"`{name}` {words}", _with(name, change)
        for (label, _), (words, root, power) in product(
            _sizes({name: item} if real and item.ndim > 1 else {}), POWERS
        ):
            yield (
                f"`{name}` were {words} by a factor that is {root}{label}",
                _scaled(name, label, power),
            )


def _with(name: str, change: Change) -> Callable[[Inputs], Inputs]:
    return lambda inputs: {**inputs, name: change(inputs[name])}


def _scaled(name: str, label: str, power: Callable[[float], float]) -> Callable[[Inputs], Inputs]:
    return lambda inputs: {**inputs, name: power(dict(_sizes(inputs))[label]) * inputs[name]}


def _exchanged(one: str, other: str) -> Callable[[Inputs], Inputs]:
    return lambda inputs: {**inputs, one: inputs[other], other: inputs[one]}


def _is_number(item: object) -> bool:
    return isinstance(item, bool | int | float) or (
        isinstance(item, np.ndarray) and item.dtype.kind in "biuf"
    )


def _unmoved(wrong: Sequence[Compared]) -> str:
    """Return the inputs that differ between two cases whose results are equal but should not be."""
    for (inputs, pairs), (others, more) in combinations(wrong, 2):
        same = pairs.keys() == more.keys() and all(
            np.array_equal(pairs[name][0], more[name][0]) for name in pairs
        )
        if same and not all(np.array_equal(pairs[name][1], more[name][1]) for name in pairs):
            names = [
                n for n in inputs if n not in others or not np.array_equal(inputs[n], others[n])
            ]
            return f"It is the same in two cases that differ in {listed([f'`{n}`' for n in names])}, and should not be."
    return ""


def listed(names: Sequence[str]) -> str:
    """Return "a", "a and b" or "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def be(names: Sequence[str]) -> str:
    """Return the verb that fits names: "is" for one thing."""
    return "are" if len(names) > 1 or is_plural(names[0]) else "is"


def is_plural(name: str) -> bool:
    """Return whether an array's name is plural, such as "the terms of x"."""
    noun = re.split(r" (?:of|for|in|with|at|after|before) ", name)[0]
    return bool(re.search(r"^the (.* )?\w*[^aiosu]s$", noun))
