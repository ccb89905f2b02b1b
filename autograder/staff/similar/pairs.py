"""Fingerprints of a class -> the pairs that share most of what few others have."""

import math
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from autograder.staff.similar.fingerprints import Fingerprint

MOST_SHARE, MOST, FEWEST = 0.5, 60, 3
"""What more than this share of the class has, or more than so many, is common; so few never are."""


@dataclass(frozen=True)
class Part:
    """One cell of a submission.

    Args:
        place: Id of the released cell whose place it has; "" for one that the student added.
        fingerprints: Of this text.
        kind: What it is compared as.
    """

    place: str
    source: str
    fingerprints: tuple[Fingerprint, ...]
    kind: Literal["code", "text", "outputs"]


@dataclass(frozen=True)
class Work:
    """One submission, as it is compared.

    Args:
        group: "" for this class; else what the folder of an earlier one is called.
        sha256: Of the submitted file.
        people: The ids with which a platform took it, sorted.
        declared: What the student wrote about people, sources and tools; "" where nothing.
    """

    student: str
    group: str
    sha256: str
    people: tuple[str, ...]
    parts: tuple[Part, ...]
    declared: str = ""

    @property
    def places(self) -> dict[int, str]:
        """All its fingerprints, and the place where each is last."""
        return {item.key: part.place for part in self.parts for item in part.fingerprints}


@dataclass(frozen=True)
class Pair:
    """Two submissions, and what they share.

    Args:
        first: One of this class.
        second: Another one, or one of an earlier class.
        likeness: In how many cells they are alike: a cell that is alike in part counts in part.
        shared: Fingerprint -> how many submissions have it.
    """

    first: Work
    second: Work
    likeness: float
    shared: Mapping[int, int]


def compare(works: Sequence[Work], given: Collection[int] = ()) -> list[Pair]:
    """Return all pairs that share something rare, those that are most alike first.

    A fingerprint that `count` of `n` submissions have weighs log2((n + 1) / count) ** 2. What is
    given to all, or common, weighs nothing. Of each cell the shared part of all weights counts, of
    the cell that has less; half of what is usual in its place is added to the whole, so that
    little tells little. Two works of earlier classes are not compared, nor are two of the same
    student.
    """
    left_out = frozenset(given)
    places = [
        {key: place for key, place in work.places.items() if key not in left_out} for work in works
    ]
    count = Counter(key for own in places for key in own)
    common = min(MOST, max(FEWEST, MOST_SHARE * len(works)))
    weights = {
        key: math.log2((len(works) + 1) / number) ** 2
        for key, number in count.items()
        if number <= common
    }
    wholes = _wholes(places, weights)
    shared: dict[tuple[int, int], list[int]] = {}
    for key, numbers in _having(places, weights).items():
        for pair in combinations(numbers, 2):
            if _are_compared(works[pair[0]], works[pair[1]]):
                shared.setdefault(pair, []).append(key)
    found = []
    for (one, other), keys in shared.items():
        likeness = sum(
            weights[key] / min(wholes[number][places[number][key]] for number in (one, other))
            for key in keys
        )
        first, second = (one, other) if not works[one].group else (other, one)
        found.append(Pair(works[first], works[second], likeness, {key: count[key] for key in keys}))
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first.student, pair.second.student))


def _wholes(
    places: Sequence[Mapping[int, str]], weights: Mapping[int, float]
) -> list[dict[str, float]]:
    """Return, for each work and place, what a whole cell weighs and half of what is usual there."""
    found: list[dict[str, float]] = []
    for own in places:
        whole: dict[str, float] = {}
        for key, place in own.items():
            whole[place] = whole.get(place, 0.0) + weights.get(key, 0.0)
        found.append(whole)
    by_place: dict[str, list[float]] = {}
    for whole in found:
        for place, weight in whole.items():
            by_place.setdefault(place, []).append(weight)
    usual = {place: statistics.median(weights) for place, weights in by_place.items()}
    return [
        {place: weight + usual[place] / 2 for place, weight in whole.items()} for whole in found
    ]


def _having(
    places: Sequence[Mapping[int, str]], weights: Mapping[int, float]
) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, own in enumerate(places):
        for key in own:
            if key in weights:
                found.setdefault(key, []).append(number)
    return found


def _are_compared(one: Work, other: Work) -> bool:
    return not (one.group and other.group) and one.student != other.student
