"""Mutants of each homework's solutions: each loses marks or is shown to be equal."""

from collections import Counter
from pathlib import Path

from autograder.authoring.mutants.fates import fates
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
        kind = "survived" if fate.survives else "equal"
        if fate.lost:
            kind = "told" if fate.told else "ended" if fate.ended else "lost"
        counts.setdefault(fate.cell, Counter())[kind] += 1
        if kind == "equal":
            equal.append(f"equal: {fate.cell}, {fate.what}")
        if kind == "survived":
            table.short.append(
                f"{fate.cell}, {fate.what}: differs on {fate.differs}, loses nothing"
            )
    table.lines.append(f"{'answer':<28} lose marks  are told  by ending  shown equal  survive")
    for cell, count in counts.items():
        table.lines.append(
            f"{cell:<28} {count['lost']:>10}  {count['told']:>8}  {count['ended']:>9}  "
            f"{count['equal']:>11}  {count['survived']:>7}"
        )
    table.lines += equal
    if sum(count["ended"] for count in counts.values()) > 0.1 * table.tried:
        table.short.append("more than a tenth lose by ending the process or its time")
    if every == 1 and table.tried < ENOUGH:
        table.lines.append(f"fewer than {ENOUGH}: these are all there are")
    return table
