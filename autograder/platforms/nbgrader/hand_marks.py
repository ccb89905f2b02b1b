"""Tables of ours beside nbgrader's: rubric items, which of them an answer has, claims, changes.

They are in the same database, and a mark and what it follows from are written in one transaction.
nbgrader's own tables are named here with the columns that marking reads and writes, since
importing nbgrader takes seconds, and a marking page is to open at once.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy
from sqlalchemy import Boolean, Column, Float, Integer, String, Table, Text

NEAR = 0.0075
"""Between two scores that are one mark: it may have been rounded to two digits since."""
OURS = sqlalchemy.MetaData()
_THEIRS = sqlalchemy.MetaData()

items = Table(
    "autograder_item",
    OURS,
    Column("id", Integer, primary_key=True),
    Column("homework", String(128), nullable=False, index=True),
    Column("question", String(128), nullable=False),
    Column("place", Integer, nullable=False),
    Column("points", Float, nullable=False),
    Column("words", Text, nullable=False),
    Column("retired", Boolean, nullable=False, default=False),
)
"""The items of a question as they are now; what they were is in `changes`."""


def _marks(name: str) -> Table:
    return Table(
        name,
        OURS,
        Column("grade_id", String(32), primary_key=True),
        Column("items", Text, nullable=False),
        Column("adjustment", Float, nullable=False),
        Column("done", Boolean, nullable=False),
        Column("written", Float),
        Column("marker", String(128), nullable=False),
        Column("at", Float, nullable=False),
        Column("version", Integer, nullable=False),
    )


marks = _marks("autograder_hand_mark")
"""What a person gave an answer: items (a JSON list of ids), an adjustment, whether that is all, the
score that was written into nbgrader's row (another one there was given in formgrader), who and when."""
second_marks = _marks("autograder_second_mark")
"""What a second person gave the same answer without seeing the first mark; it counts for nobody."""
claims = Table(
    "autograder_claim",
    OURS,
    Column("grade_id", String(32), primary_key=True),
    Column("holder", String(128), nullable=False),
    Column("until", Float, nullable=False),
)
"""Which answer is open on whose page, until when (seconds since 1970)."""
changes = Table(
    "autograder_change",
    OURS,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("marker", String(128), nullable=False),
    Column("homework", String(128), nullable=False),
    Column("question", String(128), nullable=False),
    Column("what", Text, nullable=False),
    Column("before", Text, nullable=False),
    Column("undone", Boolean, nullable=False, default=False),
)
"""All that was done, with what was there before (JSON), so that it can be undone."""


def _theirs(name: str, /, **columns: Any) -> Table:
    id = Column("id", String(32), primary_key=True)
    return Table(name, _THEIRS, id, *(Column(called, kind) for called, kind in columns.items()))


assignment = _theirs("assignment", name=String(128))
submission = _theirs("submitted_assignment", assignment_id=String(32), student_id=String(128))
notebook = _theirs("submitted_notebook", assignment_id=String(32))
released = _theirs("notebook", assignment_id=String(32))
"""What students were given; a cell is one of its."""
cell = _theirs("base_cell", name=String(128), notebook_id=String(32))
"""A written answer is two of them with the same name: one has the points, one the comment."""
answer = Table(
    "autograder_answer",
    _THEIRS,
    Column("grade_id", String(32), primary_key=True),
    Column("sha256", String(64)),
)
"""What `database.py` keeps of each written answer, by which identical ones are found."""
grade = _theirs(
    "grade",
    notebook_id=String(32),
    cell_id=String(32),
    auto_score=Float,
    manual_score=Float,
    extra_credit=Float,
    needs_manual_grade=Boolean,
)
solution = _theirs("solution_cells")
"""The ids of those that a student writes into."""
comment = _theirs(
    "comment",
    notebook_id=String(32),
    cell_id=String(32),
    auto_comment=Text,
    manual_comment=Text,
)


@dataclass(frozen=True)
class GivenItem:
    """A rubric item that an answer has: its points, and its words in Markdown."""

    points: float
    words: str


def same(one: float | None, other: float | None) -> bool:
    """Whether two scores are the same one, or both not there."""
    if one is None or other is None:
        return one is other
    return abs(one - other) < NEAR


def given_items(
    connection: Any, scores: Mapping[str, float | None]
) -> dict[str, tuple[GivenItem, ...]]:
    """Return the items from which marks follow, by nbgrader's id of the grade.

    A mark that was changed in formgrader follows from no items, and has none here.

    Args:
        connection: A session or connection of SQLAlchemy, to a gradebook that has the tables.
        scores: The ids of grades -> `manual_score`.
    """
    known = {
        row.id: GivenItem(row.points, row.words)
        for row in connection.execute(
            sqlalchemy.select(items).where(items.c.retired.is_(False)).order_by(items.c.place)
        )
    }
    found: dict[str, tuple[GivenItem, ...]] = {}
    rows = connection.execute(sqlalchemy.select(marks).where(marks.c.grade_id.in_(list(scores))))
    for row in rows:
        if row.done and same(row.written, scores[row.grade_id]):
            chosen: Collection[int] = json.loads(row.items)
            given = [item for id, item in known.items() if id in chosen]
            if row.adjustment:
                given.append(GivenItem(row.adjustment, "Adjustment for this answer."))
            found[row.grade_id] = tuple(given)
    return found
