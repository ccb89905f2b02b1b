"""The people in roster.csv, and the only place that finds a person by any of their ids.

Folders of results get their names here, and are mapped back to people here: nothing else compares
ids.
"""

import functools
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from autograder.records.codec import one_line, safe
from autograder.records.errors import UserError

FILE = "roster.csv"
_PARTS = (
    re.compile(r"(?:first|given|fore)[ _-]?names?|vornamen?"),
    re.compile(r"middle[ _-]?names?"),
    re.compile(r"(?:last|family|sur)[ _-]?names?|(?:nach|familien)namen?"),
)
"""Names of columns with parts of a name, in the order of the parts."""
_NAME = re.compile(
    rf"{'|'.join(one.pattern for one in _PARTS)}|(?:(?:full|preferred)[ _-]?)?names?"
)
_OF_PLATFORMS = (r"id\b", "e-?mail", "git", "jupyter", "sid", "login", "user")
"""Prefixes of the names of columns with platforms' ids, besides those of installed platforms."""
_SHARED = re.compile(r"section|group|class|course|type|role|team|status|note")
"""Words in a platform's column name that mean it has no ids."""
_SECTION = re.compile(r"sections?")
"""The column with a person's section of the class."""
_EMAIL = re.compile(r"e?-?mail(?:[ _-]?add?ress[aeo]?)?")
_ROW = re.compile(r"#|(?:s\.?|sl\.?|lfd\.?)? ?n(?:o|r|\xb0|\xba)?\.?|row|line|zeile|index|pos\.?")
"""The names of columns that number a table's lines."""
_FIRST_CELL = re.compile(r'(?:"[^"]*(?:""[^"]*)*"|[^",;\t\r\n]*)([,;\t])')
_NOBODY = {"n/a", "none", "null", "nan", "0", "tba", "tbd", "unknown"}
"""Texts that people write instead of an id; any text without letters and digits is one as well."""
_BLANK = r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
_AROUND = re.compile(rf"\A{_BLANK}+|{_BLANK}+\Z")


def key(id: str) -> str:
    """Return the form that all spellings of an id share."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", _trimmed(id)).casefold())


def _trimmed(text: str) -> str:
    """Return a text without surrounding white space, including invisible characters."""
    return _AROUND.sub("", text)


@dataclass(frozen=True)
class Person:
    """A line of roster.csv.

    Args:
        id: The id in roster.csv.
        folder: The name of their folders, which nobody else's have.
        name: The name for staff's pages, or "".
        email: The address, or "".
        section: The section of the class, or "".
        ids: The keys of all ids in any column.
    """

    id: str
    folder: str
    name: str = ""
    email: str = ""
    section: str = ""
    ids: frozenset[str] = frozenset()


class People:
    """The people of roster.csv, in its order.

    An id that two people share finds nobody, unless it is in the column of ids.
    """

    def __init__(self, people: Iterable[Person] = ()) -> None:
        self._people = tuple(people)
        own = {key(one.id): one for one in self._people}
        self.by_id = _of_one((id, one) for one in self._people for id in one.ids) | own
        named = _of_one((key(safe(id)), one) for id, one in self.by_id.items())
        # A submission may have been graded before roster.csv had its id.
        self._by_folder = named | {key(one.folder): one for one in self._people}

    def __iter__(self) -> Iterator[Person]:
        return iter(self._people)

    def __len__(self) -> int:
        return len(self._people)

    @classmethod
    def of(cls, rows: Mapping[str, Mapping[str, str]]) -> "People":
        """Build people from their ids and other columns."""
        folders = _folders(rows, ())
        return cls(
            Person(
                id,
                folders[id],
                row.get("name", ""),
                row.get("email", ""),
                next((cell for column, cell in row.items() if _SECTION.fullmatch(column)), ""),
                frozenset({key(id), *(key(v) for c, v in row.items() if _is_id(c, v))}),
            )
            for id, row in rows.items()
        )

    def find(self, id: str) -> Person | None:
        """Return the person with an id in any column of roster.csv, or None."""
        return self.by_id.get(key(id))

    def in_folder(self, name: str) -> Person | None:
        """Return the owner of a folder or file by its name: one that we chose, or an id."""
        return self._by_folder.get(key(name)) or self.find(name)

    def id_of(self, folder: str) -> str:
        """Return the id of a folder's owner, or the folder's name if roster.csv does not know them."""
        person = self.in_folder(folder)
        return person.id if person else folder

    def name_of(self, folder: str) -> str:
        """Return the name of a folder's owner, or "" if roster.csv has none."""
        person = self.in_folder(folder)
        return person.name if person else ""

    def one_each(self, folders: Sequence[Path]) -> tuple[list[Path], list[str]]:
        """Return one folder of results for each person, and a complaint about any others.

        A person has two if a submission was graded again after its id was added to roster.csv.
        """
        best: dict[Person, Path] = {}
        for path in folders:
            if (person := self.in_folder(path.name)) and (
                person not in best or path.name == person.folder
            ):
                best[person] = path
        complaints = [
            f"{one_line(person.id)} has two submissions, {one_line(path)} and "
            f"{one_line(best[person])}; the latter counts, so move the other one away"
            for path in folders
            if (person := self.in_folder(path.name)) and best[person] != path
        ]
        return [p for p in folders if not (o := self.in_folder(p.name)) or best[o] == p], complaints

    def called(self, name: str) -> str:
        """Return the folder of a person named at the terminal, by an id or by the folder's name."""
        person = self.find(name)
        return person.folder if person else name

    def folder(self, id: str) -> str:
        """Return the folder name for the person with an id, which is unique to that person."""
        return self.folders([id])[id]

    def folders(self, ids: Collection[str]) -> dict[str, str]:
        """Return the folder name for each id; unknown people never share one."""
        known = {id: person.folder for id in ids if (person := self.find(id))}
        return known | _folders([id for id in ids if id not in known], self._by_folder)


def roster(root: Path) -> People:
    """Return the people in a course's roster.csv, or no people if there is no such file."""
    try:
        text = (root / FILE).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return People()
    except (OSError, UnicodeError) as error:
        raise UserError(f"{FILE}: it is not a CSV file in UTF-8 ({error})") from error
    return parsed(text)


def parsed(text: str) -> People:
    """Return the people of a roster written by hand or by a spreadsheet.

    Cells are separated by commas, semicolons or tabs; surrounding blanks and empty lines are
    ignored.

    Raises:
        UserError: it has no column of ids, or an id is missing or belongs to two people.
    """
    header, *rows = [*_lines(text)] or [(1, [])]
    columns = _columns(header[1])
    if "id" not in columns:
        raise UserError(
            f"{FILE}: its first line has to name the columns id, name, email, with commas between"
        )
    place = columns.index("id")
    found: dict[str, Mapping[str, str]] = {}
    seen: set[str] = set()
    for number, cells in rows:
        if len(cells) > len(columns):
            raise UserError(
                f"{FILE}, line {number}: it has {len(cells)} cells but the first line "
                f"has {len(columns)}; put quotes around any text with a comma"
            )
        id = cells[place] if place < len(cells) else ""
        if not id:
            raise UserError(f"{FILE}, line {number}: it has no id")
        if key(id) in seen:
            raise UserError(f"{FILE}: the id {id!r} is in two lines")
        seen.add(key(id))
        found[id] = dict(zip(columns, cells, strict=False))
    known = {"id", "name"}
    known |= {one for one in columns if _SECTION.fullmatch(one)}
    known |= {one for one in columns if _has_ids(one, [row.get(one, "") for row in found.values()])}
    found = {
        id: {c: v for c, v in row.items() if c in known and v} | {"name": _name(row)}
        for id, row in found.items()
    }
    whose = _complain_of_shared(found)
    return People.of(
        {
            id: {
                c: v
                for c, v in row.items()
                if c == "name"
                or _SECTION.fullmatch(c)
                or _is_platform(c)
                or whose.get(key(v), id) == id
            }
            for id, row in found.items()
        }
    )


def titles(text: str) -> list[str]:
    """Return the names of a list's columns, in small letters and all different."""
    _, header = next(_lines(text), (1, []))
    return _columns(header)


def _name(row: Mapping[str, str]) -> str:
    """Return a person's name, assembled from parts if no column has all of it."""
    first, middle, last = (
        " ".join(cell for column, cell in row.items() if cell and part.fullmatch(column))
        for part in _PARTS
    )
    name = row.get("name", "")
    words = set(name.casefold().replace(",", " ").split())
    # Beside a column of first names only, "Name" has the last names, and the other way round.
    if name and bool(first) != bool(last) and not words >= {*(first or last).casefold().split()}:
        first, last, name = first or name, last or name, ""
    return name or row.get("full name") or " ".join(filter(None, (first, middle, last)))


def _columns(header: Sequence[str]) -> list[str]:
    """Return the columns' names, made unique."""
    found: list[str] = []
    for number, cell in enumerate(header):
        name = "email" if _EMAIL.fullmatch(cell.casefold()) else cell.casefold()
        found.append(f"{name} {number}" if not name or name in found else name)
    return found


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and cells of each nonempty line, without empty cells at its end.

    A line with line breaks in quotes has the number of its first.
    """
    first, _, rest = text.partition("\n")
    if named := re.fullmatch(r'"?sep=(.)"?,*\r?', first):  # a line that a spreadsheet adds
        between, text = named[1], f"\n{rest}"
    else:
        between = delimiter(text.lstrip(" ,;\t\r\n"))
    escaped = re.escape(between)
    blanks = rf"(?:(?![{escaped}\r\n]){_BLANK})*+"
    quoted, plain = r'"[^"]*(?:""[^"]*)*"', rf'(?!")[^{escaped}\r\n]*'
    cell = re.compile(rf"{blanks}({quoted}|{plain}){blanks}({escaped}|\r\n|\r|\n|\Z)")
    cells: list[str] = []
    number, breaks, place = 1, 0, 0
    while place < len(text) or cells:
        found = cell.match(text, place)
        if not found:
            raise UserError(
                f"{FILE}, line {number}: a quote in it is not closed or has text after it; "
                "remove it, or put quotes around the whole cell"
            )
        content = found[1][1:-1].replace('""', '"') if found[1].startswith('"') else found[1]
        cells.append(_trimmed(unicodedata.normalize("NFC", content)))
        breaks += len(re.findall(r"\r\n|\r|\n", found[0]))
        place = found.end()
        if found[2] != between:
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                yield number, cells
            number, cells = 1 + breaks, []


def delimiter(text: str) -> str:
    """Return the separator after a CSV's first cell; later column names may contain others."""
    first = _FIRST_CELL.match(text)
    return first[1] if first else ","


def _has_ids(column: str, cells: Iterable[str]) -> bool:
    """Return whether a column has ids, not names, line numbers or shared values such as a section."""
    cells = [*cells]
    if _NAME.fullmatch(column) or _SECTION.fullmatch(column) or _numbers_lines(column, cells):
        return False
    times = Counter(key(cell) for cell in cells if cell)
    return _is_platform(column) or 2 * list(times.values()).count(1) >= times.total()


def _numbers_lines(column: str, cells: Sequence[str]) -> bool:
    """Return whether a column only numbers the lines, by its name or as 1, 2, 3 and so on.

    A platform may have the same numbers for other people.
    """
    counted = [[str(n) for n in range(start, start + len(cells))] for start in (0, 1)]
    return not _is_platform(column) and (bool(_ROW.fullmatch(column)) or [*cells] in counted)


def _is_platform(column: str) -> bool:
    """Return whether a column's name shows that it has a platform's ids."""
    return bool(_platforms().match(column)) and not _SHARED.search(column)


@functools.cache
def _platforms() -> re.Pattern[str]:
    installed = (re.escape(one.name) for one in entry_points(group="autograder.platforms"))
    return re.compile("|".join((*_OF_PLATFORMS, *installed)))


def _is_id(column: str, cell: str) -> bool:
    return (
        column != "name"
        and not _SECTION.fullmatch(column)
        and key(cell) not in _NOBODY
        and re.search(r"\w", cell) is not None
    )


def _complain_of_shared(rows: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the owner of each id in the columns named after platforms.

    In other columns, a value that equals somebody's id may mean anything, such as a line number.

    Raises:
        UserError: an id belongs to two people.
    """
    whose: dict[str, str] = {key(id): id for id in rows}
    for id, row in rows.items():
        for column, cell in row.items():
            if not _is_platform(column):
                continue
            if _is_id(column, cell) and whose.setdefault(key(cell), id) != id:
                raise UserError(
                    f"{FILE}: {one_line(whose[key(cell)])} and {one_line(id)} both have "
                    f"the id {cell!r}, the latter in the column {column}; an id must "
                    "belong to one person in all columns"
                )
    return whose


def _of_one(pairs: Iterable[tuple[str, Person]]) -> dict[str, Person]:
    """Return the owner of each id that only one person has."""
    found: dict[str, set[Person]] = {}
    for id, person in pairs:
        found.setdefault(id, set()).add(person)
    return {id: people.pop() for id, people in found.items() if len(people) == 1}


def _folders(ids: Iterable[str], taken: Container[str]) -> dict[str, str]:
    """Return a folder name for each id, all different and none taken.

    The result does not depend on the order: an id that is a valid folder name keeps it, and others
    that would collide each get extra letters.
    """
    plain = {id: safe(id) for id in ids}
    times = Counter(map(key, plain.values()))
    found = {}
    for id, name in plain.items():
        shared = times[key(name)] > 1 and name != unicodedata.normalize("NFC", id)
        if shared or key(name) in taken:
            name = f"{name}-{hashlib.sha256(id.encode()).hexdigest()[:8]}"
        found[id] = name
    return found
