"""marks: those that the machine does not give are never lost in silence."""

import pytest

from autograder.records import marks
from autograder.records.errors import UserError


def test_an_installation_without_givers_of_marks_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An old one knows no entry points of this kind: hand marks would count as none."""
    marks.mark_givers.cache_clear()
    monkeypatch.setattr(marks, "entry_points", lambda group: ())
    with pytest.raises(UserError, match="install it anew"):
        marks.mark_givers()
    monkeypatch.undo()
    assert {type(giver).__module__.split(".")[1] for giver in marks.mark_givers()} == {
        "platforms",
        "staff",
    }
