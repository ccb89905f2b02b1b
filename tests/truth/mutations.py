"""Mutants of each homework's solutions: each loses marks or is shown to be equal."""

from collections import Counter
from pathlib import Path

from autograder.authoring.survivors import fates
from autograder.model import Homework
from tests.truth.table import Table

ENOUGH = 150


def mutations(course: Path, homework: Homework, *, every: int = 1) -> Table:
    """Try every mutant, or each n-th one."""
    table = Table(f"{homework.name}: mutants of the solution")
    counts: dict[str, Counter[str]] = {}
    equal: list[str] = []
    for fate in fates(course, homework, every=every):
        table.tried += 1
        kind = "lost" if fate.lost else "survived" if fate.survives else "equal"
        counts.setdefault(fate.cell, Counter())[kind] += 1
        if kind == "equal":
            equal.append(f"equal: {fate.cell}, {fate.what}")
        if kind == "survived":
            table.short.append(
                f"{fate.cell}, {fate.what}: differs on {fate.differs}, loses nothing"
            )
    table.lines.append(f"{'answer':<24} lose marks  shown equal  survive")
    for cell, count in counts.items():
        table.lines.append(
            f"{cell:<24} {count['lost']:>10}  {count['equal']:>11}  {count['survived']:>7}"
        )
    table.lines += equal
    if every == 1 and table.tried < ENOUGH:
        table.lines.append(f"fewer than {ENOUGH}: these are all there are")
    return table
