"""The kind "shapes inside": which shape does a variable have after one edit of the code?"""

from collections.abc import Mapping
from itertools import permutations

import numpy as np

from autograder.staff.defence.kinds.common import shuffled, sizes_of
from autograder.staff.defence.records import CHOICES, Call, Edit, Evidence, Item, Study
from autograder.staff.defence.running.study import trace

_KEPT = 4
"""In one question of this many, the edit leaves the shape as it is."""
Shape = tuple[int, ...]


def inside(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which shape a variable has along the way, after one edit of the code.

    The question identifies the variable only by its line. There is no question if no edit changes a
    variable's shape, since everybody who knows the task knows the usual shapes; nor if the answer
    takes no arguments, since its sizes are then numbers in the code, and the choices would reveal a
    change.
    """
    if not study.firm or not study.firm[0][0].call.given:
        return None
    own = _shapes([evidence.call for evidence in study.firm[0]])
    names = {size: f"line {line} assigns this shape" for line, size in own.items()}
    changed: list[tuple[Edit, int]] = []
    kept: list[tuple[Edit, int]] = []
    pool: set[Shape] = set(own.values())
    for edit in [study.edits[n] for n in rng.permutation(len(study.edits))]:
        found = _shapes([call for call in edit.on_firm if call])
        pool |= set(found.values())
        for line in rng.permutation(sorted(own.keys() & found.keys())).tolist():
            if line >= edit.line and len(study.answer.stores.get(line, ())) == 1:
                (changed if found[line] != own[line] else kept).append((edit, line))
    if not changed:
        return None
    for edit, line in kept if kept and rng.integers(_KEPT) == 0 else changed:
        calls = [call for call in edit.on_firm if call]
        right = _shapes(calls)[line]
        first = [] if right == own[line] else [own[line]]
        wrong = [*first, *(one for one in _others(right, pool, rng) if one not in first)]
        if len(wrong) < CHOICES - 1:
            continue
        sizes = (right, *wrong[: CHOICES - 1])
        because = {str(size): _why(size, right, own[line], names) for size in sizes}
        options, key = shuffled(because, rng)
        one, twin = study.firm[0]
        return Item(
            "inside",
            study.answer,
            f"Box {{box}} is called{sizes_of(one.call)} after {{edit}}. "
            f"What shape does the variable that line {line} assigns have after that line?",
            (),
            options,
            key,
            tuple(
                Evidence(e.posed, edit.source, call)
                for e, call in zip((one, twin), calls, strict=True)
            ),
            difficulty=trace(one.call),
            edits=(edit.says,),
            because=because,
        )
    return None


def _why(size: Shape, right: Shape, own: Shape, names: Mapping[Shape, str]) -> str:
    """Describe where a shape comes from."""
    if size == right:
        return "the edit leaves the shape as it is" if size == own else "the edit gives it"
    if size == own:
        return "it is the shape without the edit"
    if sorted(size) == sorted(right):
        return "it has the same sizes in a different order"
    return names.get(size, "it has sizes of other variables")


def _shapes(calls: list[Call]) -> dict[int, Shape]:
    """Return line -> the shape of its variable, if equal in both calls of a pair."""
    if len(calls) < 2:
        return {}
    one, twin = ({(n.line, n.name): n.shape for n in call.noted if n.shape} for call in calls)
    return {line: size for (line, name), size in one.items() if twin.get((line, name)) == size}


def _others(own: Shape, known: set[Shape], rng: np.random.Generator) -> list[Shape]:
    """Return plausible wrong shapes, those of other variables first."""
    turned = set(permutations(own)) - {own}
    sizes = sorted({size for found in known | {own} for size in found})
    near = {
        (*own[:place], size, *own[place + 1 :]) for place in range(len(own)) for size in sizes
    } - {own}
    ordered: list[Shape] = []
    for group in (known - {own}, turned, near):
        members = sorted(group - set(ordered))
        ordered += [members[n] for n in rng.permutation(len(members))]
    same_rank = [found for found in ordered if len(found) == len(own)]
    return same_rank if len(same_rank) >= CHOICES - 1 else ordered
