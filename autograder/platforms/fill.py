"""A platform's CSV and the marks of a class -> the changes, and the table with the changes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import ExportRules
from autograder.course.people import People, key
from autograder.marking.mark import number as written
from autograder.marking.mark import points
from autograder.platforms.csv_table import Columns, CsvTable, is_formula, last_number, number
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.marks import rounded

AS_IT_IS = ExportRules()
NAMED = 50
"""The most people that one complaint names: enough for doubts about a class, and a wrong file does
not fill the screen.
"""


@dataclass(frozen=True)
class Change:
    """A changed mark."""

    row: int
    student: str
    before: str
    after: str


@dataclass(frozen=True)
class Plan:
    """The changes that filling a table would make.

    Args:
        lines: Student -> their line.
        changes: The marks that change.
        same: How many marks are already there.
        left: Student -> why their mark is not copied.
        notes: Student -> a note for staff on a copied mark.
        untouched: How many people in the table have no submission here, and keep their cells.
        zeros: People without a submission here whose empty cells get 0.

    """

    lines: Mapping[str, int]
    changes: tuple[Change, ...]
    same: int
    left: Mapping[str, str]
    notes: Mapping[str, str]
    untouched: int
    zeros: tuple[str, ...] = ()

    @property
    def overwritten(self) -> tuple[Change, ...]:
        """Return the changes that overwrite an existing mark."""
        return tuple(change for change in self.changes if change.before)


def plan(
    table: CsvTable,
    columns: Columns,
    scores: Mapping[str, float | None],
    roster: People,
    *,
    unfinished: Mapping[str, str],
    rules: ExportRules = AS_IT_IS,
    elsewhere: Collection[str] = (),
) -> Plan:
    """Return the changes that filling in a table would make, without writing anything.

    Args:
        table: The platform's table.
        columns: Its columns.
        scores: Student -> points, or None.
        roster: People, whom the platform may know by any of their ids.
        unfinished: Student -> why a score is not final; such scores are not copied.
        rules: The rules for marks above the maximum, and for people without a submission.
        elsewhere: People with a submission whose mark is not copied to their line.

    Raises:
        UserError: a student has no line in the table, or two.

    """
    try:
        otherwise = ", or leave them out with --without NAME"
        lines = whose(table, columns, list(scores), roster, otherwise=otherwise)
    except UserError as error:
        dropped = [
            student
            for student, score in scores.items()
            if score is not None and _within(score, columns, rules) is None
        ]
        if not dropped:
            raise
        raise UserError(
            f"{error}; and {columns.platform} would drop the marks of "
            f"{several(dropped)}, since its marks are from 0 to "
            f"{written(columns.most or 0)}"
        ) from error
    changes, left, notes, same = [], {}, {}, 0
    for student, row in lines.items():
        before, score = _before(table, columns, row), scores[student]
        if row in columns.locked:
            left[student] = columns.locked[row]
        elif unfinished.get(student) or score is None:
            left[student] = unfinished.get(student) or "no score"
        elif (within := _within(score, columns, rules)) is None:
            left[student] = (
                f"{columns.platform} silently drops {points(score)}, since its marks are "
                f"from 0 to {written(columns.most or 0)}; raise the maximum grade there "
                "and export again, or set cap = true in [export] of course.toml"
            )
        else:
            after = written(within)
            if after != written(score):
                notes[student] = f"{points(score)}, written as {after}"
            known = number(before, columns.sign)
            if known is not None and abs(known - float(after)) < 0.005:
                same += 1
            else:
                changes.append(Change(row, student, before, after.replace(".", columns.sign)))
    absent = _absent(table, columns, [*scores, *elsewhere], roster)
    zeros = [
        Change(row, table.cell(row, columns.ids[0]), "", "0")
        for row in absent
        if rules.missing == "zero"
        and row not in columns.locked
        and not _before(table, columns, row)
    ]
    return Plan(
        lines,
        (*changes, *zeros),
        same,
        left,
        notes,
        untouched=len(absent) - len(zeros),
        zeros=tuple(change.student for change in zeros),
    )


def _before(table: CsvTable, columns: Columns, row: int) -> str:
    """Return the existing mark, or ""."""
    mark = table.cell(row, columns.grade)
    return "" if mark == "-" else mark


def _within(score: float, columns: Columns, rules: ExportRules) -> float | None:
    """Return the mark to copy for a score; None if the platform would drop it."""
    if columns.most is None or 0 <= rounded(score) <= columns.most:
        return score
    if rules.cap:
        return min(max(score, 0.0), columns.most)
    return None if columns.capped else score


def _absent(
    table: CsvTable, columns: Columns, students: Sequence[str], roster: People
) -> list[int]:
    """Return the lines of people without a submission."""
    wanted = {key(roster.id_of(student)) for student in students}
    return [
        row
        for row in columns.people
        if row not in columns.invented
        and not any(
            name in wanted
            for column in columns.ids
            for name in _names(table, row, column, columns, roster)
        )
    ]


def _names(
    table: CsvTable, row: int, column: int, columns: Columns, roster: People
) -> Iterator[str]:
    """Yield the key of the person whose id is in a cell, if there is one."""
    cell = table.cell(row, column)
    if id := last_number(cell) if column in columns.numbered else cell:
        yield key(roster.id_of(roster.folder(id)))


def whose(
    table: CsvTable,
    columns: Columns,
    students: Sequence[str],
    roster: People,
    *,
    otherwise: str = "",
) -> dict[str, int]:
    """Return the line of each student, using the column that identifies most of them.

    A single column decides for all: in others, such as names, a person may have written somebody
    else's id. Those that agree with it may find more people of the roster, whom the platform may
    know by any of their ids. `otherwise` ends the message on students without a line with a second
    remedy.

    Raises:
        UserError: students have no line, or two, or share one, and the message names all of them;
            or columns find different people.

    """
    found = _found(table, columns, students, roster)
    problems = []
    if unknown := [student for student in students if student not in found]:
        problems.append(f"it has no line for {several(unknown)}")
    if twice := [student for student, rows in found.items() if len(rows) > 1]:
        problems.append(f"it has two lines for {several(twice)}")
    sharing: dict[int, list[str]] = {}
    for student in students:
        for row in found.get(student, ()):
            sharing.setdefault(row, []).append(student)
    problems += [
        f"{' and '.join(map(one_line, both))} are the same person in it"
        for both in sharing.values()
        if len(both) > 1
    ]
    if problems:
        raise UserError(
            f"{one_line(table.name)}: {'; '.join(problems)}; nothing was written. Export "
            "it again if people joined later, add their ids and addresses to roster.csv "
            f"if the platform uses different ones{otherwise}"
        )
    return {student: found[student][0] for student in students}


def without_line(
    table: CsvTable, columns: Columns, students: Sequence[str], roster: People
) -> list[str]:
    """Return the students for whom `whose` finds no line."""
    found = _found(table, columns, students, roster)
    return [student for student in students if student not in found]


def _found(
    table: CsvTable, columns: Columns, students: Sequence[str], roster: People
) -> dict[str, list[int]]:
    """Return all lines of each student who has one."""
    wanted: dict[str, list[str]] = {}
    for student in students:
        wanted.setdefault(key(roster.id_of(student)), []).append(student)
    known = {*wanted, *(key(one.id) for one in roster)}
    owners = [  # by column: line -> the key of the person in it
        {
            row: name
            for row in columns.people
            for name in _names(table, row, column, columns, roster)
            if name in known
        }
        for column in columns.ids
    ]
    best = owners[_best(table, columns, owners, wanted)]
    lines, decided = _lines(best), {*best.values()}
    for owner, column in zip(owners, columns.ids, strict=True):
        if not roster or _contradiction(best, owner):
            continue
        agrees = any(best.get(row) == name for row, name in owner.items())
        for row, name in owner.items():
            # Other people's numbers may be the same by chance.
            sure = agrees or "@" in table.cell(row, column)
            people = {one[row] for one in owners if row in one}  # whom columns find in this line
            if sure and name not in decided and people == {name}:
                lines.setdefault(name, set()).add(row)
    return {
        student: sorted(lines[name])
        for name, theirs in wanted.items()
        for student in theirs
        if name in lines
    }


def _lines(owner: Mapping[int, str]) -> dict[str, set[int]]:
    """Return the lines in which a column finds each person."""
    found: dict[str, set[int]] = {}
    for row, name in owner.items():
        found.setdefault(name, set()).add(row)
    return found


def _best(
    table: CsvTable,
    columns: Columns,
    owners: Sequence[Mapping[int, str]],
    wanted: Collection[str],
) -> int:
    """Return which column decides: of those that find most, one of addresses, or the first.

    Raises:
        UserError: addresses contradict it, or a column that finds more than half as many.

    """
    lines = [_lines(owner) for owner in owners]
    once = [sum(len(one.get(name, ())) == 1 for name in wanted) for one in lines]
    most = [sum(name in one for name in wanted) for one in lines]
    addresses = [
        bool(owner) and all("@" in table.cell(row, column) for row in owner)
        for owner, column in zip(owners, columns.ids, strict=True)
    ]
    best = max(range(len(owners)), key=lambda n: (once[n], most[n], addresses[n], -n))
    for other, owner in enumerate(owners):
        # A few ids may be the same by chance, or written by students.
        rival = addresses[other] or (not addresses[best] and 2 * once[other] > once[best])
        if rival and (said := _contradiction(owners[best], owner)):
            both = [one_line(table.cell(0, columns.ids[n])) for n in (best, other)]
            raise UserError(
                f"{one_line(table.name)}: its columns {' and '.join(both)} find different people "
                f"({said}); nothing was written. Correct the ids in roster.csv, or add addresses "
                f"and the ids of {columns.platform}"
            )
    return best


def _contradiction(one: Mapping[int, str], other: Mapping[int, str]) -> str:
    """Return an example of how two columns contradict each other, or ""."""
    for row, name in one.items():
        if other.get(row, name) != name:
            return f"line {row + 1} is {one_line(name)} or {one_line(other[row])}"
    second = _lines(other)
    for name, rows in _lines(one).items():
        if name in second and not rows & second[name]:
            return f"{one_line(name)} is in line {min(rows) + 1} or {min(second[name]) + 1}"
    return ""


def several(students: Sequence[str]) -> str:
    """Return people's names in one line, of very many only the first."""
    more = f" and {len(students) - NAMED} more" if len(students) > NAMED else ""
    return ", ".join(map(one_line, students[:NAMED])) + more


def filled(table: CsvTable, columns: Columns, what: Plan) -> CsvTable:
    """Return the table with the changes, without formulas in columns that are not read back.

    Ids and the platform's own columns stay exactly as they are.
    """
    cells = {(change.row, columns.grade): change.after for change in what.changes}
    for row, line in enumerate(table.rows):
        for column, cell in enumerate(line):
            if row and column not in columns.read_back and is_formula(cell):
                cells[row, column] = f"'{cell}"
    return table.with_cells(cells)


def formulas_left(table: CsvTable, columns: Columns) -> int:
    """Return how many cells look like formulas to a spreadsheet but must stay for the platform."""
    return sum(
        is_formula(cell)
        for line in table.rows[1:]
        for column, cell in enumerate(line)
        if column in columns.read_back
    )
