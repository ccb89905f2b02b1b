"""The instructor's own answers, made careless in many ways: each must lose its question.

In any homework, a check notices them if it evaluates every case twice, repeats shapes, compares
inputs, looks at gradients and refuses NaN. Their code is added after each answer in the
instructor's notebook.
"""

import hashlib
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path

import numpy as np

from autograder.course import inputs
from autograder.course.cells import defined_names
from autograder.records.facts import Submission, SubmissionId
from autograder.records.homework import Homework
from autograder.records.questions import Inputs, Question

FOLDER = Path(__file__).parent
# This code follows an answer and runs as student code, so it uses only the notebook's names.
TEXT = (FOLDER / "careless.py.txt").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Way:
    """One way to be careless: the code that makes an answer careless, and the effect in words."""

    name: str
    says: str


_TABLES = tomllib.loads((FOLDER / "ways.toml").read_text(encoding="utf-8"))
WAYS, OBJECTS, SPOILED, OFF = (
    tuple(starmap(Way, _TABLES[kind].items())) for kind in ("any", "objects", "spoiled", "off")
)
KEPT, ONCE, CHANGES, DETACHED = WAYS
TRAINED = tuple(
    way
    for way in (*SPOILED, *OFF)
    if way.name in ("_returns('all nan')", "_returns('none')", "_returns('fewer')")
)
"""The ways to try if an answer trains, which takes long."""


def made_careless(names: Iterable[str], way: Way) -> str:
    """Return the code that makes the notebook's answers careless in one way."""
    behind = "\n".join(f"{name} = _careless({name}, {way.name})" for name in names)
    return f"{TEXT}\n\n{behind}\n"


def careless(instructor: Submission, homework: Homework, way: Way) -> Submission:
    """Return the instructor's notebook with every answer careless in one way."""
    asked = {name for q in homework.questions if q.ask for name in q.ask.objects}
    cells = []
    for cell in instructor.cells:
        names = sorted(asked & defined_names(cell.source)) if cell.role == "answer" else []
        source = f"{cell.source}\n\n\n{made_careless(names, way)}" if names else cell.source
        cells.append(replace(cell, source=source))
    text = hashlib.sha256(way.name.encode()).hexdigest()
    return replace(instructor, id=SubmissionId("careless", "notebook", text), cells=tuple(cells))


def concerns(way: Way, question: Question, cases: Collection[Inputs]) -> bool:
    """Return whether an answer that is careless in this way must lose a question with these cases."""
    if question.ask is None or question.trains:
        return False
    if way is DETACHED:
        return question.gradients is True
    if way is CHANGES:
        return question.ask.objects[-1] in question.ask.watched
    return way is not KEPT or len({inputs.digest([case]) for case in cases}) > 1


def repeats_a_shape(cases: Collection[Inputs]) -> bool:
    """Return whether two cases have arrays of the same shapes but different values."""
    seen: dict[str, set[str]] = {}
    for case in cases:
        shapes = [
            (name, item.shape if isinstance(item, np.ndarray) else type(item))
            for name, item in case.items()
        ]
        seen.setdefault(str(shapes), set()).add(inputs.digest([case]))
    return any(len(digests) > 1 for digests in seen.values())
