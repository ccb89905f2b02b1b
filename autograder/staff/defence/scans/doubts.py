"""Scanned pages and a class's keys -> clear letters, and doubtful cases for a person.

A person types letters into doubtful.csv, with the pictures in doubtful.html at hand; the next run
reads them there. Typed letters take precedence over the machine's.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.course.people import People, delimiter
from autograder.records.errors import UserError
from autograder.reports.tables import csv_of, text
from autograder.reports.templates import environment
from autograder.staff.defence.keys import Keys, same_sheet
from autograder.staff.defence.marks import Returned
from autograder.staff.defence.records import LETTERS
from autograder.staff.defence.scans.records import Answered, PageSeen
from autograder.staff.defence.sheets.answer_block import LEAVES_OUT

CSV, PAGE = "doubtful.csv", "doubtful.html"
OPEN = "?"
"""The mark for a letter that a person has to type."""
_NONE = "-"
_environment = environment("autograder.staff.defence.scans", ".")


class Doubt(NamedTuple):
    """A picture that a person has to look at."""

    place: str
    whose: str
    question: int
    why: str
    picture: str
    form: str


@dataclass(frozen=True)
class Line:
    """A line of doubtful.csv: a sheet, and a letter, `-` or `?` for each question."""

    student: str
    sheet: str
    cells: tuple[str, ...]
    place: str

    @property
    def is_open(self) -> bool:
        """Whether a person still has to type something."""
        return OPEN in self.cells or not self.student


@dataclass(frozen=True)
class Sorted:
    """The results of reading scans.

    Args:
        lines: One line per sheet.
        doubts: The doubtful cases, for a person.
        complaints: A line for each unusable page.
        notes: Notes for staff.
    """

    lines: tuple[Line, ...]
    doubts: tuple[Doubt, ...]
    complaints: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def returned(self) -> Iterator[Returned]:
        """Yield the letters of each sheet without doubtful boxes."""
        for line in self.lines:
            if not line.is_open:
                typed = enumerate(line.cells, start=1)
                letters = {n: "" if cell == _NONE else cell for n, cell in typed}
                yield Returned(line.student, line.sheet, letters, line.place)


def sorted_out(pages: Sequence[PageSeen], keys: Keys, typed: Sequence[Line]) -> Sorted:
    """Return the letters of each sheet, and the doubtful cases."""
    students = {key.sheet: student for student, key in keys.sheets.items()}
    sheets: dict[str, list[PageSeen]] = {}
    lines: list[Line] = []
    doubts: list[Doubt] = []
    complaints: list[str] = []
    notes: list[str] = []
    most = max((len(sheet.questions) for sheet in keys.sheets.values()), default=0)
    done = {line.place for line in typed if not line.sheet and not line.is_open}
    for page in pages:
        if page.label is None and page.place in done:
            notes.append(
                f"{page.place}: its letters were typed before; if it is a different page, "
                "rename the file"
            )
            continue
        why = page.why or _stranger(page, keys, students)
        if not why:
            assert page.label is not None
            sheets.setdefault(page.label.sheet, []).append(page)
            continue
        complaints.append(f"{page.place}: {why}")
        doubts.append(Doubt(page.place, "", 0, why, page.whole, "jpeg"))
        if page.label is None:  # its letters can be typed, whatever was read
            cells = tuple(_cell(one) for one in page.answers) or (OPEN,) * most
            lines.append(Line("", "", cells, page.place))
    for code, several in sheets.items():
        student = students[code]
        place = " and ".join(page.place for page in several)
        if len(several) > 1:
            alike = len({page.answers for page in several}) == 1
            said = "read alike, and counted once" if alike else "they differ, so look at both"
            notes.append(f"{place}: the same sheet ({student}) twice; {said}")
        lines.append(Line(student, code, _cells(several), place))
    by_sheet = {line.sheet or line.place: line for line in (*lines, *typed)}
    for code, several in sheets.items():
        line = by_sheet[code]
        for n, cell in enumerate(line.cells, start=1):
            if cell == OPEN:
                doubts += (_doubt(page, n, line.student) for page in several)
    return Sorted(tuple(by_sheet.values()), tuple(doubts), tuple(complaints), tuple(notes))


def _stranger(page: PageSeen, keys: Keys, students: Mapping[str, str]) -> str:
    """Return why a page does not belong to these sheets, or ""."""
    label = page.label
    if label is None:
        return "its code cannot be read"
    if (label.homework, label.round) != (keys.homework, keys.round):
        return (
            f"a sheet of {label.homework}, round {label.round}; "
            f"these are of {keys.homework}, round {keys.round}"
        )
    student = students.get(label.sheet)
    if student is None:
        return f"the sheet {label.sheet} is not in this folder's key; were sheets made again since?"
    if len(keys.sheets[student].questions) != len(page.answers):
        return f"its code says {len(page.answers)} questions, but the key has a different number"
    return ""


def _cells(several: Sequence[PageSeen]) -> tuple[str, ...]:
    """Combine the letters of a sheet's copies, with `?` if they differ."""
    columns = zip(*(page.answers for page in several), strict=True)
    found = [{_cell(one) for one in column} for column in columns]
    return tuple(cells.pop() if len(cells) == 1 else OPEN for cells in found)


def _cell(one: Answered) -> str:
    return _NONE if one.letter == LEAVES_OUT else one.letter or OPEN


def _doubt(page: PageSeen, question: int, student: str) -> Doubt:
    one = page.answers[question - 1]
    why = one.why or f"here {_cell(one)} is marked, and elsewhere not"
    return Doubt(page.place, student, question, why, page.pictures.get(question, ""), "png")


def table(found: Sorted, people: People) -> str:
    """Return doubtful.csv: the sheets with letters that a person typed or still has to type."""
    most = max((len(line.cells) for line in found.lines), default=0)
    rows = [["id", "name", "sheet", *map(str, range(1, most + 1)), "place"]]
    for line in found.lines:
        name = people.name_of(line.student) if line.student else ""
        cells = [*line.cells, *[""] * (most - len(line.cells))]
        rows.append([text(line.student), text(name), line.sheet, *cells, text(line.place)])
    return csv_of(rows)


def page(found: Sorted, people: People) -> str:
    """Return doubtful.html: the pictures of the doubtful cases."""
    names = {doubt.whose: people.name_of(doubt.whose) for doubt in found.doubts if doubt.whose}
    template = _environment.get_template("doubtful.html.jinja")
    return template.render(doubts=found.doubts, names=names, csv=CSV)


def typed(path: Path, keys: Keys) -> list[Line]:
    """Return the lines of doubtful.csv, which a person may have edited; none without a file.

    Raises:
        UserError: it is unreadable, or has something other than a letter.
    """
    try:
        data = path.read_bytes().decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(data, newline=""), delimiter=delimiter(data)))
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} cannot be read ({error}); save it as CSV in UTF-8") from error
    lines = []
    for number, row in enumerate(rows, start=2):
        student = (row.get("id") or "").strip().removeprefix("'")
        key = keys.sheets.get(student)
        if student and key is None:
            raise UserError(f"{path}: line {number}: {student!r} has no sheet in this folder")
        numbers = [name for name in row if name and name.isdigit()]
        count = len(key.questions) if key else len([name for name in numbers if row[name]])
        cells = tuple(
            _typed((row.get(str(n)) or ""), f"{path}: line {number}: question {n}")
            for n in range(1, count + 1)
        )
        sheet = (row.get("sheet") or "").strip()
        sheet = key.sheet if key and sheet and same_sheet(sheet, key.sheet) else sheet
        lines.append(
            Line(student, sheet, cells, (row.get("place") or "").strip().removeprefix("'"))
        )
    return lines


def _typed(cell: str, place: str) -> str:
    said = cell.strip().upper() or OPEN
    said = _NONE if said in (LEAVES_OUT, ".") else said
    if said not in (*LETTERS, _NONE, OPEN):
        raise UserError(f"{place}: {cell[:20]!r} is not one of {', '.join(LETTERS)}, - and ?")
    return said
