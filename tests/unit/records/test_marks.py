"""marks: those from people are never lost silently."""

import pytest

from autograder.records import marks
from autograder.records.errors import UserError


def test_an_installation_without_givers_of_marks_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An old one lacks this kind of entry point, so hand marks would count as none."""
    marks.mark_givers.cache_clear()
    monkeypatch.setattr(marks, "entry_points", lambda group: ())
    with pytest.raises(UserError, match="reinstall it"):
        marks.mark_givers()
    monkeypatch.undo()
    assert {type(giver).__module__.split(".")[1] for giver in marks.mark_givers()} == {
        "platforms",
        "staff",
    }
