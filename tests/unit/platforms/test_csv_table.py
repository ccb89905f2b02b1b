"""csv_table: a platform's CSV comes back in its own format."""

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms import csv_table
from autograder.records.errors import UserError
from tests.helpers import FUZZ

CANVAS = 'Student,ID,Section,Homework (7)\r\n    Points Possible,,,60\r\n"Ärm, A",501,One,\r\n'


@pytest.mark.parametrize(
    "data",
    [
        CANVAS.encode(),
        CANVAS.encode("utf-8-sig"),
        CANVAS.encode("utf-16"),
        b"\xfe\xff" + CANVAS.encode("utf-16-be"),
        CANVAS.encode("latin-1"),
        CANVAS.replace("\r\n", "\n").encode(),
        CANVAS.replace(",", ";").replace("Ärm; A", "Ärm, A").replace('"', "").encode(),
    ],
    ids=["plain", "mark", "utf-16", "utf-16-be", "latin-1", "newline", "semicolon"],
)
def test_a_file_that_nothing_changes_in_is_the_same_byte_by_byte(
    tmp_path: Path, data: bytes
) -> None:
    """The byte order mark, encoding, separator and line ends are kept."""
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


def test_only_the_cells_that_change_are_written_anew(tmp_path: Path) -> None:
    """Unnecessary quotes, mixed line ends and a missing final one stay."""
    data = (
        '\ufeff"Student","ID",Team,"A (1)"\r\n "x" ,"7","1,2","",\n\r\nb,8,"say ""a""",3'.encode()
    )
    path = tmp_path / "canvas.csv"
    path.write_bytes(data)
    found = csv_table.read(path)
    assert found.rows[1] == (' "x" ', "7", "1,2", "", "")
    assert found.rows[3] == ("b", "8", 'say "a"', "3")
    assert found.bytes() == data
    changed = found.with_cells({(1, 3): "4.5", (3, 3): "5,5", (3, 5): "z"})
    assert changed.bytes() == data.replace(b'"1,2","",', b'"1,2","4.5",').replace(
        b",3", b',"5,5",,z'
    )


def test_the_separator_is_what_follows_the_first_cell(tmp_path: Path) -> None:
    """A title may contain more of the other signs than there are columns."""
    for text, separator in (
        ('Student,ID,"a; b; c; d; e (7)"\n', ","),
        ('"Student";ID;"a, b, c, d, e (7)"\n', ";"),
        ("Identifier\tName, first;Grade\n", "\t"),
        ('\ufeff"Stu,dent";ID\n', ";"),
    ):
        path = tmp_path / "canvas.csv"
        path.write_text(text)
        assert csv_table.read(path).delimiter == separator


@pytest.mark.parametrize(
    ("cells", "separator", "sign"),
    [
        (["7.00", "1.5"], ",", "."),
        (["7,00", ""], ",", ","),
        (["", ""], ",", "."),
        (["", ""], ";", ","),
        (["7.00", "2"], ";", "."),  # a spreadsheet of another country saved it
        (["7.00", "2.50", "2,5"], ",", "."),  # a person typed one
        (["1,000", "7.5"], ",", "."),
        (["7,000", "4,125"], ",", ","),
        (["7.000", ""], ";", "."),
        (["0,285"], ",", ","),
        (["1,234,567"], ",", "."),
        (["1.234,50", "EX", "-"], ";", ","),
        (["57,4%"], ",", ","),
        (["1,2 and more", "v1.2b"], ",", "."),
    ],
)
def test_numbers_alone_show_the_decimal_sign(
    tmp_path: Path, cells: list[str], separator: str, sign: str
) -> None:
    """If they do not, a semicolon as separator suggests a comma."""
    path = tmp_path / "x.csv"
    path.write_text("".join(f'a{separator}"{cell}"{separator}"1,2"\n' for cell in ("b", *cells)))
    assert csv_table.read(path).decimal_sign([1]) == sign


@pytest.mark.parametrize(
    ("cell", "sign", "value"),
    [
        ("3", ".", 3.0),
        ("3,5", ".", 3.5),
        ("3.5", ",", 3.5),
        ("1,000", ".", 1000.0),
        ("1.000", ",", 1000.0),
        ("1.000", ".", 1.0),
        ("1,234.5", ",", 1234.5),
        ("1.234,5", ".", 1234.5),
        ("1,234,567", ".", 1234567.0),
        ("1\u202f234,5", ",", 1234.5),
        ("57,4%", ",", 57.4),
        ("-2", ".", -2.0),
        ("EX", ".", None),
        ("1,2 and more", ".", None),
    ],
)
def test_a_number_may_have_signs_between_thousands(
    cell: str, sign: str, value: float | None
) -> None:
    """Canvas reads them, too."""
    assert csv_table.number(cell, sign) == value


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
    ),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_cells_come_back(rows: list[list[str]], quoting: Any, newline: str) -> None:
    """This includes quotes, separators and line ends in cells, and changes of any of them."""
    rows[0][0] = "Student"
    text = io.StringIO(newline="")
    # With this end of a line, a cell with either character is quoted.
    csv.writer(text, quoting=quoting, lineterminator="\r\n").writerows(rows)
    whole = text.getvalue() if newline == "\r\n" else text.getvalue().replace("\r\n", "\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_bytes(whole.encode())
        one = csv_table.read(path)
    assert one.bytes() == whole.encode()
    new = [[f"{cell.replace(chr(13) + chr(10), newline)}," for cell in row] for row in rows]
    changed = one.with_cells(
        {(r, c): new[r][c] for r, row in enumerate(rows) for c in range(len(row))}
    )
    again = changed.bytes().decode()
    assert [list(row) for row in csv.reader(io.StringIO(again, newline=""))] == new


@pytest.mark.parametrize("data", [b"", b"a,b\n\x00,1\n", b'a,"b\n1,2'])
def test_what_is_no_csv_is_one_line(tmp_path: Path, data: bytes) -> None:
    """This covers empty files, null characters and truncated files."""
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
