"""Sheets for all known answers and for mutated ones: how many there are, whether keys are true, how long it takes.

    python -m tests.benchmarks.defences --mutated 34 --out FILE

Each key is checked once more in a process that neither made nor confirmed it. The sheets of a
homework are drawn together, as those of a class. Lines of JSON, one a submission; the last one sums
up. `--seconds` stops before the end; submissions come in any order, so what was done is a sample.
"""

import argparse
import ast
import json
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations, starmap
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from autograder.course import course, homework, known_answers
from autograder.course.cells import cells_of
from autograder.records.facts import Submission, SubmissionId
from autograder.records.homework import Homework
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.batch import given
from autograder.staff.defence.maker import KINDS_ENOUGH, Made, Maker
from autograder.staff.defence.records import Item
from autograder.staff.defence.running.calls import observing
from autograder.staff.defence.sheets import sheet
from autograder.staff.defence.values import same
from tests.benchmarks import mutated
from tests.helpers import ROOT

QUESTIONS = 5


def submissions(chosen: Homework, number: int) -> Iterator[tuple[str, Submission]]:
    """Yield all known answers of a homework, and as many mutated ones."""
    for kind, found in (
        ("right", known_answers.right(ROOT, chosen)),
        ("wrong", known_answers.wrong(ROOT, chosen)),
    ):
        yield from ((kind, one.submission) for one in found)
    with TemporaryDirectory() as folder:
        paths = mutated.make(
            Path(folder) / "class",
            number + 2,
            seed=29,
            source=ROOT / "source" / chosen.name / f"{chosen.name}.ipynb",
            release=ROOT / "release" / chosen.name / f"{chosen.name}.ipynb",
        )
        for path in paths[2:]:  # the first two are right and empty
            cells = cells_of(json.loads(path.read_text(encoding="utf-8")))
            yield "mutated", Submission(SubmissionId(path.stem, "notebook", path.stem), cells)


def code_of(one: Submission) -> list[str]:
    """Return the code cells from which questions are made."""
    return [
        cell.source
        for cell in one.cells
        if cell.type == "code" and cell.role not in ("check", "demo", "written")
    ]


def line(maker: Maker, chosen: Homework, kind: str, one: Submission) -> tuple[dict[str, Any], Made]:
    """Return what is found of one submission, and its questions without what they were found with."""
    started = time.monotonic()
    cells = code_of(one)
    made = maker.made(one.id, cells)
    seconds = time.monotonic() - started
    try:
        again = maker.confirmed(one.id, cells, made.items) if made.items else []
    except RunEnded:
        again = []
    found = {
        "homework": chosen.name,
        "kind": kind,
        "name": one.id.student,
        "questions": len(made.items),
        "dropped": made.dropped,
        "wrong": len(made.items) - len(again),
        "places": [item.key for item in made.items],
        "kinds": Counter(item.kind for item in made.items),
        "equal": sum(any(starmap(_equal, combinations(i.options, 2))) for i in made.items),
        "why_none": made.why_none,
        "without": dict(made.without),
        "seconds": round(seconds, 2),
    }
    return found, replace(made, items=tuple(item.alone for item in made.items))


def _equal(one: str, other: str) -> bool:
    """Whether two choices are the same words, or values that are not clearly different ones."""
    try:
        return same(ast.literal_eval(one), ast.literal_eval(other)) is not False
    except (ValueError, SyntaxError):
        return one == other


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutated", type=int, default=34, help="for each homework")
    parser.add_argument("--homework", action="append", help="default: all")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    end = time.monotonic() + chosen.seconds
    every = []
    for name in chosen.homework or homework.names(ROOT):
        loaded = homework.load(ROOT, name)
        every += [(loaded, kind, one) for kind, one in submissions(loaded, chosen.mutated)]
    Random(29).shuffle(every)
    rows: list[dict[str, Any]] = []
    made: dict[str, dict[str, Made]] = defaultdict(dict)
    with ExitStack() as stack, chosen.out.open("w") as file:
        makers: dict[str, Maker] = {}
        for loaded, kind, one in every:
            if time.monotonic() > end:
                break
            if loaded.name not in makers:
                makers[loaded.name] = opened(stack, loaded)
            row, own = line(makers[loaded.name], loaded, kind, one)
            rows.append(row)
            made[loaded.name][f"{kind} {one.id.student}"] = own
            file.write(json.dumps(row) + "\n")
            file.flush()
        file.write(json.dumps(summary(rows, made, len(every))) + "\n")


def opened(stack: ExitStack, loaded: Homework, secret: str = "29") -> Maker:
    """Return what makes the questions of a homework, for as long as the stack is open."""
    watched = observing(loaded)
    sandbox = stack.enter_context(Sandbox())
    sandbox.launch(loaded.warm)
    sandbox.expect(watched, hidden=course.private(ROOT))
    return Maker(loaded, secret, given(ROOT, loaded.name), sandbox)


NOT_RUN = ("its cells ended the run", "no answer in it can be asked about")
"""Why a submission is none that runs: its process ends, or none of its answers can be read and was written."""


def summary(
    rows: list[dict[str, Any]], made: Mapping[str, Mapping[str, Made]], of: int
) -> dict[str, Any]:
    """Return the figures of all.

    Args:
        rows: What `line` found.
        made: Homework -> submission -> its questions.
        of: How many submissions there are.
    """
    ran = sum(not row["why_none"].startswith(NOT_RUN) for row in rows)
    full = {
        (name, student): items
        for name, own in made.items()
        for student, items in sheet.chosen(own, QUESTIONS).items()
        if len(items) == QUESTIONS
    }
    sheets = list(full.values())
    few = [f"{name} {who}" for (name, who), items in full.items() if _kinds(items) < KINDS_ENOUGH]
    places = Counter(place for row in rows for place in row["places"])
    expected = sum(places.values()) / 4 or 1
    levels = [statistics.mean(item.difficulty for item in items) for items in sheets]
    return {
        "submissions": len(rows),
        "of": of,
        "ran": ran,
        "not run": Counter(r["why_none"].split(" (")[0] for r in rows if r["why_none"]),
        "with a sheet": len(sheets),
        "of three kinds": len(sheets) - len(few),
        "of fewer kinds": sorted(few),
        "kinds": Counter(item.kind for items in sheets for item in items),
        "difficulty": [round(level, 2) for level in statistics.quantiles(levels, n=10)],
        "questions": sum(row["questions"] for row in rows),
        "dropped": sum(row["dropped"] for row in rows),
        "wrong keys": sum(row["wrong"] for row in rows),
        "equal choices": sum(row["equal"] for row in rows),
        "places": [places[n] for n in range(4)],
        "chi squared": round(sum((places[n] - expected) ** 2 / expected for n in range(4)), 2),
        "seconds for each": {
            name: round(
                statistics.mean(row["seconds"] for row in rows if row["homework"] == name), 2
            )
            for name in made
        },
    }


def _kinds(items: Sequence[Item]) -> int:
    return len({item.kind for item in items})


if __name__ == "__main__":
    main()
