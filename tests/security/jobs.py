"""Jobs of a few cells for a sandbox."""

from typing import Any

from autograder.sandbox.run import Run

# Seconds of the processor, on the clock of a run.
SOON = 20.0
JOB = {"cells": [], "stops": [], "helpers": {}, "data": {}, "adapters": "", "seed": 0}
LIMITS = {
    "submission_seconds": 60,
    "value_bytes": 1000,
    "output_bytes": 1000,
    "memory_bytes": 1_000_000_000,
}


def job(*cells: str) -> dict[str, object]:
    return JOB | LIMITS | {"cells": [["a cell", source, True] for source in cells]}


def until_ready(run: Run) -> list[dict[str, Any]]:
    """Return the reports on the cells."""
    said = []
    while "ready" not in (message := run.receive(deadline=SOON)):
        said.append(message)
    return said
