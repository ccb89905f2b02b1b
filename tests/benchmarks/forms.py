"""What nbgrader's and otter's forms of a homework share."""

import json
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.records.errors import UserError
from autograder.records.homework import Homework

ROOT = Path(__file__).parents[2]
READY = ROOT / ".venv-bench" / "ready"
"""`make bench` writes it last."""
BIN = READY.parent / "bin"
DEMO = {"role": "demo"}


@dataclass(frozen=True)
class Run:
    """One submission, graded by another grader.

    Args:
        student: The notebook's stem.
        seconds: Wall clock, from the end of the submission before it to its own.
        processor_seconds: Of the grader and its kernel, user and system.
        points: Question id -> points.
    """

    student: str
    seconds: float
    processor_seconds: float
    points: Mapping[str, float]


class Rival(ABC):
    """Another grader's form of a homework: made once, then timed as often as one likes.

    `seconds` starts the grader's own machinery once and grades all notebooks in that one long
    run. A submission's time is what it adds to that run. The grader's start-up is over before the
    clock starts; so is a first submission, the empty release, which pays for what is imported
    late. Reading the points back is not counted.
    """

    def __init__(self, folder: Path, homework: Homework, *, demos: bool) -> None:
        """Make the form.

        Args:
            folder: A folder of this form's own; it is made.
            homework: What is graded.
            demos: Whether the cells that only illustrate are in it.

        Raises:
            UserError: nbgrader and otter are not installed.
        """
        if not READY.exists():
            raise UserError("there is no .venv-bench with nbgrader and otter; run `make bench`")
        folder.mkdir(parents=True)
        self.folder, self.homework, self.demos = folder, homework, demos
        self.runs: list[Run] = []
        self._warm_up = self.folder / "0-before-the-others.ipynb"  # nbgrader sorts by name
        release = ROOT / "release" / homework.name / f"{homework.name}.ipynb"
        self._warm_up.write_bytes(release.read_bytes())
        self._prepare()

    @property
    def label(self) -> str:
        """What a table calls it."""
        return f"{self.name}, {'with' if self.demos else 'without'} the training demos"

    @property
    @abstractmethod
    def name(self) -> str:
        """The grader and its version."""

    @abstractmethod
    def _prepare(self) -> None:
        """Write everything that the grader needs, except submissions."""

    @abstractmethod
    def _grade(self, notebooks: Sequence[Path]) -> list[Run]:
        """Grade notebooks in one run, in the order of their names."""

    def seconds(self, notebooks: Sequence[Path]) -> list[float]:
        """Grade notebooks in one run and return the wall seconds that each took, in their order.

        Args:
            notebooks: Releases filled in, with distinct stems.

        Raises:
            RuntimeError: the grader failed, or left one out.
        """
        runs = {run.student: run for run in self._grade([self._warm_up, *notebooks])}
        missing = [path.stem for path in notebooks if path.stem not in runs]
        if missing:
            raise RuntimeError(f"{self.label}: {missing[0]} was not graded")
        self.runs = [runs[path.stem] for path in notebooks]
        return [run.seconds for run in self.runs]

    def whole(self, notebook: Path) -> None:
        """Grade one notebook by one command, with nothing before it."""
        self._grade([notebook])

    def processor_seconds(self) -> list[float]:
        """Return the processor time of each submission of the last call of `seconds`."""
        return [run.processor_seconds for run in self.runs]

    def scores(self) -> dict[str, dict[str, float]]:
        """Return student -> question id -> points, of the last call of `seconds`."""
        return {run.student: dict(run.points) for run in self.runs}

    def submitted(self, notebook: Path) -> dict[str, Any]:
        """Return a submission as this form takes it."""
        return trimmed(json.loads(notebook.read_text(encoding="utf-8")), demos=self.demos)

    def run(self, *command: str | Path) -> None:
        """Run a program of the bench's environment in the form's folder; RuntimeError if it fails."""
        settings = {
            # As in our sandbox: two threads for products this small wait for each other, which on
            # a busy machine made training five times slower.
            "OMP_NUM_THREADS": "1",
            "JUPYTER_CONFIG_DIR": str(self.folder / "jupyter"),
            "IPYTHONDIR": str(self.folder / "ipython"),
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        }
        done = subprocess.run(
            [BIN / command[0], *command[1:]],
            cwd=self.folder,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{self.label}: {command[0]} failed:\n{done.stderr[-2000:]}")


def trimmed(notebook: dict[str, Any], *, demos: bool) -> dict[str, Any]:
    """Return a notebook with or without the cells that only illustrate."""
    cells = [c for c in notebook["cells"] if demos or c["metadata"].get("autograder") != DEMO]
    return {**notebook, "cells": cells}


def read_runs(path: Path) -> list[Run]:
    """Read the lines that a grader's run wrote, one a submission."""
    return [Run(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
