"""build: the student's answers in their places, and the provided cells as released."""

from dataclasses import replace

import pytest

from autograder.program.build import NO_ANSWERS, build
from autograder.records.facts import Remark, Submission
from autograder.records.homework import Cell, Homework
from tests.helpers import of_code, sentences, twinned, with_added, with_cells


def ran(submission: Submission, homework: Homework) -> list[str]:
    return [step.cell.id for step in build(submission, homework).steps if step.runs]


def without(submission: Submission, *ids: str) -> Submission:
    return replace(submission, cells=tuple(cell for cell in submission.cells if cell.id not in ids))


def test_an_untouched_notebook_needs_no_repair(toy: Homework, solved: Submission) -> None:
    """With right answers in the given cells, nothing is repaired, and demos are skipped."""
    program = build(solved, toy)
    assert program.repairs == ()
    skipped = {step.cell.id for step in program.steps if step.cell.type == "code" and not step.runs}
    assert skipped == {cell.id for cell in toy.cells if cell.role == "demo"}
    assert skipped


def test_all_cells_runs_the_demos_too(toy: Homework, solved: Submission) -> None:
    """With all_cells every code cell runs."""
    steps = build(solved, toy, all_cells=True).steps
    assert all(step.runs for step in steps if step.cell.type == "code")


def test_an_edited_provided_cell_runs_twice(toy: Homework, solved: Submission) -> None:
    """An import added to the given cell works, and the given cell still takes precedence."""
    given = next(cell.source for cell in toy.cells if cell.id == "imports")
    program = build(with_cells(solved, imports=given + "\nimport statistics"), toy)
    first, second = [step for step in program.steps if step.cell.id == "imports"]
    assert first.cell.source.endswith("import statistics")
    assert second.cell.source == given
    assert "'imports' was changed" in program.repairs[0].text


def test_an_edited_demo_runs_as_the_student_wrote_it(toy: Homework, solved: Submission) -> None:
    """An answer can use a helper that the student put into a demo cell."""
    program = build(with_cells(solved, look="helper = 1"), toy)
    (step,) = [step for step in program.steps if step.cell.id == "look"]
    assert step.runs
    assert step.cell.source == "helper = 1"
    assert "'look' was changed: your version ran." in program.repairs[0].text


def test_a_demo_that_an_answer_uses_runs(toy: Homework, solved: Submission) -> None:
    """One demo's code, which calls another's function, may have been merged with an answer."""
    sketch, drawing = (
        Cell(id=name, type="code", source=source, role="demo")
        for name, source in (
            ("sketch", "def drawn(x):\n    return x"),
            ("drawing", "def f(): drawn(1)"),
        )
    )
    homework = replace(toy, cells=(sketch, drawing, *toy.cells))
    handed_in = replace(solved, cells=(sketch, drawing, *solved.cells))
    assert not {"sketch", "drawing"} & set(ran(handed_in, homework))
    answer = next(cell.source for cell in solved.cells if cell.id == "count_answer")
    merged = with_cells(handed_in, count_answer="def f(): drawn(1)\n" + answer)
    assert "sketch" in ran(merged, homework)
    assert "drawing" not in ran(merged, homework)  # the answer's cell defines it
    through = with_cells(handed_in, count_answer="f()\n" + answer)
    assert {"sketch", "drawing"} <= set(ran(through, homework))
    used = "An answer uses what the demo 'sketch' defines."
    assert Remark("author", used) in build(through, homework).repairs


def test_an_answer_that_is_no_python_was_found(toy: Homework, solved: Submission) -> None:
    """It failed, which is reported elsewhere; an empty or missing one was not found."""
    lost = "The answer cell 'count_answer' was not found."
    assert lost not in sentences(build(with_cells(solved, count_answer="def f(:"), toy).repairs)
    assert lost in sentences(build(without(solved, "count_answer"), toy).repairs)
    assert lost in sentences(build(with_cells(solved, count_answer=""), toy).repairs)


def test_an_answer_cell_with_other_code_was_found(toy: Homework, solved: Submission) -> None:
    """It exists, and a message names what it lacks."""
    repairs = build(with_cells(solved, count_answer="count_positive = nmp.sum"), toy).repairs
    assert sentences(repairs) == [
        "There is no def or class count_positive in the answer cell 'count_answer'."
    ]


def test_a_notebook_whose_answers_are_all_gone_is_told(toy: Homework, solved: Submission) -> None:
    """The message comes before each missing answer."""
    answers = [cell.id for cell in toy.cells if cell.role == "answer"]
    assert answers
    assert build(without(solved, *answers), toy).repairs[0] == Remark("student", NO_ANSWERS)
    assert NO_ANSWERS not in sentences(build(solved, toy).repairs)


def test_deleted_provided_cells_come_back_in_place(toy: Homework, solved: Submission) -> None:
    """Deleted cells, including checks, are put back where they belong."""
    whole = ran(solved, toy)
    gone = ("imports", "mean", "data")
    program = build(without(solved, *gone), toy)
    assert [step.cell.id for step in program.steps if step.runs] == whole
    assert len(program.repairs) == 3


def test_other_orders_are_kept(toy: Homework, solved: Submission) -> None:
    """The program follows the student's order."""
    cells = {cell.id: cell for cell in solved.cells}
    order = [*cells]
    order.remove("mean_answer")
    order.insert(order.index("count_answer"), "mean_answer")
    moved = replace(solved, cells=tuple(cells[id] for id in order))
    assert ran(moved, toy).index("mean_answer") < ran(moved, toy).index("count_answer")


def test_answers_are_found_by_what_they_define(toy: Homework) -> None:
    """A bare cell that defines an answer's name stands for the answer cell."""
    submission = of_code("def count_positive(numbers):\n    return 1")
    step = next(s for s in build(submission, toy).steps if s.cell.id == "own-0")
    assert step.runs
    assert step.name == "the cell 'count_answer'"


def test_metadata_of_the_student_decides_nothing(toy: Homework, solved: Submission) -> None:
    """A check renamed to a demo, or a role given to an answer, changes no step."""
    changed = tuple(replace(cell, role="demo", points=99.0) for cell in solved.cells)
    assert ran(replace(solved, cells=changed), toy) == ran(solved, toy)


def test_added_cells_run_where_they_stand(toy: Homework, solved: Submission) -> None:
    """A helper cell runs between its neighbours."""
    order = ran(with_added(solved, "helper = 1", after="mean_text"), toy)
    assert order.index("added") == order.index("mean_answer") - 1


def test_written_answers_are_told_from_empty_ones(
    toy: Homework, solved: Submission, unargued: Submission
) -> None:
    """answered, unchanged, empty, missing; an answer in an added cell just below counts."""

    def written(submission: Submission) -> str:
        return build(submission, toy).written["argue"]

    assert written(solved) == "answered"
    stub = next(cell.source for cell in unargued.cells if cell.id == "argue")
    unchanged = with_cells(solved, argue=stub + " \n")
    assert written(unchanged) == "unchanged"
    assert written(with_cells(solved, argue=" \n")) == "empty"
    assert written(without(solved, "argue")) == "missing"
    question = next(cell.source for cell in toy.cells if cell.id == "argue_text")
    assert written(with_cells(unargued, argue_text=question + "\nBoth.")) == "answered"
    place = [cell.id for cell in solved.cells].index("argue") + 1
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
@pytest.mark.parametrize("after", ["argue", "end", "title"])
def test_anything_of_ones_own_is_looked_at(
    toy: Homework, unargued: Submission, cell: Cell, after: str
) -> None:
    """Just below the answer's cell, two below or far away, it never earns 0 as unchanged."""
    assert build(unargued, toy).written["argue"] == "unchanged"
    cells = list(unargued.cells)
    cells.insert([c.id for c in cells].index(after) + 1, cell)
    found = build(replace(unargued, cells=tuple(cells)), toy).written
    assert found["argue"] == ("answered" if after == "argue" else "missing")


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
    toy: Homework, unargued: Submission, cell: Cell, state: str
) -> None:
    """Code and rules alone are not answers; far away, neither plots nor headings count."""
    cells = unargued.cells
    far = (*cells, cell, Cell("head", "markdown", "## My plots"))
    assert build(replace(unargued, cells=far), toy).written["argue"] == "unchanged"
    place = [c.id for c in cells].index("argue")
    for number in (place, place + 1):
        beside = (*cells[:number], cell, *cells[number:])
        assert build(replace(unargued, cells=beside), toy).written["argue"] == state


def test_a_photo_in_the_answers_own_cell_is_an_answer(toy: Homework, unargued: Submission) -> None:
    """This holds although the text is unchanged."""
    cells = tuple(
        replace(c, attachments={"a.png": PICTURE}) if c.id == "argue" else c for c in unargued.cells
    )
    assert build(replace(unargued, cells=cells), toy).written["argue"] == "answered"


def test_what_belongs_to_another_empty_answer_is_no_answer_here(
    toy: Homework, unargued: Submission
) -> None:
    """It is beside that cell; comments in provided code or in answers do not count."""
    homework, answers = twinned(toy, unargued)
    cells = list(answers.cells)
    place = [c.id for c in cells].index("twin") + 1
    cells.insert(place, Cell("mine", "markdown", "Both have a diagonal, and one is noisy."))
    assert build(replace(answers, cells=tuple(cells)), homework).written == {
        "argue": "unchanged",
        "twin": "answered",
    }


def test_comments_in_a_provided_cell_may_be_the_answer(toy: Homework, unargued: Submission) -> None:
    """A sentence beyond the provided ones counts; those in answers are about their code."""
    words = "# The keys are alike in both of them.\n"
    for id, state in (("data", "missing"), ("mean_answer", "unchanged")):
        source = words + next(c.source for c in unargued.cells if c.id == id)
        assert build(with_cells(unargued, **{id: source}), toy).written["argue"] == state
