"""form_times: times as online forms and spreadsheets write them."""

import pytest

from autograder.course.timestamps import moment
from autograder.staff import form_times


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["2026/11/30 9:05:07 PM GMT+1"], ["2026-11-30 21:05:07+01:00"]),
        (["2026/11/30 12:05:07 AM GMT-3:30"], ["2026-11-30 00:05:07-03:30"]),
        (["2026/11/30 12:05 PM GMT"], ["2026-11-30 12:05:00+00:00"]),
        (["2026/11/30 9:05:07 AM"], ["2026-11-30 09:05:07"]),
        (["4/11/26 21:05", "4/13/2026 1:05 PM"], ["2026-04-11 21:05:00", "2026-04-13 13:05:00"]),
        (["4/11/26 21:05", "13/4/2026, 13:05"], ["2026-11-04 21:05:00", "2026-04-13 13:05:00"]),
        (["04.11.2026 21:05:07"], ["2026-11-04 21:05:07"]),
    ],
)
def test_clear_times_become_iso(column: list[str], expected: list[str]) -> None:
    """A column has one order of day and month, which a large number shows."""
    found = form_times.iso(column)
    assert found == expected
    assert all(moment(text, zone="Europe/Vienna") for text in found)


@pytest.mark.parametrize(
    "column",
    [
        ["4/11/26 21:05"],
        ["4/13/26 21:05", "13/4/26 21:05"],
        ["2026/13/30 9:05:07 PM"],
        ["2026/11/30 25:05:07"],
        ["2026/11/30 13:05:07 PM"],
        ["2026/11/30 9:05:07 PM GMT+99"],
        ["4/13/126 21:05"],
        ["2026-04-05 06:07", "yesterday", ""],
    ],
)
def test_other_cells_stay_as_they_are(column: list[str]) -> None:
    """This covers unclear dates, dates that do not exist, and ISO."""
    assert form_times.iso(column) == column
