"""All of one graded submission, read back: facts, marks, and the cells of executed.ipynb."""

import contextlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.records import codec
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog
from autograder.records.marks import Grade
from autograder.store import files, log_summary
from autograder.store.results import AGAIN, found_grade, read_grade


@dataclass(frozen=True)
class ExecutedCell:
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
    """What is known of one graded submission.

    Args:
        student: The opaque id, the folder's name.
        log: The facts.
        grade: The marks.
        cells: The cells of executed.ipynb.
    """

    student: str
    log: SubmissionLog
    grade: Grade
    cells: tuple[ExecutedCell, ...]


@dataclass(frozen=True)
class BriefResult:
    """What was written in one graded submission: as `Result`, without values and marks."""

    student: str
    log: log_summary.BriefLog
    cells: tuple[ExecutedCell, ...]


def read(folder: Path) -> Result:
    """Read what grading one submission gave."""
    path = folder / files.LOG
    if not path.is_file():
        raise UserError(_why_not(folder))
    try:
        log = codec.decode_log(path.read_bytes())
    except UserError as error:
        raise UserError(f"{files.LOG}: {error}") from error
    if not log.complete:
        raise UserError(f"grading had not finished; {AGAIN}")
    return Result(folder.name, log, read_grade(folder), read_cells(folder))


def read_brief(folder: Path) -> BriefResult:
    """Read what a student wrote, which is many times as fast as `read`; UserError as there."""
    if not (folder / files.LOG).is_file():
        raise UserError(_why_not(folder))
    log = log_summary.read(folder)
    if not log.complete:
        raise UserError(f"grading had not finished; {AGAIN}")
    return BriefResult(folder.name, log, read_cells(folder))


def read_cells(folder: Path) -> tuple[ExecutedCell, ...]:
    """Return the cells of executed.ipynb; UserError where it cannot be used."""
    return read_notebook(folder)[0]


def read_notebook(folder: Path) -> tuple[tuple[ExecutedCell, ...], list[tuple[str, str]]]:
    """Return the cells of executed.ipynb, and what it has of the outputs that were submitted.

    Returns:
        The cells; a cell's first line and a digest for each such output that says something. An
        earlier version kept none of these.
    """
    try:
        executed = json.loads((folder / files.EXECUTED).read_text(encoding="utf-8"))
        count = itertools.count(1)
        cells = tuple(_cell(cell, count) for cell in executed["cells"])
        kept = executed["metadata"].get("autograder", {}).get("submitted_outputs", ())
        return cells, [(str(first), str(digest)) for first, digest in kept]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{files.EXECUTED} is missing, broken or of an earlier version; {AGAIN}"
        ) from error


def own_sources(folder: Path) -> list[str]:
    """Return the code cells that ran, in order; none where executed.ipynb cannot be used."""
    with contextlib.suppress(UserError):
        return [cell.source for cell in read_cells(folder) if cell.type == "code" and cell.runs]
    return []


def _cell(node: Mapping[str, Any], count: Iterator[int]) -> ExecutedCell:
    marks = node["metadata"]["autograder"]  # earlier versions did not write it
    return ExecutedCell(
        type=str(node["cell_type"]),
        source="".join(node["source"]),
        stands_for=marks["stands_for"],
        number=0 if marks["stands_for"] else next(count),
        runs=marks["runs"],
        outputs=tuple(node.get("outputs", ())),
        pictures=node.get("attachments", {}),
    )


def _why_not(folder: Path) -> str:
    grade = found_grade(folder)
    if grade is None or not grade.remarks:
        return f"it has no {files.LOG}; {AGAIN}"
    return codec.one_line(grade.remarks[0])
