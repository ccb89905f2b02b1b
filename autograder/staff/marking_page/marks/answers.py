"""One question in a gradebook: its items, its answers with their marks, and its progress."""

import json
from collections import Counter
from collections.abc import Sequence

import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.staff.marking_page.marks import rows
from autograder.staff.marking_page.marks.records import Marked, MarkingItem, Progress


class Answers:
    """The answers to one question in a gradebook."""

    def __init__(
        self, engine: sqlalchemy.Engine, homework: str, question: str, worth: float
    ) -> None:
        self.engine = engine
        self.place: rows.Place = rows.Place(homework, question)
        self.worth = worth

    @property
    def id(self) -> str:
        """Return the question's id."""
        return self.place.question

    def items(self) -> list[MarkingItem]:
        """Return the items in their order."""
        with self.engine.connect() as connection:
            found = connection.execute(self.place.items())
            return [MarkingItem(row.id, row.points, row.words) for row in found]

    def all(self) -> list[Marked]:
        """Return all answers, in an order that is random and always the same."""
        with self.engine.connect() as connection:
            return [rows.marked(row) for row in connection.execute(self.place.answers())]

    def one(self, id: str) -> Marked:
        """Return one answer.

        Raises:
            KeyError: no answer has this id.
        """
        with self.engine.connect() as connection:
            return self.place.answer(connection, id)

    def progress(self) -> Progress:
        """Return the question's progress."""
        g, m = tables.grade.c, tables.marks.c
        here = sqlalchemy.func.abs(g.manual_score - m.written) < tables.NEAR
        who = sqlalchemy.case((here, m.marker), else_="formgrader")
        query = (
            sqlalchemy.select(g.needs_manual_grade, who, sqlalchemy.func.count())
            .select_from(tables.grade.outerjoin(tables.marks, m.grade_id == g.id))
            .where(
                g.cell_id.in_(self.place.cells()),
                g.needs_manual_grade | g.manual_score.is_not(None),
            )
            .group_by(g.needs_manual_grade, who)
        )
        with self.engine.connect() as connection:
            counts = [(row[0], row[1], row[2]) for row in connection.execute(query)]
        markers = {name: count for waiting, name, count in counts if not waiting}
        done = sum(markers.values())
        return Progress(done, sum(count for *_, count in counts), dict(sorted(markers.items())))

    def given(self) -> dict[int, int]:
        """Return how many answers have each item."""
        g, m = tables.grade.c, tables.marks.c
        query = (
            sqlalchemy.select(m["items"])
            .select_from(tables.grade.join(tables.marks, m.grade_id == g.id))
            .where(g.cell_id.in_(self.place.cells()), m.done)
        )
        with self.engine.connect() as connection:
            return dict(
                Counter(id for row in connection.execute(query) for id in json.loads(row[0]))
            )

    def comments(self, words: str, most: int = 8) -> list[str]:
        """Return comments on this question that contain these words, most frequent first."""
        query = self.place.answers().where(tables.comment.c.manual_comment != "")
        with self.engine.connect() as connection:
            count = Counter(row.manual_comment for row in connection.execute(query))
        wanted = words.casefold().split()
        found = [text for text in count if all(word in text.casefold() for word in wanted)]
        return sorted(found, key=lambda text: (-count[text], text))[:most]

    def texts(self, ids: Sequence[str] | None = None) -> dict[str, str]:
        """Return the current digests of some answers, or of all, like `rows.texts`."""
        every = sqlalchemy.select(tables.grade.c.id).select_from(rows.joined())
        with self.engine.connect() as connection:
            return rows.texts(connection, every.where(*self.place.here()) if ids is None else ids)

    def unmarked(self, ids: Sequence[str]) -> list[str]:
        """Return the waiting answers among some, without a mark from here or from formgrader."""
        if not ids:
            return []
        g = tables.grade.c
        query = sqlalchemy.select(g.id).where(
            g.id.in_(ids), g.needs_manual_grade.is_(True), g.manual_score.is_(None)
        )
        with self.engine.connect() as connection:
            there = {row.id for row in connection.execute(query)}
        return [id for id in ids if id in there]

    def waiting(self, connection: sqlalchemy.Connection, ids: Sequence[str]) -> set[str]:
        """Return the unmarked answers among some."""
        g = tables.grade.c
        query = sqlalchemy.select(g.id).where(g.id.in_(ids), g.needs_manual_grade.is_(True))
        return {row.id for row in connection.execute(query)}
