"""Print what proves that the gate and the matching of cells do their part; exit 1 when something falls short.

    python -m tests.truth                     every homework, the full counts
    python -m tests.truth hw3_proofs leaks    some homeworks, some parts only

The parts: leaks, alignment. What is about one homework's marks is in `autograder check --large`.
"""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from autograder.authoring.calibrate.table import Table
from autograder.course import homework as homeworks
from autograder.records.homework import Homework
from autograder.sandbox.supervisor import Sandbox
from tests.truth.alignment import alignment, sequences
from tests.truth.leaks import leaks

ROOT = Path(__file__).parents[2]
Part = Callable[[Homework, Sandbox], Table]


FULL: Mapping[str, Part] = {
    "leaks": lambda homework, sandbox: leaks(ROOT, homework, sandbox),
    "alignment": lambda homework, _: alignment(ROOT, homework, numbers=sequences(homework)),
}


def main(wanted: list[str]) -> int:
    """Print the wanted parts of the wanted homeworks, or all, and a line of totals."""
    started, tables = time.monotonic(), []
    every = homeworks.names(ROOT)
    unknown = set(wanted) - {*every, *FULL}
    assert not unknown, f"there are {', '.join([*every, *FULL])}"
    names = [name for name in every if name in wanted] or every
    parts = {name: part for name, part in FULL.items() if name in wanted} or FULL
    with Sandbox() as sandbox:
        for name in names:
            homework = homeworks.load(ROOT, name)
            for part in parts.values():
                begun = time.monotonic()
                tables.append(part(homework, sandbox))
                print(f"{tables[-1].text()}\n    {time.monotonic() - begun:.0f} s\n", flush=True)
    short = [table.title for table in tables if table.short]
    tried = sum(table.tried for table in tables)
    print(
        f"truth: {len(tables)} tables, {tried:,} things tried, {len(short)} tables fell short"
        f"{': ' if short else ''}{'; '.join(short)}, {time.monotonic() - started:.0f} s"
    )
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
