"""Compare the marks and messages that two checkouts give every known answer.

python -m tests.benchmarks.same_marks OLD NEW [HOMEWORK...] [--every N]

Each checkout has a .venv, and writes the submissions for itself, since the cells of its release
may differ: the examples, the instructor's and the empty notebook, and every known answer. Those
that both have are compared. Exit 1 where a mark, a message or a remark differs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.course import homework as homeworks
from autograder.course import known_answers
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from tests.helpers import ROOT


def submissions(homework: Homework) -> Iterator[tuple[str, Submission]]:
    """Yield every answer with known marks, each with its own name."""
    yield "instructor", known_answers.instructor(ROOT, homework)
    yield "unfilled", known_answers.unfilled(homework)
    for read in (
        known_answers.wrong,
        known_answers.right,
        known_answers.disguised,
        known_answers.unlisted,
    ):
        for answer in read(ROOT, homework):
            yield f"{read.__name__}-{answer.name}", answer.submission


def write(homework: Homework, folder: Path) -> None:
    """Write submissions as notebooks."""
    folder.mkdir()
    for name, submission in submissions(homework):
        (folder / f"{name}.ipynb").write_text(json.dumps(as_notebook(submission)), encoding="utf-8")
    examples = sorted((ROOT / "tests" / "submissions" / homework.name).glob("*.ipynb"))
    for path in examples:
        (folder / f"example-{path.name}").write_bytes(path.read_bytes())


def as_notebook(submission: Submission) -> dict[str, Any]:
    """Return a submission as a notebook."""
    cells = [
        {"cell_type": cell.type, "id": cell.id, "metadata": {}, "source": cell.source}
        | ({"outputs": [], "execution_count": None} if cell.type == "code" else {})
        for cell in submission.cells
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


WRITE = """
import sys
from pathlib import Path
from autograder.course import homework
from tests.benchmarks.same_marks import ROOT, write
write(homework.load(ROOT, sys.argv[1]), Path(sys.argv[2]))
"""


def graded(checkout: Path, name: str, every: int, place: Path) -> dict[str, Any]:
    """Write and grade submissions with a checkout; return what each results.json tells students."""
    python, program = (checkout / ".venv" / "bin" / tool for tool in ("python", "autograder"))
    inbox, out = place / "in", place / "out"
    subprocess.run([python, "-c", WRITE, name, inbox], cwd=checkout, check=True)
    for path in inbox.iterdir():
        if zlib.crc32(path.name.encode()) % every:
            path.unlink()
    subprocess.run(
        [program, "grade", name, inbox, "--out", out, "--course", checkout],
        cwd=checkout,
        env={"AUTOGRADER_SECRET": "same marks", "PATH": "/usr/bin:/bin"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    pages = {path.parent.name: json.loads(path.read_text()) for path in out.glob("*/results.json")}
    return {student: {"all": _seen(page)} | _tests(page) for student, page in pages.items()}


def _seen(page: dict[str, Any]) -> tuple[Any, ...]:
    return page["score"], page["output"]


def _tests(page: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {test["name"]: (test.get("score"), test["output"]) for test in page["tests"]}


def main() -> int:
    """Print each difference, and a line of totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    total = differ = 0
    for name in options.names or homeworks.names(ROOT):
        with tempfile.TemporaryDirectory() as place:
            sides = (("old", options.old), ("new", options.new))
            for kind, _ in sides:
                (Path(place) / kind).mkdir()
            old, new = (
                graded(checkout.resolve(), name, options.every, Path(place) / kind)
                for kind, checkout in sides
            )
        both = sorted(old.keys() & new.keys())
        for student in both:
            for question in sorted(old[student].keys() | new[student].keys()):
                before, after = (side[student].get(question) for side in (old, new))
                total += 1
                if before != after:
                    differ += 1
                    print(f"{name} {student} {question}:\n    {before}\n    {after}")
        alone = len(old.keys() ^ new.keys())
        print(f"{name}: {len(both)} submissions, and {alone} that one side alone has", flush=True)
    print(f"{total} marks with their messages compared, {differ} differ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
