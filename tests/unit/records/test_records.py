"""Points have two digits, rounded half up in a single place."""

import ast
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.marking.mark import number, points
from autograder.records.facts import SubmissionId
from autograder.records.marks import Grade, Mark, rounded
from autograder.reports.tables import Row
from tests.helpers import FUZZ

PACKAGE = Path(__file__).parents[3] / "autograder"


@pytest.mark.parametrize(
    ("exact", "mark", "text"),
    [
        (5.125, 5.13, "5.13"),
        (1.005, 1.01, "1.01"),
        (2.675, 2.68, "2.68"),
        (0.125, 0.13, "0.13"),
        (-0.125, -0.13, "-0.13"),
        (0.124999, 0.12, "0.12"),
        (8.0, 8.0, "8"),
        (6.5, 6.5, "6.5"),
        (-0.001, 0.0, "0"),
        (0.1 + 0.2, 0.3, "0.3"),
        (1.1 * 1.1 + 0.005, 1.22, "1.22"),  # 1.215 and a rest of the sum
        (sum([0.335] * 3), 1.01, "1.01"),
        (100, 100.0, "100"),
        (np.float64(1.005), 1.01, "1.01"),
        (Fraction(1, 3), 0.33, "0.33"),
        (Decimal("2.345"), 2.35, "2.35"),
        (1e300, 1e300, f"{1e300:.0f}"),
    ],
)
def test_points_are_rounded_half_up(exact: float, mark: float, text: str) -> None:
    """People round this way: binary floats do not decide."""
    assert rounded(exact) == mark
    assert number(exact) == text
    assert math.copysign(1, rounded(-0.001)) == 1
    assert math.isnan(rounded(math.nan))
    assert points(0.996) == "1 point"


@FUZZ
@given(st.integers(-100_000, 100_000), st.integers(1, 9))
def test_the_third_digit_decides(thousandths: int, parts: int) -> None:
    """A number may be written, or be a sum."""
    value = thousandths / 1000
    away = Decimal(abs(thousandths)) / 1000
    expected = (away * 100 + Decimal("0.5")).to_integral_value("ROUND_FLOOR") / 100
    assert abs(rounded(value)) == float(expected)
    assert rounded(sum([value / parts] * parts)) == rounded(value)


def test_sums_are_of_what_is_shown() -> None:
    """A page adds up for people who add its numbers."""
    marks = tuple(Mark(name, 6.0, rounded(5.125), "") for name in "ab")
    grade = Grade(SubmissionId("ada", "notebook", "0" * 64), marks)
    assert grade.score == 10.26
    assert Row({mark.question: mark.earned for mark in marks}).score == 10.26


def test_nothing_else_rounds_points() -> None:
    """`round` and two-digit formats are for seconds, shares and numbers in answers."""
    about = {"points", "earned", "score", "penalty", "possible", "worth"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "round"
            shown = isinstance(node, ast.FormattedValue) and ".2f" in ast.unparse(
                node.format_spec or ast.Constant("")
            )
            if called or shown:
                inside = node.args[:1] if isinstance(node, ast.Call) else [node.value]
                names = {
                    getattr(one, "id", getattr(one, "attr", ""))
                    for part in inside
                    for one in ast.walk(part)
                }
                where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                if where.split(":")[0] == "records/marks.py" or "rounded" in names:
                    continue
                # A sheet of a defence has a score between 0 and 1, which becomes points later.
                if where.startswith("staff/defence/"):
                    names -= {"score"}
                assert not names & about, where
