"""written: answers that people mark are found wherever they are."""

from dataclasses import replace

import pytest

from autograder.program.written_answers import Written, recognise, written
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Cell, Homework
from tests.helpers import twinned, with_cells

FIRST = "argue"
ANSWER = "Both have a diagonal, and one of them is noisy."


def found(submission: Submission, toy: Homework) -> dict[str, Written]:
    return {answer.question: answer for answer in written(submission, toy)}


def sources(answer: Written) -> list[str]:
    return [cell.source for cell, _ in answer.cells]


def with_text(
    submission: Submission, source: str, *, after: str, by: int = 1, type: str = "markdown"
) -> Submission:
    place = [cell.id for cell in submission.cells].index(after) + by
    cell = Cell(id=f"mine-{place}", type=type, source=source)
    return replace(submission, cells=(*submission.cells[:place], cell, *submission.cells[place:]))


@pytest.fixture
def empty(toy: Homework, solved: Submission) -> Submission:
    return replace(solved, cells=toy.cells)


def test_an_answer_in_its_cell_is_found_without_ids_and_metadata(
    toy: Homework, solved: Submission
) -> None:
    """Colab and other tools return notebooks like this."""
    homework, filled = twinned(toy, solved)
    filled = with_cells(filled, twin="Nothing can be divided by 0.")
    plain = tuple(
        Cell(id=f"x{n}", type=cell.type, source=cell.source) for n, cell in enumerate(filled.cells)
    )
    answers = found(replace(filled, cells=plain), homework)
    for question in (FIRST, "twin"):
        own = next(cell.source for cell in filled.cells if cell.grade_id == question)
        assert sources(answers[question]) == [own]
        assert answers[question].state == "answered"


def test_nothing_written_is_said_so(toy: Homework, empty: Submission) -> None:
    """It may be unchanged, emptied or deleted."""
    assert found(empty, toy)[FIRST] == Written(FIRST, "unchanged", ())
    assert found(with_cells(empty, **{FIRST: " "}), toy)[FIRST].state == "empty"
    gone = replace(empty, cells=tuple(c for c in empty.cells if c.id != FIRST))
    assert found(gone, toy)[FIRST] == Written(FIRST, "missing", ())


def test_text_beside_the_answer_belongs_to_it(toy: Homework, empty: Submission) -> None:
    """It appears once, in the notebook's order."""
    cells = with_cells(empty, **{FIRST: ANSWER})
    cells = with_text(cells, "My second thought is here.", after=FIRST)
    cells = with_text(cells, ANSWER, after=FIRST, by=2)
    cells = with_text(cells, "My first thought is here.", after=FIRST, by=0)
    cells = with_text(cells, "x = 1", after=FIRST, type="code")
    answer = found(cells, toy)[FIRST]
    first, second = "My first thought is here.", "My second thought is here."
    assert sources(answer) == [first, ANSWER, second]
    labels = [label for _, label in answer.cells]
    assert labels[1] == ""
    assert "added beside" in labels[0]


def test_an_answer_in_the_text_above_is_found(toy: Homework, empty: Submission) -> None:
    """Some students write below the question, in its own cell."""
    above = next(cell for cell in empty.cells if cell.id == f"{FIRST}_text")
    cells = with_cells(empty, **{f"{FIRST}_text": f"{above.source}\n\n{ANSWER}"})
    answer = found(cells, toy)[FIRST]
    assert ANSWER in sources(answer)[0]
    assert "changed" in answer.cells[0][1]


def test_an_answer_elsewhere_is_shown_where_none_is_in_place(
    toy: Homework, empty: Submission
) -> None:
    """A note says that it is elsewhere."""
    cells = with_text(empty, ANSWER, after="title")
    cells = replace(cells, cells=tuple(c for c in cells.cells if c.id != FIRST))
    answer = found(cells, toy)[FIRST]
    assert sources(answer) == [ANSWER]
    assert "elsewhere" in answer.cells[0][1]


def test_two_versions_are_both_shown(toy: Homework, empty: Submission) -> None:
    """The marker decides."""
    cells = with_cells(empty, **{FIRST: ANSWER})
    own = next(cell for cell in cells.cells if cell.id == FIRST)
    other = replace(own, source="Something else that I thought of.")
    answer = found(replace(cells, cells=(*cells.cells, other)), toy)[FIRST]
    assert sources(answer) == [ANSWER, other.source]
    assert [label for _, label in answer.cells] == ["Version 1 of 2.", "Version 2 of 2."]


def test_a_notebook_says_which_homework_it_is(toy: Homework, solved: Submission) -> None:
    """They must share some text, and more than with any other homework."""
    other = replace(toy, name="other", cells=(Cell("a", "markdown", "Another text."),))
    assert recognise(solved, [other, toy]) is toy
    stranger = replace(solved, cells=(Cell("a", "markdown", "Hello."), Cell("b", "code", "x = 1")))
    with pytest.raises(UserError, match="no homework"):
        recognise(stranger, [toy, other])
    with pytest.raises(UserError, match="several"):
        recognise(solved, [toy, replace(toy, name="twin")])


def test_pictures_that_a_cell_showed_are_printed_behind_it(
    toy: Homework, empty: Submission
) -> None:
    """They become attachments of a text cell, which a PDF shows."""
    cells = with_text(empty, "Image('photo.jpg')", after=FIRST, type="code")
    outputs = ({"output_type": "display_data", "data": {"image/png": "AA", "text/plain": "x"}},)
    cells = replace(
        cells,
        cells=tuple(
            replace(c, outputs=outputs) if c.id.startswith("mine") else c for c in cells.cells
        ),
    )
    answer = found(cells, toy)[FIRST]
    assert sources(answer) == ["Image('photo.jpg')", "![](attachment:0)"]
    assert answer.cells[1][0].attachments == {"0": "AA"}
    assert answer.state == "answered"


def test_short_answers_and_comments_elsewhere_are_shown(toy: Homework, empty: Submission) -> None:
    """This covers formulas, Chinese and comments in code, but not headings."""
    for source, kind in (("$a$", "markdown"), ("# The keys are alike in both.\nx = 1", "code")):
        cells = with_text(empty, source, after="title", type=kind)
        answer = found(cells, toy)[FIRST]
        assert (answer.state, sources(answer)) == ("missing", [source])
    cells = with_text(empty, "## Plots", after="title")
    assert found(cells, toy)[FIRST] == Written(FIRST, "unchanged", ())


def test_an_answer_in_a_provided_text_elsewhere_is_shown(toy: Homework, empty: Submission) -> None:
    """A person decides; a name that somebody filled in is no answer."""
    title = next(cell for cell in empty.cells if cell.id == "title")
    named = with_cells(empty, title=f"{title.source}\n\nName: Ada Lovelace")
    assert found(named, toy)[FIRST] == Written(FIRST, "unchanged", ())
    typo = with_cells(empty, title=title.source.replace("e", "a", 1))
    assert found(typo, toy)[FIRST] == Written(FIRST, "unchanged", ())
    moved = f"{title.source}\n\n{ANSWER}"
    answer = found(with_cells(empty, title=moved), toy)[FIRST]
    assert (answer.state, sources(answer)) == ("missing", [moved])
    assert "elsewhere that the student changed" in answer.cells[0][1]
