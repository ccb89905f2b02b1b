"""New submissions of a folder, or of nbgrader's exchange, and where their reports go back to.

What students put there is hostile: names are ids or nothing, links are not followed, and a folder
that belongs to one student is never taken for a submission of another.
"""

import hashlib
import pwd
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.codec import one_line
from autograder.exports.feedback import submission_secret
from autograder.model import Receipt, UserError
from autograder.store import files
from autograder.submission import archives, discover, receipts
from autograder.submission.archives import PackedFile

INBOUND, FEEDBACK = "inbound", "feedback"
SETTLED_SECONDS = 2.0
"""A file that changed later than this may still be written."""


@dataclass
class Arrivals:
    """The submissions of one homework that come into a folder.

    Args:
        place: A folder as `autograder grade` takes it, or a course's folder in an exchange.
        homework: Its name.
        roster: People by id.
        returns: Where reports go, as <student>/<homework>.html; None for nowhere. An exchange has
            its own place for them, from which `nbgrader fetch_feedback` gets them.
        collected: nbgrader's names of an imported homework, "assignment/notebook".
        others: The names of the course's homeworks.
    """

    place: Path
    homework: str
    roster: Mapping[str, Mapping[str, str]]
    returns: Path | None = None
    collected: str = ""
    others: Sequence[str] = ()
    _seen: dict[str, object] = field(default_factory=dict)

    @property
    def exchange(self) -> bool:
        """Whether the folder is a course's in an exchange of nbgrader's."""
        return (self.place / INBOUND).is_dir()

    def new(self) -> tuple[list[discover.Found], list[str]]:
        """Return what was not returned before, each person's newest, and complaints."""
        found: list[discover.Found] = []
        complaints: list[str] = []
        try:
            if self.exchange:
                found, complaints = self._exchanged()
            elif any(self.place.iterdir()):
                found, complaints = discover.find(
                    [self.place],
                    homework=self.homework,
                    collected=self.collected,
                    others=self.others,
                    roster=self.roster,
                )
        except OSError as error:  # a disk that is away comes back
            complaints = [f"{one_line(self.place)}: it cannot be looked through ({error.strerror})"]
        return [item for item in found if self._is_new(item)], complaints

    def later(self, item: discover.Found) -> None:
        """Have a submission returned by `new` again."""
        self._seen.pop(item.student, None)

    def give_back(self, item: discover.Found, report: Path) -> Path | None:
        """Copy a report to where its student gets it; return where, None for nowhere."""
        if self.exchange:
            secret = submission_secret(Path(str(item.path)).parent)
            notebook = Path(str(item.path)).stem
            if not secret:
                return None
            # As nbgrader names it; the secret is what keeps others from it.
            name = hashlib.md5((secret + notebook).encode()).hexdigest()
            folder = self.place / FEEDBACK
            if not folder.is_dir():
                folder.mkdir(mode=0o711)
                folder.chmod(0o711)
            target = folder / f"{name}.html"
        elif self.returns:
            target = self.returns / item.student / f"{self.homework}.html"
            target.parent.mkdir(parents=True, exist_ok=True)
        else:
            return None
        files.write(target, report.read_text(encoding="utf-8"))
        if self.exchange:
            target.chmod(0o644)
        return target

    def _is_new(self, item: discover.Found) -> bool:
        state: object = item.path  # of what cannot be read, with the reason
        if isinstance(item.path, Path):
            try:
                known = item.path.stat()
            except OSError:  # it went after it was listed; what comes in its place is new
                return False
            if time.time() - known.st_mtime < SETTLED_SECONDS:
                return False
            state = (str(item.path), known.st_mtime_ns, known.st_size)
        elif isinstance(item.path, PackedFile):
            state = (str(item.path), item.path.info.CRC, item.path.info.file_size)
        if self._seen.get(item.student) == state:
            return False
        self._seen[item.student] = state
        return True

    def _exchanged(self) -> tuple[list[discover.Found], list[str]]:
        """Return each person's newest submission; its time is what the student's process wrote."""
        newest: dict[str, tuple[str, Path]] = {}
        complaints = []
        names = filter(None, (self.homework, self.collected.partition("/")[0]))
        called = "|".join(map(re.escape, names))
        pattern = re.compile(rf"([^+]+)\+(?:{called})\+([^+]+)(?:\+[^+]*)?")
        folders = [path for path in (self.place / INBOUND).iterdir() if not path.is_symlink()]
        named = [(path, pattern.fullmatch(path.name)) for path in folders if path.is_dir()]
        students = {found[1] for _, found in named if found} | self.roster.keys()
        for path, found in named:
            if not found:
                continue
            student, at = found[1], found[2]
            if (
                archives.safe(student) != student
            ):  # it becomes a folder's name, and a line for staff
                complaints.append(f"{one_line(path)}: its name has no id in it; it is left out")
            elif owner := _someone_else(path, student, students):
                complaints.append(
                    f"{one_line(path)}: it belongs to {one_line(owner)} and bears the name of "
                    f"{one_line(student)}; it is left out"
                )
            elif at > newest.get(student, ("", path))[0]:
                newest[student] = (at, path)
        items = []
        for student, (at, path) in sorted(newest.items()):
            try:
                receipt = Receipt(receipts.moment(at), people=(student,))
                items.append(
                    discover.alone(
                        path,
                        student=student,
                        homework=self.homework,
                        collected=self.collected,
                        receipt=receipt,
                    )
                )
            except (UserError, ValueError, OSError) as error:
                complaints.append(f"{one_line(path)}: {one_line(error)}")
        return items, complaints


def _someone_else(path: Path, student: str, students: Collection[str]) -> str:
    """Return the owner of a folder where that is another student; "" where it is not.

    Where all have one Unix user, as on many a JupyterHub, the owner tells nothing.
    """
    try:
        owner = pwd.getpwuid(path.stat().st_uid).pw_name
    except (KeyError, OSError):
        return ""
    return owner if owner != student and owner in students else ""
