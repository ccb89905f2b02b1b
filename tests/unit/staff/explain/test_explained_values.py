"""explanation and text: tables, by cell and as a whole."""

import numpy as np
import pandas as pd

from autograder.records import data
from autograder.records.questions import RESULT
from autograder.staff.explain.explanation import first_difference
from autograder.staff.explain.text import written

TABLE = pd.DataFrame({"region": ["a", "b"], "mean": [1.5, np.nan]}, index=["x", "y"])


def test_the_first_cell_that_differs_is_named() -> None:
    """It shows both values; if no cell differs, it names columns or kinds."""
    right = {RESULT: data.read(TABLE)}

    def said(table: pd.DataFrame) -> str:
        return first_difference({RESULT: data.read(table)}, right, tolerance=1e-6)

    assert not said(TABLE)
    assert said(TABLE.assign(mean=[1.5, 0.0])) == (
        "the result has 0.0 in row 'y' of the column 'mean', but should have None."
    )
    assert "'c' in row 'x' of the column 'region'" in said(TABLE.assign(region=["c", "d"]))
    assert "has 1 row, and should have 2" in said(TABLE.head(1))
    assert "categories of text" in said(TABLE.astype({"region": "category"}))


def test_a_table_is_printed_as_a_table() -> None:
    """It shows inputs and results; a long one is shortened in the middle."""
    for item in (TABLE, data.read(TABLE)):
        assert written(item).split("\n") == [
            "2 rows",
            "  region  mean",
            "x      a   1.5",
            "y      b   NaN",
        ]
    assert len(written(pd.DataFrame({"n": range(1000)})).split("\n")) < 50
