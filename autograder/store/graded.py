"""D/<student>/, which `autograder grade` wrote -> what is in it, read back."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder import codec
from autograder.model import SubmissionLog, UserError
from autograder.reports import results_json
from autograder.submission.discover import LOG_NAME

AGAIN = "run `autograder grade` again"


@dataclass(frozen=True)
class Said:
    """What results.json says of one question; `earned` is None where a person marks."""

    earned: float | None
    text: str


@dataclass(frozen=True)
class Executed:
    """One cell of executed.ipynb, in which everything is inert.

    Args:
        type: "code", "markdown" or "raw".
        source: Its text.
        stands_for: Id of the released cell whose place it has, if any.
        number: Of those that stand for none, which one it is, from 1; else 0.
        runs: Whether it was run.
        outputs: As nbformat dictionaries.
        pictures: Its attachments.
    """

    type: str
    source: str
    stands_for: str | None
    number: int
    runs: bool
    outputs: tuple[Any, ...]
    pictures: Mapping[str, Any]


@dataclass(frozen=True)
class Result:
    """What is known of one graded hand-in.

    Args:
        student: The opaque id, the folder's name.
        log: The facts.
        said: Question id -> marks and words, as students read them.
        cells: The cells of executed.ipynb.
        penalty: Points that lateness costs.
    """

    student: str
    log: SubmissionLog
    said: Mapping[str, Said]
    cells: tuple[Executed, ...]
    penalty: float


def read(folder: Path) -> Result:
    """Read what grading one hand-in gave.

    Raises:
        UserError: it was refused, has not finished, or a file is broken; the message says which.
    """
    path = folder / LOG_NAME
    if not path.is_file():
        raise UserError(_why_not(folder))
    try:
        log = codec.decode_log(path.read_bytes())
    except UserError as error:
        raise UserError(f"{LOG_NAME}: {error}") from error
    if not log.complete:
        raise UserError(f"grading had not finished; {AGAIN}")
    try:
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        said = {
            test["extra_data"]["question"]: Said(
                float(test["score"]) if "score" in test else None, str(test["output"])
            )
            for test in results["tests"]
        }
        penalty = float(results["extra_data"]["late_penalty"])
        executed = json.loads((folder / "executed.ipynb").read_text(encoding="utf-8"))
        count = itertools.count(1)
        cells = tuple(_cell(cell, count) for cell in executed["cells"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"results.json or executed.ipynb is missing, broken or of an earlier version; {AGAIN}"
        ) from error
    return Result(folder.name, log, said, cells, penalty)


def _cell(node: Mapping[str, Any], count: Iterator[int]) -> Executed:
    marks = node["metadata"]["autograder"]  # earlier versions did not write it
    return Executed(
        type=str(node["cell_type"]),
        source="".join(node["source"]),
        stands_for=marks["stands_for"],
        number=0 if marks["stands_for"] else next(count),
        runs=marks["runs"],
        outputs=tuple(node.get("outputs", ())),
        pictures=node.get("attachments", {}),
    )


def _why_not(folder: Path) -> str:
    """Return why a folder has no log: what its results.json says, where it says something."""
    try:
        output = json.loads((folder / "results.json").read_text(encoding="utf-8"))["output"]
    except (OSError, ValueError, KeyError, TypeError):
        return f"it holds no {LOG_NAME}; {AGAIN}"
    return codec.one_line(results_json.text(output))
