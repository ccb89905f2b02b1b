"""The submissions in some paths, each with a name that its student did not choose."""

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from autograder.course.people import People, Person
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission import choice, opening, platform
from autograder.submission.archives import (
    Entry,
    File,
    Listing,
    Unusable,
    Upload,
    Where,
    by_folder,
    items_below,
    listing,
)
from autograder.submission.choice import MEANT, Known, has_cells, is_zip, stem
from autograder.submission.opening import Listed, Stored

LOG_NAME = "submission_log.json"
_NOT_OPENED = re.compile(r"\.(?:rar|7z|gz|bz2|xz|tgz|tar)\Z", re.IGNORECASE)
MAX_LINES = 100  # the most unused files to list
MAX_OF_ONE = 20  # the most notebooks in one person's folder


@dataclass(frozen=True)
class Found:
    """A file to grade: its student's name, and the log submitted beside it.

    The note tells staff which files of the same student were left out. The receipt comes from the
    platform. Helpers are the Python files beside a notebook, by import name. If the submission is
    unusable, so is its file.
    """

    student: str
    path: File
    log: File | None = None
    note: str = ""
    receipt: Receipt | None = None
    helpers: Mapping[str, File] = field(default_factory=dict)
    unusable: Unusable | None = None

    @property
    def place(self) -> str:
        """Return its place and owner, fit for printing: file names may contain anything."""
        where = one_line(self.path)
        return where if self.student in where else f"{where} ({self.student})"


@dataclass(frozen=True)
class _Candidate(Found):
    folders: Where = ()  # below the path that was given
    archive: File | None = None  # the person's zip that it is in, side by side with other files


_Pair = tuple[str, _Candidate]
_Named = list[_Pair]


def find(
    paths: Iterable[Path],
    *,
    homework: str = "",
    collected: str = "",
    others: Iterable[str] = (),
    roster: People | None = None,
    deadline: platform.Deadline = lambda _: None,
) -> tuple[list[Found], list[str]]:
    """Return the submissions in some paths, and one complaint for each file that is not one.

    A file is a submission. So is a folder with one notebook, including any submission_log.json
    beside it; in a folder with several, each notebook is a submission, and each zip belongs to one
    person; subfolders are searched in the same way, and a zip is a folder. Platform exports are
    recognised. Unused files are named, so that nobody is lost silently.

    A student chooses the name of a file, but not of the folder where it was collected: the first
    folder below a given path names a submission. If all files are side by side, their own names
    count. Each person in the roster has one submission, however many notebooks are in their folder.

    Args:
        paths: Files, folders and zips.
        homework: Its name: of several notebooks in a student's folder, the one with this name counts.
        collected: A platform's names for it, "assignment/notebook", if it was imported.
        others: The names of the course's homeworks: files with such a name are left out of a person's folder that also has this homework's notebook.
        roster: The roster; a platform may know people by any of their ids.
        deadline: Person's id -> deadline for commits, in a folder of clones.
    """
    complaints: list[str] = []
    named: _Named = []
    roster = roster or People()
    known, platforms = Known.of(homework, collected, others), platform.installed()
    # A shell pattern may name a file twice.
    seen = list(dict.fromkeys(map(opening.given, paths)))
    files = [one for one in seen if one.kind == "file"]
    plain = [one for one in files if not is_zip(one)]
    side_by_side = _is_side_by_side(plain)
    by_platform: set[Listed] = set()
    of_class = tuple(f"{title}_" for title in known.titles if title)  # hw1_2026_10_05.zip
    ours = [
        one
        for one in files
        if not is_zip(one)
        or (platform.is_named_by_one(one.name) and not one.name.startswith(of_class))
    ]
    if not plain and not (ours and platform.is_called(ours[0].path.parent.name)):
        ours = []
    if side_by_side:  # a zip in a different folder is not one of these files
        ours = [one for one in ours if one.path.parent == plain[0].path.parent]
    if _is_side_by_side(ours) and (shares := platform.by_name(ours[0].path.parent, {(): [*ours]})):
        named += _of_platform(shares, known, complaints)
        by_platform.update(ours)
    for one in seen:
        if one.kind == "link":
            complaints.append(
                f"{one_line(one)}: symbolic links are not followed; give the file itself"
            )
        elif one in by_platform:
            continue
        elif one.kind == "file" and not is_zip(one):
            if _NOT_OPENED.search(one.name):
                complaints.append(
                    f"{one_line(one)}: tar and other archives must be unpacked; give the folder, or a zip"
                )
            else:
                name, folder = stem(one), one.path.parent.name
                inside = roster.in_folder(folder) and not roster.in_folder(name)
                name = name if side_by_side and not inside else folder
                theirs = (by.student(one.path, n) for n in known[:2] for by in platforms)
                named.append((next(filter(None, theirs), name), _Candidate("", one)))
        elif one.kind in ("folder", "file"):
            is_only = len(seen) == 1
            named += _inside(one, known, roster, complaints, is_only, deadline)
        elif one.kind:
            complaints.append(f"{one_line(one)}: not a regular file")
        else:
            complaints.append(f"{one_line(one)}: there is no such file or folder")
    return _distinct(_of_people(named, known, roster), roster), complaints


def _is_side_by_side(files: Sequence[Listed]) -> bool:
    return len({one.path.parent for one in files}) == 1


def find_only(
    folder: Listed,
    *,
    student: str,
    homework: str,
    collected: str = "",
    receipt: Receipt | None = None,
) -> Found:
    """Return the only submission in a folder, whatever is beside it; a single zip is opened.

    Raises UserError if there is none, or if the choice is unclear.
    """
    known = Known.of(homework, collected)
    items = items_below(known.only(listing(folder), of_one=True))
    one = _that_counts(Upload(student, student, items, receipt=receipt), known)
    return replace(one, student=student)


def _inside(
    top: Listed,
    known: Known,
    roster: People,
    complaints: list[str],
    is_only: bool,
    deadline: platform.Deadline,
) -> _Named:
    path, homework, folder = top.path, known.homework, top.name
    own = folder if top.kind == "folder" else stem(top)
    before = len(complaints)
    collected = folder == known.assignment
    given = platform.Given(
        *(top, known.assignment if collected else homework, roster, is_only, deadline),
        look=lambda: known.only(listing(top, complaints), of_one=collected),
    )
    try:
        shares = platform.recognise(given)
        found = {} if shares else given.found
    except UserError as error:
        complaints.append(f"{one_line(path)}: {error}")
        return []
    if shares:
        named = _of_platform(shares, known, complaints)
    elif roster.in_folder(own):
        mine = Upload(own, one_line(path), items_below(found))
        named = _of_platform(([mine], []), known, complaints)
    else:
        inside = _files_of_people(path, found, known, roster, complaints)
        without = list(_without_any(path, found, inside, known, roster))
        inside = list(_unwrapped(inside)) if top.kind == "file" else inside
        named = list(_by_folder(_bounded(inside, path, homework, complaints), roster))
        if is_only and top.kind == "file" and [name for name, _ in named] == [homework]:
            named = [(own, named[0][1])]
        if is_only:
            named += without
        elif len(named) == 1:
            named = [(own, named[0][1])]
        else:  # it may be a student's, who chose the names of the files in it
            named = [
                (name if one.folders or roster.in_folder(name) else f"{own}-{name}", one)
                for name, one in named
            ]
    if not named and len(complaints) == before:
        kind = "folder" if top.kind == "folder" else "zip"
        complaints.append(f"{one_line(path)}: no notebook in this {kind}; it needs a .ipynb file")
    return named


def _files_of_people(
    path: Path, found: Listing, known: Known, roster: People, complaints: list[str]
) -> list[_Candidate]:
    """Return a folder's files, including each person's zips, and complain about unused ones.

    Side by side, each file belongs to somebody. In somebody's folder, a file that may have been
    meant as a submission deserves a note.
    """
    inside = [c for where, files in found.items() for c in _candidates(where, files, complaints)]
    have = {candidate.folders[:1] for candidate in inside}
    top, below = found.get((), []), by_folder(found)
    for archive in filter(is_zip, top):
        upload = Upload(stem(archive), one_line(archive), (Entry(archive, (), archive.name),))
        one = _counts_or_why_not(upload, known)
        if one.unusable and not roster.in_folder(stem(archive)):
            complaints.append(f"{one.path}: {one.unusable.why}")
        else:
            inside.append(replace(one, archive=archive))
    noted = set()
    for name, items in below.items():
        if (name,) not in have and any(is_zip(item.file) for item in items):
            with contextlib.suppress(UserError):  # `_without_any` lists the files
                one = _that_counts(Upload(name, name, items), known)
                inside.append(replace(one, folders=(name,)))
                noted.add(name)  # what is ignored there
    used = {file for c in inside for file in (c.path, c.log, c.archive, *c.helpers.values())}
    side_by_side = sum(not candidate.folders for candidate in inside) > 1
    left = [f for f in top if not (f in used or is_zip(f) or f.name == LOG_NAME)]
    lost = [file for file in left if side_by_side or MEANT.search(file.name)]
    firsts = _firsts(inside, known)
    for name, mine in below.items():
        first = firsts.get((name,))
        if first is not None and name not in noted:
            inside[first] = _noted(inside[first], choice.not_used(mine, used))
        elif first is None and () in have:
            lost += (i.file for i in mine if i.file not in used and MEANT.search(i.name))
    if len(inside) == 1 and not inside[0].folders:
        mine = (*(Entry(file, (), file.name) for file in (*left, *lost)),)
        return [_noted(inside[0], choice.not_used(mine, used))]
    complaints += (f"{one_line(file)}: ignored; it is not a notebook" for file in lost[:MAX_LINES])
    if len(lost) > MAX_LINES:
        complaints.append(f"{one_line(path)}: {len(lost) - MAX_LINES:,} more files are ignored")
    return inside


def _person(one: _Candidate) -> tuple[str, ...]:
    """Return the name of the folder or zip that belongs to one person; () for a file at the top."""
    return one.folders[:1] or ((stem(one.archive),) if one.archive else ())


def _firsts(inside: Sequence[_Candidate], known: Known) -> dict[Where, int]:
    """Return the place of each person's first file, preferably of one with the homework's name."""
    order = sorted(range(len(inside)), key=lambda n: stem(inside[n].path) not in known.titles)
    return {_person(inside[number]): number for number in reversed(order)}


def _noted(one: _Candidate, note: str) -> _Candidate:
    return replace(one, note=choice.joined(one.note, note))


def _bounded(
    inside: Sequence[_Candidate], path: Path, homework: str, complaints: list[str]
) -> Sequence[_Candidate]:
    """Limit the notebooks to grade from one person's folder, which may have a hundred.

    If most folders have many, they belong not to persons but, for example, to sections of a class.
    """
    times = Counter(candidate.folders[:1] for candidate in inside if candidate.folders)
    if len(times) < 2:
        return inside
    usual = sorted(times.values())[(len(times) - 1) // 2]
    limit = max(MAX_OF_ONE, 4 * usual)
    left_out: set[int] = set()
    for folder in (folder for folder, count in times.items() if count > limit):
        mine = [n for n, c in enumerate(inside) if c.folders[:1] == folder]
        mine.sort(key=lambda n: (stem(inside[n].path) != homework, len(inside[n].folders), n))
        left_out |= set(mine[limit:])
        complaints.append(
            f"{one_line(path)}/{one_line(folder[0])}: {len(mine):,} notebooks in one "
            f"folder, of which only {limit} are graded; keep only the one that counts"
        )
    return [candidate for n, candidate in enumerate(inside) if n not in left_out]


def _of_platform(shares: platform.Shares, known: Known, complaints: list[str]) -> _Named:
    handed_in, why = shares
    complaints += why
    return [(one.student, _counts_or_why_not(one, known)) for one in handed_in]


def _counts_or_why_not(one: Upload, known: Known) -> _Candidate:
    """Return the submission that counts, or an unusable one that says why."""
    if one.unusable:
        return _candidate(one.place, one.unusable, receipt=one.receipt)
    try:
        return _that_counts(one, known)
    except UserError as error:
        return _unusable(one.place, str(error), receipt=one.receipt)


def _that_counts(one: Upload, known: Known) -> _Candidate:
    file, log, helpers, note = choice.choose(one.items, known)
    note = choice.joined(one.note, note)
    return _Candidate("", file, log, note=note, receipt=one.receipt, helpers=helpers)


def _unusable(place: str, why: str, *, receipt: Receipt | None = None) -> _Candidate:
    return _candidate(
        place,
        Unusable(why, f"{choice.without_names(why)}; submit one .ipynb file"),
        receipt=receipt,
    )


def _candidate(place: str, unusable: Unusable, *, receipt: Receipt | None) -> _Candidate:
    def refuse() -> IO[bytes]:
        raise UserError(unusable.why)

    return _Candidate("", Stored(place, "", unusable, refuse), receipt=receipt, unusable=unusable)


def _without_any(
    path: Path, found: Listing, inside: Sequence[_Candidate], known: Known, roster: People
) -> Iterator[_Pair]:
    """Yield students' folders without a submission; beside students' files, there are none.

    If several folders have a submission, all are students'. Otherwise, a folder is one if the
    roster knows it, or if a file in it may have been meant as a submission.
    """
    have = {_person(candidate) for candidate in inside}
    folders = {candidate.folders[:1] for candidate in inside if candidate.folders}
    if () in have:
        return
    for name, items in by_folder(found).items():
        meant = len(folders) > 1 or any(MEANT.search(item.name) for item in items)
        if (name,) not in have and (meant or roster.in_folder(name)):
            upload = Upload(name, f"{one_line(path)}/{one_line(name)}", items)
            yield name, _counts_or_why_not(upload, known)


def _candidates(where: Where, files: Sequence[File], complaints: list[str]) -> Iterator[_Candidate]:
    notebooks = [file for file in files if file.name.lower().endswith(".ipynb")]
    notebooks = notebooks or [f for f in files if f.name.endswith(".py") and has_cells(f)]
    log = next((file for file in files if file.name == LOG_NAME), None)
    if len(notebooks) > 1 and log:
        complaints.append(
            f"{one_line(log)}: with several notebooks beside it, it is unclear whose it "
            "is; move it to a separate folder"
        )
        log = None
    for notebook in notebooks:
        beside = {file.name: file for file in files if len(notebooks) == 1}
        yield _Candidate(
            "", notebook, log, helpers=choice.helpers(notebook.name, beside), folders=where
        )
    if log and not notebooks:
        yield _Candidate("", log, folders=where)


def _by_folder(inside: Sequence[_Candidate], roster: People) -> Iterator[_Pair]:
    """Yield each file with a name: its first folder's, or its own at the top.

    In a folder that belongs to nobody, such as a group's, files named after a person are theirs,
    and every other file has its own name.
    """
    times = Counter(candidate.folders[:1] for candidate in inside)
    for candidate in inside:
        first, name = candidate.folders[:1], stem(candidate.archive or candidate.path)
        whose = next(filter(roster.in_folder, (*candidate.folders, name)), "")
        own = first[0] if first and times[first] == 1 else "-".join((*first, name))
        yield whose or own, candidate


def _unwrapped(inside: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """Drop the single folder that some file managers put around students' folders in a zip."""
    around = {candidate.folders[:1] for candidate in inside}
    students = {candidate.folders[1:2] for candidate in inside}
    if len(around) > 1 or len(students) < 2 or () in around | students:
        return inside
    return [replace(candidate, folders=candidate.folders[1:]) for candidate in inside]


def _of_people(named: _Named, known: Known, roster: People) -> _Named:
    theirs: dict[Person, list[_Candidate]] = {}
    found: list[tuple[Person | str, _Candidate]] = []
    for name, candidate in named:
        if person := roster.in_folder(name):
            found += [] if person in theirs else [(person, candidate)]
            theirs.setdefault(person, []).append(candidate)
        else:
            found.append((roster.folder(name), candidate))
    return [
        (whose.folder, _one_of(theirs[whose], whose, known))
        if isinstance(whose, Person)
        else (whose, one)
        for whose, one in found
    ]


def _one_of(several: Sequence[_Candidate], person: Person, known: Known) -> _Candidate:
    usable = [one for one in several if not one.unusable] or several[:1]
    named = [one for one in usable if stem(one.path) in known.titles] or usable
    depth = min(len(one.folders) for one in named)
    likely = [one for one in named if len(one.folders) == depth]
    best = likely[0]
    if len(likely) > 1:
        best = _unusable(
            one_line(person.id), choice.doubt([str(one.path) for one in likely], known)
        )
    elif len(several) > 1:
        best = _noted(best, f"of {len(several)} submissions {one_line(best.path)} counts")
    return replace(best, receipt=best.receipt and best.receipt.of(person.id))


def _distinct(named: _Named, roster: People) -> list[Found]:
    """Give each submission a unique name, with a note if two had the same.

    The same files always get the same names.
    """
    # Some file systems do not distinguish A from a.
    given = {name.casefold() for name, _ in named}
    found: dict[int, Found] = {}
    first: dict[str, _Candidate] = {}
    for number in sorted(range(len(named)), key=lambda n: (named[n][0], str(named[n][1].path))):
        name, candidate = named[number]
        key = name.casefold()
        if key in first:
            count = 2
            while f"{key}-{count}" in given or roster.in_folder(f"{key}-{count}"):
                count += 1
            given.add(f"{key}-{count}")
            note = f"called {name}-{count}, since {one_line(first[key].path)} is also called {name}"
            name, candidate = f"{name}-{count}", _noted(candidate, note)
        else:
            first[key] = candidate
        found[number] = replace(candidate, student=name)
    return [found[number] for number in range(len(named))]
