"""Students' submissions in nbgrader's exchange, and the places of their pages.

Everything there is hostile: names must be ids, one student's folder never counts as another's
submission, and files beside a notebook may contain anything.
"""

import functools
import hashlib
import pwd
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course import timestamps
from autograder.course.people import People
from autograder.course.timestamps import moment
from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import Entry, beginning, read_bytes
from autograder.submission.opening import Listed, given
from autograder.submission.platform import Incoming, Taken

INBOUND, FEEDBACK = "inbound", "feedback"
TIMESTAMP = "timestamp.txt"
"""The form of a time that `nbgrader submit` writes, such as 2026-03-04 05:06:07.123456 UTC."""
SECRET = "submission_secret.txt"
"""The file in which `nbgrader submit` keeps a submission's secret."""
_MAX_SECRET = 1_000


def receipt(student: str, items: Iterable[Entry]) -> Receipt | None:
    """Return when nbgrader received a submission, from its files; None without a time."""
    file = next((i.file for i in items if not i.where and i.name == TIMESTAMP), None)
    if file is None:
        return None
    try:
        return of_text(beginning(file, 100).decode(errors="replace"), student)
    except (UserError, OSError):
        return of_text("", student)


def of_text(text: str, student: str) -> Receipt:
    """Return when a student submitted, from nbgrader's words.

    nbgrader writes the zone of `Exchange.timezone` in the form of `%Z`, which may be an
    abbreviation such as PST. Its meaning depends on the course's zone (see `moments.taken`).
    """
    try:
        if not timestamps.is_local(text):
            return Receipt(moment(text), people=(student,))
    except ValueError:
        pass  # the moment is unknown, so staff get a note
    return Receipt(people=(student,), local=one_line(text.strip()) or f"an unreadable {TIMESTAMP}")


def incoming(
    place: Path, names: Sequence[str], roster: People, staff: Collection[str]
) -> Incoming | None:
    """Return each person's newest submission, by the time that the student's own process wrote."""
    if not (place / INBOUND).is_dir():
        return None
    found: dict[str, tuple[str, str, Listed]] = {}
    complaints = []
    called = "|".join(map(re.escape, names))
    pattern = re.compile(rf"(.+)\+(?:{called})\+([^+]+?(?: \+[0-9]+)?)(?:\+[^+]*)?", re.DOTALL)
    folders = given((place / INBOUND).resolve()).inside()
    named = [(one, match) for one in folders if (match := pattern.fullmatch(one.name))]
    ids = roster.folders({match[1] for _, match in named})
    for folder, match in named:
        student, at = match[1], match[2]
        if folder.kind != "folder":
            complaints.append(f"{one_line(folder)}: ignored, because it is a link or a file")
        elif not (roster.find(student) or _is_id(student)):
            complaints.append(f"{one_line(folder)}: ignored, because its name has no id in it")
        elif owner := _someone_else(folder, student, ids, roster, staff):
            complaints.append(
                f"{one_line(folder)}: it belongs to {one_line(owner)} but has the name "
                f"of {one_line(student)}; it is ignored, unless [exchange] in "
                f"course.toml names {one_line(owner)} as staff"
            )
        elif at > found.get(ids[student], ("", student, folder))[0]:
            found[ids[student]] = (at, student, folder)
    taken = {}
    for name, (at, student, folder) in sorted(found.items()):
        people = tuple(dict.fromkeys((student, roster.id_of(name))))
        receipt = replace(of_text(at, student), people=people)
        taken[name] = Taken(folder, receipt, functools.partial(page, place, folder))
    return taken, complaints


def _someone_else(
    folder: Listed, student: str, ids: Mapping[str, str], roster: People, staff: Collection[str]
) -> str:
    """Return the owner of a folder if that cannot be the student, or "".

    If the student is a Unix user, the folder must belong to them or to staff. If all share one Unix user,
    as on many JupyterHubs, the owner proves nothing, unless it is a different student.
    """
    try:
        owner = pwd.getpwuid(folder.owner).pw_name
    except KeyError:
        owner = f"user {folder.owner}"
    try:
        theirs: int | None = pwd.getpwnam(student).pw_uid
    except KeyError:
        theirs = None
    if folder.owner == theirs or owner in staff:
        return ""
    known = owner in ids or roster.find(owner) is not None
    other = known and ids.get(owner, roster.folder(owner)) != ids[student]
    return owner if theirs is not None or other else ""


def _is_id(name: str) -> bool:
    """Return whether this may be somebody's id; staff read it on one line."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_")
    return bool(plain) and safe(plain) == plain and one_line(name) == name


def secret(folder: Listed) -> str:
    """Return nbgrader's secret of a submission, or "".

    A student can write anything there, and remove it at any time.
    """
    file = folder.at(SECRET)
    try:
        data = read_bytes(file, limit=_MAX_SECRET) if file else b""
    except (OSError, UserError):
        return ""
    return data.decode(errors="replace")


def page(place: Path, folder: Listed, notebook: str) -> Path | None:
    """Return the path from which `nbgrader fetch_feedback` gets a page; None without a secret."""
    if not (known := secret(folder)):
        return None
    # nbgrader's own name for it, which nobody can guess without the secret.
    written = (known + notebook).encode(errors="surrogateescape")  # any bytes can be a name
    name = hashlib.md5(written).hexdigest()
    pages = place / FEEDBACK
    if not pages.is_dir():
        pages.mkdir(mode=0o711)
        pages.chmod(0o711)
    return pages / f"{name}.html"


def feedback(homework: str, page: str, folder: Listed) -> dict[str, str]:
    """Return the files of feedback/<student>/<homework>/ by name; none without a secret.

    `nbgrader release_feedback` takes the page, named after the notebook, and reads the time and the
    secret beside it: they determine the page's name in the exchange, so nobody else finds it.
    """
    known = secret(folder)
    # nbgrader only prints the time, but it must be there.
    return {f"{homework}.html": page, SECRET: known, TIMESTAMP: ""} if known else {}
