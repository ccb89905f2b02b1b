"""How long a submission takes in Gradescope's smallest container, and how much memory it needs.

    python -m tests.benchmarks.container [--image FOLDER]

Needs root, debootstrap and control groups. Times are from the container's start to its end.
"""

import argparse
import statistics
import tempfile
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from tests.helpers import ROOT
from tests.platform.groups import SMALLEST, group, why_not
from tests.platform.system import NAMES, installed, metadata

ROUNDS = 5
HAND_INS = {
    "perfect": "tests/submissions/hw2_transformer/perfect.ipynb",
    "wrong here and there": "tests/submissions/hw2_transformer/as_in_the_source.ipynb",
}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--image", type=Path)
    chosen = parser.parse_args().image
    if why := why_not():
        raise SystemExit(why)
    folder = nullcontext(chosen) if chosen else tempfile.TemporaryDirectory(prefix="platform-")
    with folder as home, installed(Path(home) / "image", NAMES[0]) as image:
        print(f"{NAMES[0]}, {SMALLEST >> 20} MB; medians of {ROUNDS} (least to most)")
        for name, path in HAND_INS.items():
            for processors in (0.5, 1.0):
                seconds, peaks = [], []
                for _ in range(ROUNDS):
                    with group(memory=SMALLEST, processors=processors) as limited:
                        started = time.perf_counter()
                        container = replace(image, around=limited.around)
                        shown = container.submit(ROOT / path, metadata())
                        seconds.append(time.perf_counter() - started)
                    peaks.append(limited.peak / 1e6)
                    assert shown.page["extra_data"]["finished"]
                print(
                    f"{name:24} {processors:g} processors: {statistics.median(seconds):.1f} s "
                    f"({min(seconds):.1f} to {max(seconds):.1f}), "
                    f"peak memory {statistics.median(peaks):.0f} MB, score {shown.score:g}"
                )


if __name__ == "__main__":
    main()
