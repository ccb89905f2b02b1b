"""Students' regrade requests: those of a homework, and a decision on one."""

import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from autograder.records.errors import UserError
from autograder.staff import regrade_requests
from autograder.staff.regrade_requests import Entry
from autograder.store import files

WORDS = ("granted", "refused")
_deciding = threading.Lock()


def asked(folder: Path, id: str = "") -> Sequence[Entry]:
    """Return a homework's requests, or one person's, those without a decision first."""
    found = regrade_requests.entries(folder / regrade_requests.FILE)
    mine = [one for one in found if not id or one.request.id == id]
    return sorted(mine, key=lambda one: bool(one.decisions))


def decide(folder: Path, number: int, word: str, *, by: str, why: str, at: datetime) -> None:
    """Record a decision, as `explain --grant` and `--refuse` do; no mark changes.

    Raises:
        UserError: there is no such request, no such decision, or no reason.
    """
    if word not in WORDS or not why:
        raise UserError("choose Grant or Refuse, and give a reason")
    path = folder / regrade_requests.FILE
    # Two people may decide at one desk, and others with `explain`.
    with _deciding, files.locked(path):
        log = regrade_requests.entries(path)
        log = regrade_requests.decided(log, number, word, by=by, why=why, at=at)
        files.write_table(path, regrade_requests.written(log))
