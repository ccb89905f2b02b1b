"""Of one person's files, the one that counts, and a note on the others."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.submission import scripts
from autograder.submission.archives import Entry, File, Listing, beginning, contents, items_below

_LOG = re.compile(r"submission_log(?: ?\([0-9]+\))?\.json")  # as a browser saves a second copy
# Names of files that may have been meant as a submission.
MEANT = re.compile(
    r"\.ipynb|\.(?:zip|rar|7z|gz|tgz|tar|html?|pdf|docx?|odt|py|json)\Z", re.IGNORECASE
)
# Names of files that a notebook may read; timestamp.txt is an exchange's.
_DATA = re.compile(
    r"(?<!\Atimestamp)\.(?:txt|[ct]sv|dat|png|jpe?g|gif|svg|np[yz]|pkl|pickle|xlsx?|h5|hdf5|mat|pth?"
    r"|parquet)\Z",
    re.IGNORECASE,
)
MAX_SCRIPTS = 200  # the most that are read: a zip is opened again for each, and may have thousands
_DOUBT = "it is unclear which counts of"
_ZIPS = "it has several zips"


class Known(NamedTuple):
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
    def of(cls, homework: str, collected: str, others: Iterable[str] = ()) -> "Known":
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
            notebooks = {stem(file): file for file in files if file.name.endswith(".ipynb")}
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


class Chosen(NamedTuple):
    """The file that counts, the log and the Python files beside it, and a note for staff."""

    file: File
    log: File | None
    helpers: Mapping[str, File]
    note: str


def choose(items: Sequence[Entry], known: Known) -> Chosen:
    """Return the notebook that counts, else the script, else the log; raise UserError if none does.

    Of several notebooks, the one with the homework's name counts, or the only one outside
    subfolders, or the newest upload of the same name; so does one of several zips.
    """
    items, why = _with_its_zip(items, known)
    logs = [item for item in items if _LOG.fullmatch(item.name)]
    pool = [item for item in items if item.name.lower().endswith(".ipynb")]
    pool = pool or [i for i in _likely_scripts(items, known) if has_cells(i.file)] or logs
    if not pool:
        raise UserError(why or _nothing(items))
    item, likely = _best(pool, known)
    if item is None:
        raise UserError(doubt([one.place for one in likely], known))
    beside = [log for log in logs if log.where == item.where and log is not item]
    log = max(beside, key=lambda log: log.upload).file if beside else None
    notes = []
    if known.notebook and stem(item) not in known.titles:
        notes.append(f"it is called {one_line(item.name)[:80]} instead of {known.notebook}.ipynb")
    if len(pool) > 1:
        last = ", the newest" if len(likely) > 1 else ""
        notes.append(f"of {len(pool)} notebooks {one_line(item.place)} counts{last}")
    near = sorted((i for i in items if i.where == item.where), key=lambda i: i.upload)
    modules = helpers(item.name, {i.name: i.file for i in near if i is not item})
    used = {log, *(i.file for i in (*pool, *logs)), *modules.values()}
    return Chosen(item.file, log, modules, joined(*notes, not_used(items, used)))


def _likely_scripts(items: Sequence[Entry], known: Known) -> list[Entry]:
    """Return the scripts that may count: those with the homework's name, and the shallowest."""
    found = [item for item in items if item.name.endswith(".py")]
    found.sort(key=lambda item: (stem(item) not in known.titles, len(item.where)))
    return found[:MAX_SCRIPTS]


def doubt(paths: Sequence[str], known: Known) -> str:
    """Complain that it is unclear which file counts, and suggest an unused name for it."""
    title = f"{known.titles[-1]}.ipynb"
    named = all(PurePosixPath(path).stem in known.titles for path in paths)
    shown = ", ".join(sorted(map(one_line, paths))[:5])
    call = "" if named else f", or call it {title}"
    return f"{_DOUBT} {shown}; keep only one{call}"


def without_names(why: str) -> str:
    """Return why nothing can be graded in words for a person's page, which contains no names."""
    if why.startswith((_DOUBT, _ZIPS)):
        return f"it contains several {'zips' if why.startswith(_ZIPS) else 'notebooks'}"
    return "it contains no notebook"


def _best(pool: Sequence[Entry], known: Known) -> tuple[Entry | None, list[Entry]]:
    """Return the file that counts, or None if it is unclear, and the files that may count."""
    named = ([i for i in pool if stem(i) == name] for name in known.titles)
    likely = next(filter(None, named), pool)
    depth = min(len(item.where) for item in likely)
    likely = [item for item in likely if len(item.where) == depth]
    newest = max(item.upload for item in likely)
    best = [item for item in likely if item.upload == newest]
    clear = len(best) == 1 and len({stem(item) for item in likely}) == 1
    return best[0] if clear else None, likely


def _with_its_zip(items: Sequence[Entry], known: Known) -> tuple[Sequence[Entry], str]:
    """Return a person's files; without a notebook, a zip is replaced by its contents.

    Also returns why none could be opened.
    """
    archives = [item for item in items if is_zip(item.file)]
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


def _nothing(items: Sequence[Entry]) -> str:
    names = ", ".join(one_line(item.name)[:80] for item in items[:5])
    # A script with such marks would count.
    scripts = sum(item.name.endswith(".py") for item in items)
    instead = ", or cell marks (`# %%`) in the script" if scripts else ""
    if scripts > MAX_SCRIPTS:
        instead += f" (only {MAX_SCRIPTS} of its {scripts:,} scripts were read)"
    only = f", only {names}" if names else ""
    return f"no notebook in it{only}; it needs a .ipynb file{instead}"


def not_used(items: Iterable[Entry], used: Collection[File | None]) -> str:
    """Return a note on the files of a submission that staff may miss in it, or ""."""
    odd = {
        one_line(item.place)[:80]
        for item in items
        if item.file not in used and (MEANT.search(item.name) or _is_own_data(item))
    }
    names = sorted(odd)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"ignored: {', '.join(names[:5])}{more}" if names else ""


def _is_own_data(item: Entry) -> bool:
    # A homework's data/ is there when the notebook is graded, and students submit copies of it.
    return "data" not in item.where and bool(_DATA.search(item.name))


def joined(*notes: str) -> str:
    """Return several notes as one."""
    return "; ".join(filter(None, notes))


def helpers(notebook: str, beside: Mapping[str, File]) -> dict[str, File]:
    """Return the files beside a notebook that it can import."""
    if not notebook.lower().endswith(".ipynb"):
        return {}
    return {
        name: file
        for name, file in beside.items()
        if name.endswith(".py") and name.removesuffix(".py").isidentifier()
    }


def has_cells(path: File) -> bool:
    """Return whether a script was made from a notebook."""
    try:
        return scripts.is_script(beginning(path, scripts.MAX_SCRIPT).decode(errors="ignore"))
    except (OSError, UserError):
        return False


def is_zip(file: File) -> bool:
    """Return whether a file is a zip, by its name."""
    return file.name.lower().endswith(".zip")


def stem(file: File | Entry) -> str:
    """Return a file's name without its suffix."""
    return PurePosixPath(file.name).stem
