"""The image's self-test: grade the perfect and the unfilled notebook as submissions."""

import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.course import homework, known_answers
from autograder.platforms.gradescope import run
from autograder.platforms.gradescope.platform import DEFAULT_SECONDS, REAL, Places
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Submission
from autograder.records.homework import Homework
from autograder.records.marks import GOLF, rounded
from autograder.reports import results_json


def tried(root: Path) -> Iterator[str]:
    """Grade both in a folder like the platform's, from the zip in root/source; yield a line for each."""
    source = root / "source"
    if root == REAL and os.geteuid() != 0:
        raise UserError("setup.sh has to run as root: student code runs as a different user")
    (name,) = homework.names(source)
    chosen = homework.load(source, name)
    given = (source / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8")
    for kind, notebook, points in (
        ("perfect", _filled(given, known_answers.instructor(source, chosen)), most(chosen)),
        ("unfilled", given, 0.0),
    ):
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder)
            trial.chmod(0o711)
            places = Places(trial)
            for place in (places.submission, places.results):
                place.mkdir()
            places.source.symlink_to(source)
            (places.submission / f"{name}.ipynb").write_text(notebook, encoding="utf-8")
            run.run(trial, seconds=DEFAULT_SECONDS)
            page = json.loads((places.results / "results.json").read_text(encoding="utf-8"))
        bonus = sum(
            test["score"] for test in page["tests"] if test["extra_data"]["question"] == GOLF
        )
        earned = rounded(page["score"] - bonus)
        if earned != points or not page["extra_data"].get("finished"):
            raise UserError(
                f"this image cannot grade: the {kind} notebook got {earned:g} "
                f"instead of {points:g} points. {_why(page)}"
            )
        yield (
            f"{name}: the {kind} notebook got {points:g} points in "
            f"{time.monotonic() - started:.1f} s, behind {', '.join(page['extra_data']['isolation'])}"
        )


def _filled(given: str, submission: Submission) -> str:
    notebook = json.loads(given)
    sources = {cell.id: cell.source for cell in submission.cells}
    for cell in notebook["cells"]:
        cell["source"] = sources[cell["id"]]
    return json.dumps(notebook)


def _why(page: dict[str, Any]) -> str:
    wrong = [test for test in page["tests"] if test.get("status") == "failed"]
    texts = [page["output"], *(f"{test['name']}: {test['output']}" for test in wrong)]
    return one_line(" ".join(results_json.text("\n".join(texts)).split()))[:1000]


def most(chosen: Homework) -> float:
    """Return the points that the machine can give, including extra credit, but not that of golf."""
    return rounded(sum(question.points for question in chosen.questions if not question.by_hand))
