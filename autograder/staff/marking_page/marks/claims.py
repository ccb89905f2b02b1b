"""Claims: an answer that is open on one page is not offered on others."""

import time
from collections.abc import Sequence

import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.staff.marking_page.marks.answers import Answers
from autograder.staff.marking_page.marks.connection import writing

SECONDS = 300.0


class Claims:
    """The claims on the answers to one question."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def first(self, ids: Sequence[str], holder: str, *, seconds: float = SECONDS) -> str:
        """Claim the first waiting answer that nobody else has open; end the holder's other claims.

        Returns:
            The answer's id; "" if there is none.
        """
        now = time.time()
        t = tables.claims
        with writing(self._answers.engine) as connection:
            connection.execute(t.delete().where((t.c.holder == holder) | (t.c.until < now)))
            taken = {row.grade_id for row in connection.execute(sqlalchemy.select(t))}
            found = self._first(connection, [id for id in ids if id not in taken])
            if found:
                connection.execute(
                    t.insert().values(grade_id=found, holder=holder, until=now + seconds)
                )
        return found

    def one(self, id: str, holder: str, *, seconds: float = SECONDS) -> bool:
        """Claim one answer, whether it waits or not; return whether nobody else has it open."""
        now = time.time()
        t = tables.claims
        with self._answers.engine.connect() as connection:  # a disk is slow, and nothing is new
            mine = sqlalchemy.select(t).where(t.c.grade_id == id, t.c.holder == holder)
            if connection.execute(mine.where(t.c.until > now + seconds / 2)).first():
                return True
        with writing(self._answers.engine) as connection:
            connection.execute(t.delete().where((t.c.holder == holder) | (t.c.until < now)))
            if connection.execute(sqlalchemy.select(t).where(t.c.grade_id == id)).first():
                return False
            connection.execute(t.insert().values(grade_id=id, holder=holder, until=now + seconds))
        return True

    def _first(self, connection: sqlalchemy.Connection, ids: Sequence[str]) -> str:
        """Return the first waiting answer, which is nearly always among the first few."""
        begin, many = 0, 32
        while begin < len(ids):
            some = ids[begin : begin + many]
            waiting = self._answers.waiting(connection, some)
            if found := next((id for id in some if id in waiting), ""):
                return found
            begin, many = begin + many, 4 * many
        return ""
