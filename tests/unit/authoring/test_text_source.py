"""text_source: a notebook as text names each cell's kind, and a slip gives one line."""

from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import text_source
from autograder.course.homework import HomeworkError

TEXT = '''# %% text
# # Title
#
# A sentence.

# %% provided
x = 1

# %% kit

# %% demo
print(x)

# %% answer mean
def mean():
    return 0

# %% check mean 4.5
check("mean", lambda: None)

# %% staff
"""
For the solutions.
"""

# %% written why 2
# Because.
'''


def cells_of(folder: Path, text: str, encoding: str = "utf-8") -> list[Any]:
    """Return the cells of the notebook that a text describes."""
    path = folder / "hw.py"
    path.write_text(text, encoding=encoding)
    return list(text_source.notebook(path).cells)


def test_each_cell_is_what_its_line_says(tmp_path: Path) -> None:
    """The line gives kind, id, text, role and nbgrader's marks."""
    cells = cells_of(tmp_path, TEXT)
    assert [(c.cell_type, c.id) for c in cells] == [
        ("markdown", "text_1"),
        ("code", "provided_2"),
        ("code", "check_tool"),
        ("code", "demo_4"),
        ("code", "mean_answer"),
        ("code", "mean"),
        ("markdown", "staff_7"),
        ("markdown", "why"),
    ]
    assert cells[0].source == "# Title\n\nA sentence."
    assert cells[6].source == "For the solutions."
    assert [c.metadata.get("autograder", {}).get("role") for c in (cells[3], cells[6])] == [
        "demo",
        "staff",
    ]
    marks = [cells[n].metadata.nbgrader for n in (4, 5, 7)]
    assert [(m.grade, m.solution, m.locked, m.get("points")) for m in marks] == [
        (False, True, False, None),
        (True, False, True, 4.5),
        (True, True, False, 2),
    ]


@pytest.mark.parametrize(("quotes", "number"), [('"""', 1), ('""', 2)])
def test_a_mark_within_a_string_is_no_cell(tmp_path: Path, quotes: str, number: int) -> None:
    """A template's text is an example; an unterminated string hides no cell."""
    text = f'# %% provided\nTEMPLATE = """\n# %% text\n{quotes}\n'
    assert len(cells_of(tmp_path, text)) == number


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "no line begins a cell"),
        (
            "# %% text\n\n# %% answr mean\n",
            r"line 3: `# %% answr mean` does not begin a cell; use text",
        ),
        ("# %% check mean\n", "line 1: `# %% check mean` does not begin a cell"),
        ("# %% answer\n", "line 1: `# %% answer` does not begin a cell"),
        ("# %% written why two\n", "two is not a number"),
        ("# %%\n# ## A heading\n", "line 1: the cell contains only comments; write `# %% text`"),
        ("# %% written größe 2\n", "line 1: .* größe is not a name for a question"),
        ("# Title\n\nX = 5\n# %% text\n", "line 3 is above the first cell"),
        ("# %% provided\nif x:\n    # %% text\n", "line 3: .* because it is indented"),
    ],
)
def test_a_slip_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    """It has the file and the line."""
    with pytest.raises(HomeworkError, match=said):
        cells_of(tmp_path, text)


def test_other_editors_forms_are_read(tmp_path: Path) -> None:
    """VS Code also writes `#%%`, and Windows begins a file with a byte order mark."""
    text = "#%% text\n# Hello\n#%% written why 2\n# Because.\n"
    first, second = cells_of(tmp_path, text, "utf-8-sig")
    assert (first.source, second.metadata.nbgrader.points) == ("Hello", 2)


def test_another_encoding_is_one_line(tmp_path: Path) -> None:
    """It says what to do."""
    with pytest.raises(HomeworkError, match="is not UTF-8 text; save it"):
        cells_of(tmp_path, "# %% text\n# Größe\n", "cp1252")
