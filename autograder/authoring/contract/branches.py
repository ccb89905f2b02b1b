"""Rules on the cases of a question: the branches and gradients that a draw misses."""

import ast
import contextlib
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import coverage

from autograder.authoring.contract import careless_answers
from autograder.authoring.contract.proof import Clause, clause
from autograder.authoring.contract.sampling import draw
from autograder.course import homework, solutions
from autograder.course.cells import parse
from autograder.course.homework import HomeworkError, adapter_of
from autograder.kit.checks import nothing
from autograder.records.homework import Cell, Homework
from autograder.records.questions import Inputs, Question

DRAWS = 20
_GRADIENTS = re.compile(r"gradient|differentiab|backpropag", re.IGNORECASE)
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_Taken = frozenset[tuple[str, frozenset[tuple[int, int]]]]


def clauses(course: Path, chosen: Homework) -> Iterator[Clause]:
    """Check whether the cases of each question cover everything, in every draw."""
    source = course / "source" / chosen.name
    cells = homework.read_cells(source / f"{chosen.name}.ipynb")
    silent = ", ".join(_undeclared(chosen, cells))
    wrong = f"the text of {silent} mentions gradients: set gradients=True or False in spec.py"
    yield clause("9 gradients are declared", "all", wrong * bool(silent), "all are")
    once = ", ".join(_without_a_repeat(chosen))
    wrong = f"{once}: no two cases have the same shape and different values"
    yield clause("9 a shape comes twice", "all", wrong * bool(once), "in every draw")
    found = "; ".join(f"{id}: {what}" for id, what in missed(source / "staff", chosen, cells))
    yield clause("9 every branch is reached", "all", found, f"in each of {DRAWS} draws")


def _undeclared(chosen: Homework, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield each question whose text mentions gradients while spec.py does not declare them."""
    texts = [_FENCED.sub("", cell.source) for cell in cells if cell.type == "markdown"]
    paragraphs = [paragraph for text in texts for paragraph in text.split("\n\n")]
    for question in chosen.questions:
        declared = question.gradients is not None or question.trains or question.asserted
        if question.ask is None or declared:
            continue
        names = {question.id, question.ask.objects[-1]}
        spoken = (p for p in paragraphs if any(f"`{name}" in p for name in names))
        if any(map(_GRADIENTS.search, spoken)):
            yield question.id


def _without_a_repeat(chosen: Homework) -> Iterator[str]:
    for question in chosen.questions:
        if not question.ask or question.trains or (question.check and question.check.decides):
            continue
        draws = (draw(question, number) for number in range(DRAWS))
        if any(any(cases) and not careless_answers.repeats_a_shape(cases) for cases in draws):
            yield question.id


def missed(folder: Path, chosen: Homework, cells: Sequence[Cell] = ()) -> Iterator[tuple[str, str]]:
    """Yield a question and a branch of its reference that one of its draws misses.

    Lines with several exits count, in every function that a reference reaches; mark impossible
    exits with `# pragma: no branch`. For some checks, the solutions in the source notebook's cells
    are the references.
    """
    with tempfile.TemporaryDirectory() as place:
        for question in chosen.questions:
            # Parts with one reference reach its branches together.
            shared = defaultdict[object, list[Question]](list)
            for part in question.in_parts():
                reference = _reference(part)
                # Each part has its own placeholder for the solution.
                key = "solution" if solutions.is_solution(reference) else id(reference)
                shared[key].append(part)
            for parts in shared.values():
                yield from _missed_by(parts, folder, chosen.name, cells, Path(place))


def _reference(question: Question) -> Callable[..., Any] | None:
    called = question.check.functions().get("reference") if question.check else None
    return called.function if called else None


def _missed_by(
    parts: Sequence[Question], folder: Path, name: str, cells: Sequence[Cell], place: Path
) -> Iterator[tuple[str, str]]:
    question = parts[0]
    given = reference = _reference(question)
    if question.check is None or question.ask is None or given is None or reference is None:
        return
    if solutions.is_solution(reference):
        reference = (
            solutions.function(
                question.ask.objects,
                cells,
                question.check.reads,
                adapter=adapter_of(folder.parent, question.ask),
                file=place / f"the solution {question.ask.objects[-1]}.py",
                folder=folder.parent,
            )
            or reference
        )
        folder = place
    looked_at: set[_Taken] = set()
    for number in range(DRAWS):
        drawn = [(part, draw(part, number)) for part in parts]
        for part, cases in drawn:
            if not cases:  # a homework's own cases are never empty
                part_name = getattr(part.check, "name", "")
                yield question.id, f"no case covers the part {part_name!r} in draw {number}"
                return
        try:
            measured, returned = _measured(folder, reference, drawn)
        except Exception as error:  # the author's code may raise anything
            raise HomeworkError(
                f"source/{name}/staff: the reference of question {question.id!r} "
                f"raised {type(error).__name__}: {error}"
            ) from error
        if not returned:
            raise HomeworkError(
                f"source/{name}/staff/spec.py: question {question.id!r}: {nothing(given)}"
            )
        # Most draws take the same path, and searching for missed branches reads the whole file.
        if (taken := _taken(measured)) not in looked_at:
            looked_at.add(taken)
            if branch := _not_taken(measured):
                yield question.id, f"{branch} in draw {number}"
                return
        if not any(cases[0] for _, cases in drawn):
            return


def _measured(
    folder: Path,
    reference: Callable[..., Any],
    drawn: Sequence[tuple[Question, Sequence[Inputs]]],
) -> tuple[coverage.Coverage, bool]:
    """Return which lines of a folder a reference runs, and whether it returns where it should."""
    # In a pattern, these characters would not stand for themselves.
    inside = f"{re.sub(r'[][*?]', '?', str(folder.resolve()))}/**/*.py"
    measured = coverage.Coverage(branch=True, include=[inside], data_file=None, config_file=False)
    returned = True
    with measured.collect():
        for question, cases in drawn:
            raises = question.check is not None and question.check.reads == "error"
            found = raises
            for case in cases:
                with contextlib.suppress(*[Exception] * raises):
                    found |= reference(**case) is not None
            returned &= found
    return measured, returned


def _taken(measured: coverage.Coverage) -> _Taken:
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
    """Return whether any line of the function around this line ran."""
    functions = [
        node
        for node in ast.walk(parse(file.read_text(encoding="utf-8-sig")))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(functions, key=lambda node: node.lineno, default=None)
    return inner is not None and any(node.lineno in lines for node in inner.body)
