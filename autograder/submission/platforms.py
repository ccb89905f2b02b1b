"""Read what each person submitted from what a platform hands out, or from a folder of clones.

The platform's text around a submission names its people. A student names
files, and could write them as a platform would; so one of several paths is an
export only when its own name shows it.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.course.people import People, key
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission import git, gradescope_export, receipts
from autograder.submission.archives import (
    MAX_DEPTH,
    Entry,
    Listing,
    Unusable,
    Upload,
    Where,
    by_folder,
    is_skipped,
    items_below,
    tops,
)
from autograder.submission.opening import Listed

SUBMITTED = "submitted"  # nbgrader's folder
# As a browser saves it; not ada_12_34_submissions, which a student may have chosen.
_CALLED = re.compile(r"(?:assignment_[0-9]+_export|submissions)(?: ?\([0-9]+\))?")
# Name, LATE, id of the person, id of the upload, name of the file. The first numbers count:
# what comes behind them is the student's. An anonymous person has no name.
CANVAS = re.compile(
    r"(?:(?:LATE_)?(?P<anonymous>anon_[A-Za-z0-9]+)|(?P<name>.*?)_(?:LATE_)?(?P<id>[0-9]+))"
    r"_(?:(?P<upload>[0-9]{1,18})_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)
"""The name that Canvas gives a file of a submission."""
_LATE = re.compile("_?LATE_")  # behind the name
_MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_[a-z]+_?(?P<file>.*)", re.DOTALL
)
# What Canvas adds to a file of the same name: hw.ipynb, hw-1.ipynb; after many, a UUID.
_AGAIN = re.compile(r"-(?:[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.\w+$)")

Shares = tuple[list[Upload], list[str]]


Deadline = Callable[[str], datetime | None]
"""Any id of a person -> until when commits count; None where nothing shows it."""


def recognise(
    top: Path,
    found: Listing,
    *,
    homework: str,
    roster: People,
    alone: bool,
) -> Shares | None:
    """Return what each person submitted, and complaints; None where no platform made it.

    Without the name of a homework, no nbgrader tree is seen. The roster shows whose an address is, and
    who has not submitted without a complaint. It is `alone` where no other path was given.
    """
    if alone or _CALLED.fullmatch(top.name.removesuffix(".zip")):
        if (where := gradescope_export.top(found)) is not None:
            return gradescope_export.handed_in(found, where, name=one_line(top), roster=roster)
        if shares := by_name(top, found):
            return shares
    return _of_nbgrader(top, found, homework, roster, alone=alone) if homework else None


def student(path: Path, homework: str) -> str:
    """Return whose a file in submitted/STUDENT/HOMEWORK/ is; empty for one that is elsewhere."""
    match path.parts:
        case (*_, name, student, folder, _) if (name, folder) == (SUBMITTED, homework):
            return student
    return ""


def by_name(top: Path, found: Listing) -> Shares | None:
    """Return what each person submitted, where most names are written by Canvas or Moodle."""
    for where in tops(found):
        files: dict[str, tuple[Entry, ...]] = {
            file.name: (Entry(file, (), file.name),) for file in found.get(where, ())
        }
        for pattern, inside in ((CANVAS, files), (_MOODLE, files | by_folder(found, where))):
            matches = {name: pattern.fullmatch(name) for name in inside}
            if 2 * sum(match is not None for match in matches.values()) > len(inside):
                return _by_id(top, inside, matches)
    return None


def _by_id(
    top: Path, inside: dict[str, tuple[Entry, ...]], matches: dict[str, re.Match[str] | None]
) -> Shares:
    complaints = []
    items: dict[str, list[Entry]] = {}
    names: dict[str, set[str | None]] = {}
    late: set[str] = set()
    for entry, match in matches.items():
        if match is None:
            complaints.append(
                f"{one_line(top)}/{one_line(entry)}: all others have a name that a platform "
                "gave them, and this does not; grade it by itself"
            )
            continue
        student = match["id"] or match["anonymous"]
        names.setdefault(student, set()).add(match["name"])
        if _LATE.match(entry, len(match["name"] or "")):
            late.add(student)
        items.setdefault(student, []).extend(_original(inside[entry], match))
    shares = []
    for student, whose in names.items():
        if len(whose) > 1:
            complaints.append(
                f"{one_line(top)}: submissions of {len(whose)} names have the id {student}; "
                "look whose they are, and grade them by themselves"
            )
        else:
            receipt = Receipt(late=True, people=(student,)) if student in late else None
            place = f"{one_line(top)}, {student}"
            shares.append(Upload(student, place, tuple(items[student]), receipt=receipt))
    return shares, complaints


def _original(items: tuple[Entry, ...], match: re.Match[str]) -> Iterator[Entry]:
    upload = int(match.groupdict().get("upload") or 0)
    for item in items:
        if item.where or item.name != match.string:  # in a folder, files have their own names
            yield item
            continue
        name = match["file"] or item.name
        yield Entry(item.file, (), _AGAIN.sub("", name) if upload else name, upload)


def _of_nbgrader(
    top: Path, found: Listing, homework: str, roster: People, *, alone: bool
) -> Shares | None:
    """Return the submissions of submitted/STUDENT/HOMEWORK/, whichever of these folders was given."""
    full = top.resolve()
    name = full.name if full.is_dir() else full.stem
    if full.parent.parent.name == SUBMITTED and name == homework:
        return [_taken(full.parent.name, one_line(top), items_below(found))], []
    where: Where = ()
    folders = by_folder(found)
    if _is_student(folders, homework) or (full.parent.name == SUBMITTED and full.is_dir()):
        return _of_students({name: items_below(found)}, homework, one_line(full.parent), People())
    if alone and set(folders) == {SUBMITTED} and not found.get(()):
        name, where = SUBMITTED, (SUBMITTED,)
        folders = by_folder(found, where)
    have = sum(any(i.where[:1] == (homework,) for i in items) for items in folders.values())
    if (name == SUBMITTED and (have or not found.get(where))) or (
        alone and 2 * have > len(folders)
    ):
        shares, complaints = _of_students(folders, homework, one_line(top), roster)
        for file in found.get(where, ()):
            if file.name.endswith(".ipynb"):
                complaints.append(
                    f"{one_line(file)}: it is beside the students' folders, not in one"
                )
        return shares, complaints
    return None


def _taken(student: str, place: str, items: tuple[Entry, ...]) -> Upload:
    return Upload(student, place, items, receipt=receipts.of_nbgrader(student, items))


def _is_student(folders: Mapping[str, tuple[Entry, ...]], homework: str) -> bool:
    return homework in folders and all(
        any(item.name == f"{name}.ipynb" and not item.where for item in items)
        for name, items in folders.items()
    )


def _of_students(
    students: Mapping[str, tuple[Entry, ...]], homework: str, place: str, roster: People
) -> Shares:
    shares: list[Upload] = []
    lacking: dict[str, str] = {}
    for student, items in students.items():
        here = f"{place}/{one_line(student)}"
        mine = [replace(i, where=i.where[1:]) for i in items if i.where[:1] == (homework,)]
        # A student's folder without folders of homework has the submission itself.
        mine = mine or [item for item in items if not item.where]
        if mine:
            shares.append(_taken(student, here, tuple(mine)))
            continue
        lacking[student] = _lacks(here, homework, items)
    # Who of the roster did not submit this homework is listed with the roster; nobody is, where all lack it.
    listed = roster if shares else People()
    return shares, [why for student, why in lacking.items() if not listed.in_folder(student)]


def _lacks(place: str, homework: str, items: Sequence[Entry]) -> str:
    others = ", ".join(sorted({one_line(item.where[0]) for item in items})[:5])
    beside = f" but {others}" if others else ""
    return f"{place}: nothing of {homework} is here{beside}; collect it again"


def of_clones(top: Listed, roster: People, deadline: Deadline) -> Shares | None:
    """Return what was committed in each clone of a folder; None where most folders are none."""
    if top.kind != "folder":
        return None
    try:
        folders = [one for one in top.inside() if one.kind == "folder" and not is_skipped(one.name)]
    except OSError:
        return None  # it is looked through in another way, which tells why it cannot be
    clones = [folder for folder in folders if git.is_clone(folder)]
    if not clones or 2 * len(clones) <= len(folders):
        return None
    complaints = [
        f"{one_line(folder)}: all others are clones of a repository, and this is none; clone it again"
        for folder in folders
        if folder not in clones
    ]
    logins = _logins([clone.name for clone in clones], roster)
    uploads = []
    for clone in clones:
        login = logins[clone.name]
        try:
            uploads.append(_of_clone(clone, login, deadline))
        except (UserError, OSError) as error:
            why = Unusable(one_line(error), "the repository cannot be read")
            receipt = Receipt(people=(login,))
            uploads.append(Upload(login, one_line(clone), (), receipt=receipt, unusable=why))
    return uploads, complaints


def _of_clone(clone: Listed, login: str, deadline: Deadline) -> Upload:
    until = deadline(login)
    commits = git.commits(clone)
    late = 0
    while until and late < len(commits) and commits[late].at > until:
        late += 1
    if late == len(commits):
        raise UserError(f"none of its {late} commits was made until {until:%Y-%m-%d %H:%M %Z}")
    commit = commits[late]
    items = []
    for path, file in git.committed(clone, commit):
        *where, name = path.split("/")
        plain = not any(map(is_skipped, (*where, name))) and len(where) < MAX_DEPTH
        if plain and not name.lower().endswith(".zip"):
            items.append(Entry(file, tuple(where), name))
    note = f"{late} later commit{'s are' if late > 1 else ' is'} left out" if late else ""
    receipt = Receipt(commit.at, people=(login,))
    return Upload(login, one_line(clone), tuple(items), note, receipt)


def _logins(names: Sequence[str], roster: People) -> dict[str, str]:
    """Return whose each clone is: what is behind <classroom>-<assignment>- in its name.

    Where roster.csv knows a login that the name ends in, it is that one: logins have hyphens, too.
    """
    parts = list(zip(*(name.split("-") for name in names), strict=False)) if len(names) > 1 else []
    same = list(itertools.takewhile(lambda part: len(set(part)) == 1, parts))
    start = "".join(f"{part[0]}-" for part in same)
    known = sorted(roster.by_id, key=len, reverse=True)
    found = {}
    for name in names:
        ends = (login for login in known if key(name).endswith(f"-{login}"))
        login = next(ends, "")
        found[name] = name[-len(login) :] if login else name.removeprefix(start) or name
    return found
