"""A folder of results -> the possible questions for each student, several students at a time."""

import contextlib
import functools
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import util
from pathlib import Path
from typing import TypeVar

from autograder.course import course, homework
from autograder.kit import Derivation
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.maker import Made, Maker
from autograder.staff.defence.running.calls import observing
from autograder.staff.defence.running.study import Given
from autograder.store import executed, results

Found = TypeVar("Found")
MODULE = "defence"
"""A homework's optional module staff/defence.py: SMALL = {question id: rng -> inputs}, and
DROPPED."""


@dataclass(frozen=True)
class Task:
    """The settings for making sheets.

    Args:
        out: The folder of results, which student code must not see.
        round: The sheet's number; each round has different questions. An interview has 0.
    """

    root: Path
    name: str
    secret: str
    out: Path
    round: int = 1


def given(root: Path, name: str) -> Given:
    """Return the contents of staff/defence.py, if any; raise UserError if they are invalid."""
    where = f"source/{name}/staff/{MODULE}.py"
    if not (root / where).is_file():
        return Given()
    module = homework.staff_module(root, name, MODULE)
    small, dropped = getattr(module, "SMALL", {}), getattr(module, "DROPPED", {})
    if not isinstance(small, dict) or not all(map(callable, small.values())):
        raise UserError(f"{where}: SMALL is not a dict of functions, such as {{'question': draw}}")
    if not isinstance(dropped, dict) or not all(
        isinstance(found, dict) and all(map(callable, found.values())) for found in dropped.values()
    ):
        raise UserError(
            f"{where}: DROPPED is not a dict of dicts, such as {{'derivation': {{'x is 0': draw}}}}"
        )
    questions = {question.id: question for question in homework.load(root, name).questions}
    for what, ids in (("SMALL", small), ("DROPPED", dropped)):
        if unknown := sorted(set(ids) - questions.keys()):
            raise UserError(f"{where}: {what} names {unknown[0]!r}, which is not a question")
    for id in dropped:
        if not isinstance(questions[id].check, Derivation):
            raise UserError(f"{where}: DROPPED names {id!r}, which is not a derivation")
    return Given(small, dropped)


@contextlib.contextmanager
def opened(task: Task) -> Iterator[Maker]:
    """Open the sandboxes, and yield a function that makes the questions for one submission."""
    watched = observing(homework.load(task.root, task.name))
    with Sandbox() as sandbox:
        sandbox.launch(watched.warm)
        sandbox.expect(watched, hidden=[*course.private(task.root), task.out])
        yield Maker(watched, f"{task.secret} {task.round}", given(task.root, task.name), sandbox)


def each(
    task: Task, students: Sequence[str], jobs: int, work: Callable[[Maker, Task, str], Found]
) -> Iterator[tuple[str, Found]]:
    """Yield the result of `work` for each student, in the students' order."""
    given(task.root, task.name)  # complains before anything starts
    if jobs == 1 or len(students) == 1:
        with opened(task) as maker:
            yield from ((student, work(maker, task, student)) for student in students)
        return
    processes = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(
            min(jobs, len(students)), processes, initializer=_begin, initargs=(task,)
        ) as pool:
            found = pool.map(functools.partial(_work, work), students)
            yield from zip(students, found, strict=True)
    except BrokenProcessPool as error:
        raise UserError(
            "a process died while it made questions; a smaller -j needs less memory, and -j 1 shows why"
        ) from error


def one(maker: Maker, task: Task, student: str) -> Made:
    """Return the possible questions for one student, without the evidence behind them."""
    found = whole(maker, task, student)
    return replace(found, items=tuple(item.alone for item in found.items))


def whole(maker: Maker, task: Task, student: str) -> Made:
    """Return the possible questions for one student."""
    try:
        submission, sources = read(maker, task, student)
    except UserError as error:
        return Made(why_none=str(error))
    try:
        return maker.made(submission, sources)
    except Exception as error:  # one student's code must not cost other students their sheets
        return Made(
            why_none=f"a fault of ours: {type(error).__name__}: {one_line(str(error))[:100]}"
        )


def read(maker: Maker, task: Task, student: str) -> tuple[SubmissionId, list[str]]:
    """Return a student's submission and its cells; raise UserError if they are unusable."""
    folder = task.out / student
    log = results.read_log(folder)
    if log.homework != task.name:
        raise UserError(f"it is a submission of {log.homework}")
    return log.submission, sources(maker.homework, executed.read_cells(folder))


def sources(chosen: Homework, cells: Iterable[executed.ExecutedCell]) -> list[str]:
    """Return the code of a submission that ran, without the cells that only check answers."""
    checks = {cell.id for cell in chosen.cells if cell.role in ("check", "written")}
    return [
        cell.source
        for cell in cells
        if cell.type == "code" and cell.runs and cell.stands_for not in checks
    ]


_open: list[tuple[Maker, Task]] = []


def _begin(task: Task) -> None:
    stack = contextlib.ExitStack()
    _open.append((stack.enter_context(opened(task)), task))
    util.Finalize(None, stack.close, exitpriority=10)


def _work(work: Callable[[Maker, Task, str], Found], student: str) -> Found:
    (found,) = _open
    return work(*found, student)
