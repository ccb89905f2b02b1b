"""The least that grading costs: the same cells, asks and judge in a bare fork of a warm process.

No boundary, no kernel, no files, no diagnosis, no fork for a question: what student code
does here to the process is done to the grader.
"""

import contextlib
import importlib
import io
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.course import inputs
from autograder.marking.judge import judge
from autograder.program.build import build
from autograder.program.visible_checks import uncalled
from autograder.records.data import decode_value, encode_value
from autograder.records.facts import Outcome, Submission, SubmissionLog
from autograder.records.homework import Homework
from autograder.sandbox.execution import SEED
from autograder.sandbox.inside import evaluate, forking
from autograder.submission import discover, reading

SECRET = "bench"


def seconds(notebooks: Sequence[Path], homework: Homework, *, all_cells: bool) -> list[float]:
    """Return the wall seconds of each submission; the calling process must be warm."""
    found, _ = discover.find(list(notebooks))
    spent = []
    for item in found:
        started = time.perf_counter()
        process = os.fork()
        if process == 0:
            status = 1
            try:
                os.chdir(tempfile.mkdtemp(prefix="floor-"))
                _grade(reading.read(item, homework), homework, all_cells=all_cells)
                Path.cwd().rmdir()
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(process, 0)
        if status:
            raise RuntimeError(f"the floor failed at {item.place}")
        spent.append(time.perf_counter() - started)
    return spent


def _grade(submission: Submission, homework: Homework, *, all_cells: bool) -> float:
    notebook: dict[str, Any] = {"__name__": "__main__"}
    program = build(submission, homework, all_cells=all_cells)
    unread = {} if all_cells else uncalled(program, homework.cells)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for number, step in enumerate(program.steps):
            if step.runs:
                evaluate.seed_everything(SEED + number)
                with contextlib.suppress(Exception):
                    source = unread.get(number, step.cell.source)
                    exec(compile(source, step.name, "exec"), notebook)
    adapters: dict[str, Any] = {"__name__": "adapters"}
    exec(compile(homework.adapters, "adapters.py", "exec"), adapters)
    outcomes = []
    drawn = {}
    # Those that take something away come last: here is one process for all.
    asked = [question for question in homework.questions if question.ask]
    for question in sorted(asked, key=lambda question: len(question.ask.hide)):
        cases, drawn[question.id] = inputs.drawn(question, submission=submission.id, secret=SECRET)
        for number, case in enumerate(cases):
            reply = evaluate.answer(
                {
                    "question": question.id,
                    "number": number,
                    "adapter": question.ask.adapter,
                    "objects": question.ask.objects,
                    "hide": question.ask.hide,
                    "watch": (),
                    "reads": "numbers",
                    "inputs": encode_value(case),
                },
                adapters=adapters,
                notebook=notebook,
                seed=SEED,
                cell_names={},
            )
            value = decode_value(reply["value"]) if "value" in reply else None
            error = reply.get("error", "")
            outcomes.append(Outcome(question.id, number, reply["status"], value, error))
    log = SubmissionLog(
        homework.name, submission.id, inputs=drawn, outcomes=tuple(outcomes), complete=True
    )
    return judge(homework, log, secret=SECRET).score


def warm_up(example: Path, homework: Homework) -> None:
    """Import what submissions import, read the homework, and make forks as cheap as our worker's."""
    import IPython.display
    import matplotlib

    matplotlib.use("agg")
    for module in homework.warm:
        importlib.import_module(module)
    del IPython
    [found], _ = discover.find([example])
    build(reading.read(found, homework), homework)
    forking.tame_torch()
    forking.settle()
