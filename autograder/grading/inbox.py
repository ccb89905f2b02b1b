"""New submissions of a folder, or of nbgrader's exchange, and where their reports go back to.

What students put there is hostile: names are ids or nothing, links are not followed, and a folder
that belongs to one student is never taken for a submission of another. It may still be written, and
its times may say anything: it counts when it was the same at two looks.
"""

import hashlib
import pwd
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course.people import People
from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError
from autograder.store import files
from autograder.submission import discover, receipts
from autograder.submission.opening import Listed, given

INBOUND, FEEDBACK = "inbound", "feedback"
SETTLED_SECONDS = 2.0
"""A submission that is the same at two looks so far apart is not being written any more."""


@dataclass
class Arrivals:
    """The submissions of one homework that come into a folder.

    Args:
        place: A folder as `autograder grade` takes it, or a course's folder in an exchange.
        homework: Its name.
        roster: The people.
        returns: Where reports go, as <student>/<homework>.html; None for nowhere. An exchange has
            its own place for them, from which `nbgrader fetch_feedback` gets them.
        collected: nbgrader's names of an imported homework, "assignment/notebook".
        others: The names of the course's homeworks.
        staff: Unix users whose folders in an exchange count for any student.
        waiting: By student, what has to be the same at a later look, and since when it is.
    """

    place: Path
    homework: str
    roster: People
    returns: Path | None = None
    collected: str = ""
    others: Sequence[str] = ()
    staff: Collection[str] = ()
    _seen: dict[str, object] = field(default_factory=dict)
    waiting: dict[str, tuple[object, float]] = field(default_factory=dict)
    _folders: dict[str, Listed] = field(default_factory=dict)

    @property
    def exchange(self) -> bool:
        """Whether the folder is a course's in an exchange of nbgrader's."""
        return (self.place / INBOUND).is_dir()

    def new(self) -> tuple[list[discover.Found], list[str]]:
        """Return what was not returned before and is not being written, each person's newest, and complaints."""
        found: list[discover.Found] = []
        complaints: list[str] = []
        try:
            if self.exchange:
                found, complaints = self._exchanged()
            elif given(self.place.resolve()).inside():
                found, complaints = discover.find(
                    [self.place.resolve()],
                    homework=self.homework,
                    collected=self.collected,
                    others=self.others,
                    roster=self.roster,
                )
        except OSError as error:  # a disk that is away comes back
            complaints = [f"{one_line(self.place)}: it cannot be looked through ({error.strerror})"]
        return list(self._settled(found, complaints)), complaints

    def later(self, item: discover.Found) -> None:
        """Have a submission returned by `new` again."""
        self.waiting[item.student] = (self._seen.pop(item.student), -SETTLED_SECONDS)

    def give_back(self, item: discover.Found, report: Path) -> Path | None:
        """Copy a report to where its student gets it; return where, None for nowhere."""
        if self.exchange:
            secret = receipts.secret(self._folders[item.student])
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

    def _settled(
        self, found: Sequence[discover.Found], complaints: list[str]
    ) -> Iterator[discover.Found]:
        """Yield what is as it was at an earlier look, and was not yielded so; what changed waits."""
        now, before = time.monotonic(), self.waiting
        self.waiting = {}
        for item in found:
            state = [item.path, item.log, *item.helpers.values()]
            if self._seen.get(item.student) == state:
                continue
            earlier, since = before.get(item.student, (state, now))
            if earlier != state:
                since = now
                complaints.append(
                    f"{item.place}: it is being written; it waits until nothing of it changes for "
                    f"{SETTLED_SECONDS:g} seconds"
                )
            if now - since < SETTLED_SECONDS:
                self.waiting[item.student] = (state, since)
            else:
                self._seen[item.student] = state
                yield item

    def _exchanged(self) -> tuple[list[discover.Found], list[str]]:
        """Return each person's newest submission; its time is what the student's process wrote."""
        newest: dict[str, tuple[str, str, Listed]] = {}
        complaints = []
        names = filter(None, (self.homework, self.collected.partition("/")[0]))
        called = "|".join(map(re.escape, names))
        pattern = re.compile(rf"(.+)\+(?:{called})\+([^+]+?(?: \+[0-9]+)?)(?:\+[^+]*)?", re.DOTALL)
        folders = given((self.place / INBOUND).resolve()).inside()
        named = [(one, found) for one in folders if (found := pattern.fullmatch(one.name))]
        ids = self.roster.folders({found[1] for _, found in named})
        for folder, found in named:
            student, at = found[1], found[2]
            if folder.kind != "folder":
                complaints.append(f"{one_line(folder)}: it is a link or a file; it is left out")
            elif not (self.roster.find(student) or _is_id(student)):
                complaints.append(f"{one_line(folder)}: its name has no id in it; it is left out")
            elif owner := self._someone_else(folder, student, ids):
                complaints.append(
                    f"{one_line(folder)}: it belongs to {one_line(owner)} and bears the name of "
                    f"{one_line(student)}; it is left out, unless [exchange] in course.toml names "
                    f"{one_line(owner)} as staff"
                )
            elif at > newest.get(ids[student], ("", student, folder))[0]:
                newest[ids[student]] = (at, student, folder)
        items = []
        for name, (at, student, folder) in sorted(newest.items()):
            self._folders[name] = folder
            people = dict.fromkeys((student, self.roster.id_of(name)))
            try:
                receipt = receipts.of_text(at, student)
                items.append(
                    discover.alone(
                        folder,
                        student=name,
                        homework=self.homework,
                        collected=self.collected,
                        receipt=replace(receipt, people=tuple(people)),
                    )
                )
            except (UserError, ValueError, OSError) as error:
                complaints.append(f"{one_line(folder)}: {one_line(error)}")
        return items, complaints

    def _someone_else(self, folder: Listed, student: str, ids: Mapping[str, str]) -> str:
        """Return the owner of a folder that cannot be a student's; "" where it can.

        Where the student is a Unix user, it has to be theirs or of staff. Where all have one Unix
        user, as on many a JupyterHub, an owner tells nothing, unless it is a different student.
        """
        try:
            owner = pwd.getpwuid(folder.owner).pw_name
        except KeyError:
            owner = f"user {folder.owner}"
        try:
            theirs: int | None = pwd.getpwnam(student).pw_uid
        except KeyError:
            theirs = None
        if folder.owner == theirs or owner in self.staff:
            return ""
        known = owner in ids or self.roster.find(owner) is not None
        other = known and ids.get(owner, self.roster.folder(owner)) != ids[student]
        return owner if theirs is not None or other else ""


def _is_id(name: str) -> bool:
    """Whether a name may be somebody's whom no roster knows: it is a line for staff, too."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_")
    return bool(plain) and safe(plain) == plain and one_line(name) == name
