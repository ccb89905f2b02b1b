"""Fingerprints of a class -> the pairs that share most of the rare ones."""

import math
import statistics
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from autograder.staff.similar.fingerprints import Fingerprint

MOST_SHARE, MOST, FEWEST = 0.5, 60, 3
"""A fingerprint is common if more than this share of the class, or more than this number, has it."""


@dataclass(frozen=True)
class Part:
    """One cell of a submission.

    Args:
        place: The id of the released cell that it answers; "" for an added cell.
        fingerprints: The text's fingerprints.
        kind: The kind of text that it is compared as.

    """

    place: str
    source: str
    fingerprints: tuple[Fingerprint, ...]
    kind: Literal["code", "text", "outputs"]


@dataclass(frozen=True)
class Work:
    """One submission, prepared for comparison.

    Args:
        group: "" for this class, or the folder's name for an earlier one.
        sha256: The submitted file's digest.
        people: The ids of its people on the platform, sorted.
        declared: The student's text about people, sources and tools, or "".

    """

    student: str
    group: str
    sha256: str
    people: tuple[str, ...]
    parts: tuple[Part, ...]
    declared: str = ""

    @property
    def places(self) -> dict[int, str]:
        """Return all its fingerprints, and the last place of each."""
        return {item.key: part.place for part in self.parts for item in part.fingerprints}


@dataclass(frozen=True)
class Pair:
    """Two submissions, and the parts they share.

    Args:
        first: One of this class.
        second: A second one of this class, or one of an earlier class.
        likeness: The number of similar cells; partly similar ones count in part.
        shared: Fingerprint -> the number of submissions that have it.

    """

    first: Work
    second: Work
    likeness: float
    shared: Mapping[int, int]


def compare(works: Sequence[Work], given: Collection[int] = ()) -> list[Pair]:
    """Return all pairs that share something rare, most similar first.

    A fingerprint that `count` of `n` submissions have weighs log2((n + 1) / count) ** 2. Provided
    or common text weighs nothing. Two cells count by the share of the lighter one's weight that
    they have in common. Half the usual weight of its place is added to each cell's, so that short
    cells count little. Two works of earlier classes, or of the same student, are not compared.
    """
    places = [
        {key: place for key, place in work.places.items() if key not in given} for work in works
    ]
    having: dict[int, list[int]] = defaultdict(list)
    for number, own in enumerate(places):
        for key in own:
            having[key].append(number)
    common = min(MOST, max(FEWEST, MOST_SHARE * len(works)))
    weights = {
        key: math.log2((len(works) + 1) / len(numbers)) ** 2
        for key, numbers in having.items()
        if len(numbers) <= common
    }
    wholes = _wholes(places, weights)
    shared: dict[tuple[int, int], list[int]] = defaultdict(list)
    for key in weights:
        for one, other in combinations(having[key], 2):
            if _are_compared(works[one], works[other]):
                shared[one, other].append(key)
    found = []
    for (one, other), keys in shared.items():
        likeness = sum(
            weights[key] / min(wholes[number][places[number][key]] for number in (one, other))
            for key in keys
        )
        first, second = (one, other) if not works[one].group else (other, one)
        counts = {key: len(having[key]) for key in keys}
        found.append(Pair(works[first], works[second], likeness, counts))
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first.student, pair.second.student))


def _wholes(
    places: Sequence[Mapping[int, str]], weights: Mapping[int, float]
) -> list[dict[str, float]]:
    """Return, for each work and place, a whole cell's weight and half the usual weight there."""
    found: list[dict[str, float]] = []
    by_place: dict[str, list[float]] = defaultdict(list)
    for own in places:
        whole: dict[str, float] = defaultdict(float)
        for key, place in own.items():
            whole[place] += weights.get(key, 0.0)
        found.append(whole)
        for place, weight in whole.items():
            by_place[place].append(weight)
    usual = {place: statistics.median(weights) for place, weights in by_place.items()}
    return [
        {place: weight + usual[place] / 2 for place, weight in whole.items()} for whole in found
    ]


def _are_compared(one: Work, other: Work) -> bool:
    return not (one.group and other.group) and one.student != other.student
