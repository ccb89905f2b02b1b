"""wire: a submission travels to another process or machine with its time."""

import errno
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import msgspec

from autograder.grading.wire import Sent, decode, encode
from autograder.records.facts import Receipt
from autograder.records.homework import Homework
from autograder.submission import discover, reading
from autograder.submission.archives import received
from autograder.submission.discover import Found
from autograder.submission.opening import Stored, given
from tests.helpers import TOY, sentences


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


def test_a_name_that_is_not_utf_8_goes_to_another_process(tmp_path: Path) -> None:
    """Old Windows programs write such names into zips; one must not end the run of a class."""
    path = Path(os.fsdecode(bytes(tmp_path) + b"/L\x94sung.ipynb"))
    path.write_bytes(b"{}")
    sent = Sent.read(Found("ada", given(path)), limit=100)
    there = decode(encode(sent), Sent).found()
    assert (there.path.name, there.student) == ("L?sung.ipynb", "ada")


def denied() -> IO[bytes]:
    raise PermissionError(errno.EACCES, "Permission denied")


def test_a_python_file_that_cannot_be_read_costs_only_itself(tmp_path: Path, toy: Homework) -> None:
    """The notebook beside it is graded, and its page says that something is missing."""
    notebook = TOY / "release" / "toy" / "toy.ipynb"
    secret = {"secret.py": Stored("secret.py", "secret.py", None, denied)}
    with zipfile.ZipFile(tmp_path / "ben.zip", "w") as archive:
        archive.write(notebook, "hw.ipynb")
        archive.writestr("damaged.py", "y = 'to be changed'\n")
    whole = (tmp_path / "ben.zip").read_bytes()
    (tmp_path / "ben.zip").write_bytes(whole.replace(b"to be changed", b"to_be_changed"))
    ((ben,), _) = discover.find([tmp_path / "ben.zip"])
    assert [*ben.helpers] == ["damaged.py"]
    for item in (Found("ada", given(notebook), helpers=secret), ben):
        for one in (item, Sent.read(item, limit=10**6).found()):
            submission = reading.read(one, toy)
            assert submission.helpers == {}
            (remark,) = sentences(submission.remarks)
            assert "cannot import some of the Python files beside it" in remark
            assert "readable text" in remark
