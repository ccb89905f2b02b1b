"""receipts: when nbgrader took a submission decides how late it is."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.submission import discover, receipts
from tests.exports import unpacked

NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-04 05:06:07.000000 UTC",
        "2026-03-04 06:06:07 Europe/Vienna\n",
        "2026-03-04 06:06:07 +0100",
        "2026-03-04T05:06:07Z",
    ],
)
def test_a_moment_with_a_zone(text: str) -> None:
    """In each form that nbgrader has written."""
    assert receipts.moment(text) == datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-03-04 05:06:07", "2026-13-04 05:06 UTC", "2026-03-04 05:06 X/Y"]
)
def test_without_a_zone_it_is_no_moment(text: str) -> None:
    """Nobody guesses one."""
    with pytest.raises(ValueError, match=r".+"):
        receipts.moment(text)


def test_the_timestamp_of_nbgrader_is_the_receipt(tmp_path: Path) -> None:
    """One that cannot be read is noted, and the submission is graded."""
    files = {
        "ada/port/port.ipynb": NOTEBOOK,
        "ada/port/timestamp.txt": b"2026-03-04 05:06:07 UTC",
        "ben/port/port.ipynb": NOTEBOOK,
        "ben/port/timestamp.txt": b"\xff\xfe",
        "chi/port/port.ipynb": NOTEBOOK,
    }
    found, complaints = discover.find([unpacked(tmp_path / "submitted", files)], homework="port")
    assert not complaints
    ada, ben, chi = found
    assert ada.receipt is not None
    assert (ada.receipt.at.hour, ada.receipt.people, ada.note) == (5, ("ada",), "")
    assert (ben.receipt, ben.note) == (
        None,
        "its timestamp.txt holds no date with a time zone, so it is never late",
    )
    assert (chi.receipt, chi.note) == (None, "")
