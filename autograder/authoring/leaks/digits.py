"""Numbers that agree with secret ones, even if rounded or mixed with others."""

import functools
import math
import re
from collections.abc import Iterator

import numpy as np

from autograder.records.questions import Array

DIGITS = 7  # float32 has no more than these
EXACT = 11  # the digits that count as agreeing if a longer number matches to the last digit
ALONE = 5  # a number or whole row with fewer digits reveals nothing: 0.5, 1000, 0.125
FEW = 4  # a row with fewer digits is not compared: [0, 1] may be anywhere
MARGIN = 2  # one text in 10 ** MARGIN agrees by chance
SHOWN = 6  # the most numbers of a leak to show to staff
MAX_PAIRS = 5_000_000  # pairs of agreeing numbers; each takes 8 bytes in several arrays

# The pattern has no sign, since a minus may be an operator, and skips names and versions. It never
# backtracks (++), so a megabyte of digits takes no longer than other texts. A longer hexadecimal
# number does not fit into a float.
_NUMBER = re.compile(
    r"(?i)(?<![\w.])(?:0x[0-9a-f]{1,250}+|(?:\d++(?:_\d++)*+\.?+\d*+|\.\d++)(?:e[-+]?\d++)?)(?!\w)"
)


class Numbers:
    """Arrays that no student should read; signs are ignored.

    Args:
        least: The significant digits that a number needs to be compared.

    """

    def __init__(self, least: int) -> None:
        self._least = least
        self._arrays: list[tuple[str, Array]] = []
        self._telling: list[tuple[str, Array]] = []

    def add(self, who: str, array: Array) -> None:
        """Add an array, before any search."""
        flat = np.abs(array.ravel())
        self._arrays.append((who, flat))
        if array.size >= FEW and not _is_plain(array):
            self._telling.append((who, flat))

    def equal(self, numbers: Array, *, whole: bool) -> Iterator[str]:
        """Yield the arrays that these numbers equal, or contain as a run."""
        data = numbers.tobytes()
        for who, array in self._telling if numbers.size >= FEW else ():
            start = data.find(array.tobytes())  # -1, for "not found", is no multiple of a size
            alone = array.size >= 16 or (array.size >= 6 and array.max() > 1)
            if start % numbers.itemsize == 0 and (alone or (whole and array.size == numbers.size)):
                yield f"all numbers of {who}"

    def close(self, numbers: Array) -> Iterator[str]:
        """Yield the arrays that agree with one of these numbers, or with several in a row.

        The number of digits that must agree depends on how many numbers both sides have.
        """
        numbers, digits = long_numbers(numbers, self._least)
        if not numbers.size:
            return
        secret, places, names = self._sorted
        values = np.empty(len(names))
        values[places] = secret
        power = 10.0 ** np.floor(np.log10(numbers))
        is_long = np.abs(numbers / power - np.round(numbers / power, EXACT - 1)) > 1e-14
        unit = power * 10.0 ** (1 - digits)
        # Half a unit covers rounding; the rest covers float32.
        low = np.searchsorted(secret, numbers - 0.51 * unit)
        count = np.searchsorted(secret, numbers + 0.51 * unit, "right") - low
        if count.sum() > MAX_PAIRS:
            yield "more numbers than can be compared"
        if not 0 < count.sum() <= MAX_PAIRS:
            return
        # Pair each number here with each secret number that agrees; those begin at `low`.
        here = np.repeat(np.arange(numbers.size), count)
        there = places[np.arange(here.size) + np.repeat(low - np.cumsum(count) + count, count)]
        here, there, starts = _rows(here, there)
        sizes = np.diff(starts, append=here.size)
        # Agreement in all digits of a long number counts for more than the seven digits of float32.
        equal = is_long[here] & (numbers[here] == values[there])
        weights = np.where(equal, EXACT, digits[here])
        # Code repeats sizes such as 256, which then agree with several nearly equal secrets by chance.
        whole = (numbers[here] % 1 == 0) & (numbers[here] != values[there])
        repeated = whole & np.append(False, np.diff(numbers[here]) == 0)
        repeated[starts] = False
        agreeing = np.add.reduceat(np.where(repeated, 0, weights), starts)
        as_long = np.array([np.count_nonzero(digits >= least) for least in range(DIGITS + 1)])
        chances = np.where(sizes > 1, numbers.size, as_long[digits[here[starts]]])
        needed = np.maximum(ALONE, np.log10(secret.size * chances) + MARGIN)
        found: dict[str, Array] = {}
        for hit in np.flatnonzero(agreeing >= needed):
            what = f"{sizes[hit]} numbers in a row" if sizes[hit] > 1 else "a number"
            run = here[starts[hit] : starts[hit] + sizes[hit]]
            found.setdefault(f"{what} of {names[there[starts[hit]]]}", numbers[run])
        for what, run in found.items():
            shown = ", ".join(repr(float(one)).removesuffix(".0") for one in run[:SHOWN])
            yield f"{what}: {shown}{', ...' * (run.size > SHOWN)}"

    @functools.cached_property
    def _sorted(self) -> tuple[Array, Array, list[str]]:
        values, places = [np.zeros(0)], [np.zeros(0, dtype=int)]
        names: list[str] = []
        for who, array in self._arrays:
            long, _ = long_numbers(array, self._least)
            values.append(long)
            places.append(len(names) + np.arange(long.size))
            names += [who] * long.size + [""]  # a gap: arrays are not neighbours
        together = np.concatenate(values)
        order = np.argsort(together)
        return together[order], np.concatenate(places)[order], names


def numbers_in(text: str) -> Array:
    """Return every number of a text, without its sign."""
    found = [
        float(int(number, 16)) if number[:2] in ("0x", "0X") else float(number)
        for number in _NUMBER.findall(text)
    ]
    return np.array(found, dtype=np.float64)


def long_numbers(values: Array, least: int) -> tuple[Array, Array]:
    """Return the numbers with at least this many significant digits, and their digits."""
    values = values[np.isfinite(values) & (values > 1e-300)]  # less has no exact power of ten
    if not values.size:
        return values, np.zeros(0, dtype=int)
    scaled = values / 10.0 ** np.floor(np.log10(values))
    digits = np.full(values.shape, DIGITS)
    for count in range(DIGITS - 1, 0, -1):
        digits[np.abs(scaled - np.round(scaled, count - 1)) < 1e-7 * scaled] = count
    return values[digits >= least], digits[digits >= least]


def _rows(here: Array, there: Array) -> tuple[Array, Array, Array]:
    """Return the pairs sorted so that rows stay together, and where each row starts."""
    # In this order, numbers that follow each other on both sides are neighbours.
    order = np.lexsort((here, there - here))
    here, there = here[order], there[order]
    apart = (np.diff(there - here) != 0) | (np.diff(here) != 1)
    return here, there, np.flatnonzero(np.concatenate([[True], apart]))


def _is_plain(array: Array) -> bool:
    """Return whether an array is constant, a range or an identity, which reveals nothing."""
    flat, side = array.ravel(), math.isqrt(array.size)
    steps = np.diff(flat)
    return bool((steps == steps[0]).all()) or np.array_equal(flat, np.eye(side).ravel())
