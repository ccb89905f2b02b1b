"""A fabricated class: marks drawn by a model of people's knowledge, as a folder of results."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from autograder.records.digests import digest
from autograder.records.facts import (
    CellError,
    Common,
    Outcome,
    Remark,
    SubmissionId,
    SubmissionLog,
)
from autograder.records.marks import Grade, Mark, Misconception
from autograder.records.questions import RESULT
from autograder.store import files, results

POINTS = {"count": 2.0, "mean": 3.0, "argue": 4.0}
"""The points of the toy homework's questions."""
KNOWN = Misconception("counts_zeros", "Is zero above zero?", "Zeros are counted, too.")


def scores(
    people: int,
    *,
    points: Mapping[str, float] = POINTS,
    seed: int = 0,
    turned: str = "",
    parts: int = 4,
) -> dict[str, np.ndarray]:
    """Return points by question, (people,): people who know more earn more, except in `turned`.

    A logistic model (Rasch): each of a question's parts is right with the probability
    1 / (1 + exp(difficulty - ability)).
    """
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=people)
    found = {}
    for place, (id, worth) in enumerate(points.items()):
        sign = -1.5 if id == turned else 1.5
        difficulty = -0.8 + 0.8 * place / max(1, len(points) - 1)
        right = 1 / (1 + np.exp(difficulty - sign * ability))
        found[id] = worth * rng.binomial(parts, right) / parts
    return found


def write(
    folder: Path,
    people: int,
    *,
    seed: int = 0,
    turned: str = "",
    by_hand: tuple[str, ...] = ("argue",),
    points: Mapping[str, float] = POINTS,
    homework: str = "toy",
    name: str = "s{:05}",
    numbers: int = 40,
) -> Path:
    """Write facts and marks of a class; every answer that is wrong has values and a digest.

    Args:
        folder: Is made.
        people: How many.
        seed: Of everything that is drawn.
        turned: The question in which those who know more do worse.
        by_hand: Questions that a person marks; their marks are there already.
        points: Question -> points.
        homework: Its name.
        name: Of a folder, with a place for a number.
        numbers: In each value.
    """
    rng = np.random.default_rng(seed + 1)
    earned = scores(people, points=points, seed=seed, turned=turned)
    folder.mkdir(parents=True, exist_ok=True)
    for person in range(people):
        student = name.format(person)
        id = SubmissionId(student, "notebook", f"{person:064x}")
        marks, outcomes, common = [], [], {}
        for question, worth in points.items():
            got = float(earned[question][person])
            hand = question in by_hand
            fits = None
            if not hand:
                kind = int(rng.integers(6))
                value = {RESULT: np.full(numbers, float(kind))}
                found = [Outcome(question, n, "returned", value) for n in range(4)]
                outcomes += found
                if got < worth:
                    common[question] = Common("d", tuple(map(digest, found)))
                    fits = KNOWN if kind == 0 else None
            message = "Equal." if got == worth else f"Off by up to {person}.5 in {question}."
            marks.append(Mark(question, worth, got, message, by_hand=hand, misconception=fits))
        odd = person % 10 == 3
        log = SubmissionLog(
            homework,
            id,
            repairs=(Remark("student", f"The provided cell 'cell{person}' was missing."),) * odd,
            errors=(CellError("the cell 'x'", "NameError", f"name 'y{person}' is not defined"),)
            * odd,
            written=dict.fromkeys(by_hand, "answered"),
            outcomes=tuple(outcomes),
            common=common,
            complete=True,
        )
        grade = Grade(id, tuple(marks))
        (folder / student).mkdir()
        results.write_log(folder / student, log)
        results.write_grade(folder / student, grade)
        (folder / student / files.REPORT).write_text("<p>A report.</p>")
    return folder
