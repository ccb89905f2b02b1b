"""A class of any size: the released notebook, submitted again and again with other answers."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from autograder.course import known_answers
from autograder.program.mutants import BEGIN, END, mutants
from autograder.records.homework import Homework

ROOT = Path(__file__).parents[2]
RIGHT, WRONG = 0.5, 0.4
"""Shares of a class; the rest left something unwritten."""
REMARKS = (
    "wrote this on the train",
    "second attempt, the first mixed up rows and columns",
    "shapes checked on paper",
    "same idea as in the lecture",
    "could be shorter",
    "works for all the lengths I tried",
)
SENTENCES = (
    "My matrices put a weight of {number:.3f} on the right token, the learned ones a little less.",
    "The learned keys and queries have entries of both signs, because only their product matters.",
    "I tried {count} other sequences and saw the same picture in each.",
    "With larger numbers the rows become sharper; at {number:.2f} they are still soft.",
    "What differs most is row {count} of the keys: mine is zero there, the learned one is not.",
    "Training stops once the loss is small, so nothing makes its numbers round.",
)


@dataclass(frozen=True)
class Student:
    """One member of the class.

    Args:
        name: student-0001 and so on.
        kind: "right", "wrong" or "unwritten".
        answers: Cell id -> source, for every cell that was written.
        scratch: Cell id -> a cell of the student's own behind it.
    """

    name: str
    kind: str
    answers: Mapping[str, str]
    scratch: Mapping[str, str]


def make(
    folder: Path, number: int, *, seed: int, homework: Homework, outputs: bool = False
) -> list[Path]:
    """Write the notebooks of a class, one after another, and return their paths.

    Of the students 50 % have all code right, each answer in the instructor's words or in a style
    of staff/right; 40 % have one to three answers wrong, half of those a mistake of staff/wrong
    and half one small change to the solution (a few of which change nothing); 10 % left one
    answer or more as it was given. Nine in ten written answers are there, in varying words. All
    have remarks and a scratch cell of their own, so no two files are the same. A student is the
    same in a class of any size.

    Args:
        folder: Where student-0001.ipynb and the others go; it is made.
        number: How many.
        seed: The same seed writes the same bytes.
        homework: What they answer; its release is filled in.
        outputs: Whether notebooks have the saved outputs of the solutions: figures of a megabyte.
    """
    folder.mkdir(parents=True, exist_ok=True)
    release = ROOT / "release" / homework.name / f"{homework.name}.ipynb"
    notebook = json.loads(release.read_text(encoding="utf-8"))
    if outputs:
        add_outputs(notebook, homework.name)
    paths = []
    for student in students(number, seed=seed, homework=homework):
        paths.append(folder / f"{student.name}.ipynb")
        filled = {**notebook, "cells": list(_cells(notebook["cells"], student))}
        paths[-1].write_text(json.dumps(filled, indent=1) + "\n", encoding="utf-8")
    return paths


def add_outputs(notebook: dict[str, Any], name: str) -> None:
    """Give the cells of a release the outputs that they have in the solutions."""
    path = ROOT / "solutions" / name / f"{name}.ipynb"
    solved = {cell["id"]: cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = solved[cell["id"]]["outputs"]
            cell["execution_count"] = solved[cell["id"]]["execution_count"]


def students(number: int, *, seed: int, homework: Homework) -> Iterator[Student]:
    """Yield the members of a class, as `make` describes them."""
    bank = _Bank(homework)
    for place in range(1, number + 1):
        yield _student(place, Random(f"{seed} {place}"), bank)


def _student(place: int, random: Random, bank: "_Bank") -> Student:
    code = sorted(bank.right)
    draw = random.random()
    kind = "right" if draw < RIGHT else "wrong" if draw < RIGHT + WRONG else "unwritten"
    few = random.sample(code, random.randint(1, min(3, len(code))))
    answers = {}
    for id in code:
        if kind == "unwritten" and id in few:
            continue
        chosen = random.choice(bank.right[id])
        if kind == "wrong" and id in few and (mistakes := bank.wrong[id]):
            chosen = random.choice(random.choice(mistakes))
        answers[id] = f"{chosen}\n\n# {random.choice(REMARKS)} ({random.randint(2, 9)})"
    for id in bank.written:
        if random.random() < 0.9:
            answers[id] = _words(random)
    # The place in the class makes every file another one.
    after = random.choice(code)
    scratch = {after: f"sum(range({random.randint(5, 50)})) / {place}"}
    return Student(f"student-{place:04}", kind, answers, scratch)


def _words(random: Random) -> str:
    chosen = random.sample(SENTENCES, random.randint(2, 4))
    return " ".join(s.format(number=random.random(), count=random.randint(2, 30)) for s in chosen)


class _Bank:
    """Right and wrong answers by the id of the cell they go into."""

    def __init__(self, homework: Homework) -> None:
        self._homework = homework
        self._instructor = {
            cell.id: cell.source for cell in known_answers.instructor(ROOT, homework).cells
        }
        roles = {cell.id: (cell.role, cell.type) for cell in homework.cells}
        self._code = [id for id, role in roles.items() if role == ("answer", "code")]
        self.written = [id for id, (role, _) in roles.items() if role == "written"]

    @cached_property
    def right(self) -> dict[str, list[str]]:
        """Right answers, the instructor's first."""
        styles = self._replaced("right")
        return {id: [_unmarked(self._instructor[id]), *styles[id]] for id in self._code}

    @cached_property
    def wrong(self) -> dict[str, list[list[str]]]:
        """Known mistakes and changed solutions; a cell may have none of a kind."""
        mistakes = self._replaced("wrong")
        changed = {id: [m.source for m in mutants(self._instructor[id])] for id in self._code}
        return {id: [kind for kind in (mistakes[id], changed[id]) if kind] for id in self._code}

    def _replaced(self, kind: str) -> dict[str, list[str]]:
        read = known_answers.right if kind == "right" else known_answers.wrong
        found: dict[str, list[str]] = {id: [] for id in self._code}
        for answer in read(ROOT, self._homework):
            for cell in answer.submission.cells:
                if cell.id in found and cell.source != self._instructor[cell.id]:
                    found[cell.id].append(_unmarked(cell.source))
        return found


def _unmarked(source: str) -> str:
    """Return a solution without the lines that mark it as one."""
    return "\n".join(line for line in source.split("\n") if line.strip() not in (BEGIN, END))


def _cells(cells: list[dict[str, Any]], student: Student) -> Iterator[dict[str, Any]]:
    """Yield the release's cells as a student submits them."""
    for cell in cells:
        source = student.answers.get(cell["id"])
        yield cell if source is None else {**cell, "source": source.splitlines(keepends=True)}
        if own := student.scratch.get(cell["id"]):
            yield {
                "cell_type": "code",
                "execution_count": None,
                "id": f"scratch_{cell['id']}",
                "metadata": {},
                "outputs": [],
                "source": [own],
            }
