"""Folders of results -> everybody's marks by homework, read again if files change."""

import contextlib
import functools
import os
import threading
import time
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.course import homework
from autograder.course import people as roster
from autograder.course.people import People, key
from autograder.platforms.nbgrader import settings
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import said_to
from autograder.records.marks import Grade, HandMarks, given_by_people
from autograder.reports import collected
from autograder.store import files, log_summary, results

FILTERS = {
    "late": "Late",
    "waiting": "Waiting for a mark by hand",
    "missing": "Nothing submitted",
    "unusable": "Could not be graded",
    "crashed": "Crashed or timed out",
    "repaired": "Needed a repair",
    "unknown": "Not in roster.csv",
}
"""The filters for the list of people."""
_ENDED = {"timed_out", "killed"}
_PAUSE = 2.0
"""The seconds between two looks at the files of a class."""


def folded(text: str) -> str:
    """Return a text in the form that searches compare: novakova finds Nováková."""
    letters = unicodedata.normalize("NFKD", key(text).translate(_PLAIN))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


_PLAIN = str.maketrans("øłđı", "oldi")  # these have no form without a stroke or dot


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission, as shown in lists.

    Args:
        folder: Its folder of results.
        points: Question -> points; None if still to be marked by hand.
        possible: The possible points; None if nothing could be graded.
        flags: Some of `FILTERS`.
        notes: Notes for staff, one sentence each.
        stamp: The time of its files, in nanoseconds.
    """

    folder: Path
    points: Mapping[str, float | None]
    score: float | None
    possible: float | None
    flags: frozenset[str]
    notes: tuple[str, ...]
    stamp: tuple[int, ...]

    @property
    def waiting(self) -> int:
        """Return how many answers are still to be marked by hand."""
        return sum(one is None for one in self.points.values())


@dataclass(frozen=True)
class Person(roster.Person):
    """Somebody in the roster, or with a submission; the latter's id is the folder's name.

    Args:
        listed: Whether roster.csv has this person; True for everybody without a roster.
        entries: Homework -> submission.
    """

    listed: bool = True
    entries: Mapping[str, Entry] = field(default_factory=dict)

    @functools.cached_property
    def words(self) -> str:
        """Return the text that searches look at."""
        return folded(" ".join((self.id, self.name, self.email, self.section, *sorted(self.ids))))

    def flags(self, name: str, graded: Collection[str]) -> set[str]:
        """Return the person's flags in a homework, or in all homeworks if its name is ""."""
        names = [name] if name else [*graded]
        found = {flag for one in names if one in self.entries for flag in self.entries[one].flags}
        if any(one in graded and one not in self.entries for one in names):
            found.add("missing")
        if not self.listed:
            found.add("unknown")
        return found


class Classes:
    """The results of a course's homeworks, each in a folder below `out`.

    Args:
        gradebook: The gradebook's URL; None for formgrader's.
    """

    def __init__(self, root: Path, out: Path, gradebook: str | None) -> None:
        self.root, self.out, self._gradebook = root, out, gradebook
        self._roster: tuple[int, People] = -1, People()
        self._listed: tuple[object, list[Person]] = None, []
        self._entries: dict[str, dict[str, Entry]] = {}
        self._given: dict[str, tuple[object, Mapping[str, HandMarks]]] = {}
        self._looked: dict[str, float] = {}
        self._lock = threading.Lock()
        self.version = 0

    def folders(self) -> dict[str, Path]:
        """Return homework -> its folder of results, whatever the folder's name."""
        found: dict[str, Path] = {}
        for name, path in self._every():
            found.setdefault(name, path)
        return found

    def every_folder(self, name: str) -> list[Path]:
        """Return all folders with results of a homework."""
        return [path for known, path in self._every() if known == name]

    def _every(self) -> Iterator[tuple[str, Path]]:
        names = homework.names(self.root)
        # Of several folders with its results, the one with the homework's name comes first.
        for path in sorted(self.out.glob("[!.]*/"), key=lambda one: (one.name not in names, one)):
            if name := self._homework(path, names):
                yield name, path

    @staticmethod
    def _homework(path: Path, names: Collection[str]) -> str:
        if path.name in names:
            return path.name
        try:
            name = results.homework_of(results.folders(path), path)
        except UserError:
            return ""
        return name if name in names else ""

    def place(self, name: str) -> Path:
        """Return the present or future folder of a homework's results."""
        return self.folders().get(name, self.out / name)

    def entries(self, name: str) -> Mapping[str, Entry]:
        """Return the submissions of one homework by folder name."""
        with self._lock:
            if time.monotonic() - self._looked.get(name, -_PAUSE) >= _PAUSE:
                self._look(name)
                self._looked[name] = time.monotonic()
            return self._entries.get(name, {})

    def given(self, name: str) -> Mapping[str, HandMarks]:
        """Return people's marks in a homework by submission, as of the last look."""
        return self._given[name][1] if name in self._given else {}

    def look_again(self) -> None:
        """Look for changed files at the next request."""
        self._looked.clear()

    def roster(self) -> People:
        """Return the people of roster.csv, and read it again if it has changed."""
        path = self.root / roster.FILE
        stamp = path.stat().st_mtime_ns if path.exists() else 0
        if self._roster[0] != stamp:
            self._roster = stamp, roster.roster(self.root)
        return self._roster[1]

    def people(self) -> list[Person]:
        """Return everybody: first the roster's people in its order, then all others."""
        known, classes = self.roster(), {name: self.entries(name) for name in self.folders()}
        now = (self.version, self._roster[0], tuple(classes))
        if self._listed[0] != now:
            self._listed = now, self._everybody(known, classes)
        return self._listed[1]

    @staticmethod
    def _everybody(known: People, classes: Mapping[str, Mapping[str, Entry]]) -> list[Person]:
        found: dict[str, dict[str, Entry]] = {one.id: {} for one in known}
        for name, entries in classes.items():
            counted, _ = known.one_each([entry.folder for entry in entries.values()])
            for path in counted:
                found.setdefault(known.id_of(path.name), {})[name] = entries[path.name]
        listed: dict[str, dict[str, Any]] = {one.id: vars(one) for one in known}
        everybody = []
        for id, entries in found.items():
            one, is_known = listed.get(id, {"id": id, "folder": id}), id in listed or not listed
            everybody.append(Person(**one, listed=is_known, entries=entries))
        return everybody

    def _look(self, name: str) -> None:
        place = self.place(name)
        before, known = self._entries.get(name, {}), self.given(name)
        found = list(_submissions(place))
        given = self._by_people(name, place, found) if found else {}
        now: dict[str, Entry] = {}
        for student, stamp in found:
            old, mine = before.get(student), given.get(student)
            same = old is not None and old.stamp == stamp and known.get(student) == mine
            now[student] = old if old and same else read_entry(place / student, mine, stamp)
        if now != before:
            self.version += 1
        self._entries[name] = now

    def _by_people(self, name: str, place: Path, submissions: object) -> Mapping[str, HandMarks]:
        """Return people's marks; raise UserError if the gradebook is unreadable.

        A mark of a text that has changed since is open, so new submissions change people's marks.
        """
        stamp = self._gradebook_stamp(), submissions
        if name not in self._given or self._given[name][0] != stamp:
            found = given_by_people(self.root, place, self._gradebook)
            self._given[name] = stamp, found[1] if found else {}
        return self._given[name][1]

    def _gradebook_stamp(self) -> object:
        """Return the times of the gradebook's files; a server's marks may have changed any time."""
        if not self._file:
            return time.monotonic()
        return [_written(f"{self._file}{end}") for end in ("", "-wal", "-journal")]

    @functools.cached_property
    def _file(self) -> str:
        """The gradebook's file; "" if it is on a server."""
        # Once, since reading nbgrader_config.py changes the folder of the whole process.
        given = self._gradebook
        url = settings.url_of(given) if given else settings.gradebook_url(self.root)
        return str(url.database) if settings.is_file(url) else ""


def _submissions(place: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield each folder with marks, and its time: replacing any file changes it."""
    names: list[str] = []
    with contextlib.suppress(FileNotFoundError), os.scandir(place) as found:
        names = sorted(one.name for one in found if one.is_dir() and one.name[0] != ".")
    for name in names:
        folder = f"{place}/{name}"  # a Path for each file would take most of the time of a look
        stamp = (_written(f"{folder}/{files.GRADE}"), _written(f"{folder}/{files.LOG}"))
        if any(stamp) or _written(f"{folder}/{files.RESULTS}"):
            yield name, (*stamp, _written(folder))


def _written(path: str | Path) -> int:
    with contextlib.suppress(OSError):
        return os.stat(path).st_mtime_ns  # noqa: PTH116 (five times as fast as a Path)
    return 0


def read_entry(path: Path, given: HandMarks | None = None, stamp: tuple[int, ...] = ()) -> Entry:
    """Return a submission, with a note if it is unreadable."""
    try:
        grade, row = collected.one(path, given)
    except UserError as error:
        return Entry(path, {}, None, None, frozenset({"unusable"}), (one_line(error),), stamp)
    flags, notes = _looks(path, grade)
    if row.missing and not row.points:
        flags.add("unusable")
    if any(points is None for points in row.points.values()):
        flags.add("waiting")
    said = tuple(dict.fromkeys((*row.missing, *row.notes, *notes)))
    return Entry(path, row.points, row.score, row.possible, frozenset(flags), said, stamp)


def _looks(path: Path, grade: Grade) -> tuple[set[str], list[str]]:
    flags = {"late"} if grade.late else set()
    notes = []
    if (path / files.FAILURE).exists():
        flags.add("unusable")
        notes.append("The grader itself failed: see failure.txt.")
    try:
        log = log_summary.read(path)
    except (UserError, OSError):
        return flags, notes
    if any(outcome.status in _ENDED for outcome in log.outcomes):
        flags.add("crashed")
    if log.repairs:
        flags.add("repaired")
    notes += map(one_line, said_to((*log.remarks, *log.repairs), "staff"))
    return flags, notes
