"""Grade notebooks with otter in one process, and write what each took; runs in .venv-bench.

python otter_run.py autograder.zip runs.jsonl NOTEBOOK...   (names in the folder submitted/)
"""

import json
import resource
import sys
import time
from pathlib import Path

from otter.api import grade_submission

MEASURED = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def clock() -> tuple[float, float]:
    """Return wall and processor seconds so far; a kernel's count once it has ended."""
    used = [resource.getrusage(who) for who in MEASURED]
    return time.perf_counter(), sum(item.ru_utime + item.ru_stime for item in used)


def main(archive: str, runs: str, *names: str) -> None:
    """Grade one notebook after another."""
    with Path(runs).open("w") as file:
        for name in names:
            before = clock()
            results = grade_submission(f"submitted/{name}", archive, quiet=True)
            seconds, processor = (now - then for now, then in zip(clock(), before, strict=True))
            run = {
                "student": Path(name).stem,
                "seconds": seconds,
                "processor_seconds": processor,
                "points": {test: results.get_score(test) for test in results.results},
            }
            print(json.dumps(run), file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
