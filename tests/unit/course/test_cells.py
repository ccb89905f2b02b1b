"""cells: information read from code without running it."""

import subprocess
import sys

import pytest

from autograder.course import cells
from tests.helpers import ROOT

WARNS = r"""
x = "\d"
y = 0o7if x else 1
z = x is "a"
"""


def said(program: str) -> str:
    """Return Python's output for a program, with all warnings on."""
    command = [sys.executable, "-W", "default", "-c", program, WARNS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_what_python_warns_of_in_a_students_text_is_not_printed() -> None:
    """A warning on the terminal would name neither student nor file."""
    assert "Warning" in said("import ast, sys; ast.parse(sys.argv[1])")
    reads = (
        "import sys; from autograder.course import cells; from autograder.program import repair; "
        "code = sys.argv[1]; assert cells.parsed(code) and not cells.mistake(code); "
        "assert cells.mistake(code + 'f(:').startswith('line 5'); assert repair.compiles_alone(code)"
    )
    assert said(reads) == ""


RUNS = f"; this may be newer syntax; the grader runs Python {sys.version_info[0]}.{sys.version_info[1]}"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads some of it")
@pytest.mark.parametrize(
    "source",
    [
        "def first[T](items: list[T]) -> T:\n    return items[0]",
        "class Pair[T]:\n    pass",
        "x = 1\ntype Vector = list[float]",
        "try:\n    pass\nexcept ValueError, TypeError:\n    pass",
        "print(f'{d['a']}')",
        'rf"{", ".join(x)}"',
        "name = t'{x}'",
        "%matplotlib inline\n[*row for row in rows]",
        "lazy import json",
    ],
)
def test_syntax_of_a_newer_python_is_told(source: str) -> None:
    """This covers any cell and PEP 695, 758, 701, 750, 798 and 810."""
    assert cells.newer_syntax(source) == RUNS
    assert cells.mistake(source).endswith(RUNS)


@pytest.mark.parametrize(
    "source",
    ["x = 1", "for i in d\n    pass", "f(", "%%bash\ntype x = 3", "return 3", "print 'x'", "\0"],
)
def test_what_no_python_reads_is_not_taken_for_newer(source: str) -> None:
    """Missing colons, brackets, Python 2, and correct code do not count as newer."""
    assert cells.newer_syntax(source) == ""
