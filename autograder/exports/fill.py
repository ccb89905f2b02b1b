"""A platform's CSV and the marks of a class -> what changes in it, and the table with the changes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.codec import one_line
from autograder.course.people import People, key
from autograder.exports.csv_table import CsvTable, is_formula, number
from autograder.exports.platforms import Columns, last_number
from autograder.marking.mark import number as written
from autograder.marking.mark import points
from autograder.model import UserError


@dataclass(frozen=True)
class Change:
    """A mark that is another one now."""

    row: int
    student: str
    before: str
    after: str


@dataclass(frozen=True)
class Plan:
    """What filling a table would do.

    Args:
        lines: Student -> the line that is theirs.
        changes: The marks that change.
        same: How many are there already.
        left: Student -> why no mark of theirs goes in.
        untouched: How many people of the table have no submission here; their cells stay.
    """

    lines: Mapping[str, int]
    changes: tuple[Change, ...]
    same: int
    left: Mapping[str, str]
    untouched: int

    @property
    def overwritten(self) -> tuple[Change, ...]:
        """The changes that put one mark in the place of another."""
        return tuple(change for change in self.changes if change.before)


def plan(
    table: CsvTable,
    columns: Columns,
    scores: Mapping[str, float | None],
    roster: People,
    *,
    unfinished: Mapping[str, str],
) -> Plan:
    """Return what filling a table would do; nothing is written.

    Args:
        table: What the platform exported.
        columns: What its columns are.
        scores: Student -> points; None where there are none.
        roster: Whom the platform may know by any of their ids.
        unfinished: Student -> what keeps a score from being final: such a score stays here.

    Raises:
        UserError: a student is not in the table, or in two lines of it, or a mark is above what
            the platform takes.
    """
    lines = whose(table, columns, list(scores), roster)
    changes, left, same = [], {}, 0
    comma = table.decimal_comma
    for student, row in lines.items():
        score, before = scores[student], table.cell(row, columns.grade)
        if row in columns.locked:
            left[student] = columns.locked[row]
        elif unfinished.get(student) or score is None:
            left[student] = unfinished.get(student) or "no score"
        else:
            if columns.capped and columns.most is not None and score > columns.most + 1e-9:
                raise UserError(
                    f"{one_line(student)} has {points(score)}, and {columns.platform} drops a mark "
                    f"above its maximum grade, which is {written(columns.most)}, without a word; "
                    "raise the maximum grade there, and export again"
                )
            known = number(before)
            if known is not None and abs(known - round(score, 2)) < 0.005:
                same += 1
                continue
            after = written(score).replace(".", "," if comma else ".")
            changes.append(Change(row, student, "" if before == "-" else before, after))
    return Plan(lines, tuple(changes), same, left, len(table.rows) - columns.first - len(lines))


def whose(
    table: CsvTable, columns: Columns, students: Sequence[str], roster: People
) -> dict[str, int]:
    """Return the line of each student, by the one column that knows most of them.

    One column decides for all: in another, such as that of names, a person may have written
    somebody else's id.

    Raises:
        UserError: a student has no line, or two, or shares one.
    """
    found: dict[str, list[int]] = {}
    wanted: dict[str, list[str]] = {}
    for student in students:
        wanted.setdefault(key(roster.id_of(student)), []).append(student)
    for column in columns.ids:
        rows: dict[str, list[int]] = {}
        for row in range(columns.first, len(table.rows)):
            cell = table.cell(row, column)
            id = last_number(cell) if column in columns.numbered else cell
            for student in wanted.get(key(roster.id_of(roster.folder(id))), ()) if id else ():
                rows.setdefault(student, []).append(row)
        if len(rows) > len(found):
            found = rows
    if unknown := [student for student in students if student not in found]:
        more = f" and {len(unknown) - 10} more" if len(unknown) > 10 else ""
        raise UserError(
            f"{one_line(table.name)} has no line for {', '.join(map(one_line, unknown[:10]))}{more}; "
            "nothing was written. Export it again if people came later, write their ids and "
            "addresses into roster.csv if it knows them by others, or leave them out with "
            "--without NAME"
        )
    if twice := [student for student, rows in found.items() if len(rows) > 1]:
        raise UserError(f"{one_line(table.name)} has two lines for {one_line(twice[0])}")
    lines = {student: found[student][0] for student in students}
    if shared := [row for row, count in Counter(lines.values()).items() if count > 1]:
        both = [one_line(student) for student, row in lines.items() if row == shared[0]]
        raise UserError(f"{' and '.join(both)} are one person in {one_line(table.name)}")
    return lines


def filled(table: CsvTable, columns: Columns, what: Plan) -> CsvTable:
    """Return the table with the changes, and without a formula where the platform reads nothing back.

    Ids and what the platform reads back stay letter by letter as they are.
    """
    cells = {(change.row, columns.grade): change.after for change in what.changes}
    for row, line in enumerate(table.rows):
        for column, cell in enumerate(line):
            if row and column not in columns.read_back and is_formula(cell):
                cells[row, column] = f"'{cell}"
    return table.with_cells(cells)


def formulas_left(table: CsvTable, columns: Columns) -> int:
    """Return how many cells a spreadsheet takes for a formula and the platform has to read back."""
    return sum(
        is_formula(cell)
        for line in table.rows[1:]
        for column, cell in enumerate(line)
        if column in columns.read_back
    )
