"""A question's rubric items, which may change for everybody at any time; all marks follow."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.records.errors import UserError
from autograder.records.marks import rounded
from autograder.staff.marking_page.marks import changes, rows
from autograder.staff.marking_page.marks.answers import Answers
from autograder.staff.marking_page.marks.connection import writing

STEP = 0.25
MAX_WORDS = 2_000
MAX_ITEMS = 9


class Items(Answers):
    """The answers to one question, and the items that they can have."""

    def begin(self, items: Iterable[tuple[float, str]]) -> None:
        """Take over a rubric's items, with points and words, if the question has none yet."""
        with writing(self.engine) as connection:
            mine = sqlalchemy.select(tables.items.c.id).where(self.place.mine(tables.items))
            if connection.execute(mine).first() is None:
                for place, (points, words) in enumerate(items):
                    self._add(connection, place, points, words)

    def change_item(self, item: int, points: float, words: str, *, marker: str) -> int:
        """Change an item for everybody; all marks follow, except those from formgrader.

        Returns:
            How many marks have changed.

        Raises:
            UserError: the points or words are invalid.
            KeyError: there is no such item.
        """
        words = checked(points, words)
        with writing(self.engine) as connection:
            row = self._item(connection, item)
            if (row.points, row.words) == (points, words):
                return 0
            what, values = f"changed the item: {words}", {"points": points, "words": words}
            return self._write_item(connection, row, marker, what, **values)

    def add_item(self, points: float, words: str, *, marker: str) -> int:
        """Add an item, and return its id; raise UserError if the points or words are invalid."""
        words = checked(points, words)
        with writing(self.engine) as connection:
            all = connection.execute(self.place.items(retired=True)).all()
            there = [row for row in all if not row.retired]
            if same := [row for row in there if (row.points, row.words) == (points, words)]:
                return int(same[0].id)
            if len(there) >= MAX_ITEMS:
                raise UserError(
                    f"there are {MAX_ITEMS} items already, one for each key; change one"
                )
            place = max((row.place for row in all), default=-1) + 1
            id = self._add(connection, place, points, words)
            changes.log(connection, self.place, marker, f"added the item: {words}", added=[id])
            return id

    def retire_item(self, item: int, *, marker: str) -> int:
        """Remove an item for everybody, and return how many marks have changed."""
        with writing(self.engine) as connection:
            row = self._item(connection, item)
            if row.retired:
                return 0
            what = f"removed the item: {row.words}"
            return self._write_item(connection, row, marker, what, retired=True)

    def score(self, points: Mapping[int, float], chosen: Iterable[int], adjustment: float) -> float:
        """Return the mark that follows from items: their rounded sum, within the points."""
        total = sum(points.get(item, 0.0) for item in chosen) + adjustment
        return min(max(rounded(total), 0.0), self.worth)

    def points(self, connection: sqlalchemy.Connection) -> dict[int, float]:
        """Return the points of the items, by their ids."""
        return {row.id: row.points for row in connection.execute(self.place.items())}

    def follow(self, connection: sqlalchemy.Connection) -> list[tuple[str, float, float]]:
        """Make all marks follow the items; return the changed answers, with scores before and after."""
        points, changed = self.points(connection), []
        m = tables.marks
        for row in connection.execute(self.place.answers()).all():
            if not row.done or not tables.same(row.written, row.manual_score):
                continue
            score = self.score(points, json.loads(row.items), row.adjustment)
            if not tables.same(score, row.written):
                changed.append((row.id, row.manual_score, score))
                connection.execute(m.update().where(m.c.grade_id == row.id).values(written=score))
                rows.write_grade(connection, row.id, score, waiting=row.needs_manual_grade)
        return changed

    def _write_item(
        self, connection: sqlalchemy.Connection, row: Any, marker: str, what: str, **values: Any
    ) -> int:
        """Change an item, record it, and return how many marks have changed."""
        rows.write_item(connection, row.id, **values)
        followed = self.follow(connection)
        changes.log(connection, self.place, marker, what, items=[row], followed=followed)
        return len(followed)

    def _item(self, connection: sqlalchemy.Connection, id: int) -> Any:
        mine = self.place.items(retired=True).where(tables.items.c.id == id)
        row = connection.execute(mine).first()
        if row is None:
            raise KeyError(id)
        return row

    def _add(self, connection: sqlalchemy.Connection, place: int, points: float, words: str) -> int:
        values = {"place": place, "points": points, "words": words, "retired": False}
        made = connection.execute(
            tables.items.insert().values(homework=self.place.homework, question=self.id, **values)
        )
        return int((made.inserted_primary_key or (0,))[0])


def checked(points: float, words: str = "-") -> str:
    """Return an item's words in their stored form; raise UserError if the item is invalid."""
    if points != points or points % STEP or abs(points) > 1000:
        raise UserError(f"{points:g} points: write a multiple of {STEP}")
    words = " ".join(words.split())
    if not words or len(words) > MAX_WORDS:
        raise UserError(f"an item's text has between 1 and {MAX_WORDS} characters")
    return words
