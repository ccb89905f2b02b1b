"""csv_table: a platform's CSV comes back in the form that it had."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exports import csv_table
from autograder.model import UserError
from tests.helpers import FUZZ

CANVAS = 'Student,ID,Section,Homework (7)\r\n    Points Possible,,,60\r\n"Ärm, A",501,One,\r\n'


@pytest.mark.parametrize(
    "data",
    [
        CANVAS.encode(),
        CANVAS.encode("utf-8-sig"),
        CANVAS.encode("utf-16"),
        CANVAS.encode("latin-1"),
        CANVAS.replace("\r\n", "\n").encode(),
        CANVAS.replace(",", ";").replace("Ärm; A", "Ärm, A").replace('"', "").encode(),
    ],
    ids=["plain", "mark", "utf-16", "latin-1", "newline", "semicolon"],
)
def test_a_file_that_nothing_changes_in_is_the_same_byte_by_byte(
    tmp_path: Path, data: bytes
) -> None:
    """Byte order mark, encoding, separator and line ends are the platform's."""
    path = tmp_path / "canvas.csv"
    path.write_bytes(data)
    found = csv_table.read(path)
    assert found.bytes() == data
    assert found.cell(2, 1) == "501"
    changed = found.with_cells({(2, 3): "54.5"})
    path.write_bytes(changed.bytes())
    again = csv_table.read(path)
    assert again.cell(2, 3) == "54.5"
    assert [row for n, row in enumerate(again.rows) if n != 2] == [
        row for n, row in enumerate(found.rows) if n != 2
    ]


@FUZZ
@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
            min_size=2,
            max_size=4,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_cells_come_back(rows: list[list[str]]) -> None:
    """Quotes, separators and line ends in a cell, too."""
    one = csv_table.CsvTable("x", tuple(map(tuple, rows)))
    text = one.bytes().decode()
    assert list(csv.reader(io.StringIO(text, newline=""))) == rows


@pytest.mark.parametrize("data", [b"", b"a,b\n\x00,1\n", b'a,"b\n1,2'])
def test_what_is_no_csv_is_one_line(tmp_path: Path, data: bytes) -> None:
    """An empty file, one with null characters, one that was cut off."""
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    with pytest.raises(UserError, match="export it again"):
        csv_table.read(path)
    with pytest.raises(UserError, match="cannot be read"):
        csv_table.read(tmp_path / "missing.csv")


@pytest.mark.parametrize(
    ("cell", "formula"),
    [
        ("=1+1", True),
        ("+cmd|' /C calc'!A0", True),
        ("-2+3", True),
        ("@SUM(A1)", True),
        ("\t=1", True),
        ('="Canvas"', True),
        ("-", False),
        ("-1.5", False),
        ("+3", False),
        ("12,5", False),
        ("O'Hara", False),
        ("", False),
    ],
)
def test_numbers_are_no_formulas(cell: str, formula: bool) -> None:
    """A grade may be below 0; a name may be a command."""
    assert csv_table.is_formula(cell) == formula
