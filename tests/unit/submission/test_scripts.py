"""scripts: the meaning of cell marks."""

import pytest

from autograder.submission import scripts


@pytest.mark.parametrize(
    ("mark", "kind"),
    [
        ("# %% [raw]", "raw"),
        ("#%% raw", "raw"),
        ("# %% [markdown]", "markdown"),
        ("#%% md", "markdown"),
        ("# %%", "code"),
        ("# %% rawhide", "code"),
    ],
)
def test_a_mark_says_the_kind(mark: str, kind: str) -> None:
    """PyCharm, VS Code and jupytext write them; text is in comments."""
    cells = scripts.cells(f"# %%\nx = 1\n{mark}\n# def f():\n#     return 1\n")
    source = "# def f():\n#     return 1" if kind == "code" else "def f():\n    return 1"
    assert cells[1:] == [scripts.ScriptCell(kind, source)]


def test_the_light_format_says_it_in_metadata() -> None:
    """Jupytext writes a raw cell as active nowhere."""
    assert scripts.plain('x = 1\n\n# + active=""\n# words\n# -\n')[1] == ("raw", "words", None)
