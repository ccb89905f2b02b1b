"""How long a submission takes in Gradescope's smallest container, and how much memory it needs.

    python -m tests.benchmarks.container [HOMEWORK...] [--image FOLDER] [--rounds N]

Needs root, debootstrap and control groups. Times are from the container's start to its end; the
submissions are the solutions, and the answers of one known mistake a homework.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from autograder.course import homework as homeworks
from autograder.course import known_answers
from autograder.platforms.gradescope.simulate import SimulatedPlatform
from tests.benchmarks.same_marks import as_notebook
from tests.helpers import ROOT
from tests.platform.groups import SMALLEST, group, why_not
from tests.platform.system import installed, metadata, packed

PROCESSORS = (0.5, 1.0)


def submissions(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield a right submission of a homework, and one with the mistake that loses the most."""
    yield "right", ROOT / "solutions" / name / f"{name}.ipynb"
    wrong = known_answers.wrong(ROOT, homeworks.load(ROOT, name))
    worst = max(wrong, key=lambda answer: len(answer.fails))
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps(as_notebook(worst.submission)), encoding="utf-8")
    yield "wrong", path


def measure(image: SimulatedPlatform, path: Path, processors: float, rounds: int) -> str:
    """Return the medians of some rounds in words."""
    seconds: list[float] = []
    peaks: list[float] = []
    score: float | None = None
    for _ in range(rounds):
        with group(memory=SMALLEST, processors=processors) as limited:
            started = time.perf_counter()
            shown = replace(image, around=limited.around).submit(path, metadata())
            seconds.append(time.perf_counter() - started)
        peaks.append(limited.peak / 1e6)
        assert shown.page["extra_data"]["finished"]
        score = shown.score
    return (
        f"{statistics.median(seconds):5.1f} s ({min(seconds):.1f} to {max(seconds):.1f}), "
        f"peak memory {statistics.median(peaks):.0f} MB, score {score or 0:g}"
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=homeworks.names(ROOT))
    parser.add_argument("--image", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if why := why_not():
        raise SystemExit(why)
    chosen = options.image
    folder = nullcontext(chosen) if chosen else tempfile.TemporaryDirectory(prefix="platform-")
    print(f"{SMALLEST >> 20} MB; medians of {options.rounds} rounds (least to most)")
    with folder as home, installed(Path(home) / "image", options.names[0]) as image:
        for name in options.names:
            image.build_once(packed(Path(home), name))
            for what, path in submissions(name, Path(home)):
                for processors in PROCESSORS:
                    said = measure(image, path, processors, options.rounds)
                    print(f"{name:18} {what:6} {processors:g} processors: {said}", flush=True)


if __name__ == "__main__":
    main()
