"""Queries over nbgrader's tables and ours, and rows to write within a caller's transaction."""

import functools
import json
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.staff.marking_page.marks.records import Marked


def questions(engine: sqlalchemy.Engine) -> list[tuple[str, str, int]]:
    """Return homework, question and number of submissions for all written questions."""
    t = tables
    query = (
        sqlalchemy.select(t.assignment.c.name, t.cell.c.name, sqlalchemy.func.count())
        .select_from(joined())
        .where(sqlalchemy.exists(commented(t.cell)))
        .group_by(t.assignment.c.name, t.cell.c.name)
        .order_by(t.assignment.c.name, t.cell.c.name)
    )
    with engine.connect() as connection:
        return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def commented(cell: Any) -> Any:
    """Return a query for the cell of the same name that a student writes into."""
    other, t = tables.cell.alias(), tables
    return (
        sqlalchemy.select(other.c.id)
        .join(t.solution, t.solution.c.id == other.c.id)
        .where(other.c.name == cell.c.name, other.c.notebook_id == cell.c.notebook_id)
        .correlate(cell)
    )


def joined() -> Any:
    """Return nbgrader's tables of written answers, joined; a row is a grade."""
    t = tables
    return (
        t.grade.join(t.cell, t.cell.c.id == t.grade.c.cell_id)
        .join(t.notebook, t.notebook.c.id == t.grade.c.notebook_id)
        .join(t.submission, t.submission.c.id == t.notebook.c.assignment_id)
        .join(t.assignment, t.assignment.c.id == t.submission.c.assignment_id)
    )


@dataclass(frozen=True)
class Place:
    """The place of a question in a gradebook: the names of homework and question."""

    homework: str
    question: str

    def here(self) -> tuple[Any, ...]:
        """Return the conditions for a row of `joined` to belong to this question."""
        t = tables
        return (t.assignment.c.name == self.homework, t.cell.c.name == self.question)

    def cells(self) -> Any:
        """Return a query for the cells of this question, which reads no submission."""
        t = tables
        return (
            sqlalchemy.select(t.cell.c.id)
            .join(t.released, t.released.c.id == t.cell.c.notebook_id)
            .join(t.assignment, t.assignment.c.id == t.released.c.assignment_id)
            .where(*self.here())
        )

    def mine(self, table: Any) -> Any:
        """Return the condition for a row of one of our tables to belong to this question."""
        return (table.c.homework == self.homework) & (table.c.question == self.question)

    def items(self, *, retired: bool = False) -> Any:
        """Return a query for the items in order, with or without retired ones."""
        t = tables.items
        mine = self.mine(t) if retired else self.mine(t) & t.c.retired.is_(False)
        return sqlalchemy.select(t).where(mine).order_by(t.c.place, t.c.id)

    def answers(self) -> Any:
        """Return a query for all answers with their marks; `marked` reads its rows."""
        return _answers(self)

    def answer(self, connection: sqlalchemy.Connection, id: str) -> Marked:
        """Return one answer; raise KeyError if none has this id."""
        row = connection.execute(self.answers().where(tables.grade.c.id == id)).first()
        if row is None:
            raise KeyError(id)
        return marked(row)


@functools.cache
def _answers(place: Place) -> Any:
    """Return the query of `Place.answers`; building it takes longer than running it."""
    t, g, m = tables, tables.grade.c, tables.marks.c
    comment = (t.comment.c.notebook_id == g.notebook_id) & (
        t.comment.c.cell_id == commented(t.cell).scalar_subquery()
    )
    whole = joined().outerjoin(t.marks, m.grade_id == g.id).outerjoin(t.comment, comment)
    columns = (g.id, g.auto_score, g.manual_score, g.needs_manual_grade)
    ours = (m["items"], m.adjustment, m.done, m.written, m.marker, m.version)
    student, words = t.submission.c.student_id, t.comment.c.manual_comment
    return (
        sqlalchemy.select(*columns, *ours, student, words)
        .select_from(whole)
        .where(*place.here())
        .order_by(g.id)
    )


def texts(connection: sqlalchemy.Connection, ids: Any) -> dict[str, str]:
    """Return the gradebook's digest of each answer's text and pictures; `ids` may be a query."""
    t = tables.answer
    if not sqlalchemy.inspect(connection).has_table(t.name):
        return {}
    found = connection.execute(sqlalchemy.select(t).where(t.c.grade_id.in_(ids)))
    return {row.grade_id: row.sha256 for row in found}


def write_mark(
    connection: sqlalchemy.Connection,
    table: sqlalchemy.Table,
    before: Marked,
    chosen: Collection[int],
    adjustment: float,
    score: float | None,
    marker: str,
) -> None:
    """Write the first or second mark of an answer; without a score it is open."""
    connection.execute(table.delete().where(table.c.grade_id == before.id))
    connection.execute(
        table.insert().values(
            grade_id=before.id,
            items=json.dumps(sorted(chosen)),
            adjustment=adjustment,
            done=score is not None,
            written=score,
            marker=marker,
            at=time.time(),
            version=before.version + 1,
        )
    )


def write_grade(
    connection: sqlalchemy.Connection, id: str, score: float | None, *, waiting: bool
) -> None:
    """Write nbgrader's row for an answer."""
    t = tables.grade
    values = {"manual_score": score, "needs_manual_grade": waiting}
    connection.execute(t.update().where(t.c.id == id).values(**values))


def write_comment(connection: sqlalchemy.Connection, id: str, text: str) -> None:
    """Write the comment on an answer; "" for none."""
    t, g = tables.comment, tables.grade
    place = (
        sqlalchemy.select(g.c.notebook_id, commented(tables.cell).scalar_subquery())
        .join(tables.cell, tables.cell.c.id == g.c.cell_id)
        .where(g.c.id == id)
    )
    notebook, cell = connection.execute(place).one()
    mine = (t.c.notebook_id == notebook) & (t.c.cell_id == cell)
    connection.execute(t.update().where(mine).values(manual_comment=text or None))


def write_item(connection: sqlalchemy.Connection, id: int, **values: Any) -> None:
    """Write some columns of an item."""
    t = tables.items
    connection.execute(t.update().where(t.c.id == id).values(**values))


def marked(row: Any) -> Marked:
    """Return an answer from a row of `answers`."""
    return Marked(
        id=row.id,
        student=row.student_id,
        items=frozenset(json.loads(row.items or "[]")),
        adjustment=row.adjustment or 0.0,
        comment=row.manual_comment or "",
        score=row.manual_score,
        automatic=row.auto_score,
        waiting=bool(row.needs_manual_grade),
        elsewhere=not tables.same(row.manual_score, row.written),
        marker=row.marker or "",
        version=row.version or 0,
    )
