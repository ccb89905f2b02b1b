"""One graded submission, read back: facts, marks, and the cells of executed.ipynb."""

import contextlib
import itertools
import json
import re
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

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class ExecutedCell:
    """One cell of executed.ipynb, in which everything is inert.

    Args:
        type: "code", "markdown" or "raw".
        source: Its text.
        stands_for: The id of the released cell that it answers, if any.
        number: Its number, from 1, among the cells that answer no released cell; otherwise 0.
        runs: Whether it ran.
        outputs: As nbformat dictionaries.
        pictures: Its attached pictures.

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
    """The results of one graded submission, with the cells of executed.ipynb.

    The student's opaque id is the folder's name.
    """

    student: str
    log: SubmissionLog
    grade: Grade
    cells: tuple[ExecutedCell, ...]


@dataclass(frozen=True)
class BriefResult:
    """The text of one graded submission: a `Result` without values and marks."""

    student: str
    log: log_summary.BriefLog
    cells: tuple[ExecutedCell, ...]


def read(folder: Path) -> Result:
    """Read the results of one graded submission."""
    path = folder / files.LOG
    if not path.is_file():
        raise UserError(_why_not(folder))
    try:
        log = codec.decode_log(path.read_bytes())
    except UserError as error:
        raise UserError(f"{files.LOG}: {error}") from error
    if not log.complete:
        raise UserError(f"grading did not finish; {AGAIN}")
    return Result(folder.name, log, read_grade(folder), read_cells(folder))


def read_brief(folder: Path) -> BriefResult:
    """Read only a student's texts, much faster than `read`; it raises the same UserErrors."""
    if not (folder / files.LOG).is_file():
        raise UserError(_why_not(folder))
    log = log_summary.read(folder)
    if not log.complete:
        raise UserError(f"grading did not finish; {AGAIN}")
    return BriefResult(folder.name, log, read_cells(folder))


def read_cells(folder: Path) -> tuple[ExecutedCell, ...]:
    """Return the cells of executed.ipynb; raise UserError if it is unusable."""
    return read_notebook(folder)[0]


def read_notebook(folder: Path) -> tuple[tuple[ExecutedCell, ...], list[tuple[str, str]]]:
    """Return the cells of executed.ipynb, and its digests of the submitted outputs.

    There is a cell's first line and a digest for each output that is long enough. Earlier versions
    kept no digests.
    """
    try:
        executed = json.loads((folder / files.EXECUTED).read_text(encoding="utf-8"))
        count = itertools.count(1)
        cells = tuple(_cell(cell, count) for cell in executed["cells"])
        kept = executed["metadata"].get("autograder", {}).get("submitted_outputs", ())
        return cells, [(str(first), str(digest)) for first, digest in kept]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(
            f"{files.EXECUTED} is missing, broken or from an earlier version; {AGAIN}"
        ) from error


def own_sources(folder: Path) -> list[str]:
    """Return the code cells that ran, in order; none if executed.ipynb is unusable."""
    with contextlib.suppress(UserError):
        return [cell.source for cell in read_cells(folder) if cell.type == "code" and cell.runs]
    return []


def text_of(output: Mapping[str, Any]) -> str:
    """Return the text of an output, without HTML; "" if it has none."""
    words = output.get("text") or data_of(output).get("text/plain") or output.get("traceback")
    if words and words is output.get("traceback") and isinstance(words, list):
        words = [f"{line}".removesuffix("\n") + "\n" for line in words]
    return _COLOURS.sub("", _joined(words))


def picture_of(output: Mapping[str, Any]) -> str:
    """Return the PNG image of an output in base64, as stored; "" if it has none."""
    return _joined(data_of(output).get("image/png"))


def data_of(output: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an output displays, by kind; empty if it displays nothing."""
    data = output.get("data")
    return data if isinstance(data, dict) else {}


def _joined(value: object) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


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
