"""A platform's interface: who submitted which file when, and where to return feedback.

Each is a `Platform` registered under `autograder.platforms`, by us or by a different distribution;
its name also begins the roster.csv columns with its ids. Without a platform, a folder or a zip of
notebooks is graded as it is.

The platform's text around a submission identifies people. Students choose file names, and could
imitate a platform's; so if there are several paths, one counts as an export only by its own name.
"""

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from autograder.course.people import People
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import Entry, Listing, Upload, by_folder, tops
from autograder.submission.opening import Listed

# Suffixes of files with the same name: hw.ipynb, hw-1.ipynb; after many, a UUID.
_AGAIN = re.compile(r"-(?:[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.\w+$)")
_SAVED_AGAIN = re.compile(r"(?: ?\([0-9]+\))?(?:\.zip)?\Z")  # added by a browser

Shares = tuple[list[Upload], list[str]]
"""Each person's submission, and complaints."""
Deadline = Callable[[str], datetime | None]
"""A function: any id of a person -> deadline for commits, or None if unknown."""


@dataclass(frozen=True)
class Given:
    """A folder or zip that may come from a platform.

    Args:
        top: The path that was given.
        homework: The platform's name for the homework; "" if none is asked for.
        roster: The roster, which shows the owners of addresses, and people who are expected.
        alone: Whether it is the only path.
        deadline: The deadline for commits.
        look: A function that searches it; raises UserError if it cannot.
    """

    top: Listed
    homework: str
    roster: People
    alone: bool
    deadline: Deadline
    look: Callable[[], Listing]

    @functools.cached_property
    def found(self) -> Listing:
        """Return its files."""
        return self.look()

    @property
    def is_export(self) -> bool:
        """Return whether its files may be an export; students' folders also contain such files."""
        return self.alone or is_called(self.top.path.name)


def is_called(name: str) -> bool:
    """Return whether a folder or zip has the usual name of a platform's export."""
    return any(one.called.fullmatch(_SAVED_AGAIN.sub("", name)) for one in installed())


def is_named_by_one(name: str) -> bool:
    """Return whether a file's name follows a platform's pattern."""
    return any(one.names and one.names.fullmatch(name) for one in installed())


class Times(NamedTuple):
    """A platform's list of submission times; its first column ends in a person's number.

    Args:
        called: Its name in messages.
        column: The title of the column with the times.
        moment: A cell and the course's time zone -> the moment; ValueError for other text.
    """

    called: str
    column: str
    moment: Callable[[str, str], datetime]


class Taken(NamedTuple):
    """A submission in an exchange: its folder, its time, and a function for its page's path."""

    folder: Listed
    receipt: Receipt
    page: Callable[[str], Path | None]


Incoming = tuple[Mapping[str, Taken], list[str]]
"""By folder of results, each person's newest submission; and complaints."""


@dataclass(frozen=True)
class Platform:
    """A platform, as seen by the core; every part is optional.

    To find who submitted what, the core tries `whole`, `listed`, `names` and `arranged`, in this
    order.

    Args:
        called: The platform's name for its export.
        whole: Returns each person's submission from a folder that the platform searches on its own.
        listed: Returns them from a list in a file of the platform.
        names: Its pattern for file names. Groups are `name`, `id` (or `anonymous`) and `file`, and
            perhaps `upload`, a number that rises with each upload: the highest counts.
        folders: Whether folders also follow the pattern.
        late: The text after a late person's name.
        arranged: Returns them if only the arrangement of folders shows them.
        student: A file's path and a homework's name there -> its owner, according to its folders, or "".
        times: Its list of submission times.
        incoming: A folder, a homework's names, people, and users who count as staff -> the submissions in it; None if it is not such a folder.
    """

    called: re.Pattern[str] = re.compile(r"(?!)")
    whole: Callable[[Given], Shares | None] = lambda _: None
    listed: Callable[[Given], Shares | None] = lambda _: None
    names: re.Pattern[str] | None = None
    folders: bool = False
    late: re.Pattern[str] | None = None
    arranged: Callable[[Given], Shares | None] = lambda _: None
    student: Callable[[Path, str], str] = lambda _path, _homework: ""
    times: Times | None = None
    incoming: Callable[[Path, Sequence[str], People, Collection[str]], Incoming | None] = (
        lambda _place, _names, _roster, _staff: None
    )


@functools.cache
def installed() -> tuple[Platform, ...]:
    """Return the installed platforms, in the order of their names."""
    found = []
    for one in sorted(entry_points(group="autograder.platforms"), key=lambda one: one.name):
        try:
            found.append(one.load())
        except (
            Exception
        ) as error:  # without the broken platform, its people might be taken for others
            why = f"{type(error).__name__}: {one_line(error)}"
            raise UserError(
                f"the platform {one.name} cannot be loaded ({why}); repair it, or uninstall it"
            ) from error
    return tuple(found)


def recognise(given: Given) -> Shares | None:
    """Return each person's submission, and complaints; None if no platform made the path."""
    known = installed()
    ways = itertools.chain(
        (one.whole for one in known),
        (one.listed for one in known),
        (lambda one: by_name(one.top.path, one.found) if one.is_export else None,),
        (one.arranged for one in known),
    )
    return next(filter(None, (way(given) for way in ways)), None)


def by_name(top: Path, found: Listing) -> Shares | None:
    """Return each person's submission, if a platform wrote most of the names."""
    for where in tops(found):
        files: dict[str, tuple[Entry, ...]] = {
            file.name: (Entry(file, (), file.name),) for file in found.get(where, ())
        }
        for one in installed():
            inside = files | by_folder(found, where) if one.folders else files
            matches = {name: one.names.fullmatch(name) for name in inside} if one.names else {}
            if 2 * sum(match is not None for match in matches.values()) > len(inside):
                return _by_id(top, inside, matches, one.late)
    return None


def _by_id(
    top: Path,
    inside: Mapping[str, tuple[Entry, ...]],
    matches: Mapping[str, re.Match[str] | None],
    marked: re.Pattern[str] | None,
) -> Shares:
    complaints = []
    items: dict[str, list[Entry]] = {}
    names: dict[str, set[str | None]] = {}
    late: set[str] = set()
    for entry, match in matches.items():
        if match is None:
            complaints.append(
                f"{one_line(top)}/{one_line(entry)}: all other files have names from "
                "a platform, but this one does not; grade it separately"
            )
            continue
        parts = match.groupdict()
        student = parts["id"] or parts.get("anonymous") or ""
        names.setdefault(student, set()).add(parts["name"])
        if marked and marked.match(entry, len(parts["name"] or "")):
            late.add(student)
        items.setdefault(student, []).extend(_original(inside[entry], match))
    shares = []
    for student, whose in names.items():
        if len(whose) > 1:
            complaints.append(
                f"{one_line(top)}: submissions of {len(whose)} names have the id "
                f"{student}; find out whose they are, and grade them separately"
            )
        else:
            receipt = Receipt(late=True, people=(student,)) if student in late else None
            place = f"{one_line(top)}, {student}"
            shares.append(Upload(student, place, tuple(items[student]), receipt=receipt))
    return shares, complaints


def _original(items: tuple[Entry, ...], match: re.Match[str]) -> Iterator[Entry]:
    upload = int(match.groupdict().get("upload") or 0)
    for item in items:
        if item.where or item.name != match.string:  # within a folder, files have their own names
            yield item
            continue
        name = match["file"] or item.name
        yield Entry(item.file, (), _AGAIN.sub("", name) if upload else name, upload)
