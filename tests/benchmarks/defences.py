"""Sheets for all known answers and for mutated ones: how many there are, and whether keys are true.

    python -m tests.benchmarks.defences --mutated 34 --out FILE

Each key is checked once more in a process that neither made nor confirmed it. Lines of JSON, one a
submission; the last one sums up.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from autograder.course import course, homework, known_answers
from autograder.course.cells import cells_of
from autograder.defence.maker import Maker
from autograder.defence.running.calls import observing
from autograder.defence.sheets import sheet
from autograder.defence.whole_class import small_inputs
from autograder.model import Homework, Submission, SubmissionId
from autograder.sandbox.supervisor import RunEnded, Sandbox
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


def line(maker: Maker, chosen: Homework, kind: str, one: Submission) -> dict[str, Any]:
    """Return what is found of one submission."""
    started = time.monotonic()
    cells = code_of(one)
    made = maker.made(one.id, cells)
    seconds = time.monotonic() - started
    try:
        again = maker.confirmed(one.id, cells, made.items) if made.items else []
    except RunEnded:
        again = []
    items = sheet.chosen({"": made}, QUESTIONS)[""]
    return {
        "homework": chosen.name,
        "kind": kind,
        "name": one.id.student,
        "questions": len(made.items),
        "dropped": made.dropped,
        "wrong": len(made.items) - len(again),
        "sheet": len(items),
        "kinds": Counter(item.kind for item in items),
        "places": [item.key for item in made.items],
        "equal": sum(len(set(item.options)) < len(item.options) for item in made.items),
        "why_none": made.why_none,
        "without": dict(made.without),
        "seconds": round(seconds, 2),
    }


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutated", type=int, default=34, help="for each homework")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="1/1", help="which part of them, as 1/2")
    chosen = parser.parse_args()
    part, parts = map(int, chosen.part.split("/"))
    rows: list[dict[str, Any]] = []
    every = []
    for name in homework.names(ROOT):
        loaded = homework.load(ROOT, name)
        every += [(loaded, kind, one) for kind, one in submissions(loaded, chosen.mutated)]
    Random(29).shuffle(every)
    with ExitStack() as stack, chosen.out.open("w") as file:
        makers: dict[str, Maker] = {}
        for loaded, kind, one in every[part - 1 :: parts]:
            if loaded.name not in makers:
                makers[loaded.name] = opened(stack, loaded)
            rows.append(line(makers[loaded.name], loaded, kind, one))
            file.write(json.dumps(rows[-1]) + "\n")
            file.flush()
        file.write(json.dumps(summary(rows)) + "\n")


def opened(stack: ExitStack, loaded: Homework, secret: str = "29") -> Maker:
    """Return what makes the questions of a homework, for as long as the stack is open."""
    watched = observing(loaded)
    sandbox = stack.enter_context(Sandbox())
    sandbox.launch(loaded.warm)
    sandbox.expect(watched, hidden=course.private(ROOT))
    return Maker(loaded, secret, small_inputs(ROOT, loaded.name), sandbox)


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of all."""
    ran = [row for row in rows if not row["why_none"].startswith("its cells ended")]
    places = Counter(place for row in rows for place in row["places"])
    expected = sum(places.values()) / 4 or 1
    return {
        "submissions": len(rows),
        "with a sheet": sum(row["sheet"] == QUESTIONS for row in ran),
        "of three kinds": sum(len(row["kinds"]) >= 3 for row in ran),
        "questions": sum(row["questions"] for row in rows),
        "dropped": sum(row["dropped"] for row in rows),
        "wrong keys": sum(row["wrong"] for row in rows),
        "equal choices": sum(row["equal"] for row in rows),
        "places": [places[n] for n in range(4)],
        "chi squared": round(sum((places[n] - expected) ** 2 / expected for n in range(4)), 2),
    }


if __name__ == "__main__":
    main()
