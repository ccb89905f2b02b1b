"""A question's own test cell, run inside the sandbox; its outcome counts as in nbgrader.

This runs beside student code, so its reports are claims, never verdicts: determined code can forge
them. For a hidden test, it reports only the class of the error.
"""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from autograder.records import data
from autograder.records.questions import RESULT
from autograder.sandbox.inside.evaluate import seed_everything

if TYPE_CHECKING:
    from autograder.sandbox.inside.kernel import Ended, Shell

# Matched as in nbgrader: anywhere in a line.
BEGIN, END = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"
MAX_TEXT = 500


def tested(request: Mapping[str, Any], shell: "Shell", *, seed: int) -> dict[str, Any]:
    """Run the test cell that a request `asserts`, in this question's own fork."""
    reply: dict[str, Any] = {"question": request["question"], "number": request["number"]}
    started = perf_counter()
    lines = without_leading_blanks(request["asserts"])
    seed_everything(seed)
    try:
        found = shell.test("\n".join(lines))
        reply["value"] = data.encode_value({RESULT: ended(found, lines)})
        reply["status"] = "returned"
    except BaseException as error:  # leftovers of a notebook that broke its kernel
        reply |= {"status": "raised", "error": type(error).__name__}
    return {**reply, "seconds": perf_counter() - started}


def without_leading_blanks(source: str) -> list[str]:
    """Return a cell's lines as IPython counts them: it removes leading empty lines."""
    lines = source.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    return lines[first:]


def ended(found: "Ended", lines: Sequence[str]) -> dict[str, Any]:
    """Return a test's score, None for all points, and the reason if it is lower."""
    if found.error:
        hidden = hidden_lines(lines)
        # An error without a place, as in a cell that is not Python, may quote any line.
        secret = bool(hidden & set(found.lines)) or (bool(hidden) and not found.lines)
        failed = {"score": 0.0, "error": found.error["name"][:MAX_TEXT], "hidden": secret}
        if secret:
            return failed
        line = found.lines[-1] if found.lines else 0
        code = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return failed | {"message": found.error["message"][:MAX_TEXT], "code": code[:MAX_TEXT]}
    said = {one["name"]: one.get("text", "") for one in found.outputs if "name" in one}
    reply = {"score": score(found.outputs), "warned": "stderr" in said}
    # A passed test's output tells nothing, and that of `%time` differs each time.
    if reply["score"] is None or hidden_lines(lines):
        return reply
    return {**reply, "printed": said.get("stdout", "")[:MAX_TEXT]}


def hidden_lines(lines: Sequence[str]) -> set[int]:
    """Return the numbers, from 1, of the lines that nbgrader removes from a release."""
    hidden, inside = set(), False
    for number, line in enumerate(lines, start=1):
        inside = BEGIN in line or (inside and END not in line)
        if inside or END in line:
            hidden.add(number)
    return hidden


def score(outputs: Sequence[Mapping[str, Any]]) -> float | None:
    """Return the points that outputs earn in nbgrader's `determine_grade`; None for all.

    The first relevant output decides: text on stderr is a failure, and a number as the cell's last
    value gives its points. Texts, negative numbers and NaN do not count as points, and earn all
    points.
    """
    for output in outputs:
        if output["output_type"] == "stream" and output["name"] == "stderr":
            return 0.0
        if output["output_type"] == "execute_result":
            try:
                number = float(output["data"].get("text/plain", ""))
            except ValueError:
                return None
            return number if number >= 0 else None
    return None
