"""Mutants of each homework's solutions: each loses marks or is shown to be equal."""

from collections import Counter
from pathlib import Path

from autograder.authoring.mutants.tried import tried
from autograder.model import Homework
from tests.truth.table import Table

ENOUGH = 150


def mutations(course: Path, homework: Homework, *, every: int = 1) -> Table:
    """Try every mutant, or each n-th one."""
    table = Table(f"{homework.name}: mutants of the solution")
    counts: dict[str, Counter[str]] = {}
    equal: list[str] = []
    for one in tried(course, homework, every=every):
        table.tried += 1
        kind = "survived" if one.survives else "equal"
        if one.lost:
            kind = "told" if one.told else "ended" if one.ended else "lost"
        counts.setdefault(one.cell, Counter())[kind] += 1
        if kind == "equal":
            equal.append(f"equal: {one.cell}, {one.what}")
        if kind == "survived":
            table.short.append(f"{one.cell}, {one.what}: differs on {one.differs}, loses nothing")
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
