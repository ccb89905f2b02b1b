"""wire: a submission travels to another process or machine with its time."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder.grading.wire import Sent
from autograder.records.facts import Receipt
from autograder.submission.archives import received
from autograder.submission.discover import Found
from autograder.submission.opening import given


def test_a_time_from_a_list_goes_to_another_machine(tmp_path: Path) -> None:
    """`--receipts` with `--scheduler` needs this: late there is late here."""
    path = tmp_path / "hw.ipynb"
    path.write_bytes(b"{}")
    receipt = Receipt(datetime(2026, 3, 2, 9, tzinfo=UTC), people=("ada",))
    sent = Sent.read(Found("ada", given(path), receipt=receipt), limit=100)
    there = msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Sent).found()
    assert there.receipt == receipt
    assert there.student == "ada"
    assert there.path == received("hw.ipynb", b"{}", f"{path} (ada)")
