"""A graded notebook, in the shape of the release -> autograded/<student>/<hw>/<hw>.ipynb.

formgrader shows this file to people who mark; generate_feedback makes the student's page from the
marks in its metadata (`feedback.py`). All student text comes from executed.ipynb, where it is
already inert.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import nbformat
from nbformat import v4

from autograder.course.rubrics import Rubric
from autograder.marking.mark import number, points
from autograder.platforms.nbgrader.answers import Answer, as_text, same_words
from autograder.records import codec
from autograder.records.codec import shown as shown_text
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionLog, said_to
from autograder.records.homework import Homework
from autograder.records.marks import Grade
from autograder.records.questions import Question
from autograder.reports import sanitize
from autograder.reports.feedback_text import table, texts
from autograder.store.executed import ExecutedCell, Result

RUBRIC = "rubric"
"""`metadata.autograder.role` of cells that only people who mark may see."""
GUARD = "run_nbgrader_in_the_folder_of_the_course"
WIDTH = 100
"""The most characters in a line of the machine's messages."""


def notebook(
    result: Result,
    homework: Homework,
    release: nbformat.NotebookNode,
    *,
    written: Mapping[str, Answer],
    rubrics: Mapping[str, Rubric],
    explain: bool = False,
) -> nbformat.NotebookNode:
    """Return the release's cells in order, with the student's answers and outputs in them.

    Cells that the student added come after the cell they followed. With `explain`, the mistakes
    that answers match are named.
    """
    there = _by_place(result.cells)
    cells = [*_places(homework), *_remarks(result), *_own(there.get(None, ()))]
    for released in release.cells:
        id = released.metadata.get("nbgrader", {}).get("grade_id")
        question = next((q for q in homework.questions if q.id == id), None)
        placed = there.get(released.id, ())
        if question and question.by_hand:
            answer = written[question.id]
            cells.append(_copy(released, answer.text, pictures=answer.pictures))
            if question.id in rubrics:
                cells.append(_rubric(question, rubrics[question.id]))
            cells += _own([cell for cell in placed if cell.stands_for is None])
            continue
        mine = [cell for cell in placed if cell.stands_for is not None]
        shown = next((cell for cell in reversed(mine) if cell.runs), mine[-1] if mine else None)
        if shown is None:
            cells.append(_copy(released, released.source))
        for cell in placed:
            if cell is shown:
                cells.append(_placed(released, cell))
            elif cell.stands_for is None or "nbgrader" in released.metadata:
                cells += _own([cell])
        if question:
            words = _words(question, result, explain=explain)
            check = next(cell for cell in reversed(cells) if cell.id == released.id)
            check.outputs.insert(0, words)
            check.metadata.nbgrader["points"] = worth(question)
    theirs = {cell.id for cell in release.cells}
    for number_of, cell in enumerate(cells):
        if cell.id not in theirs:  # nbformat drew a random one
            cell.id = f"autograder-{number_of}"
    # Values are large, and no page shows them.
    outcomes = tuple(replace(outcome, value=None) for outcome in result.log.outcomes)
    log = replace(result.log, outcomes=outcomes, original={})
    kept = {"grade": codec.encode_grade(result.grade), "log": codec.encode_log(log)}
    return v4.new_notebook(cells=cells, metadata={**release.metadata, "autograder": kept})


def graded(notebook: nbformat.NotebookNode) -> tuple[Grade, SubmissionLog]:
    """Return the marks in a notebook's metadata, and the facts without their values.

    Raises:
        UserError: it was not made here, or by an earlier version.

    """
    kept = notebook.metadata.get("autograder", {})
    if not kept.keys() >= {"grade", "log"}:
        raise UserError(
            "autograded/ does not contain the machine's marks; run `autograder mark --fill` again"
        )
    return codec.decode_grade(kept["grade"]), codec.decode_log(kept["log"])


def worth(question: Question) -> float:
    """Return a question's share of nbgrader's maximum: extra credit adds nothing."""
    return 0.0 if question.extra else question.points


def _by_place(cells: Sequence[ExecutedCell]) -> dict[str | None, list[ExecutedCell]]:
    """Group cells by the released cell that they answer or follow."""
    there: dict[str | None, list[ExecutedCell]] = {}
    place = None
    for cell in cells:
        place = cell.stands_for or place
        there.setdefault(place, []).append(cell)
    return there


def _copy(
    released: nbformat.NotebookNode,
    source: str,
    *,
    outputs: Sequence[Any] = (),
    pictures: Mapping[str, Any] | None = None,
) -> nbformat.NotebookNode:
    """Return a released cell with a new source, and with these outputs and pictures alone."""
    cell = nbformat.from_dict({**released, "source": source})
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [*map(nbformat.from_dict, outputs)], None
    if pictures:
        cell.attachments = nbformat.from_dict(pictures)
    return cell


def _placed(released: nbformat.NotebookNode, cell: ExecutedCell) -> nbformat.NotebookNode:
    """Return a released cell with the student's changes; an unchanged one comes from the release."""
    if released.cell_type == "code":
        return _copy(released, cell.source, outputs=cell.outputs)
    alone = same_words(cell.source, sanitize.markdown(released.source))
    return _copy(released, released.source if alone else as_text(cell), pictures=cell.pictures)


def _own(cells: Sequence[ExecutedCell]) -> Iterator[nbformat.NotebookNode]:
    """Yield added cells, each below a line that marks it as added."""
    for cell in cells:
        yield _locked(
            f'<a id="added-{cell.number}"></a>*Cell {cell.number} that was added or changed:*'
            if cell.number
            else f"*Another version of `{cell.stands_for}`; the last one counts:*"
        )
        if cell.type == "code":
            shown = v4.new_code_cell(cell.source)
            shown.outputs = [nbformat.from_dict(output) for output in cell.outputs]
        else:
            pictures = {"attachments": cell.pictures} if cell.pictures else {}
            shown = v4.new_markdown_cell(cell.source, **nbformat.from_dict(pictures))
        yield shown


def _locked(source: str, **metadata: Any) -> nbformat.NotebookNode:
    """Return one of our own text cells."""
    return v4.new_markdown_cell(
        source, metadata={"deletable": False, "editable": False, **metadata}
    )


def _remarks(result: Result) -> Iterator[nbformat.NotebookNode]:
    remarks = "\n\n".join(said_to((*result.log.remarks, *result.log.repairs), "student"))
    if remarks:
        yield _locked(f"**Remarks of the grader**\n\n{sanitize.markdown(remarks)}")


def _words(question: Question, result: Result, *, explain: bool) -> nbformat.NotebookNode:
    """Return the machine's mark and message as an output: plain text, with tables kept aligned."""
    one = next(one for one in result.grade.marks if one.question == question.id)
    said = [*texts(one, explain=explain)]
    said += [f"{picture.title}\n{table(picture)}" for picture in one.pictures]
    extra = " (extra credit)" if question.extra else ""
    mark = f"{question.id}: {number(one.earned or 0.0)} of {points(question.points)}{extra}"
    # nbgrader's pages do not break lines in outputs, so long lines are broken here, except in
    # tables.
    lines = [
        line if "  " in line else textwrap.fill(line, WIDTH)
        for line in shown_text("\n\n".join(said)).split("\n")
    ]
    return v4.new_output("stream", name="stdout", text="\n".join([mark, "", *lines, ""]))


def _for_staff(name: str, text: str) -> nbformat.NotebookNode:
    """Return a locked cell in a box, for staff only."""
    box = f'<div class="alert alert-warning">\n\n{text}\n\n</div>'
    marks = _marks(f"rubric_{name}", solution=False)
    return _locked(box, nbgrader=marks, autograder={"role": RUBRIC})


def _marks(grade_id: str, *, solution: bool) -> dict[str, Any]:
    return {
        "grade": False,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }


def _guard() -> nbformat.NotebookNode:
    """Return an invisible cell that makes generate_feedback fail if it is still there.

    generate_feedback looks it up in the gradebook as an answer, and does not find it. So without
    nbgrader_config.py (say, in a different folder), no page with a rubric is written.
    """
    return v4.new_raw_cell(
        "",
        metadata={
            "raw_mimetype": "text/x-never-shown",
            "nbgrader": _marks(GUARD, solution=True),
            "autograder": {"role": RUBRIC},
        },
    )


def _rubric(question: Question, rubric: Rubric) -> nbformat.NotebookNode:
    """Return the cell, above an answer, with what a marker needs besides the question."""
    worth_of = "not marked" if question.formative else points(question.points)
    items = "\n".join(
        f"{n}. **{item.points:{'+' if item.points else ''}g}** {item.words}"
        for n, item in enumerate(rubric.items, start=1)
    )
    parts = {
        f"Items ({worth_of})": items,
        "Full marks": rubric.full,
        "Half marks": rubric.half,
        "No marks": rubric.none,
        "Sample answer": rubric.sample,
        "Notes": rubric.notes,
    }
    shown = (f"**{name}**\n\n{_quiet(text)}" for name, text in parts.items() if text)
    return _for_staff(
        question.id,
        "\n\n".join(["*For markers; students never see this.*", *shown]),
    )


def _quiet(text: str) -> str:
    """Return a text without headings, which would stand out more than the answer."""
    return re.sub(r"^#+ +(.*?)[ #]*$", r"**\1**", text, flags=re.MULTILINE)


def _places(homework: Homework) -> Iterator[nbformat.NotebookNode]:
    """Yield the guard and links to the written answers, which then appear below formgrader's bar."""
    ids = [question.id for question in homework.questions if question.by_hand]
    links = ", ".join(f"[`{id}`](#{id})" for id in ids)
    style = (
        "<style>input.score, a[id] { scroll-margin-top: 30vh } "
        ".alert a { text-decoration: underline }</style>"
    )
    if ids:
        yield _guard()
        yield _for_staff(
            "places", f"{style}\n\nMarked by hand: {links}. *Students never see this.*"
        )
