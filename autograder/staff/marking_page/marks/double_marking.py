"""Blind second marks for a tenth of the answers, at least 25, and the agreement of two markers.

Second marks are only in a table of ours. They count for nobody, and their markers do not see the
first marks.
"""

import functools
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.staff.marking_page.marks import rows
from autograder.staff.marking_page.marks.question import Question
from autograder.staff.marking_page.marks.records import Conflict, Marked, Progress

ONE_OF = 10
LEAST = 25
"""Answers drawn in a small class: the agreement of two people needs 20."""


@dataclass(frozen=True)
class SecondPlace(rows.Place):
    """Store second marks; `answers` has the answers that somebody else has marked here."""

    marker: str

    def answers(self) -> Any:
        """Return the query of `Place` with the second mark in place of the first."""
        g, m, s = tables.grade.c, tables.marks.c, tables.second_marks.c
        first = sqlalchemy.func.abs(g.manual_score - m.written) < tables.NEAR
        open = sqlalchemy.case((s.done.is_(True), False), else_=True)
        return (
            sqlalchemy.select(
                g.id,
                g.auto_score,
                s.written.label("manual_score"),
                open.label("needs_manual_grade"),
                *(s["items"], s.adjustment, s.done, s.written, s.marker, s.version),
                tables.submission.c.student_id,
                sqlalchemy.literal("").label("manual_comment"),
            )
            .select_from(
                rows.joined()
                .join(tables.marks, m.grade_id == g.id)
                .outerjoin(tables.second_marks, s.grade_id == g.id)
            )
            .where(*self.here(), m.marker != self.marker, first, g.needs_manual_grade.is_(False))
            .order_by(g.id)
        )


class Second(Question):
    """The second marks of one question, for a tenth of the answers, at least 25, always the same."""

    def __init__(
        self, engine: sqlalchemy.Engine, homework: str, question: str, worth: float, marker: str
    ) -> None:
        super().__init__(engine, homework, question, worth)
        self.place = SecondPlace(homework, question, marker)

    def begin(self, items: Iterable[tuple[float, str]]) -> None:
        """Leave the items as they are, since they belong to the first markers."""

    def all(self) -> list[Marked]:
        """Return the drawn answers that somebody else has marked."""
        return [one for one in super().all() if one.student in self._drawn]

    def progress(self) -> Progress:
        """Return the progress of the second marking."""
        answers = self.all()
        markers = Counter(one.marker for one in answers if one.done)
        return Progress(markers.total(), len(answers), dict(sorted(markers.items())))

    def comments(self, words: str, most: int = 8) -> list[str]:  # noqa: ARG002
        """Return no comments, since students never see a second marker's."""
        return []

    def unmarked(self, ids: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return none, since each answer is read by itself."""
        return []

    def waiting(self, connection: sqlalchemy.Connection, ids: Sequence[str]) -> set[str]:
        """Return those of the given answers that have no second mark."""
        query = self.place.answers().where(tables.grade.c.id.in_(ids))
        found = connection.execute(query)
        return {row.id for row in found if row.needs_manual_grade and row.student_id in self._drawn}

    def _undo(self, connection: sqlalchemy.Connection, marker: str) -> tuple[str, list[str]]:
        """Take back a marker's newest second mark."""
        s = tables.second_marks
        mine = sqlalchemy.select(s.c.grade_id).where(s.c.marker == marker)
        known = self.place.answers().with_only_columns(tables.grade.c.id).order_by(None)
        newest = mine.where(s.c.grade_id.in_(known)).order_by(s.c.at.desc()).limit(1)
        row = connection.execute(newest).first()
        if row is None:
            return "", []
        connection.execute(s.delete().where(s.c.grade_id == row.grade_id))
        return "a second mark", [row.grade_id]

    @functools.cached_property  # each next answer asks for it
    def _drawn(self) -> set[str]:
        """Return the drawn students, the same in any gradebook of this class."""

        def place(student: str) -> bytes:
            text = f"second {self.place.homework} {self.place.question} {student}"
            return hashlib.sha256(text.encode()).digest()

        everyone = rows.Place(self.place.homework, self.place.question).answers()
        with self.engine.connect() as connection:
            students = {row.student_id for row in connection.execute(everyone)}
        return set(sorted(students, key=place)[: max(LEAST, len(students) // ONE_OF)])

    def say(self, *_: object, **__: object) -> NoReturn:
        """Refuse any change of the marks that count."""
        raise Conflict("a second mark has no comment, and changes nothing of the first")

    keep = take_over = copy = change_item = add_item = retire_item = say

    def _mark(
        self,
        connection: sqlalchemy.Connection,
        before: Sequence[Marked],
        chosen: frozenset[int],
        adjustment: float,
        marker: str,
        what: str,  # noqa: ARG002
        *,
        done: bool = False,
        comment: str = "",  # noqa: ARG002
    ) -> Marked:
        (one,), table = before, tables.second_marks
        score = self._total(connection, chosen, adjustment, done=done)
        rows.write_mark(connection, table, one, chosen, adjustment, score, marker)
        return self.place.answer(connection, one.id)


@dataclass(frozen=True)
class Agreement:
    """The agreement of first and second marks of a question.

    Args:
        answers: The number of answers with both marks.
        same: The number of these with equal points.
        kappa: Cohen's kappa, with squared differences in points as weights; None if all points are
            equal, since chance then explains everything.
        severity: By marker: their points minus the other marker's for the same answer, on average,
            and the number of answers.
    """

    answers: int
    same: int
    kappa: float | None
    severity: Mapping[str, tuple[float, int]]


def agreement(question: Question) -> Agreement:
    """Return the agreement of first and second marks, both by the current items."""
    s, m = tables.second_marks.c, tables.marks.c
    query = (
        question.place.answers()
        .join(tables.second_marks, s.grade_id == tables.grade.c.id)
        .where(s.done.is_(True), s.marker != m.marker, tables.grade.c.needs_manual_grade.is_(False))
        .where(sqlalchemy.func.abs(tables.grade.c.manual_score - m.written) < tables.NEAR)
        .add_columns(s["items"].label("second"), s.adjustment.label("beside"), s.marker.label("by"))
    )
    pairs: list[tuple[float, float]] = []
    given: dict[str, list[float]] = defaultdict(list)
    with question.engine.connect() as connection:
        points = question.points(connection)
        for row in connection.execute(query):
            other = question.score(points, json.loads(row.second), row.beside)
            pairs.append((row.manual_score, other))
            given[row.marker].append(row.manual_score - other)
            given[row.by].append(other - row.manual_score)
    severity = {name: (float(np.mean(gaps)), len(gaps)) for name, gaps in sorted(given.items())}
    return Agreement(len(pairs), sum(a == b for a, b in pairs), kappa(pairs), severity)


def kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Cohen's kappa with squared differences as weights, for two marks of each answer.

    Returns:
        1 for full agreement, 0 for agreement no better than chance; None if chance would always
        agree.
    """
    if not pairs:
        return None
    first, second = np.array(pairs, dtype=float).T
    by_chance = np.mean((first[:, None] - second[None, :]) ** 2)
    return None if by_chance == 0 else float(1 - np.mean((first - second) ** 2) / by_chance)
