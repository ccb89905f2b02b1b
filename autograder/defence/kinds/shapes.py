"""Shapes inside: which shape does a variable have on the way?"""

from itertools import permutations

import numpy as np

from autograder.defence.kinds.common import given, shuffled, sizes_of
from autograder.defence.records import CHOICES, Call, Evidence, Item, Study
from autograder.defence.running.edits import code
from autograder.defence.running.study import trace
from autograder.defence.values import shape


def inside(study: Study, rng: np.random.Generator) -> Item | None:
    """Which shape does a variable have on the way? One that follows from what a call is given."""
    ways: list[tuple[Evidence, tuple[Evidence, ...], bool]] = []
    ways += ((one, (one,), True) for one in study.small)
    ways += ((pair[0], pair, False) for pair in study.firm)
    for number in rng.permutation(len(ways)).tolist():
        one, evidence, values = ways[number]
        firm = [set(_shapes(other.call)) for other in evidence]
        notes = [
            note
            for note in one.call.noted
            if note.shape and all((note.line, note.name, note.shape) in each for each in firm)
        ]
        known = {v.shape for v in one.call.given.values() if isinstance(v, np.ndarray)}
        new = [note for note in notes if note.shape not in known] or notes
        for note in [new[n] for n in rng.permutation(len(new))]:
            assert note.shape is not None
            wrong = _other_shapes(note.shape, known | {n.shape for n in notes if n.shape}, rng)
            if len(wrong) < CHOICES - 1:
                continue
            options, key = shuffled([shape(note.shape), *map(shape, wrong[: CHOICES - 1])], rng)
            way = " with these values" if values and one.call.given else ""
            only = len(study.answer.stores.get(note.line, ())) == 1
            variable = f"the variable that line {note.line} assigns" if only else code(note.name)
            asked = f"What shape does {variable} have after line {note.line}?"
            return Item(
                "inside",
                study.answer,
                f"Box {{box}} is called{way or sizes_of(one.call)}. {asked}",
                given(one.call) if way else (),
                options,
                key,
                evidence,
                difficulty=trace(one.call),
            )
    return None


def _shapes(call: Call) -> list[tuple[int, str, tuple[int, ...] | None]]:
    return [(note.line, note.name, note.shape) for note in call.noted]


def _other_shapes(
    own: tuple[int, ...], known: set[tuple[int, ...]], rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return shapes that one could take for another: those of other variables first."""
    turned = set(permutations(own)) - {own}
    sizes = sorted({size for found in known | {own} for size in found})
    near = {
        (*own[:place], size, *own[place + 1 :]) for place in range(len(own)) for size in sizes
    } - {own}
    ordered: list[tuple[int, ...]] = []
    for group in (known - {own}, near, turned):
        members = sorted(group - set(ordered))
        ordered += [members[n] for n in rng.permutation(len(members))]
    same_rank = [found for found in ordered if len(found) == len(own)]
    return same_rank if len(same_rank) >= CHOICES - 1 else ordered
