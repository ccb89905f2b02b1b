"""Otter's own marks for the class of tests/otter_master.py, into tests/otter_marks.json.

    python -m tests.benchmarks.imported_otter [--python .venv-bench/bin/python]

tests/end_to_end/test_import_otter.py compares ours with them, test by test and in all.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import nbformat

from tests.benchmarks.forms import ROOT, read_runs
from tests.otter_master import CLASS, filled, master

MARKS = ROOT / "tests" / "otter_marks.json"
RUN = Path(__file__).with_name("otter_run.py")


def main() -> None:
    """Write the file, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", type=Path, default=ROOT / ".venv-bench" / "bin" / "python")
    python = parser.parse_args().python.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nbformat.write(master(), folder / "counting.ipynb")
        assign = ("otter", "assign", "counting.ipynb", "dist")
        subprocess.run([python, "-m", *assign], cwd=folder, check=True)
        (archive,) = (folder / "dist" / "autograder").glob("*.zip")
        released = nbformat.read(folder / "dist" / "student" / "counting.ipynb", as_version=4)
        (folder / "submitted").mkdir()
        for student, answers in CLASS.items():
            path = folder / "submitted" / f"{student}.ipynb"
            nbformat.write(filled(released, answers), path)
        runs = folder / "runs.jsonl"
        names = [f"{student}.ipynb" for student in CLASS]
        subprocess.run([python, RUN, archive, runs, *names], cwd=folder, check=True)
        marks = {run.student: dict(sorted(run.points.items())) for run in read_runs(runs)}
    text = json.dumps(marks, indent=1) + "\n"
    MARKS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
