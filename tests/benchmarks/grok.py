"""Make the long runs of hw6_grokking anew: staff/saved.py, and the cell that students draw them from.

python -m tests.benchmarks.grok     a quarter of an hour on two cores
"""

import json
import platform
import statistics
import sys
import textwrap
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograder.course import homework

ROOT = Path(__file__).parents[2]
NAME = "hw6_grokking"
CELL = "saved_runs"
P, SHARE, WIDTH, HIDDEN = 97, 0.3, 128, 512
SEED = 2
"""The seed, of the lab's three, that groks first in both precisions."""
AFTER = 1500
"""Epochs after grokking."""
STARTS = range(20)
EVERY = 50
DIRECTIONS = 16

quick = homework.staff_module(ROOT, NAME, "quick")
adapters = homework.staff_module(ROOT, NAME, "adapters")


def main() -> None:
    """Train, write staff/saved.py and the cell."""
    started = time.monotonic()
    with ProcessPoolExecutor(max_workers=2) as pool:
        running = {name: pool.submit(long_run, name) for name in ("float64", "float32")}
        short = list(pool.map(short_run, STARTS))
        runs = {name: run.result() for name, run in running.items()}
    made = f"make grok: seed {SEED}, {platform.system()} {platform.machine()}, torch {metadata.version('torch')}"
    write_staff(made, short, runs["float32"])
    write_cell(made, runs)
    print(
        f"log10 of the train loss in the setting of log_reproduction, {len(short)} seeds: mean "
        f"{statistics.mean(short):.4f}, from {min(short):.4f} to {max(short):.4f}"
    )
    for name, run in runs.items():
        below = [epoch for epoch, loss in zip(run["epoch"], run["test"], strict=True) if loss < 0.1]
        print(f"{name}: test loss below 0.1 at epoch {below[0] if below else 'never'}")
    print(f"{time.monotonic() - started:.0f} s. Now run `make solutions`.")


def long_run(precision: str) -> dict[str, Any]:
    """Train until some time after grokking; return its losses and the embedding at the end."""
    torch.set_num_threads(1)
    w, (pairs, others) = quick.start(P, WIDTH, HIDDEN, SEED), quick.halves(P, SHARE, SEED)
    found: dict[str, list[float]] = {"epoch": [], "train": [], "test": []}
    end = 9000
    for epoch, loss in quick.training(w, pairs, end, dtype=getattr(torch, precision)):
        if (epoch + 1) % EVERY == 0:
            test, _ = quick.tested(w, others)
            for name, figure in (("epoch", epoch), ("train", loss), ("test", test)):
                found[name].append(figure)
            if test < 0.1:
                end = min(end, epoch + AFTER)
        if epoch >= end:
            break
    return {**found, "embedding": strongest(w["W_E"].detach()[:-1])}


def strongest(E: torch.Tensor) -> list[list[int]]:
    """Return an embedding in its strongest directions, in whole numbers; the largest has 3 digits."""
    centred = (E - E.mean(dim=0)).double()
    left, sizes, _ = torch.linalg.svd(centred, full_matrices=False)
    kept = left[:, :DIRECTIONS] * sizes[:DIRECTIONS]
    rows: list[list[int]] = (999 * kept / kept.abs().max()).round().int().tolist()
    return rows


def short_run(seed: int) -> float:
    """Return the logarithm of the train loss after a run as in `log_reproduction`, from a right start."""
    torch.set_num_threads(1)
    p, share, width, hidden = adapters.LOG
    w, (pairs, _) = quick.start(p, width, hidden, seed), quick.halves(p, share, seed)
    for _ in quick.training(w, pairs, adapters.LOG_EPOCHS, rate=adapters.LOG_RATE):
        pass
    return float(np.log10(quick.tested(w, pairs)[0]))


def write_staff(made: str, short: Sequence[float], run: dict[str, Any]) -> None:
    """Write what the judge needs: the losses of 20 starts, and an embedding that no student has."""
    lines = [
        f'"""What training gave ({made}). Written by `make grok`."""',
        "",
        "LOG_LOSSES = (",
        *(f"    {loss:.4f}," for loss in short),
        ")",
        '"""The base-10 logarithm of the train loss as in `log_reproduction`, for seeds 0 to 19, in float64."""',
        'EMBEDDING = """',
        *(" ".join(map(str, row)) for row in run["embedding"]),
        '"""',
        '"""Of the 97 tokens, after grokking, of the run with its loss in float32; the unit is arbitrary."""',
    ]
    path = ROOT / "source" / NAME / "staff" / "saved.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_cell(made: str, runs: dict[str, dict[str, Any]]) -> None:
    """Put the runs and an embedding into the instructor's notebook."""
    lines = [
        "# @title Given: losses of two long runs, and the final embedding of the first",
        f"# Made by `make grok`: {made.removeprefix('make grok: ')}, p = {P}.",
        "SAVED = {",
    ]
    for name, run in runs.items():
        lines.append(f'    "{name}": {{')
        for key in ("epoch", "train", "test"):
            text = " ".join(
                f"{figure:.3g}" if key != "epoch" else f"{figure}" for figure in run[key]
            )
            lines += [f'        "{key}": """', *textwrap.wrap(text, 95), '""",']
        lines.append("    },")
    lines += [
        "}",
        'SAVED_E = """',
        *(" ".join(map(str, row)) for row in runs["float64"]["embedding"]),
        '"""',
        "SAVED = {",
        "    name: {key: np.array(text.split(), dtype=float) for key, text in run.items()}",
        "    for name, run in SAVED.items()",
        "}",
        f"SAVED_E = np.array(SAVED_E.split(), dtype=float).reshape({P}, {DIRECTIONS})",
    ]
    path = ROOT / "source" / NAME / f"{NAME}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    (cell,) = (cell for cell in notebook["cells"] if cell["id"] == CELL)
    cell["source"] = "\n".join(lines).splitlines(keepends=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
