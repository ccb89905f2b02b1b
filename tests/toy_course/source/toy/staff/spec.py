"""toy: its questions, and how each is evaluated and checked."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Close, Homework, Inputs, Question

from . import reference

SIGNS = ((1, -1, 0, 1, -1), (1, 0, 1, -1, 1), (-1, 0, -1), (1,))


def cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw numbers with these signs: two cases of one length, one with nothing above zero."""
    return [{"numbers": np.array(signs) * rng.uniform(0.1, 2, len(signs))} for signs in SIGNS]


def describe(inputs: Inputs) -> str:
    """Say what a case was, without its numbers."""
    length = len(inputs["numbers"])
    return f"{length} number{'s' * (length != 1)}"


HOMEWORK = Homework(
    title="Toy: numbers above zero",
    questions=(
        Question(
            "count",
            Close(reference.count, 0.0, describe),
            cases,
            use="count",
            objects=("count_positive",),
        ),
        Question(
            "mean",
            Close(reference.mean, 1e-6, describe),
            cases,
            use="mean",
            objects=("mean_positive",),
            hide=("mean_by_hand",),
            if_right={"count": "You count them right (`count`): look at the sum."},
        ),
        Question("argue"),
    ),
)
