"""Marks -> grades.csv and mistakes.csv, which staff open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.course.people import People
from autograder.marking.mark import late_words, number, points
from autograder.records.codec import no_formula, one_line, shown
from autograder.records.marks import Grade, Misconception, rounded

PERSON = ("name", "email")
LATE = "late"
"""The column of the points that lateness costs."""
MAXIMUM = "maximum"
"""In the column of ids, this marks the line with the points that can be earned."""


@dataclass(frozen=True)
class Row:
    """One person's row of a table.

    Args:
        points: By question; None if still to be marked by hand.
        missing: Why the score is not final, in a few words; empty if it is.
        notes: Anything else that staff should know, such as lateness.
        possible: The points that this person can earn, without extra credit; None without marks.

    """

    points: Mapping[str, float | None]
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    possible: float | None = None

    @property
    def score(self) -> float | None:
        """Return the sum, or None if nothing was marked, which is not an earned zero."""
        if all(points is None for points in self.points.values()):
            return None
        return rounded(sum(points or 0.0 for points in self.points.values()))


NOTHING = Row({}, ("no submission",))


def row(grade: Grade) -> Row:
    """Return a row for a grade; an unfinished run earns nothing."""
    if not grade.complete:
        why = "grading did not finish" if grade.marks else " ".join(grade.remarks[:1])
        return Row({}, (one_line(why),))
    earned = {one.question: one.earned for one in grade.marks}
    notes = tuple(map(one_line, filter(None, (late_words(grade), grade.time_unknown))))
    penalty = {LATE: -grade.penalty} if grade.penalty else {}
    return Row(earned | penalty, notes=notes, possible=grade.possible)


def other_maximum(row: Row, best: Grade | None) -> str:
    """Return a note for staff if the possible points differ from the class's; "" otherwise.

    A student without a `MarkGiver`'s mark did nothing wrong, but can earn less than others.
    """
    if best is None or row.possible is None or abs(row.possible - best.possible) < 1e-9:
        return ""
    return f"out of {points(row.possible)} instead of {number(best.possible)}"


def table(rows: Mapping[str, Row], roster: People, best: Grade | None = None) -> str:
    """Return CSV: one line per person, one column per question, the score, and whatever is missing.

    Open marks are empty, and so are scores without any mark. Everybody in the roster has a line;
    ids that are missing from the roster are flagged.

    Args:
        rows: By folder name.
        roster: May be empty.
        best: Some marks of this homework; their questions show the points that can be earned.

    """
    questions = list(dict.fromkeys(q for one in rows.values() for q in one.points))
    extra = {one.question for one in best.marks if one.extra} if best else set()
    called = [text(f"{one} (extra)" if one in extra else one) for one in questions]
    columns = PERSON if roster else ()
    nobody = [""] * len(columns)
    lines = [["id", *columns, *called, "score", "state"]]
    if best:
        worth = {one.question: one.points for one in best.marks}
        most = [_points(worth.get(question)) for question in questions]
        lines.append([MAXIMUM, *nobody, *most, number(best.possible), ""])
    there = {roster.id_of(folder) for folder in rows}
    absent = {person.folder: NOTHING for person in roster if person.id not in there}
    for folder, one in {**rows, **absent}.items():
        person, id = roster.in_folder(folder), roster.id_of(folder)
        names = [person.name, person.email] if person else nobody
        earned = [one.points.get(question) for question in questions]
        unknown = ("not in roster.csv",) if roster and not person else ()
        other = filter(None, [other_maximum(one, best)])
        state = "; ".join((*(one.missing or ("complete",)), *other, *one.notes, *unknown))
        known = (*map(text, (id, *names)), *map(_points, (*earned, one.score)))
        lines.append([*known, text(state)])
    return csv_of(lines)


def mistakes(found: Mapping[str, Mapping[str, Misconception]]) -> str:
    """Return CSV: one line for each wrong answer that matches a known mistake, with an explanation."""
    rows = [["id", "question", "mistake", "where to look", "what it looks like"]]
    for student, questions in found.items():
        for question, fits in questions.items():
            words = (student, question, fits.name, fits.nudge, fits.explanation)
            rows.append([*map(text, words)])
    return csv_of(rows)


def csv_of(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV, with quotes around each cell."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return file.getvalue()


def text(cell: str) -> str:
    """Return text that no spreadsheet treats as a formula or cuts off."""
    return shown(no_formula(cell))


def _points(earned: float | None) -> str:
    return "" if earned is None else number(earned)
