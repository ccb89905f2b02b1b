"""What the core asks of a platform: who submitted which file and when, and where feedback goes back to.

Each is a `Platform` that an entry point `autograder.platforms` names, ours or of a different
distribution; that name also begins the columns of roster.csv that have its ids. Without any, a
folder or a zip of notebooks is graded as it is.

The platform's text around a submission names its people. A student names files, and could write
them as a platform would; so one of several paths is an export only when its own name shows it.
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

# What is added to a file of the same name: hw.ipynb, hw-1.ipynb; after many, a UUID.
_AGAIN = re.compile(r"-(?:[0-9]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\.\w+$)")
_SAVED_AGAIN = re.compile(r"(?: ?\([0-9]+\))?(?:\.zip)?\Z")  # by a browser

Shares = tuple[list[Upload], list[str]]
"""What each person submitted, and complaints."""
Deadline = Callable[[str], datetime | None]
"""Any id of a person -> until when commits count; None where nothing shows it."""


@dataclass(frozen=True)
class Given:
    """A folder or a zip that may be a platform's.

    Args:
        top: The path that was given.
        homework: What the platform calls the homework; "" where nobody asks for one.
        roster: It shows whose an address is, and who has not submitted without a complaint.
        alone: Whether no other path was given.
        deadline: Until when commits count.
        look: Looks through it; UserError where that cannot be done.
    """

    top: Listed
    homework: str
    roster: People
    alone: bool
    deadline: Deadline
    look: Callable[[], Listing]

    @functools.cached_property
    def found(self) -> Listing:
        """What is in it."""
        return self.look()

    @property
    def is_export(self) -> bool:
        """Whether it may be an export that files show: students' folders have such files, too."""
        name = _SAVED_AGAIN.sub("", self.top.path.name)
        return self.alone or any(one.called.fullmatch(name) for one in installed())


class Times(NamedTuple):
    """A platform's list of when people submitted; its first column ends in a person's number.

    Args:
        called: What to call it in a message.
        column: The title of the column of times.
        moment: A cell of it, and the course's time zone -> the moment; ValueError where it is none.
    """

    called: str
    column: str
    moment: Callable[[str, str], datetime]


class Taken(NamedTuple):
    """A submission in an exchange: its folder, when it came, and its notebook's name -> where its page goes."""

    folder: Listed
    receipt: Receipt
    page: Callable[[str], Path | None]


Incoming = tuple[Mapping[str, Taken], list[str]]
"""By the names of folders of results, each person's newest submission; and complaints."""


@dataclass(frozen=True)
class Platform:
    """A platform, by what the core asks of it; it may lack any of these.

    Who submitted what is asked in the order of `whole`, `listed`, `names` and `arranged`.

    Args:
        called: What the platform calls its export.
        whole: Return what each person submitted, of a folder that is not looked through.
        listed: Return it where a file of the platform's lists it.
        names: How it names each file. Groups are `name`, `id` (or `anonymous`) and `file`, and
            perhaps `upload`, the number by which the newest counts.
        folders: Whether folders are named so, too.
        late: What stands behind the name of who was late.
        arranged: Return it where the folders show it, and nothing else does.
        student: A file's path, and a homework's name there -> whose it is, by its folders; or "".
        times: Its list of when people submitted.
        incoming: A folder, the names of a homework, people, and users who count as staff -> what
            students submitted into it; None where it is no such folder.
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
    """Return the platforms that are installed, in the order of their names."""
    found = []
    for one in sorted(entry_points(group="autograder.platforms"), key=lambda one: one.name):
        try:
            found.append(one.load())
        except (
            Exception
        ) as error:  # it may be anybody's; without it, people would be taken for others
            why = f"{type(error).__name__}: {one_line(error)}"
            raise UserError(
                f"the platform {one.name} cannot be loaded ({why}); mend it, or uninstall it"
            ) from error
    return tuple(found)


def recognise(given: Given) -> Shares | None:
    """Return what each person submitted, and complaints; None where no platform made it."""
    known = installed()
    ways = itertools.chain(
        (one.whole for one in known),
        (one.listed for one in known),
        (lambda one: by_name(one.top.path, one.found) if one.is_export else None,),
        (one.arranged for one in known),
    )
    return next(filter(None, (way(given) for way in ways)), None)


def by_name(top: Path, found: Listing) -> Shares | None:
    """Return what each person submitted, where a platform has written most names."""
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
                f"{one_line(top)}/{one_line(entry)}: all others have a name that a platform "
                "gave them, and this does not; grade it by itself"
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
