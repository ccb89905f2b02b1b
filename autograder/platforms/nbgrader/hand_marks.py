"""Our tables beside nbgrader's: rubric items, the items that answers have, claims and changes.

They are in the same database, so a mark and its items are written in one transaction. nbgrader's
own tables are declared here with the columns that marking uses, since importing nbgrader takes
seconds, and a marking page should open at once.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import sqlalchemy
from sqlalchemy import Boolean, Column, Float, Integer, String, Table, Text

NEAR = 0.0075
"""The tolerance between two scores of one mark, since one may have been rounded to two digits."""
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
"""The current items of a question; earlier ones are in `changes`."""


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
"""A person's mark of an answer: items (a JSON list of ids), an adjustment, whether it is complete,
the score written into nbgrader's row (a different one there was given in formgrader), who and when."""
second_marks = _marks("autograder_second_mark")
"""A second person's mark of the same answer, given without seeing the first; it counts for nobody."""
suggestions = Table(
    "autograder_suggestion",
    OURS,
    Column("grade_id", String(32), primary_key=True),
    Column("marker", String(128), primary_key=True),
    Column("quotes", Text, nullable=False),
    Column("text", String(64), nullable=False),
    Column("seed", Integer, nullable=False),
    Column("one_of", Integer, nullable=False),
    Column("at", Float, nullable=False),
)
"""A suggestion of a rule or an external model: each item's id with its quote (JSON), the digest of
the text concerned, and whether the answer was drawn to be marked without it. It counts for
nobody."""
claims = Table(
    "autograder_claim",
    OURS,
    Column("grade_id", String(32), primary_key=True),
    Column("holder", String(128), nullable=False),
    Column("until", Float, nullable=False),
)
"""Claims on open answers: the holder, and the end in seconds since 1970."""
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
"""Every change, with the earlier state (JSON), so that it can be undone."""
undos = Table(
    "autograder_undo",
    OURS,
    Column("request", String(64), primary_key=True),
    Column("what", Text, nullable=False),
    Column("answers", Text, nullable=False),
)
"""For each request to undo: what it undid, and the ids of the answers (a JSON list), by the
request's key, so that a repeated one undoes nothing more."""
answer = Table(
    "autograder_answer",
    OURS,
    Column("grade_id", String(32), primary_key=True),
    Column("sha256", String(64), nullable=False),
)
"""A digest of each written answer, which reveals identical and changed ones; `database.py` writes it."""


def _theirs(name: str, /, **columns: Any) -> Table:
    id = Column("id", String(32), primary_key=True)
    return Table(name, _THEIRS, id, *(Column(called, kind) for called, kind in columns.items()))


assignment = _theirs("assignment", name=String(128))
submission = _theirs("submitted_assignment", assignment_id=String(32), student_id=String(128))
notebook = _theirs("submitted_notebook", assignment_id=String(32))
released = _theirs("notebook", assignment_id=String(32))
"""The released notebooks; each cell belongs to one."""
cell = _theirs("base_cell", name=String(128), notebook_id=String(32))
"""A written answer is two of these with the same name: one has the points, the other the comment."""
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
"""The ids of the cells that students write into."""
comment = _theirs(
    "comment",
    notebook_id=String(32),
    cell_id=String(32),
    auto_comment=Text,
    manual_comment=Text,
)


class GivenItems(NamedTuple):
    """The rubric items behind a mark.

    Args:
        has: The words of each current item of the question, and whether the answer has it.
        lines: A line for each point that the answer got or lost.

    """

    has: dict[str, bool]
    lines: list[str]


def same(one: float | None, other: float | None) -> bool:
    """Return whether two scores are equal, or both missing."""
    if one is None or other is None:
        return one is other
    return abs(one - other) < NEAR


def given_items(
    connection: Any, homework: str, scores: Mapping[str, tuple[str, float | None]]
) -> dict[str, GivenItems]:
    """Return the items behind the marks of a submission; a mark changed in formgrader has none.

    Args:
        connection: A SQLAlchemy session or connection to a gradebook with these tables.
        homework: Its name.
        scores: nbgrader's id of a grade -> its question and `manual_score`.

    """
    current = sqlalchemy.select(items).where(
        items.c.homework == homework, items.c.retired.is_(False)
    )
    known = connection.execute(current.order_by(items.c.place, items.c.id)).all()
    found: dict[str, GivenItems] = {}
    rows = connection.execute(sqlalchemy.select(marks).where(marks.c.grade_id.in_(list(scores))))
    for row in rows:
        question, score = scores[row.grade_id]
        if row.done and same(row.written, score):
            chosen: Collection[int] = json.loads(row.items)
            mine = [one for one in known if one.question == question]
            met = [one for one in mine if one.id in chosen]
            lines = [f"{one.points:+g}: {one.words}" for one in met]
            if row.adjustment:
                lines.append(f"{row.adjustment:+g}: Adjustment for this answer.")
            missed = (one for one in mine if one.id not in chosen and one.points > 0)
            lines += [f"missing (+{one.points:g}): {one.words}" for one in missed]
            words = {one.words for one in met}
            found[question] = GivenItems({one.words: one.words in words for one in mine}, lines)
    return found
