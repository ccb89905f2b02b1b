"""Measure every homework's lab with three seeds, and put the tables into the notebooks.

python -m docs.pages.labs [HOMEWORK...]
"""

import json
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path

from autograder.authoring import lab
from autograder.course import homework

ROOT = Path(__file__).parents[2]
SEEDS = (0, 1, 2)


def figures(name: str, seed: int) -> dict[str, float]:
    """Measure one homework's lab once."""
    found = homework.staff_module(ROOT, name, "lab").measure(seed)
    return {key: float(figure) for key, figure in found.items()}


def measure(name: str) -> None:
    """Measure for each seed, two at a time; write lab.json, and the table into the notebook."""
    with ProcessPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(figures, [name] * len(SEEDS), SEEDS))
    saved = {
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "torch": metadata.version("torch"),
        "seeds": SEEDS,
        "measured": {key: [one[key] for one in found] for key in found[0]},
    }
    text = json.dumps(saved, indent=1) + "\n"
    (ROOT / "source" / name / "staff" / "lab.json").write_text(text, encoding="utf-8")
    lab.write_table(ROOT, name)


def main(wanted: list[str]) -> None:
    """Measure the wanted homeworks' labs, or all."""
    for name in wanted or lab.names(ROOT):
        started = time.monotonic()
        measure(name)
        print(f"{name}: {len(lab.rows(ROOT, name))} figures, {time.monotonic() - started:.0f} s")
        for complaint in lab.complaints(ROOT, name):
            print(f"    {complaint}")
    print("Now run `make solutions`: the tables stand in the solutions, too.")


if __name__ == "__main__":
    main(sys.argv[1:])
