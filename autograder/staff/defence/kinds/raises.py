"""The kind "where it ends": on which line, and with which error, does a failing call end?"""

import numpy as np

from autograder.staff.defence.kinds.common import given, shuffled, sizes_of
from autograder.staff.defence.records import CHOICES, Item, Study
from autograder.staff.defence.running.edits import code
from autograder.staff.defence.running.study import is_workable

ERRORS = ("TypeError", "ValueError", "IndexError", "KeyError", "AttributeError", "RuntimeError")
_MAX_LINE = 70


def ends(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which line ends a call with an error, or which error it is."""
    for n in rng.permutation(len(study.failing)).tolist():
        one = study.failing[n]
        values = given(one.call) if is_workable(one.call) else ()
        way = " with these values" if values else sizes_of(one.call)
        lines = study.answer.source.split("\n")
        others = [
            k
            for k, line in enumerate(lines, start=1)
            if k != one.call.line and not line.lstrip().startswith(("def ", "class "))
        ]
        if len(others) >= CHOICES - 1 and rng.integers(2):
            chosen = [one.call.line, *rng.permutation(others)[: CHOICES - 1].tolist()]
            said = [f"line {k}: {code(lines[k - 1].strip()[:_MAX_LINE])}" for k in chosen]
            asked = "On which line?"
            why = [f"ends there with {one.call.raised}"]
            why += ["runs before" if k in one.call.visits else "does not run" for k in chosen[1:]]
        elif one.call.raised in ERRORS:
            wrong = [name for name in ERRORS if name != one.call.raised]
            said = [one.call.raised, *rng.permutation(wrong)[: CHOICES - 1].tolist()]
            asked = f"It ends on line {one.call.line}. With which error?"
            why = ["what Python raises there", *["a different mistake raises it"] * (CHOICES - 1)]
        else:
            continue
        because = dict(zip(said, why, strict=True))
        if len(because) < CHOICES:
            continue
        options, key = shuffled(because, rng)
        return Item(
            "ends",
            study.answer,
            f"Box {{box}} is called{way}, and ends with an error. {asked}",
            values,
            options,
            key,
            (one,),
            difficulty=3.0,
            because=because,
        )
    return None
