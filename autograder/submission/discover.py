"""The submissions in some paths, each with a name that its student did not choose."""

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from autograder.course.people import People, Person
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission import opening, platform, scripts
from autograder.submission.archives import (
    Entry,
    File,
    Listing,
    Unusable,
    Upload,
    Where,
    beginning,
    by_folder,
    contents,
    items_below,
    listing,
)
from autograder.submission.opening import Listed, Stored

LOG_NAME = "submission_log.json"
_LOG = re.compile(r"submission_log(?: ?\([0-9]+\))?\.json")  # as a browser saves a second copy
# Names of files that may have been meant as a submission.
_MEANT = re.compile(
    r"\.ipynb|\.(?:zip|rar|7z|gz|tgz|tar|html?|pdf|docx?|odt|py|json)\Z", re.IGNORECASE
)
# Names of files that a notebook may read; timestamp.txt is an exchange's.
_DATA = re.compile(
    r"(?<!\Atimestamp)\.(?:txt|[ct]sv|dat|png|jpe?g|gif|svg|np[yz]|pkl|pickle|xlsx?|h5|hdf5|mat|pth?"
    r"|parquet)\Z",
    re.IGNORECASE,
)
_NOT_OPENED = re.compile(r"\.(?:rar|7z|gz|bz2|xz|tgz|tar)\Z", re.IGNORECASE)
_DOUBT = "it is unclear which counts of"
_ZIPS = "it has several zips"
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
    name: str = ""  # the bytes of the zip around it
    archive: File | None = None


class _Known(NamedTuple):
    """A homework's own name, a platform's names for it if imported, and the other homeworks' names."""

    homework: str
    assignment: str = ""
    notebook: str = ""
    others: frozenset[str] = frozenset()

    @property
    def titles(self) -> tuple[str, ...]:
        """Return the possible names of its notebook, most important first."""
        return tuple(filter(None, (self.homework, self.notebook))) or ("",)

    @classmethod
    def of(cls, homework: str, collected: str, others: Iterable[str] = ()) -> "_Known":
        """Return the names of a homework whose `collected` is "assignment/notebook", or ""."""
        assignment, _, notebook = collected.partition("/")
        return cls(homework, assignment, notebook, frozenset(others) - {homework})

    def only(self, found: Listing, *, of_one: bool = False) -> Listing:
        """Return a folder's files as if collected under the homework's own name.

        In a person's folder with this homework's notebook, those of other homeworks are left out:
        in an assignment's folder all others, elsewhere those with a different homework's name.
        `of_one` means that the folder itself belongs to one person.
        """
        kept: Listing = {}
        for where, files in found.items():
            place = where
            if self.assignment:
                place = tuple(self.homework if name == self.assignment else name for name in where)
            notebooks = {_stem(file): file for file in files if file.name.endswith(".ipynb")}
            left_out: Collection[File] = ()
            if (where or of_one) and notebooks.keys() & set(self.titles):
                whole = bool(self.assignment) and (of_one or place != where)
                left_out = [
                    file
                    for title, file in notebooks.items()
                    if title not in self.titles and (whole or title in self.others)
                ]
            kept.setdefault(place, []).extend(file for file in files if file not in left_out)
        return kept


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
    known, platforms = _Known.of(homework, collected, others), platform.installed()
    # A shell pattern may name a file twice.
    seen = list(dict.fromkeys(map(opening.given, paths)))
    files = [one for one in seen if one.kind == "file" and not _is_zip(one)]
    plain = set(files)
    side_by_side = len({one.path.parent for one in files}) == 1
    by_platform = platform.by_name(files[0].path.parent, {(): [*files]}) if side_by_side else None
    if by_platform:
        named += _of_platform(by_platform, known, complaints)
    for one in seen:
        if one.kind == "link":
            complaints.append(
                f"{one_line(one)}: symbolic links are not followed; give the file itself"
            )
        elif one in plain:
            if not by_platform and _NOT_OPENED.search(one.name):
                complaints.append(
                    f"{one_line(one)}: tar and other archives must be unpacked; give the folder, or a zip"
                )
            elif not by_platform:
                name, folder = _stem(one), one.path.parent.name
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
    known = _Known.of(homework, collected)
    items = items_below(known.only(listing(folder), of_one=True))
    return _found(student, _that_counts(Upload(student, student, items, receipt=receipt), known))


def _inside(
    top: Listed,
    known: _Known,
    roster: People,
    complaints: list[str],
    is_only: bool,
    deadline: platform.Deadline,
) -> _Named:
    path, homework, folder = top.path, known.homework, top.name
    own = folder if top.kind == "folder" else _stem(top)
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
    path: Path, found: Listing, known: _Known, roster: People, complaints: list[str]
) -> list[_Candidate]:
    """Return a folder's files, including each person's zips, and complain about unused ones.

    Side by side, each file belongs to somebody. In somebody's folder, a file that may have been
    meant as a submission deserves a note.
    """
    inside = [c for where, files in found.items() for c in _candidates(where, files, complaints)]
    have = {candidate.folders[:1] for candidate in inside}
    top, below = found.get((), []), by_folder(found)
    for archive in filter(_is_zip, top):
        upload = Upload(_stem(archive), one_line(archive), (Entry(archive, (), archive.name),))
        one = _counts_or_why_not(upload, known)
        if one.unusable and not roster.in_folder(_stem(archive)):
            complaints.append(f"{one.path}: {one.unusable.why}")
        else:
            inside.append(replace(one, name=_stem(archive), archive=archive))
    noted = set()
    for name, items in below.items():
        if (name,) not in have and any(_is_zip(item.file) for item in items):
            with contextlib.suppress(UserError):  # `_without_any` lists the files
                one = _that_counts(Upload(name, name, items), known)
                inside.append(replace(one, folders=(name,)))
                noted.add(name)  # what is ignored there
    used = {file for c in inside for file in (c.path, c.log, c.archive, *c.helpers.values())}
    side_by_side = sum(not candidate.folders for candidate in inside) > 1
    left = [f for f in top if not (f in used or _is_zip(f) or f.name == LOG_NAME)]
    lost = [file for file in left if side_by_side or _MEANT.search(file.name)]
    firsts = _firsts(inside, known)
    for name, mine in below.items():
        first = firsts.get((name,))
        if first is not None and name not in noted:
            inside[first] = _noted(inside[first], _not_used(mine, used))
        elif first is None and () in have:
            lost += (i.file for i in mine if i.file not in used and _MEANT.search(i.name))
    if len(inside) == 1 and not inside[0].folders:
        mine = (*(Entry(file, (), file.name) for file in (*left, *lost)),)
        return [_noted(inside[0], _not_used(mine, used))]
    complaints += (f"{one_line(file)}: ignored; it is not a notebook" for file in lost[:MAX_LINES])
    if len(lost) > MAX_LINES:
        complaints.append(f"{one_line(path)}: {len(lost) - MAX_LINES:,} more files are ignored")
    return inside


def _person(one: _Candidate) -> tuple[str, ...]:
    """Return the name of the folder or zip that belongs to one person; () for a file at the top."""
    return one.folders[:1] or ((one.name,) if one.archive and one.name else ())


def _firsts(inside: Sequence[_Candidate], known: _Known) -> dict[Where, int]:
    """Return the place of each person's first file, preferably of one with the homework's name."""
    order = sorted(range(len(inside)), key=lambda n: _stem(inside[n].path) not in known.titles)
    return {_person(inside[number]): number for number in reversed(order)}


def _noted(one: _Candidate, note: str) -> _Candidate:
    return replace(one, note="; ".join(filter(None, (one.note, note))))


def _not_used(items: Iterable[Entry], used: Collection[File | None]) -> str:
    """Return a note on the files of a submission that staff may miss in it, or ""."""
    odd = {
        one_line("/".join((*item.where, item.name)))[:80]
        for item in items
        if item.file not in used and (_MEANT.search(item.name) or _is_own_data(item))
    }
    names = sorted(odd)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"ignored: {', '.join(names[:5])}{more}" if names else ""


def _is_own_data(item: Entry) -> bool:
    # A homework's data/ is there when the notebook is graded, and students submit copies of it.
    return "data" not in item.where and bool(_DATA.search(item.name))


def _is_zip(file: File) -> bool:
    return file.name.lower().endswith(".zip")


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
        mine.sort(key=lambda n: (_stem(inside[n].path) != homework, len(inside[n].folders), n))
        left_out |= set(mine[limit:])
        complaints.append(
            f"{one_line(path)}/{one_line(folder[0])}: {len(mine):,} notebooks in one "
            f"folder, of which only {limit} are graded; keep only the one that counts"
        )
    return [candidate for n, candidate in enumerate(inside) if n not in left_out]


def _of_platform(shares: platform.Shares, known: _Known, complaints: list[str]) -> _Named:
    handed_in, why = shares
    complaints += why
    return [(one.student, _counts_or_why_not(one, known)) for one in handed_in]


def _counts_or_why_not(one: Upload, known: _Known) -> _Candidate:
    """Return the submission that counts, or an unusable one that says why."""
    if one.unusable:
        return _candidate(one.place, one.unusable, receipt=one.receipt)
    try:
        return _that_counts(one, known)
    except UserError as error:
        return _unusable(one.place, str(error), receipt=one.receipt)


def _unusable(place: str, why: str, *, receipt: Receipt | None = None) -> _Candidate:
    what = "it contains no notebook"
    if why.startswith((_DOUBT, _ZIPS)):
        what = f"it contains several {'zips' if why.startswith(_ZIPS) else 'notebooks'}"
    return _candidate(place, Unusable(why, f"{what}; submit one .ipynb file"), receipt=receipt)


def _candidate(place: str, unusable: Unusable, *, receipt: Receipt | None) -> _Candidate:
    def refuse() -> IO[bytes]:
        raise UserError(unusable.why)

    return _Candidate("", Stored(place, "", unusable, refuse), receipt=receipt, unusable=unusable)


def _that_counts(one: Upload, known: _Known) -> _Candidate:
    """Return the notebook that counts, else the script, else the log; raise UserError if none does.

    Of several notebooks, the one with the homework's name counts, or the only one outside
    subfolders, or the newest upload of the same name; so does one of several zips.
    """
    items, why = _with_its_zip(one.items, known)
    logs = [item for item in items if _LOG.fullmatch(item.name)]
    pool = [item for item in items if item.name.lower().endswith(".ipynb")]
    pool = pool or [i for i in items if i.name.endswith(".py") and _has_cells(i.file)] or logs
    if not pool:
        raise UserError(why or _nothing(items))
    item, likely = _best(pool, known)
    if item is None:
        raise UserError(_doubt(["/".join((*i.where, i.name)) for i in likely], known))
    beside = [log for log in logs if log.where == item.where and log is not item]
    log = max(beside, key=lambda log: log.upload).file if beside else None
    notes = [one.note] if one.note else []
    if known.notebook and _stem(item) not in known.titles:
        notes.append(f"it is called {one_line(item.name)[:80]} instead of {known.notebook}.ipynb")
    if len(pool) > 1:
        which = one_line("/".join((*item.where, item.name)))
        last = ", the newest" if len(likely) > 1 else ""
        notes.append(f"of {len(pool)} notebooks {which} counts{last}")
    near = sorted((i for i in items if i.where == item.where), key=lambda i: i.upload)
    modules = helpers(item.name, {i.name: i.file for i in near if i is not item})
    used = {log, *(i.file for i in (*pool, *logs)), *modules.values()}
    notes.append(_not_used(items, used))
    note = "; ".join(filter(None, notes))
    return _Candidate("", item.file, log, note=note, receipt=one.receipt, helpers=modules)


def _doubt(paths: Sequence[str], known: _Known) -> str:
    """Complain that it is unclear which file counts, and suggest an unused name for it."""
    title = f"{known.titles[-1]}.ipynb"
    named = all(PurePosixPath(path).stem in known.titles for path in paths)
    shown = ", ".join(sorted(map(one_line, paths))[:5])
    call = "" if named else f", or call it {title}"
    return f"{_DOUBT} {shown}; keep only one{call}"


def _best(pool: Sequence[Entry], known: _Known) -> tuple[Entry | None, list[Entry]]:
    """Return the file that counts, or None if it is unclear, and the files that may count."""
    named = ([i for i in pool if _stem(i) == name] for name in known.titles)
    likely = next(filter(None, named), pool)
    depth = min(len(item.where) for item in likely)
    likely = [item for item in likely if len(item.where) == depth]
    newest = max(item.upload for item in likely)
    best = [item for item in likely if item.upload == newest]
    clear = len(best) == 1 and len({_stem(item) for item in likely}) == 1
    return best[0] if clear else None, likely


def _with_its_zip(items: Sequence[Entry], known: _Known) -> tuple[Sequence[Entry], str]:
    """Return a person's files; without a notebook, a zip is replaced by its contents.

    Also returns why none could be opened.
    """
    archives = [item for item in items if _is_zip(item.file)]
    if not archives or any(item.name.lower().endswith(".ipynb") for item in items):
        return items, ""
    archive, likely = _best(archives, known)
    if archive is None:
        names = ", ".join(sorted(one_line(item.name)[:80] for item in likely)[:5])
        return items, f"{_ZIPS}: {names}; keep only one, or the notebook itself"
    try:
        found = items_below(contents(archive.file))
    except (UserError, OSError) as error:
        return items, f"{_nothing(items)} ({one_line(archive.name)[:80]}: {one_line(error)})"
    return (*(item for item in items if item is not archive), *found), ""


def helpers(notebook: str, beside: Mapping[str, File]) -> dict[str, File]:
    """Return the files beside a notebook that it can import."""
    if not notebook.lower().endswith(".ipynb"):
        return {}
    return {
        name: file
        for name, file in beside.items()
        if name.endswith(".py") and name.removesuffix(".py").isidentifier()
    }


def _without_any(
    path: Path, found: Listing, inside: Sequence[_Candidate], known: _Known, roster: People
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
        meant = len(folders) > 1 or any(_MEANT.search(item.name) for item in items)
        if (name,) not in have and (meant or roster.in_folder(name)):
            upload = Upload(name, f"{one_line(path)}/{one_line(name)}", items)
            yield name, _counts_or_why_not(upload, known)


def _nothing(items: Sequence[Entry]) -> str:
    names = ", ".join(one_line(item.name)[:80] for item in items[:5])
    # A script with such marks would count.
    marks = any(item.name.endswith(".py") for item in items)
    instead = ", or cell marks (`# %%`) in the script" if marks else ""
    only = f", only {names}" if names else ""
    return f"no notebook in it{only}; it needs a .ipynb file{instead}"


def _candidates(where: Where, files: Sequence[File], complaints: list[str]) -> Iterator[_Candidate]:
    notebooks = [file for file in files if file.name.lower().endswith(".ipynb")]
    notebooks = notebooks or [f for f in files if f.name.endswith(".py") and _has_cells(f)]
    log = next((file for file in files if file.name == LOG_NAME), None)
    if len(notebooks) > 1 and log:
        complaints.append(
            f"{one_line(log)}: with several notebooks beside it, it is unclear whose it "
            "is; move it to a separate folder"
        )
        log = None
    for notebook in notebooks:
        beside = {file.name: file for file in files if len(notebooks) == 1}
        yield _Candidate("", notebook, log, helpers=helpers(notebook.name, beside), folders=where)
    if log and not notebooks:
        yield _Candidate("", log, folders=where)


def _has_cells(path: File) -> bool:
    try:
        return scripts.is_script(beginning(path, scripts.MAX_SCRIPT).decode(errors="ignore"))
    except (OSError, UserError):
        return False


def _by_folder(inside: Sequence[_Candidate], roster: People) -> Iterator[_Pair]:
    """Yield each file with a name: its first folder's, or its own at the top.

    In a folder that belongs to nobody, such as a group's, files named after a person are theirs,
    and every other file has its own name.
    """
    times = Counter(candidate.folders[:1] for candidate in inside)
    for candidate in inside:
        first, stem = candidate.folders[:1], candidate.name or _stem(candidate.path)
        whose = next(filter(roster.in_folder, (*candidate.folders, stem)), "")
        own = first[0] if first and times[first] == 1 else "-".join((*first, stem))
        yield whose or own, candidate


def _unwrapped(inside: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """Drop the single folder that some file managers put around students' folders in a zip."""
    around = {candidate.folders[:1] for candidate in inside}
    students = {candidate.folders[1:2] for candidate in inside}
    if len(around) > 1 or len(students) < 2 or () in around | students:
        return inside
    return [replace(candidate, folders=candidate.folders[1:]) for candidate in inside]


def _of_people(named: _Named, known: _Known, roster: People) -> _Named:
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


def _one_of(several: Sequence[_Candidate], person: Person, known: _Known) -> _Candidate:
    usable = [one for one in several if not one.unusable] or several[:1]
    named = [one for one in usable if _stem(one.path) in known.titles] or usable
    depth = min(len(one.folders) for one in named)
    likely = [one for one in named if len(one.folders) == depth]
    best = likely[0]
    if len(likely) > 1:
        best = _unusable(one_line(person.id), _doubt([str(one.path) for one in likely], known))
    elif len(several) > 1:
        best = _noted(best, f"of {len(several)} submissions {one_line(best.path)} counts")
    receipt = best.receipt
    if receipt and person.id not in receipt.people:
        receipt = replace(receipt, people=(*receipt.people, person.id))
    return replace(best, receipt=receipt)


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
            found[number] = _found(f"{name}-{count}", _noted(candidate, note))
        else:
            first[key] = candidate
            found[number] = _found(name, candidate)
    return [found[number] for number in range(len(named))]


def _found(name: str, one: _Candidate) -> Found:
    return Found(name, one.path, one.log, one.note, one.receipt, one.helpers, one.unusable)


def _stem(file: File | Entry) -> str:
    return PurePosixPath(file.name).stem
