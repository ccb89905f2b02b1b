"""Markers are read as in nbgrader: the words count anywhere in a line."""

import pytest

from autograder.authoring import markers


@pytest.mark.parametrize(
    ("source", "answer", "wanted"),
    [
        ("x\n# BEGIN SOLUTION\ny\n#END SOLUTION\nz", True, ("y", "x\npass\nz")),
        ("f:\n  ## --- BEGIN SOLUTION ---\n  y\n// END SOLUTION", True, ("  y", "f:\n  pass")),
        ("x\ny", True, ("x\ny", "")),
        ("x\ny", False, ("", "x\ny")),
        ("a\n# BEGIN HIDDEN TESTS\nb\n# END HIDDEN TESTS", False, ("b", "a")),
        ("a\n=== BEGIN MARK SCHEME ===\nb\n=== END MARK SCHEME ===\nc", False, ("b", "a\nc")),
    ],
)
def test_a_cell_is_parted(source: str, answer: bool, wanted: tuple[str, str]) -> None:
    """An answer without a region is entirely a solution."""
    assert markers.parted(source, answer=answer) == wanted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![a](attachment:a.png)", True),
        ('<img src="attachment:a.png" width=3>', True),
        ("![a](attachment:a.png.jpg) a.png", False),
        ("![a](attachment:%61.png)", True),
    ],
)
def test_an_attachment_is_shown(text: str, shown: bool) -> None:
    """A link may spell its name differently."""
    assert markers.shows(text, "a.png") is shown


def test_each_question_gets_a_name_in_python() -> None:
    """The ids that nbgrader makes have hyphens."""
    ids = ["total", "q_1", "q-1", "cell-7d61ff7e90b1d2a3", "1st", "-"]
    names = [markers.identifier(id) for id in ids]
    assert names[:2] == ids[:2]
    assert all(map(str.isidentifier, names))
    assert len({*names}) == len(ids)
