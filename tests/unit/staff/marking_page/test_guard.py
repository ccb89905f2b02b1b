"""guard: a page's secret is never empty."""

from pathlib import Path

from autograder.staff.marking_page import guard


def test_a_secret_that_was_never_written_is_made_anew(tmp_path: Path) -> None:
    """The disk was full after the file was made: an empty secret would be everybody's."""
    (tmp_path / guard.TOKEN_FILE).touch()
    made = guard.token(tmp_path)
    assert len(made) > 40
    assert guard.token(tmp_path) == made
