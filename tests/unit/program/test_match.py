"""match: the released cell that a student's cell stands for."""

import pytest

from autograder.program.match import match
from autograder.records.homework import Cell

RELEASE = (
    Cell("a", "code", "# YOUR CODE HERE", role="answer", grade_id="Part_A"),
    Cell("b", "code", "# YOUR CODE HERE", role="answer", grade_id="part_a"),
    Cell("c", "markdown", "YOUR ANSWER HERE", role="written", grade_id="Why_So"),
)


@pytest.mark.parametrize(
    ("grade_id", "found"),
    [
        ("Part_A", "a"),
        ("part_a", "b"),
        ("Why_So", "c"),
        ("why_so", "c"),
        ("Why_So-copy1", "c"),
        ("PART_A", None),
        ("other", None),
    ],
)
def test_a_grade_id_finds_its_cell(grade_id: str, found: str | None) -> None:
    """Capitals count if two differ in nothing else; suffixes from copying do not."""
    cells = (Cell("0", "code", "value = 5", grade_id=grade_id),)
    ((_, released),) = match(cells, RELEASE)
    assert (released.id if released else None) == found
