"""A question's own nbgrader test cell, run unchanged."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from autograder.kit.notebook.plain_data import unlike
from autograder.records.marks import rounded
from autograder.records.questions import RESULT, Check, Inputs, Reads, Value, Verdict

UNREADABLE = "The reply of its test could not be read."
HIDDEN = "A hidden test failed"
MAX_NAME = 100


@dataclass(frozen=True)
class Asserted(Check):
    """The question's test cell in the instructor's notebook, including hidden tests.

    It runs in the sandbox, in its own fork, in the state of the notebook at that cell, and again at
    the notebook's end if that may make a difference and no provided cell or other answer below
    rebinds its names; the better result counts. A test that raises earns nothing and any other
    earns all points; a number as the cell's last value gives partial credit, as in nbgrader.

    It is as weak as in nbgrader: the test runs beside the student's code, so hostile code can forge
    its mark and read the hidden tests. But a submission cannot touch other submissions, this
    machine, the gradebook or later runs; a crash or an endless loop loses only one question; and a
    fork costs less than a kernel. A check with a reference and hidden inputs is strong: students
    cannot reach the values that it compares.

    Args:
        points: The question's points; filled in from the notebook.
    """

    points: float = 0.0
    reads: ClassVar[Reads] = "asserts"
    decides: ClassVar[bool] = True
    once: ClassVar[bool] = True

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:  # noqa: ARG002
        """Judge how the test ended, trusting its report up to the question's points."""
        found = value.get(RESULT)
        if not isinstance(found, dict) or "score" not in found:
            return Verdict(0.0, UNREADABLE)
        if "error" in found:
            return Verdict(0.0, self._failed(found))
        printed = found.get("printed")
        said = (
            f" It prints: {printed.strip()}" if isinstance(printed, str) and printed.strip() else ""
        )
        return self._scored(found["score"], found.get("warned") is True, said)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 if a test ended as for a known mistake, otherwise 0."""
        return float(not unlike(value, known))

    def _scored(self, score: Any, warned: bool, printed: str) -> Verdict:
        if score is None:
            return Verdict(1.0, "Its test passed.")
        if type(score) not in (int, float) or not 0 <= score < math.inf:
            return Verdict(0.0, UNREADABLE)
        if score == 0:
            why = "; what it writes to the error stream, as a warning does, counts as a failure"
            return Verdict(0.0, f"Its test gives 0 points{why * warned}.{printed}")
        if score >= self.points:
            return Verdict(1.0, "Its test passed.")
        text = f"Its test gives {rounded(score):g} of {self.points:g} points.{printed}"
        return Verdict(score / self.points, text)

    def _failed(self, found: Mapping[Any, Any]) -> str:
        """Return the failed part; for a hidden test, only the error's class."""
        texts = {key: text for key, text in found.items() if isinstance(text, str)}
        name, message, code = (texts.get(key, "") for key in ("error", "message", "code"))
        if not name.isidentifier() or len(name) > MAX_NAME:
            name = "an error"
        if name == "NotImplementedError" and not message:
            return (
                "Not written yet: its test finds no answer. Write your answer in place of the "
                "`raise NotImplementedError()`, and take that line out."
            )
        if found.get("hidden") is not False:
            return f"{HIDDEN} ({name})."
        said = f"{name}: {message}" if message else name
        where = f" at `{code}`" if code else ""
        return f"Its test failed{where}: {said}"
