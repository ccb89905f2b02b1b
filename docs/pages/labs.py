"""Measure every homework's lab with three seeds, and put the tables into the notebooks.

python -m docs.pages.labs [HOMEWORK...]
"""

import sys
import time
from pathlib import Path

from autograder.authoring import lab

ROOT = Path(__file__).parents[2]


def main(wanted: list[str]) -> None:
    """Measure the wanted homeworks' labs, or all."""
    for name in wanted or lab.names(ROOT):
        started = time.monotonic()
        lab.measure(ROOT, name)
        print(f"{name}: {len(lab.rows(ROOT, name))} figures, {time.monotonic() - started:.0f} s")
        for complaint in lab.complaints(ROOT, name):
            print(f"    {complaint}")
    print("Now run `make solutions`: the tables stand in the solutions, too.")


if __name__ == "__main__":
    main(sys.argv[1:])
