"""Bands of trained questions: the instructor's answers earn full marks from any seeds."""

import functools
import inspect
import time
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.calibrate.table import Table
from autograder.course import homework as homeworks
from autograder.course.cells import parsed
from autograder.kit.weight_checks import Accurate, Within
from autograder.records.codec import one_line
from autograder.records.homework import Homework


def bands(course: Path, homework: Homework, *, starts: int) -> Table:
    """Train several times with shifted seeds; a band holds if every run stays within it.

    A question trains if its adapter takes `seeds`.
    """
    table = Table(
        f"{homework.name}: the instructor's answers, trained from {starts} different starts"
    )
    for question in homework.questions:
        if not question.ask or not question.check or not question.check.trains:
            continue
        adapters = homeworks.staff_module(course, homework.name, "adapters")
        adapter = getattr(adapters, question.ask.adapter)
        if "seeds" not in inspect.signature(adapter).parameters:
            continue
        own: Sequence[int] = inspect.signature(adapter).parameters["seeds"].default
        check = question.check
        if not isinstance(check, Accurate | Within):
            table.short.append(f"{question.id}: its check has no measurable band")
            continue
        # It trains in the case without inputs, if only some have any.
        cases = question.cases(np.random.default_rng(0))
        case = next((case for case in cases if not case), cases[0])
        given = answers(course, homework.name)
        objects = [given[name] for name in question.ask.objects]
        begun, figures = time.monotonic(), []
        for start in range(1, starts + 1):
            seeds = tuple(seed + start * len(own) for seed in own)
            found = adapter(*objects, seeds=seeds, **case)
            value = {key: np.asarray(item) for key, item in found.items()}
            # A check may rebuild the starting point from `seed`, so that one must change as well.
            own_seed: dict[str, Any] = {"seed": seeds[0]} if hasattr(check, "seed") else {}
            verdict = replace(check, **own_seed)(case, value)
            if verdict.fraction < 1:
                table.short.append(f"{question.id}, start {start}: {verdict.message}")
            figures.append(check.figure(value))
        table.tried += starts
        each = (time.monotonic() - begun) / starts
        table.lines.append(
            f"{question.id}: {each:.1f} s each; from {min(figures):.3g} to {max(figures):.3g}, "
            f"{_band(check)}"
        )
    return table


def _band(check: Accurate | Within) -> str:
    if isinstance(check, Within):
        return f"should be {check.low:.3g} to {check.high:.3g}"
    return f"should be at least {check.at_least:.3g}"


@functools.lru_cache(maxsize=10)
def answers(course: Path, name: str) -> Mapping[str, Any]:
    """Run an instructor's notebook without its demos, and return its definitions."""
    namespace: dict[str, Any] = {"__name__": "answers"}
    path = course / "source" / name / f"{name}.ipynb"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), chdir(path.parent):
        for cell in homeworks.read_cells(path):
            if cell.type != "code" or cell.role == "demo":
                continue
            try:
                exec(compile(parsed(cell.source) or cell.source, cell.id, "exec"), namespace)
            except Exception as error:  # the author's code may raise anything
                where = homeworks.written_in(course, name)
                said = f"{type(error).__name__}: {one_line(str(error))}"
                raise homeworks.HomeworkError(
                    f"{where}: cell {cell.id!r} raises {said}; fix it, or make it a demo"
                ) from error
    return namespace
