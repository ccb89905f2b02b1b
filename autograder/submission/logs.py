"""submission_log.json, submitted alone or beside a notebook: what it has to say of itself."""

import hashlib
from collections.abc import Sequence
from typing import Any

from autograder import codec
from autograder.course.cells import defines
from autograder.model import Cell, Homework, Submission, SubmissionId, UserError
from autograder.submission.archives import File, read_bytes
from autograder.submission.discover import LOG_NAME


def from_log(values: dict[str, Any], submission: SubmissionId, homework: Homework) -> Submission:
    """Read a log that was submitted alone; UserError where it is malformed."""
    answers = homework.read_log(values)
    cells = tuple(
        Cell(id=f"log-{number}", type="code", source=codec.printable(source))
        for number, source in enumerate(answers.cells)
    )
    return Submission(submission, cells, answers.refusals)


def compared(log: File | None, cells: Sequence[Cell], homework: Homework) -> tuple[str, ...]:
    """Say so when the log beside a notebook was made from other answers; it changes no mark."""
    if log is None:
        return ()
    try:
        values = codec.loads(read_bytes(log, limit=homework.limits.notebook_bytes))
    except UserError as error:
        return (
            f"The {LOG_NAME} beside the notebook was not looked at: {error}. The notebook was graded.",
        )
    claimed = values.get("answers_sha256") if isinstance(values, dict) else None
    if claimed is None or claimed == answers_digest(cells, homework.cells):
        return ()
    return (
        f"The {LOG_NAME} beside the notebook was made from other answers than those in the notebook "
        "(answers_sha256 differs). The notebook was graded. If the log is the newer one, "
        "save the notebook, run its last cell again and submit both.",
    )


def answers_digest(cells: Sequence[Cell], release: Sequence[Cell]) -> str:
    """Return what the notebook's log cell writes as `answers_sha256`.

    It is the sha256 of the sources of the answers (for each answer cell of the
    release, in order, the last cell that defines its name), each stripped at
    the end and followed by a newline.
    """
    total = hashlib.sha256()
    for answer in release:
        if answer.role == "answer":
            names = defines(answer)
            source = next((c.source for c in reversed(cells) if names & defines(c)), "")
            total.update(source.rstrip().encode(errors="replace") + b"\n")
    return total.hexdigest()
