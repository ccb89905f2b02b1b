"""Which branches of a reference the cases of a question leave out, draw by draw."""

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import coverage

from autograder.course.homework import HomeworkError
from autograder.model import Homework, Inputs, Question

Draw = Callable[[Question, int], Sequence[Inputs]]
Taken = frozenset[tuple[str, frozenset[tuple[int, int]]]]
DRAWS = 20


def missed(folder: Path, homework: Homework, draw: Draw) -> Iterator[tuple[str, str]]:
    """Yield a question and a branch of its reference that one of its draws does not take.

    A line of a function that a reference reaches is looked at when it has several exits; with
    `# pragma: no branch` it is not, where one of them is impossible.

    Args:
        folder: The homework's staff/.
        homework: Its questions.
        draw: Question and number -> cases.
    """
    for question in homework.questions:
        if question.check is None or question.ask is None:
            continue
        if (called := question.check.functions().get("reference")) is None:
            continue
        looked_at: set[Taken] = set()
        for number in range(DRAWS):
            cases = draw(question, number)
            raises = question.check.reads == "error"
            try:
                measured = _measured(folder, called.function, cases, raises=raises)
            except Exception as error:  # the author's code raises whatever it likes
                raise HomeworkError(
                    f"source/{homework.name}/staff: the reference of question {question.id!r} "
                    f"raised {type(error).__name__}: {error}"
                ) from error
            # Most draws take the same way, and looking for what it leaves out reads the whole file.
            if (taken := _taken(measured)) not in looked_at:
                looked_at.add(taken)
                if found := _not_taken(measured):
                    yield question.id, f"{found} in draw {number}"
                    break
            if not cases[0]:
                break


def _measured(
    folder: Path, reference: Callable[..., Any], cases: Sequence[Inputs], *, raises: bool
) -> coverage.Coverage:
    """Return what a reference runs for some cases.

    Args:
        folder: The files below it are measured.
        reference: What is called.
        cases: Its inputs.
        raises: Whether it may raise.
    """
    measured = coverage.Coverage(
        branch=True, include=[f"{folder.resolve()}/*.py"], data_file=None, config_file=False
    )
    with measured.collect():
        for case in cases:
            with contextlib.suppress(*[Exception] * raises):
                reference(**case)
    return measured


def _taken(measured: coverage.Coverage) -> Taken:
    """Return each file with the steps from line to line that it took."""
    data = measured.get_data()
    return frozenset((file, frozenset(data.arcs(file) or ())) for file in data.measured_files())


def _not_taken(measured: coverage.Coverage) -> str:
    """Return the first branch that no case takes, as file and line; "" where there is none."""
    for file in sorted(measured.get_data().measured_files()):
        lines = set(measured.get_data().lines(file) or ())
        for line, (exits, taken) in sorted(measured.branch_stats(file).items()):
            if taken < exits and (line in lines or _entered(Path(file), line, lines)):
                return f"{Path(file).name}: line {line}: {taken} of {exits} branches are taken"
    return ""


def _entered(file: Path, line: int, lines: set[int]) -> bool:
    """Whether a line is in a function of which something ran."""
    functions = [
        node
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(functions, key=lambda node: node.lineno, default=None)
    return inner is not None and any(node.lineno in lines for node in inner.body)
