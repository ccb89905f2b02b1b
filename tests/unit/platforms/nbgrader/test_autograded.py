"""autograded: the markers' view, whatever happened to the notebook, with nothing that runs."""

import base64
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import GetGrades
from PIL import Image

from autograder.course.rubrics import Rubric, RubricItem
from autograder.platforms.nbgrader import autograded
from autograder.platforms.nbgrader.answers import answers
from autograder.platforms.nbgrader.feedback import LeaveOutRubrics
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Cell, Homework
from autograder.store import executed
from tests.gradebooks import from_log, put
from tests.helpers import TOY, of_code, picture, with_added, with_cells

Shown = Callable[[Submission], nbformat.NotebookNode]
QUESTION = "argue"
RUBRIC = Rubric(
    question=QUESTION,
    text="Asked.",
    items=(
        RubricItem(1.5, "Says why."),
        RubricItem(0.5, "Says when."),
        RubricItem(-1, "Says who."),
        RubricItem(0, "Is neat."),
    ),
    full="Because.",
    half="Why not?",
    none="Yes.",
    sample="### In short\n$0/0$",
    notes="",
)


@pytest.fixture
def generous(toy: Homework) -> Homework:
    """Return the toy with extra credit for the mean."""
    count, mean, argue = toy.questions
    return replace(toy, questions=(count, replace(mean, extra=True), argue))


@pytest.fixture
def release() -> nbformat.NotebookNode:
    return nbformat.read(TOY / "release" / "toy" / "toy.ipynb", as_version=4)


@pytest.fixture
def show(generous: Homework, release: nbformat.NotebookNode, tmp_path: Path) -> Shown:
    """Grade a submission without running it; return the notebook for people who mark."""

    def show(submission: Submission) -> nbformat.NotebookNode:
        result = executed.read(put(tmp_path, "a001", submission, generous))
        texts, rubrics = answers(result, generous), {QUESTION: RUBRIC}
        notebook = autograded.notebook(result, generous, release, written=texts, rubrics=rubrics)
        nbformat.validate(notebook)
        MetadataValidator().validate_nb(notebook)
        return notebook

    return show


@pytest.fixture
def blank(toy: Homework) -> Submission:
    return replace(of_code(), cells=toy.cells)


def cell(notebook: nbformat.NotebookNode, id: str) -> nbformat.NotebookNode:
    return next(cell for cell in notebook.cells if cell.id == id)


def answer(notebook: nbformat.NotebookNode) -> str:
    source: str = cell(notebook, QUESTION).source
    return source


def without(submission: Submission, id: str) -> Submission:
    return replace(submission, cells=tuple(cell for cell in submission.cells if cell.id != id))


def written(submission: Submission, **fields: Any) -> Submission:
    """Return a submission with other fields in the cell of its written answer."""
    cells = (replace(c, **fields) if c.id == QUESTION else c for c in submission.cells)
    return replace(submission, cells=tuple(cells))


def following(notebook: nbformat.NotebookNode, id: str, steps: int) -> nbformat.NotebookNode:
    """Return the cell that comes so many places after a released one."""
    return notebook.cells[[each.id for each in notebook.cells].index(id) + steps]


def photograph(kind: str, size: tuple[int, int] = (4000, 3000)) -> str:
    file = io.BytesIO()
    Image.new("RGB", size, "white").save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


def test_the_release_in_its_order(
    show: Shown, blank: Submission, release: nbformat.NotebookNode
) -> None:
    """Every released cell is there, with nbgrader's metadata; only extra credit is left out."""
    notebook = show(with_cells(blank, argue="Mine.", count_answer="x = 1"))
    theirs = {each.id for each in release.cells}
    assert [each.id for each in notebook.cells if each.id in theirs] == [
        c.id for c in release.cells
    ]
    for before in release.cells:
        after = cell(notebook, before.id)
        marks = dict(before.metadata.get("nbgrader", {}))
        if before.id == "mean":
            marks["points"] = 0.0
        assert after.metadata.get("nbgrader", {}) == marks, before.id
        if before.id not in (QUESTION, "count_answer"):
            assert after.source == before.source
    assert cell(notebook, "count_answer").source == "x = 1"


def test_the_same_in_any_order(show: Shown, blank: Submission) -> None:
    """A reordered notebook without its text cells gets the release's shape."""
    cells = [cell for cell in reversed(blank.cells) if cell.type == "code"]
    notebook, straight = show(replace(blank, cells=tuple(cells))), show(blank)
    ids = {cell.id for cell in blank.cells}
    assert [c.id for c in notebook.cells if c.id in ids] == [
        c.id for c in straight.cells if c.id in ids
    ]


def test_the_rubric_stands_under_its_answer_and_no_student_gets_it(
    show: Shown, blank: Submission
) -> None:
    """Staff's cells are locked, marked as such, and removed; otherwise, feedback fails."""
    notebook = show(with_cells(blank, argue="Mine."))
    rubric = following(notebook, QUESTION, 1)
    for shown in (
        "**Items (2 points)**\n\n1. **+1.5** Says why.\n2. **+0.5** Says when.\n3. **-1** Says who.\n4. **0** Is neat.",
        "**Full marks**\n\nBecause.",
        "**Half marks**\n\nWhy not?",
        "**No marks**\n\nYes.",
        "**Sample answer**\n\n**In short**\n$0/0$",
    ):
        assert shown in rubric.source
    assert "**Notes**" not in rubric.source
    assert "Asked." not in rubric.source  # it is above the answer
    assert not rubric.metadata.editable
    assert not rubric.metadata.deletable
    assert rubric.metadata.autograder.role == "rubric"
    guards = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("solution")]
    assert guards[0].metadata.nbgrader.grade_id == autograded.GUARD
    left, _ = LeaveOutRubrics().preprocess(notebook, {})
    text = nbformat.writes(left)
    assert "Because." not in text
    assert "Students never see" not in text
    assert autograded.GUARD not in text
    assert "Mine." in text
    assert GetGrades  # what would fail; tests/end_to_end/test_formgrader.py runs it


def test_the_marks_are_in_the_notebook(show: Shown, blank: Submission, tmp_path: Path) -> None:
    """They make the student's page; an earlier version's lacks them, and a message says so."""
    notebook = nbformat.from_dict(show(with_cells(blank, argue="Mine.")))
    grade, log = autograded.graded(notebook)
    result = executed.read(tmp_path / "a001")
    assert grade == result.grade
    assert log.errors == result.log.errors
    assert [one.status for one in log.outcomes] == [one.status for one in result.log.outcomes]
    assert {one.value for one in log.outcomes} <= {None}
    del notebook.metadata["autograder"]["log"]
    with pytest.raises(UserError, match="run `autograder mark --fill` again"):
        autograded.graded(notebook)


def test_a_deleted_answer_is_explained(show: Shown, blank: Submission) -> None:
    """Its cell is there, and says where to look."""
    notebook = show(without(blank, QUESTION))
    assert (
        "the cell is not in the submission; look at the cells that were added: there are none."
        in answer(notebook)
    )


def test_an_answer_beside_its_cell_is_explained(show: Shown, blank: Submission) -> None:
    """The text stays in the student's place, below the cell that mentions it."""
    cells = list(blank.cells)
    place = [each.id for each in cells].index(QUESTION) + 1
    cells.insert(place, Cell("mine", "markdown", "I wrote it down here."))
    notebook = show(replace(blank, cells=tuple(cells)))
    assert "look at the texts above and below it" in answer(notebook)
    assert "YOUR ANSWER HERE" in answer(notebook)
    assert "Cell 1 that was added or changed" in following(notebook, QUESTION, 2).source
    assert following(notebook, QUESTION, 3).source == "I wrote it down here."


def test_an_answer_in_words_anywhere_is_explained(show: Shown, blank: Submission) -> None:
    """Sentences in an added cell may be the answer."""
    notebook = show(with_added(blank, "# Both are the same in each row, I think."))
    assert "look at the cells that were added: [1](#added-1)." in answer(notebook)
    assert any('<a id="added-1"></a>' in each.source for each in notebook.cells)


def test_an_empty_answer_says_so(show: Shown, blank: Submission) -> None:
    """The page has something to show."""
    assert "The cell is empty." in answer(show(with_cells(blank, argue=" ")))


def test_a_log_without_a_notebook_says_so(show: Shown) -> None:
    """A log contains no written answers."""
    notebook = show(from_log(of_code("def count_positive(numbers):\n    return 1 + 2")))
    assert "a log was submitted without a notebook" in answer(notebook)
    assert "return 1 + 2" in cell(notebook, "count_answer").source


def test_all_texts_that_may_be_the_answer_are_shown(show: Shown, blank: Submission) -> None:
    """They are complete, each with its own pictures."""
    long = "The first text. " + "Word after word. " * 200
    cells = []
    for each in blank.cells:
        if each.id == QUESTION:
            mine = {"image.png": picture()}
            one = replace(each, source=f"{long}![a](attachment:image.png)", attachments=mine)
            two = replace(one, id="copy", source="The second. ![b](attachment:image.png)")
            cells += [one, two]
        else:
            cells.append(each)
    notebook = show(replace(blank, cells=tuple(cells)))
    source = answer(notebook)
    assert "2 texts may be this answer" in source
    assert long.strip() in source
    assert "The second. ![b](attachment:text-2-picture-1.png)" in source
    assert "![a](attachment:text-1-picture-1.png)" in source
    assert set(cell(notebook, QUESTION).attachments) == {
        "text-1-picture-1.png",
        "text-2-picture-1.png",
    }


def test_text_in_a_code_cell_is_shown_as_it_is(show: Shown, blank: Submission) -> None:
    """Lines that begin with # are not headings."""
    text = "# The two are the same in each row.\n# ``` Why?"
    notebook = show(written(blank, type="code", source=text))
    assert answer(notebook) == f"`````\n{text}\n`````"
    assert cell(notebook, QUESTION).cell_type == "markdown"


def test_pictures_are_drawn_anew(show: Shown, blank: Submission) -> None:
    """They appear in place, once, photographs reduced; anything else is reported."""
    pictures = {
        "my drawing.png": picture(),
        "photo.jpg": photograph("JPEG"),
        "evil.png": base64.b64encode(b"<svg onload='alert(1)'/>").decode(),
        "unseen.png": picture(),
    }
    text = "See ![it](attachment:my%20drawing.png) ![again](attachment:my%20drawing.png) "
    text += "![p](attachment:photo.jpg) ![e](attachment:evil.png)"
    notebook = show(written(blank, source=text, attachments=pictures))
    shown = cell(notebook, QUESTION).attachments
    assert list(shown) == ["picture-1.png", "picture-2.png", "picture-3.png"]
    source = answer(notebook)
    assert "![it](attachment:picture-1.png) [again](" in source
    assert "![p](attachment:picture-2.png)" in source
    assert "![picture](attachment:picture-3.png)" in source
    assert source.count("could not be shown") == 1
    photo = Image.open(io.BytesIO(base64.b64decode(shown["picture-2.png"]["image/png"])))
    assert (photo.format, photo.size) == ("PNG", (1000, 750))
    assert "alert" not in str(shown)


def test_nothing_of_a_student_runs(show: Shown, blank: Submission) -> None:
    """This covers answers, other texts, added cells and outputs."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)> [a](javascript:alert(1))"
    html = {"output_type": "display_data", "data": {"text/html": evil}, "metadata": {}}
    submission = with_cells(blank, argue=evil, count_text=evil, title=evil)
    cells = tuple(replace(c, outputs=(html,)) if c.type == "code" else c for c in submission.cells)
    added = Cell("raw", "raw", evil), Cell("text", "markdown", evil)
    for each in show(replace(submission, cells=(*cells, *added))).cells:
        if each.cell_type == "code":
            assert "text/html" not in str(each.outputs).replace("Left out here: text/html", "")
        elif each.metadata.get("autograder", {}).get("role") != autograded.RUBRIC:
            assert "<script" not in each.source
            assert "<img" not in each.source
            assert "](javascript" not in each.source


def test_the_machines_words_stand_below_each_check(show: Shown, blank: Submission) -> None:
    """They are plain text, with points; long lines are broken, and extra credit is labelled."""
    notebook = show(blank)
    for id, first in (
        ("count", "count: 0 of 2 points\n"),
        ("mean", "mean: 0 of 3 points (extra credit)\n"),
    ):
        words = cell(notebook, id).outputs[0]
        assert (words.output_type, words.name) == ("stream", "stdout")
        assert words.text.startswith(first)
        assert max(map(len, words.text.split("\n"))) <= autograded.WIDTH


def test_of_two_answers_the_last_one_is_in_the_graded_cell(show: Shown, blank: Submission) -> None:
    """The other one stays above it."""
    first, last = (
        "def count_positive(numbers):\n    return 1",
        "def count_positive(numbers):\n    return 2",
    )
    submission = with_added(with_cells(blank, count_answer=first), last, after="count_answer")
    notebook = show(submission)
    assert cell(notebook, "count_answer").source == last
    assert following(notebook, "count_answer", -1).source == first
    label = following(notebook, "count_answer", -2).source
    assert label == "*Another version of `count_answer`; the last one counts:*"


def test_repairs_are_said_at_the_top(show: Shown, blank: Submission) -> None:
    """They are listed for markers and students alike."""
    notebook = show(without(blank, "data"))
    assert "'data' was missing: it was put back" in notebook.cells[2].source
