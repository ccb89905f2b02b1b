"""The kind "one assumption fewer": which step of a derivation is the first to fail without it?"""

import numpy as np

from autograder.kit import Derivation
from autograder.staff.defence.kinds.common import shuffled
from autograder.staff.defence.records import CHOICES, Evidence, Item, Study


def assumption(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which step is the first that is no longer an equality when an assumption is dropped.

    The derivation's own checker decides, on numbers for which the assumption is false. Later steps
    may be right or wrong; no choice concerns them.
    """
    for place in rng.permutation(len(study.dropped)).tolist():
        words, held, dropped = study.dropped[place]
        before, after = _steps(held), _steps(dropped)
        lines = [step[:2] for step in after]
        if (
            len(after) < CHOICES
            or [step[:2] for step in before] != lines
            or not all(holds for *_, holds in before)
        ):
            continue
        broken = [n for n, (*_, holds) in enumerate(after) if not holds]
        if not broken:
            continue
        others = rng.permutation([n for n in range(len(after)) if n != broken[0]])
        chosen = [broken[0], *others[: CHOICES - 1].tolist()]
        why = dict.fromkeys(broken, "also breaks, but later") | {broken[0]: "the first that breaks"}
        because = {
            f"from entry {lines[n][0]} to entry {lines[n][1]}": why.get(n, "is still an equality")
            for n in chosen
        }
        options, key = shuffled(because, rng)
        return Item(
            "assumption",
            study.answer,
            f"Suppose that {words}. Which step between neighbouring entries of the list that box {{box}} "
            "returns is the first that is no longer an equality? Entry 1 is the first of the list, "
            "and waypoints count as entries.",
            (),
            options,
            key,
            (held, dropped),
            difficulty=4.0,
            because=because,
        )
    return None


def _steps(evidence: Evidence) -> list[tuple[int, int, bool]]:
    check = evidence.posed.question.check
    assert isinstance(check, Derivation)
    return check.steps(evidence.call.returned)
