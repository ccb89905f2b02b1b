"""align: the student's answers in their places, the provided cells as released."""

from dataclasses import replace

import pytest

from autograder.model import Cell, HandIn, Homework
from autograder.program.build import align
from tests.helpers import of_code, with_added, with_cells


def ran(hand_in: HandIn, homework: Homework) -> list[str]:
    return [step.cell.id for step in align(hand_in, homework).steps if step.runs]


def without(hand_in: HandIn, *ids: str) -> HandIn:
    return replace(hand_in, cells=tuple(cell for cell in hand_in.cells if cell.id not in ids))


def test_an_untouched_notebook_needs_no_repair(hw2: Homework, perfect: HandIn) -> None:
    """Right answers in the given cells: nothing is mended, demos are skipped."""
    program = align(perfect, hw2)
    assert program.repairs == ()
    skipped = {step.cell.id for step in program.steps if step.cell.type == "code" and not step.runs}
    assert skipped == {cell.id for cell in hw2.cells if cell.role == "demo"}
    assert skipped


def test_all_cells_runs_the_demos_too(hw2: Homework, perfect: HandIn) -> None:
    """With all_cells every code cell runs."""
    steps = align(perfect, hw2, all_cells=True).steps
    assert all(step.runs for step in steps if step.cell.type == "code")


def test_an_edited_provided_cell_runs_twice(hw2: Homework, perfect: HandIn) -> None:
    """An import added to the given cell works, and the given cell still wins."""
    given = next(cell.source for cell in hw2.cells if cell.id == "imports")
    program = align(with_cells(perfect, imports=given + "\nimport statistics"), hw2)
    first, second = [step for step in program.steps if step.cell.id == "imports"]
    assert first.cell.source.endswith("import statistics")
    assert second.cell.source == given
    assert "'imports' was changed" in program.repairs[0]


def test_an_edited_demo_runs_as_the_student_wrote_it(hw2: Homework, perfect: HandIn) -> None:
    """A helper put into a demo cell is there when an answer needs it."""
    program = align(with_cells(perfect, identity_look="helper = 1"), hw2)
    (step,) = [step for step in program.steps if step.cell.id == "identity_look"]
    assert step.runs
    assert step.cell.source == "helper = 1"
    assert "'identity_look' was changed: it ran as you wrote it." in program.repairs[0]


def test_a_demo_that_an_answer_uses_runs(hw2: Homework, perfect: HandIn) -> None:
    """As where the code of one demo, which calls another's function, was merged with an answer."""
    look, drawing = (
        Cell(id=name, type="code", source=source, role="demo")
        for name, source in (
            ("look", "def drawn(x):\n    return x"),
            ("drawing", "def f(): drawn(1)"),
        )
    )
    homework = replace(hw2, cells=(look, drawing, *hw2.cells))
    handed_in = replace(perfect, cells=(look, drawing, *perfect.cells))
    assert not {"look", "drawing"} & set(ran(handed_in, homework))
    answer = next(cell.source for cell in perfect.cells if cell.id == "identity_answer")
    merged = with_cells(handed_in, identity_answer="def f(): drawn(1)\n" + answer)
    assert "look" in ran(merged, homework)
    assert "drawing" not in ran(merged, homework)  # the answer's cell defines it
    through = with_cells(handed_in, identity_answer="f()\n" + answer)
    assert {"look", "drawing"} <= set(ran(through, homework))
    assert any("'look' ran, too" in repair for repair in align(through, homework).repairs)


def test_an_answer_that_is_no_python_was_found(hw2: Homework, perfect: HandIn) -> None:
    """It failed, which is said elsewhere; one that is empty, or gone, was not found."""
    lost = "The answer cell 'identity_answer' was not found."
    assert lost not in align(with_cells(perfect, identity_answer="def f(:"), hw2).repairs
    assert lost in align(without(perfect, "identity_answer"), hw2).repairs
    assert lost in align(with_cells(perfect, identity_answer=""), hw2).repairs


def test_an_answer_cell_with_other_code_was_found(hw2: Homework, perfect: HandIn) -> None:
    """It is there, and is said to lack what it was given for."""
    repairs = align(
        with_cells(perfect, identity_answer="identity_weights = nmp.eye(3)"), hw2
    ).repairs
    assert repairs == (
        "There is no def or class identity_weights in the answer cell 'identity_answer'.",
    )


def test_the_notebook_of_another_homework_is_told(hw2: Homework, perfect: HandIn) -> None:
    """Before each answer that is missing."""
    answers = [cell.id for cell in hw2.cells if cell.role == "answer"]
    other = replace(perfect, cells=of_code("x = 1").cells)
    assert answers
    assert align(other, hw2).repairs[0].startswith("No answer of this homework is in it")
    assert not any("No answer" in repair for repair in align(perfect, hw2).repairs)


def test_deleted_provided_cells_come_back_in_place(hw2: Homework, perfect: HandIn) -> None:
    """Cells that were deleted, checks included, are put back where they belong."""
    whole = ran(perfect, hw2)
    gone = ("imports", "port", "tokens_code")
    program = align(without(perfect, *gone), hw2)
    assert [step.cell.id for step in program.steps if step.runs] == whole
    assert len(program.repairs) == 3


def test_other_orders_are_kept(hw2: Homework, perfect: HandIn) -> None:
    """The program follows the student's order."""
    cells = {cell.id: cell for cell in perfect.cells}
    order = [*cells]
    order.remove("copy_first_answer")
    order.insert(order.index("port_answer"), "copy_first_answer")
    moved = replace(perfect, cells=tuple(cells[id] for id in order))
    assert ran(moved, hw2).index("copy_first_answer") < ran(moved, hw2).index("port_answer")


def test_answers_are_found_by_what_they_define(hw2: Homework) -> None:
    """A bare cell that defines an answer's name stands for the answer cell."""
    hand_in = of_code("def identity_weights():\n    return 1, 2, 3")
    step = next(s for s in align(hand_in, hw2).steps if s.cell.id == "own-0")
    assert step.runs
    assert step.name == "the cell 'identity_answer'"


def test_metadata_of_the_student_decides_nothing(hw2: Homework, perfect: HandIn) -> None:
    """A check renamed to a demo, or a role given to an answer, changes no step."""
    changed = tuple(replace(cell, role="demo", points=99.0) for cell in perfect.cells)
    assert ran(replace(perfect, cells=changed), hw2) == ran(perfect, hw2)


def test_added_cells_run_where_they_stand(hw2: Homework, perfect: HandIn) -> None:
    """A helper cell runs between its neighbours."""
    order = ran(with_added(perfect, "helper = 1", after="port_text"), hw2)
    assert order.index("added") == order.index("port_answer") - 1


def test_written_answers_are_told_from_empty_ones(hw2: Homework, perfect: HandIn) -> None:
    """answered, unchanged, empty, missing; an answer in a cell of one's own right below counts."""
    stub = next(cell.source for cell in hw2.cells if cell.id == "compare_identity")

    def written(hand_in: HandIn) -> str:
        return align(hand_in, hw2).written["compare_identity"]

    assert written(perfect) == "answered"
    unchanged = with_cells(perfect, compare_identity=stub + " \n")
    assert written(unchanged) == "unchanged"
    assert written(with_cells(perfect, compare_identity=" \n")) == "empty"
    assert written(without(perfect, "compare_identity")) == "missing"
    question = next(cell.source for cell in hw2.cells if cell.id == "compare_identity_text")
    merged = with_cells(perfect, compare_identity=stub, compare_identity_text=question + "\nBoth.")
    assert written(merged) == "answered"
    place = [cell.id for cell in perfect.cells].index("compare_identity") + 1
    below = Cell(id="mine", type="markdown", source="Both have a diagonal.")
    cells = (*unchanged.cells[:place], below, *unchanged.cells[place:])
    assert written(replace(unchanged, cells=cells)) == "answered"


PICTURE = "iVBORw0KGgo="
SHOWN = {"output_type": "display_data", "data": {"image/png": PICTURE}}


@pytest.mark.parametrize(
    "cell",
    [
        Cell("mine", "markdown", "Both."),
        Cell("mine", "markdown", "$$W_Q \\neq W_K$$"),
        Cell("mine", "markdown", "\u5747\u4e3a\u5bf9\u89d2"),
        Cell("mine", "markdown", "![](attachment:a.png)", attachments={"a.png": PICTURE}),
        Cell("mine", "raw", "", attachments={"a.png": PICTURE}),
        Cell("mine", "markdown", "<img src='data:image/png;base64,AA=='>"),
        Cell("mine", "code", "Image('answer.jpg')"),
        Cell("mine", "code", "# Both have the same diagonal here.\nx = 1"),
        Cell("mine", "code", "# \u4e24\u8005\u90fd\u6709\u5bf9\u89d2\u7ebf\nx = 1"),
    ],
    ids=[
        "short",
        "formula",
        "Chinese",
        "photo",
        "bare photo",
        "HTML",
        "shown",
        "comments",
        "Chinese comments",
    ],
)
@pytest.mark.parametrize("after", ["compare_identity", "copy_first_text", "title"])
def test_anything_of_ones_own_is_looked_at(
    hw2: Homework, perfect: HandIn, cell: Cell, after: str
) -> None:
    """Below the answer's cell, two below it, or far away: never 0 as unchanged."""
    stub = next(c.source for c in hw2.cells if c.id == "compare_identity")
    cells = list(with_cells(perfect, compare_identity=stub).cells)
    assert align(replace(perfect, cells=tuple(cells)), hw2).written["compare_identity"] == (
        "unchanged"
    )
    cells.insert([c.id for c in cells].index(after) + 1, cell)
    found = align(replace(perfect, cells=tuple(cells)), hw2).written
    expected = "answered" if after == "compare_identity" else "missing"
    assert found["compare_identity"] == expected


@pytest.mark.parametrize(
    ("cell", "state"),
    [
        (Cell("mine", "code", "plt.plot(x)", outputs=(SHOWN,)), "answered"),
        (Cell("mine", "code", "x = 1  # same"), "answered"),
        (Cell("mine", "code", "x = 1"), "unchanged"),
        (Cell("mine", "markdown", "---"), "unchanged"),
    ],
)
def test_beside_the_cell_a_picture_or_a_comment_is_looked_at(
    hw2: Homework, perfect: HandIn, cell: Cell, state: str
) -> None:
    """Code and lines alone are no answer; far away, a plot is none and a heading is a heading."""
    stub = next(c.source for c in hw2.cells if c.id == "compare_identity")
    cells = list(with_cells(perfect, compare_identity=stub).cells)
    far = (*cells, cell, Cell("head", "markdown", "## My plots"))
    assert align(replace(perfect, cells=far), hw2).written["compare_identity"] == "unchanged"
    place = [c.id for c in cells].index("compare_identity")
    for number in (place, place + 1):
        beside = (*cells[:number], cell, *cells[number:])
        found = align(replace(perfect, cells=beside), hw2).written
        assert found["compare_identity"] == state


def test_a_photo_in_the_answers_own_cell_is_an_answer(hw2: Homework, perfect: HandIn) -> None:
    """Although the text is as it was given."""
    stub = next(c.source for c in hw2.cells if c.id == "compare_identity")
    cells = [
        replace(c, source=stub, attachments={"a.png": PICTURE}) if c.id == "compare_identity" else c
        for c in perfect.cells
    ]
    assert align(replace(perfect, cells=tuple(cells)), hw2).written["compare_identity"] == (
        "answered"
    )


def test_what_belongs_to_another_empty_answer_is_no_answer_here(
    hw2: Homework, perfect: HandIn
) -> None:
    """It is beside that one's cell; comments that code was given with, or answers have, are none."""
    stub = next(c.source for c in hw2.cells if c.id == "compare_identity")
    cells = list(with_cells(perfect, compare_identity=stub, compare_copy_first=stub).cells)
    place = [c.id for c in cells].index("compare_copy_first") + 1
    cells.insert(place, Cell("mine", "markdown", "Both have a diagonal, and one is noisy."))
    assert align(replace(perfect, cells=tuple(cells)), hw2).written == {
        "compare_identity": "unchanged",
        "compare_copy_first": "answered",
    }


def test_comments_in_a_provided_cell_may_be_the_answer(hw2: Homework, perfect: HandIn) -> None:
    """A sentence that the cell was not given with; those of answers are about their code."""
    stub = next(c.source for c in hw2.cells if c.id == "compare_identity")
    words = "# The keys are alike in both of them.\n"
    for id, state in (("tokens_code", "missing"), ("copy_first_answer", "unchanged")):
        source = words + next(c.source for c in perfect.cells if c.id == id)
        cells = with_cells(perfect, compare_identity=stub, **{id: source})
        assert align(cells, hw2).written["compare_identity"] == state
