"""steps: the changes made by a reference's lines, with a limit on their number."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograder.records.questions import Check
from autograder.staff.explain.reference_trace import MOST, MOST_OF_ONE, steps

SOURCE = """\
import numpy as np


def half(number):
    return number / 2


def total(numbers):
    found = 0.0
    for number in numbers:
        found += half(number)
    last = np.array([found, -found])
    return {"it": last}


def ends(numbers):
    first = 1
    raise ValueError(first)


def long(numbers):
""" + "".join(f"    x{n} = {n}\n" for n in range(60))


def followed(folder: Path, name: str) -> tuple[str, ...]:
    path = folder / "staff" / "reference.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SOURCE)
    namespace: dict[str, Any] = {}
    exec(compile(SOURCE, str(path), "exec"), namespace)
    check: Any = SimpleNamespace(expected=lambda case: namespace[name](case["numbers"]))
    return steps(check, {"numbers": np.arange(10.0)}, path.parent)


def test_what_a_line_changes_is_told_with_its_line(tmp_path: Path) -> None:
    """Called functions are followed; a loop shows its first rounds and its end."""
    found = followed(tmp_path, "total")
    assert found[0] == "reference.py:9 total: found = 0.0"
    assert "reference.py:5 half: returns 0.5" in found
    assert sum("number = " in line for line in found) == MOST_OF_ONE
    assert found[-2:] == (
        "reference.py:12 total: last = [ 22.5 -22.5] (2,)",
        "reference.py:13 total: returns {'it': array([ 22.5, -22.5])}",
    )


def test_an_error_and_a_long_reference_end_it(tmp_path: Path) -> None:
    """Earlier steps are shown; a check with many right values has none."""
    assert "reference.py:17 ends: first = 1" in followed(tmp_path, "ends")
    found = followed(tmp_path, "long")
    assert (len(found), found[-1]) == (MOST + 1, "...")
    assert steps(Check(), {}, tmp_path) == ()
