"""Time what the boundary costs a submission without cells, and the canary that goes before all.

python tests/benchmarks/boundary.py
"""

import statistics
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict

from autograder.records.errors import UserError
from autograder.records.homework import Limits
from autograder.sandbox.supervisor import Sandbox

RUNS = 20
LAYERS = {
    "a submission without cells, all layers": (),
    "the same, without namespaces": ("namespaces",),
    "the same, without Landlock": ("landlock",),
    "the same, without another user": ("user",),
    "the same, without namespaces and another user": ("namespaces", "user"),
}
EMPTY = {
    "cells": [],
    "stops": [],
    "helpers": {},
    "data": {},
    "adapters": "",
    "seed": 0,
    **asdict(Limits()),
}


def boundary(without: Collection[str]) -> list[float]:
    """Return the wall seconds of submissions without cells: fork, layers, end, cleanup."""
    seconds = []
    with Sandbox(without=without) as sandbox:
        for _ in range(RUNS):
            started = time.perf_counter()
            with sandbox.run(EMPTY) as run:
                run.receive(deadline=60)
            seconds.append(time.perf_counter() - started)
    return seconds[1:]


def canary(modules: Sequence[str]) -> list[float]:
    """Return the wall seconds of the canary in a worker that has imported some modules."""
    seconds = []
    with Sandbox() as sandbox:
        sandbox.launch(modules)
        assert sandbox.layers
        for _ in range(RUNS):
            started = time.perf_counter()
            sandbox.examine()
            seconds.append(time.perf_counter() - started)
    return seconds[1:]


def main() -> None:
    """Print the table."""
    for modules in ((), ("torch", "matplotlib.pyplot")):
        what = f"the canary, {' and '.join(modules) or 'nothing'} imported"
        print(f"{what:60} median {1000 * statistics.median(canary(modules)):6.0f} ms")
    for what, without in LAYERS.items():
        try:
            seconds = boundary(without)
        except UserError as error:
            print(f"{what:45} not here: {error}")
            continue
        print(
            f"{what:45} median {1000 * statistics.median(seconds):6.0f} ms  ({len(seconds)} runs)"
        )


if __name__ == "__main__":
    main()
