"""cells: what can be read in code without running it."""

import subprocess
import sys

from tests.helpers import ROOT

WARNS = r"""
x = "\d"
y = 0o7if x else 1
z = x is "a"
"""


def said(program: str) -> str:
    """Return what Python prints for a program, with all the warnings that it knows."""
    command = [sys.executable, "-W", "default", "-c", program, WARNS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_what_python_warns_of_in_a_students_text_is_not_printed() -> None:
    """A grader's terminal would show a warning that names neither student nor file."""
    assert "Warning" in said("import ast, sys; ast.parse(sys.argv[1])")
    reads = (
        "import sys; from autograder.course import cells; from autograder.program import repair; "
        "code = sys.argv[1]; assert cells.parsed(code) and not cells.mistake(code); "
        "assert cells.mistake(code + 'f(:').startswith('line 5'); assert repair.compiles_alone(code)"
    )
    assert said(reads) == ""
