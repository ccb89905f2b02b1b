"""Time and memory of `autograder report` for a class of any size, page for all included.

python -m tests.benchmarks.class_page [--students 5000] [--questions 12]
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests import fabricated_class
from tests.helpers import TOY


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=5000)
    parser.add_argument("--questions", type=int, default=12)
    chosen = parser.parse_args()
    points = {f"q{n}": 4.0 for n in range(chosen.questions)}
    with tempfile.TemporaryDirectory() as scratch:
        course = shutil.copytree(TOY, Path(scratch) / "course")
        out = Path(scratch) / "graded"
        last = f"q{chosen.questions - 1}"
        fabricated_class.write(out, chosen.students, points=points, by_hand=(last,))
        words = [sys.executable, "-m", "autograder", "report", str(out), "--public"]
        started = time.monotonic()
        subprocess.run(
            [*words, "--course", str(course)],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        seconds = time.monotonic() - started
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        megabytes = used.ru_maxrss / 1024
        size = (out / "class.html").stat().st_size / 1e3
    print(
        f"class.html of {chosen.students} submissions, {chosen.questions} questions: {seconds:.1f} s "
        f"({used.ru_utime + used.ru_stime:.1f} s of the processor), {megabytes:.0f} MB at most; "
        f"the page has {size:.0f} kB"
    )


if __name__ == "__main__":
    main()
