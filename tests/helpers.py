"""What the tests share: this course and the toy, odd submissions made of theirs, and a way to grade them."""

import base64
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from PIL import Image

from autograder.course import inputs
from autograder.course.course import Course
from autograder.marking.judge import Judge
from autograder.records.facts import Outcome, Remark, Submission, SubmissionId, SubmissionLog
from autograder.records.homework import Cell, Homework
from autograder.records.marks import Grade
from autograder.records.questions import Inputs
from autograder.sandbox.execute import Executed, execute
from autograder.sandbox.supervisor import Sandbox
from autograder.submission import discover

ROOT = Path(__file__).parents[1]
WARM = ("torch", "matplotlib.pyplot", "tqdm")
"""The modules that this course's homeworks import in advance."""
TOY = ROOT / "tests" / "toy_course"
SECRET = "tests"
COURSE = Course(title="Attention", term="Spring", secret=SECRET)
EXAMPLES = ROOT / "tests" / "submissions" / "hw2_transformer"

ANYONE = SubmissionId("anyone", "notebook", "0" * 64)


def count(full: int, slice: int) -> int:
    """Return how many cases to try: all with FULL_COUNTS=1 (`make fuzz`), else a slice."""
    return full if os.environ.get("FULL_COUNTS") else slice


FUZZ = settings(
    derandomize=True,
    deadline=None,
    max_examples=count(full=35_000, slice=500),
    suppress_health_check=list(HealthCheck),
)

Grader = Callable[..., tuple[SubmissionLog, Grade]]


def executed(
    submission: Submission, homework: Homework, *, sandbox: Sandbox, all_cells: bool = False
) -> Executed:
    """Run a submission to its end, as `grade` does."""
    settled = Judge(homework, secret=SECRET).passed
    *_, state = execute(
        submission, homework, sandbox=sandbox, secret=SECRET, settled=settled, all_cells=all_cells
    )
    return state


def with_cells(submission: Submission, **sources: str) -> Submission:
    """Return a submission with the sources of some cells replaced, by cell id."""
    known_ids = {cell.id for cell in submission.cells}
    assert set(sources) <= known_ids, set(sources) - known_ids
    cells = tuple(replace(c, source=sources.get(c.id, c.source)) for c in submission.cells)
    return replace(submission, cells=cells)


def with_added(submission: Submission, source: str, *, after: str | None = None) -> Submission:
    """Return a submission with a code cell added, after a cell or at the end."""
    ids = [cell.id for cell in submission.cells]
    place = len(ids) if after is None else ids.index(after) + 1
    added = Cell(id="added", type="code", source=source)
    return replace(submission, cells=(*submission.cells[:place], added, *submission.cells[place:]))


def sentences(remarks: Iterable[Remark]) -> list[str]:
    """Return the texts of remarks, for any readers."""
    return [remark.text for remark in remarks]


def found_in(*paths: Path, **options: Any) -> list[discover.Found]:
    """Return the submissions in some paths, of which none may be complained about."""
    found, complaints = discover.find(paths, **options)
    assert complaints == []
    return found


def of_code(*sources: str) -> Submission:
    """Return a submission that has nothing but these code cells."""
    cells = tuple(Cell(id=f"own-{n}", type="code", source=s) for n, s in enumerate(sources))
    return Submission(SubmissionId("someone", "notebook", "0" * 64), cells)


def write_class(folder: Path) -> Path:
    """Write three submissions of the toy: perfect, unfilled, and wrong, which counts zeros."""
    folder.mkdir(parents=True, exist_ok=True)
    perfect = (TOY / "source" / "toy" / "toy.ipynb").read_text(encoding="utf-8")
    unfilled = (TOY / "release" / "toy" / "toy.ipynb").read_text(encoding="utf-8")
    wrong = perfect.replace("(numbers > 0).sum()", "(numbers >= 0).sum()")
    assert wrong != perfect
    for name, text in (("perfect", perfect), ("unfilled", unfilled), ("wrong", wrong)):
        (folder / f"{name}.ipynb").write_text(text, encoding="utf-8")
    return folder


def write_as_text(root: Path, text: str, spec: str) -> Path:
    """Write a course with one homework `hw`, as text; return the text's path."""
    staff = root / "source" / "hw" / "staff"
    staff.mkdir(parents=True)
    (root / "course.toml").write_text('title = "A"\nterm = "B"\n')
    (staff / "spec.py").write_text(spec)
    (staff.parent / "hw.py").write_text(text)
    return staff.parent / "hw.py"


def twinned(toy: Homework, solved: Submission) -> tuple[Homework, Submission]:
    """Return the toy homework and its answers with two written questions, `argue` and `twin`."""

    def more(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
        own = next(cell for cell in cells if cell.id == "argue")
        text = Cell("twin_text", "markdown", "## 4. In other words?\n\nSay it again.")
        return (*cells, text, replace(own, id="twin", grade_id="twin"))

    questions = (*toy.questions, replace(toy.question("argue"), id="twin"))
    homework = replace(toy, questions=questions, cells=more(toy.cells))
    return homework, replace(solved, cells=more(solved.cells))


def returned(
    homework: Homework, question: str, submission: SubmissionId, *, off: float = 0.0
) -> tuple[Outcome, ...]:
    """Return an answer's outcomes, all right or all off by a number."""
    asked = homework.question(question)
    cases = inputs.draw(asked, submission=submission, secret=SECRET)
    right = [asked.check.expected(case) for case in cases]  # type: ignore[union-attr]
    return tuple(
        Outcome(
            question,
            n,
            "returned",
            {name: np.asarray(array + off) for name, array in value.items()},
        )
        for n, value in enumerate(right)
    )


def drawn(homework: Homework, secret: str) -> Mapping[str, Sequence[Inputs]]:
    """Return the hidden inputs of each question, as anyone's submission would get them."""
    return {
        question.id: inputs.draw(question, submission=ANYONE, secret=secret)
        for question in homework.questions
        if question.ask
    }


def earned(grade: Grade) -> dict[str, float | None]:
    """Return the points earned by question id."""
    return {mark.question: mark.earned for mark in grade.marks}


def picture(size: tuple[int, int] = (2, 1)) -> str:
    """Return a red picture in base64, as notebooks have it."""
    file = io.BytesIO()
    Image.new("RGB", size, (255, 0, 0)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()
