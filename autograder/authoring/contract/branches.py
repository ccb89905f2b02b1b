"""Which branches of a reference the cases of a question leave out, draw by draw."""

import ast
import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import coverage

from autograder.course import solutions
from autograder.course.homework import HomeworkError
from autograder.kit.checks import nothing
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Inputs, Question

Draw = Callable[[Question, int], Sequence[Inputs]]
Taken = frozenset[tuple[str, frozenset[tuple[int, int]]]]
DRAWS = 20


def missed(
    folder: Path, homework: Homework, draw: Draw, cells: Sequence[Cell] = ()
) -> Iterator[tuple[str, str]]:
    """Yield a question and a branch of its reference that one of its draws does not take.

    A line of a function that a reference reaches is looked at when it has several exits; with
    `# pragma: no branch` it is not, where one of them is impossible.
    """
    with tempfile.TemporaryDirectory() as place:
        for question in homework.questions:
            yield from _missed_by(question, folder, homework, draw, cells, Path(place))


def _missed_by(
    question: Question,
    folder: Path,
    homework: Homework,
    draw: Draw,
    cells: Sequence[Cell],
    place: Path,
) -> Iterator[tuple[str, str]]:
    if question.check is None or question.ask is None:
        return
    if (called := question.check.functions().get("reference")) is None:
        return
    reference = called.function
    if solutions.is_solution(reference):
        name = question.ask.objects[-1]
        reference = (
            solutions.function(
                name, cells, file=place / f"the solution {name}.py", folder=folder.parent
            )
            or reference
        )
        folder = place
    looked_at: set[Taken] = set()
    for number in range(DRAWS):
        cases = draw(question, number)
        raises = question.check.reads == "error"
        try:
            measured, returned = _measured(folder, reference, cases, raises=raises)
        except Exception as error:  # the author's code raises whatever it likes
            raise HomeworkError(
                f"source/{homework.name}/staff: the reference of question {question.id!r} "
                f"raised {type(error).__name__}: {error}"
            ) from error
        if not returned and not raises:
            raise HomeworkError(
                f"source/{homework.name}/staff/spec.py: question {question.id!r}: {nothing(called.function)}"
            )
        # Most draws take the same way, and looking for what it leaves out reads the whole file.
        if (taken := _taken(measured)) not in looked_at:
            looked_at.add(taken)
            if found := _not_taken(measured):
                yield question.id, f"{found} in draw {number}"
                return
        if not cases[0]:
            return


def _measured(
    folder: Path, reference: Callable[..., Any], cases: Sequence[Inputs], *, raises: bool
) -> tuple[coverage.Coverage, bool]:
    measured = coverage.Coverage(
        branch=True, include=[f"{folder.resolve()}/*.py"], data_file=None, config_file=False
    )
    returned = False
    with measured.collect():
        for case in cases:
            with contextlib.suppress(*[Exception] * raises):
                returned |= reference(**case) is not None
    return measured, returned


def _taken(measured: coverage.Coverage) -> Taken:
    data = measured.get_data()
    return frozenset((file, frozenset(data.arcs(file) or ())) for file in data.measured_files())


def _not_taken(measured: coverage.Coverage) -> str:
    for file in sorted(measured.get_data().measured_files()):
        lines = set(measured.get_data().lines(file) or ())
        for line, (exits, taken) in sorted(measured.branch_stats(file).items()):
            if taken < exits and (line in lines or _entered(Path(file), line, lines)):
                return f"{Path(file).name}: line {line}: {taken} of {exits} branches are taken"
    return ""


def _entered(file: Path, line: int, lines: set[int]) -> bool:
    functions = [
        node
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(functions, key=lambda node: node.lineno, default=None)
    return inner is not None and any(node.lineno in lines for node in inner.body)
