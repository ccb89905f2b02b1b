"""nbgrader's form of a homework: a course of its own with our checks as hidden tests."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.forms import ROOT, Rival, Run, read_runs, trimmed

# The design's notebook rules: visible checks raise when nbgrader executes. With them a wrong
# answer would never reach the hidden test, and lose its partial credit.
BEFORE = """\
### BEGIN HIDDEN TESTS
import os, sys
os.environ.pop("NBGRADER_EXECUTION", None)
### END HIDDEN TESTS
"""
AFTER = """
### BEGIN HIDDEN TESTS
sys.path.insert(0, {root!r})
from tests.benchmarks import asking
asking.points({homework!r}, {id!r}, globals(), {points!r})
### END HIDDEN TESTS"""
# Its hooks run before and after each submission; what they do themselves is left out.
CONFIGURATION = """\
import json, pathlib, resource, time
from nbgrader.api import Gradebook

c = get_config()
c.CourseDirectory.course_id = "bench"
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\\nraise NotImplementedError()"}
c.Execute.timeout = 300
# A warning on stderr would be taken for a failed test.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = "Warning"
began = []


def clock():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.perf_counter(), sum(u.ru_utime + u.ru_stime for u in used)


def before(**names):
    if not began:
        began.append(clock())


def after(assignment, student, notebooks):  # student is "*" here
    student = pathlib.Path(notebooks[0]).parts[-3]
    seconds, processor = (now - then for now, then in zip(clock(), began.pop()))
    with Gradebook("sqlite:///gradebook.db", "bench") as book:
        grades = book.find_submission_notebook(assignment, assignment, student).grades
        points = {g.name: g.auto_score for g in grades if g.auto_score is not None}
    run = dict(student=student, seconds=seconds, processor_seconds=processor, points=points)
    with open("runs.jsonl", "a") as file:
        print(json.dumps(run), file=file)
    began.append(clock())


c.Autograde.pre_convert_hook = before
c.Autograde.post_convert_hook = after
"""


class NbgraderForm(Rival):
    """`nbgrader autograde` on a course of its own, all students in one command.

    Timed by nbgrader's hooks around each submission.
    """

    name = "nbgrader 0.9.6"

    def _prepare(self) -> None:
        name = self.homework.name
        origin = ROOT / "source" / name
        source = self.folder / "source" / name
        source.mkdir(parents=True)
        for given in ("data", "figures"):
            if (origin / given).is_dir():
                shutil.copytree(origin / given, source / given)
        notebook = trimmed(json.loads((origin / f"{name}.ipynb").read_text()), demos=self.demos)
        cells = [self._with_hidden_tests(cell) for cell in notebook["cells"]]
        (source / f"{name}.ipynb").write_text(json.dumps({**notebook, "cells": cells}))
        (self.folder / "nbgrader_config.py").write_text(CONFIGURATION)
        self.run("nbgrader", "generate_assignment", name)

    def _with_hidden_tests(self, cell: dict[str, Any]) -> dict[str, Any]:
        marks = cell["metadata"].get("nbgrader", {})
        if not marks.get("grade") or marks.get("solution"):
            return cell
        after = AFTER.format(
            root=str(ROOT),
            homework=self.homework.name,
            id=marks["grade_id"],
            points=float(marks["points"]),
        )
        return {**cell, "source": BEFORE + "".join(cell["source"]) + after}

    def _grade(self, notebooks: Sequence[Path]) -> list[Run]:
        name = self.homework.name
        for folder in ("submitted", "autograded"):
            _remove(self.folder / folder)
        for notebook in notebooks:
            place = self.folder / "submitted" / notebook.stem / name
            place.mkdir(parents=True)
            (place / f"{name}.ipynb").write_text(json.dumps(self.submitted(notebook)))
        runs = self.folder / "runs.jsonl"
        runs.write_text("")
        self.run("nbgrader", "autograde", name)
        return read_runs(runs)


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
