"""Marks of one written question: each change is one transaction, and can be undone.

A page sends what is to be (an item is on), never what is to be turned over, so that the same
request sent twice, as after a crash, counts once. Whoever writes has the database for
themselves for that moment, so that two who write at once lose nothing.
"""

import contextlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from autograder.gradebook import hand_marks as tables
from autograder.model import UserError

CLAIM_SECONDS = 300.0
WAIT_SECONDS = 30.0
"""For another writer, before the database counts as locked."""
STEP = 0.25
MAX_WORDS = 2_000
MAX_ITEMS = 9


class Conflict(Exception):
    """What a page wants to change is not as the page has shown it; the message says why."""


@dataclass(frozen=True)
class Item:
    """A rubric item as it is now.

    Args:
        id: Ours.
        points: In steps of 0.25; negative for a deduction.
        words: Markdown.
    """

    id: int
    points: float
    words: str


@dataclass(frozen=True)
class Marked:
    """An answer's marks.

    Args:
        id: nbgrader's id of the grade, which says nothing of the student.
        student: The opaque id.
        items: The ids of the items that it has.
        adjustment: Points beside them.
        comment: For the student.
        score: What counts as a person's mark; None where there is none.
        automatic: The machine's mark: 0 for what is empty or unchanged, else None.
        waiting: Whether a person is needed.
        elsewhere: Whether the score was given in formgrader, and not here.
        marker: Who marked it here.
        version: Counts the changes that were made here.
    """

    id: str
    student: str
    items: frozenset[int]
    adjustment: float
    comment: str
    score: float | None
    automatic: float | None
    waiting: bool
    elsewhere: bool
    marker: str
    version: int

    @property
    def changed(self) -> bool:
        """Whether it is another text than the one that was marked."""
        return self.waiting and self.score is not None

    @property
    def done(self) -> bool:
        """Whether nobody has to look at it."""
        return not self.waiting


@dataclass(frozen=True)
class Progress:
    """How far a question is: answers that are done, all that people mark, and done by each marker."""

    done: int
    all: int
    markers: Mapping[str, int]


def connect(url: str) -> sqlalchemy.Engine:
    """Open a gradebook that is there, with our tables beside nbgrader's.

    Args:
        url: SQLAlchemy's; a path alone is a SQLite file.

    Raises:
        UserError: it is not there, cannot be reached, or is no gradebook.
    """
    url = url if "://" in url else f"sqlite:///{Path(url).absolute()}"
    fill = "run `autograder gradebook D` first, which fills it"
    try:
        made = sqlalchemy.make_url(url)
        if made.get_backend_name() == "sqlite" and not Path(str(made.database)).is_file():
            raise UserError(f"{made.database}: there is no such gradebook; {fill}")
        arguments = {"timeout": WAIT_SECONDS} if made.get_backend_name() == "sqlite" else {}
        engine = sqlalchemy.create_engine(made, connect_args=arguments)
        if engine.dialect.name == "sqlite":
            sqlalchemy.event.listen(engine, "connect", _leave_transactions_to_us)
            sqlalchemy.event.listen(engine, "begin", _begin)
        if "submitted_notebook" not in sqlalchemy.inspect(engine).get_table_names():
            raise UserError(f"{made.render_as_string()} is no gradebook; {fill}")
        with engine.connect().execution_options(writes=True) as connection, connection.begin():
            tables.OURS.create_all(connection)
    except (SQLAlchemyError, ImportError, OSError) as error:
        lines = str(getattr(error, "orig", None) or error).strip().split("\n")
        raise UserError(f"the gradebook cannot be opened: {lines[0]}") from error
    return engine


def _leave_transactions_to_us(connection: Any, _: object) -> None:
    """Keep Python's driver from beginning transactions by its own rules."""
    connection.isolation_level = None


def _begin(connection: sqlalchemy.Connection) -> None:
    """Begin as a writer where one was announced: SQLite refuses readers that become writers."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def questions(engine: sqlalchemy.Engine) -> list[tuple[str, str, int]]:
    """Return homework, question and how many submissions there are, for all written questions."""
    t = tables
    query = (
        sqlalchemy.select(t.assignment.c.name, t.cell.c.name, sqlalchemy.func.count())
        .select_from(_joined())
        .where(sqlalchemy.exists(_commented(t.cell)))
        .group_by(t.assignment.c.name, t.cell.c.name)
        .order_by(t.assignment.c.name, t.cell.c.name)
    )
    with engine.connect() as connection:
        return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def _commented(cell: Any) -> Any:
    """Return a query for the cell of the same name that a student writes into."""
    other, t = tables.cell.alias(), tables
    return (
        sqlalchemy.select(other.c.id)
        .join(t.solution, t.solution.c.id == other.c.id)
        .where(other.c.name == cell.c.name, other.c.notebook_id == cell.c.notebook_id)
        .correlate(cell)
    )


def _joined() -> Any:
    t = tables
    return (
        t.grade.join(t.cell, t.cell.c.id == t.grade.c.cell_id)
        .join(t.notebook, t.notebook.c.id == t.grade.c.notebook_id)
        .join(t.submission, t.submission.c.id == t.notebook.c.assignment_id)
        .join(t.assignment, t.assignment.c.id == t.submission.c.assignment_id)
    )


class Question:
    """The marks of one question in a gradebook.

    Args:
        engine: What `connect` returned.
        homework: Its name.
        question: Its id.
        worth: Its points; no mark is above them or below 0.
    """

    def __init__(
        self, engine: sqlalchemy.Engine, homework: str, question: str, worth: float
    ) -> None:
        self._engine = engine
        self.homework, self.id, self.worth = homework, question, worth

    # What is there

    def begin(self, items: Iterable[tuple[float, str]]) -> None:
        """Take over a rubric's items, in points and words, where the question has none yet."""
        with self._writing() as connection:
            mine = sqlalchemy.select(tables.items.c.id).where(self._mine(tables.items))
            if connection.execute(mine).first() is None:
                for place, (points, words) in enumerate(items):
                    self._add(connection, place, points, words)

    def items(self) -> list[Item]:
        """Return the items in their order."""
        with self._engine.connect() as connection:
            rows = connection.execute(self._items().where(tables.items.c.retired.is_(False)))
            return [Item(row.id, row.points, row.words) for row in rows]

    def all(self) -> list[Marked]:
        """Return all answers, in an order that is random and always the same."""
        with self._engine.connect() as connection:
            return [_marked(row) for row in connection.execute(self._rows())]

    def one(self, id: str) -> Marked:
        """Return one answer.

        Raises:
            KeyError: there is none with this id.
        """
        with self._engine.connect() as connection:
            return self._one(connection, id)

    def progress(self) -> Progress:
        """Return how far the question is."""
        g, m = tables.grade.c, tables.marks.c
        here = sqlalchemy.func.abs(g.manual_score - m.written) < tables.NEAR
        who = sqlalchemy.case((here, m.marker), else_="formgrader")
        query = (
            sqlalchemy.select(g.needs_manual_grade, who, sqlalchemy.func.count())
            .select_from(_joined().outerjoin(tables.marks, m.grade_id == g.id))
            .where(*self._here(), g.needs_manual_grade | g.manual_score.is_not(None))
            .group_by(g.needs_manual_grade, who)
        )
        with self._engine.connect() as connection:
            rows = [(row[0], row[1], row[2]) for row in connection.execute(query)]
        markers = {name: count for waiting, name, count in rows if not waiting}
        done = sum(markers.values())
        return Progress(done, sum(count for *_, count in rows), dict(sorted(markers.items())))

    def comments(self, words: str, most: int = 8) -> list[str]:
        """Return comments of this question that have these words, the most frequent ones first."""
        count: dict[str, int] = {}
        with self._engine.connect() as connection:
            for row in connection.execute(
                self._rows().where(tables.comment.c.manual_comment != "")
            ):
                count[row.manual_comment] = count.get(row.manual_comment, 0) + 1
        wanted = words.casefold().split()
        found = [text for text in count if all(word in text.casefold() for word in wanted)]
        return sorted(found, key=lambda text: (-count[text], text))[:most]

    def identical(self) -> dict[str, str]:
        """Return a digest of each answer's text and pictures, by the answer's id."""
        t = tables.answer
        query = (
            sqlalchemy.select(t.c.grade_id, t.c.sha256)
            .select_from(_joined().join(t, t.c.grade_id == tables.grade.c.id))
            .where(*self._here())
        )
        with self._engine.connect() as connection:
            if not sqlalchemy.inspect(connection).has_table(t.name):
                return {}
            return {row.grade_id: row.sha256 for row in connection.execute(query)}

    def unmarked(self, ids: Sequence[str]) -> list[str]:
        """Return those of some answers that wait and have no mark, here or from formgrader."""
        g = tables.grade.c
        query = sqlalchemy.select(g.id).where(
            g.id.in_(ids), g.needs_manual_grade.is_(True), g.manual_score.is_(None)
        )
        with self._engine.connect() as connection:
            there = {row.id for row in connection.execute(query)}
        return [id for id in ids if id in there]

    # Claims

    def claim(self, ids: Sequence[str], holder: str, *, seconds: float = CLAIM_SECONDS) -> str:
        """Claim the first of these answers that waits and is on nobody else's page.

        Args:
            ids: Answers in the order in which they are wanted.
            holder: Whose page it is.
            seconds: How long the claim is good.

        Returns:
            Its id, "" where there is none; the holder's other claims end.
        """
        now = time.time()
        t = tables.claims
        with self._writing() as connection:
            connection.execute(t.delete().where((t.c.holder == holder) | (t.c.until < now)))
            taken = {row.grade_id for row in connection.execute(sqlalchemy.select(t))}
            g = tables.grade.c
            query = (
                sqlalchemy.select(g.id)
                .select_from(_joined())
                .where(*self._here(), g.needs_manual_grade.is_(True))
            )
            open_ones = {row.id for row in connection.execute(query)} - taken
            found = next((id for id in ids if id in open_ones), "")
            if found:
                connection.execute(
                    t.insert().values(grade_id=found, holder=holder, until=now + seconds)
                )
        return found

    def look(self, id: str, holder: str, *, seconds: float = CLAIM_SECONDS) -> bool:
        """Claim one answer, whether it waits or not; return whether it is on nobody else's page."""
        now = time.time()
        t = tables.claims
        with self._writing() as connection:
            connection.execute(t.delete().where((t.c.holder == holder) | (t.c.until < now)))
            if connection.execute(sqlalchemy.select(t).where(t.c.grade_id == id)).first():
                return False
            connection.execute(t.insert().values(grade_id=id, holder=holder, until=now + seconds))
        return True

    # Changes

    def set_item(self, id: str, item: int, *, on: bool, marker: str, version: int) -> Marked:
        """Say whether an answer has an item.

        Args:
            id: The answer.
            item: The item's id.
            on: Whether it has it.
            marker: Who says so.
            version: Of the answer as they saw it.

        Raises:
            Conflict: somebody else marked it meanwhile, or it was marked in formgrader.
            KeyError: there is no such answer or item.
        """
        with self._writing() as connection:
            words = self._words(connection)[item]
            before = self._unclaimed(connection, id, marker, version)
            chosen = before.items | {item} if on else before.items - {item}
            done = bool(chosen) or bool(before.adjustment)
            if chosen == before.items and before.done and not before.elsewhere:
                return before
            what = f"{'gave' if on else 'took back'}: {words}"
            return self._mark(connection, [before], chosen, before.adjustment, done, marker, what)

    def give_nothing(self, id: str, *, marker: str, version: int) -> Marked:
        """Say that an answer has no item, and is done; Conflict and KeyError as for `set_item`."""
        with self._writing() as connection:
            before = self._unclaimed(connection, id, marker, version)
            nothing: frozenset[int] = frozenset()
            if not before.items and not before.adjustment and before.done and before.score == 0:
                return before
            return self._mark(connection, [before], nothing, 0.0, True, marker, "gave nothing")

    def adjust(self, id: str, points: float, *, marker: str, version: int) -> Marked:
        """Add points to one answer's items, or take some; Conflict, KeyError as for `set_item`.

        Raises:
            UserError: the points are no multiple of 0.25 within what the question is worth.
        """
        self._complain_of(points)
        with self._writing() as connection:
            before = self._unclaimed(connection, id, marker, version)
            if points == before.adjustment and before.done:
                return before
            done = bool(before.items) or bool(points)
            what = f"adjusted by {points:+g}"
            return self._mark(connection, [before], before.items, points, done, marker, what)

    def say(self, id: str, text: str, *, marker: str, seen: str) -> Marked:
        """Write the comment on one answer.

        Args:
            id: The answer.
            text: The comment; "" for none.
            marker: Who says so.
            seen: The comment that they saw.

        Raises:
            Conflict: it is another one meanwhile.
        """
        text = text.strip()
        with self._writing() as connection:
            before = self._one(connection, id)
            if before.comment == text:
                return before
            if before.comment != seen.strip():
                raise Conflict(
                    "the comment was changed by somebody else meanwhile; it is shown now"
                )
            self._log(connection, marker, "commented", [(before, before.score, text)])
            self._write_comment(connection, id, text)
            return self._one(connection, id)

    def keep(self, id: str, *, marker: str) -> Marked:
        """Say that a mark is right for what the answer is now, wherever it was given."""
        with self._writing() as connection:
            before = self._one(connection, id)
            if before.changed:
                after = (before, before.score, before.comment)
                self._log(connection, marker, "kept the mark", [after])
                self._write_grade(connection, id, before.score, waiting=False)
            return self._one(connection, id)

    def take_over(self, id: str, *, marker: str) -> Marked:
        """Put the marks of this page in the place of one that was given in formgrader."""
        with self._writing() as connection:
            before = self._one(connection, id)
            if not before.elsewhere:
                return before
            done = bool(before.items) or bool(before.adjustment)
            what = "replaced the mark of formgrader"
            return self._mark(
                connection, [before], before.items, before.adjustment, done, marker, what
            )

    def copy(self, id: str, ids: Iterable[str], *, marker: str) -> tuple[list[str], list[str]]:
        """Give the marks and comment of one answer to others.

        Those that somebody has marked already, here or in formgrader, stay as they are.

        Returns:
            The answers that have them now, and those that stay.
        """
        with self._writing() as connection:
            pattern = self._one(connection, id)
            if pattern.waiting or pattern.elsewhere:
                raise Conflict("mark this answer here first, and then give its mark to others")
            others = [self._one(connection, other) for other in ids if other != id]
            free = [one for one in others if one.score is None and not one.elsewhere]
            kept = [one.id for one in others if one not in free]
            if free:
                what = f"gave one mark to {len(free)} more"
                chosen, adjustment = pattern.items, pattern.adjustment
                words = pattern.comment
                self._mark(connection, free, chosen, adjustment, True, marker, what, words)
            return [one.id for one in free], kept

    def change_item(self, item: int, points: float, words: str, *, marker: str) -> int:
        """Change an item for everybody: all marks follow, but those given in formgrader.

        Returns:
            How many marks are others now.

        Raises:
            UserError: points or words cannot be.
            KeyError: there is no such item.
        """
        words = self._complain_of(points, words)
        with self._writing() as connection:
            row = connection.execute(self._items().where(tables.items.c.id == item)).first()
            if row is None:
                raise KeyError(item)
            if (row.points, row.words) == (points, words):
                return 0
            self._log(connection, marker, f"changed the item: {words}", items=[row])
            self._write_item(connection, item, points=points, words=words)
            return self._follow(connection)

    def add_item(self, points: float, words: str, *, marker: str) -> int:
        """Add an item, and return its id; UserError where points or words cannot be."""
        words = self._complain_of(points, words)
        with self._writing() as connection:
            rows = connection.execute(self._items()).all()
            there = [row for row in rows if not row.retired]
            if same := [row for row in there if (row.points, row.words) == (points, words)]:
                return int(same[0].id)
            if len(there) >= MAX_ITEMS:
                raise UserError(
                    f"there are {MAX_ITEMS} items already, one for each key; change one"
                )
            place = max((row.place for row in rows), default=-1) + 1
            id = self._add(connection, place, points, words)
            self._log(connection, marker, f"added the item: {words}", added=[id])
            return id

    def retire_item(self, item: int, *, marker: str) -> int:
        """Take an item away from everybody, and return how many marks are others now."""
        with self._writing() as connection:
            mine = self._items().where(tables.items.c.id == item)
            row = connection.execute(mine).first()
            if row is None:
                raise KeyError(item)
            if row.retired:
                return 0
            self._log(connection, marker, f"removed the item: {row.words}", items=[row])
            self._write_item(connection, item, retired=True)
            return self._follow(connection)

    def undo(self, marker: str) -> tuple[str, list[str]]:
        """Undo the last change of a marker that is not undone.

        Returns:
            What it was, and the answers concerned; "" where there is none.

        Raises:
            Conflict: somebody has changed the same answer since.
        """
        t = tables.changes
        with self._writing() as connection:
            mine = (self._mine(t), t.c.marker == marker, t.c.undone.is_(False))
            query = sqlalchemy.select(t).where(*mine).order_by(t.c.id.desc()).limit(1)
            last = connection.execute(query).first()
            if last is None:
                return "", []
            before = json.loads(last.before)
            for snapshot in before["marks"]:
                self._restore(connection, snapshot, last.id)
            for row in before["items"]:
                self._write_item(connection, row.pop("id"), **row)
            for id in before["added"]:
                self._write_item(connection, id, retired=True)
            self._follow(connection)
            connection.execute(t.update().where(t.c.id == last.id).values(undone=True))
            return str(last.what), [snapshot["id"] for snapshot in before["marks"]]

    # Inside of a transaction

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlalchemy.Connection]:
        """Have the database to ourselves; UserError where another one writes for too long."""
        try:
            connection = self._engine.connect().execution_options(writes=True)
            with connection, connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.exec_driver_sql("LOCK TABLE autograder_hand_mark IN EXCLUSIVE MODE")
                yield connection
        except OperationalError as error:
            reason = str(error.orig).split("\n")[0]
            raise UserError(f"the gradebook cannot be written: {reason}; try it again") from error

    def _mine(self, table: Any) -> Any:
        return (table.c.homework == self.homework) & (table.c.question == self.id)

    def _here(self) -> tuple[Any, ...]:
        t = tables
        return (t.assignment.c.name == self.homework, t.cell.c.name == self.id)

    def _items(self) -> Any:
        t = tables.items
        return sqlalchemy.select(t).where(self._mine(t)).order_by(t.c.place, t.c.id)

    def _words(self, connection: sqlalchemy.Connection) -> dict[int, str]:
        rows = connection.execute(self._items().where(tables.items.c.retired.is_(False)))
        return {row.id: row.words for row in rows}

    def _rows(self) -> Any:
        t, g, m = tables, tables.grade.c, tables.marks.c
        comment = (t.comment.c.notebook_id == g.notebook_id) & (
            t.comment.c.cell_id == _commented(t.cell).scalar_subquery()
        )
        joined = _joined().outerjoin(t.marks, m.grade_id == g.id).outerjoin(t.comment, comment)
        columns = (g.id, g.auto_score, g.manual_score, g.needs_manual_grade)
        ours = (m["items"], m.adjustment, m.done, m.written, m.marker, m.version)
        student, words = t.submission.c.student_id, t.comment.c.manual_comment
        return (
            sqlalchemy.select(*columns, *ours, student, words)
            .select_from(joined)
            .where(*self._here())
            .order_by(g.id)
        )

    def _one(self, connection: sqlalchemy.Connection, id: str) -> Marked:
        row = connection.execute(self._rows().where(tables.grade.c.id == id)).first()
        if row is None:
            raise KeyError(id)
        return _marked(row)

    def _unclaimed(
        self, connection: sqlalchemy.Connection, id: str, marker: str, version: int
    ) -> Marked:
        """Return an answer that a marker may change."""
        one = self._one(connection, id)
        if one.elsewhere:
            raise Conflict("this answer was marked in formgrader; replace that mark first (key r)")
        if one.version != version and one.marker != marker:
            raise Conflict(f"{one.marker} marked this answer meanwhile; their mark is shown now")
        return one

    def _score(
        self, points: Mapping[int, float], chosen: Iterable[int], adjustment: float
    ) -> float:
        total = sum(points.get(item, 0.0) for item in chosen) + adjustment
        return min(max(total, 0.0), self.worth)

    def _points(self, connection: sqlalchemy.Connection) -> dict[int, float]:
        rows = connection.execute(self._items().where(tables.items.c.retired.is_(False)))
        return {row.id: row.points for row in rows}

    def _mark(
        self,
        connection: sqlalchemy.Connection,
        before: Sequence[Marked],
        chosen: frozenset[int],
        adjustment: float,
        done: bool,
        marker: str,
        what: str,
        comment: str = "",
    ) -> Marked:
        """Write the same marks for some answers, and a comment where there is none; return the first."""
        score = self._score(self._points(connection), chosen, adjustment) if done else None
        after = [(one, score, one.comment or comment) for one in before]
        self._log(connection, marker, what, after)
        for one in before:
            if comment and not one.comment:
                self._write_comment(connection, one.id, comment)
            values = {
                "items": json.dumps(sorted(chosen)),
                "adjustment": adjustment,
                "done": done,
                "written": score,
                "marker": marker,
                "at": time.time(),
                "version": one.version + 1,
            }
            self._write_mark(connection, one.id, values)
            self._write_grade(connection, one.id, score, waiting=not done)
        return self._one(connection, before[0].id)

    def _follow(self, connection: sqlalchemy.Connection) -> int:
        """Have all marks follow the items; return how many are others now."""
        points, count = self._points(connection), 0
        m = tables.marks
        for row in connection.execute(self._rows()).all():
            if not row.done or not tables.same(row.written, row.manual_score):
                continue
            score = self._score(points, json.loads(row.items), row.adjustment)
            if not tables.same(score, row.written):
                count += 1
                connection.execute(m.update().where(m.c.grade_id == row.id).values(written=score))
                self._write_grade(connection, row.id, score, waiting=row.needs_manual_grade)
        return count

    def _write_mark(
        self, connection: sqlalchemy.Connection, id: str, values: Mapping[str, Any]
    ) -> None:
        t = tables.marks
        connection.execute(t.delete().where(t.c.grade_id == id))
        connection.execute(t.insert().values(grade_id=id, **values))

    def _write_grade(
        self, connection: sqlalchemy.Connection, id: str, score: float | None, *, waiting: bool
    ) -> None:
        t = tables.grade
        values = {"manual_score": score, "needs_manual_grade": waiting}
        connection.execute(t.update().where(t.c.id == id).values(**values))

    def _write_comment(self, connection: sqlalchemy.Connection, id: str, text: str) -> None:
        t, g = tables.comment, tables.grade
        place = (
            sqlalchemy.select(g.c.notebook_id, _commented(tables.cell).scalar_subquery())
            .join(tables.cell, tables.cell.c.id == g.c.cell_id)
            .where(g.c.id == id)
        )
        notebook, cell = connection.execute(place).one()
        mine = (t.c.notebook_id == notebook) & (t.c.cell_id == cell)
        connection.execute(t.update().where(mine).values(manual_comment=text or None))

    def _add(self, connection: sqlalchemy.Connection, place: int, points: float, words: str) -> int:
        values = {"place": place, "points": points, "words": words, "retired": False}
        made = connection.execute(
            tables.items.insert().values(homework=self.homework, question=self.id, **values)
        )
        return int((made.inserted_primary_key or (0,))[0])

    def _write_item(self, connection: sqlalchemy.Connection, id: int, **values: Any) -> None:
        t = tables.items
        connection.execute(t.update().where(t.c.id == id).values(**values))

    def _log(
        self,
        connection: sqlalchemy.Connection,
        marker: str,
        what: str,
        marks: Iterable[tuple[Marked, float | None, str]] = (),
        *,
        items: Iterable[Any] = (),
        added: Iterable[int] = (),
    ) -> None:
        """Write down what is about to change: marks as they are, and their score and comment afterwards."""
        before = {
            "marks": [self._snapshot(connection, *one) for one in marks],
            "items": [
                {"id": row.id, "points": row.points, "words": row.words, "retired": row.retired}
                for row in items
            ],
            "added": list(added),
        }
        connection.execute(
            tables.changes.insert().values(
                at=time.time(),
                marker=marker,
                homework=self.homework,
                question=self.id,
                what=what,
                before=json.dumps(before),
                undone=False,
            )
        )

    def _snapshot(
        self, connection: sqlalchemy.Connection, one: Marked, score: float | None, comment: str
    ) -> dict[str, Any]:
        t = tables.marks
        row = connection.execute(sqlalchemy.select(t).where(t.c.grade_id == one.id)).first()
        ours = dict(row._mapping) if row else None
        return {
            "id": one.id,
            "mark": ours,
            "score": one.score,
            "waiting": one.waiting,
            "comment": one.comment,
            "score_after": score,
            "comment_after": comment,
        }

    def _restore(
        self, connection: sqlalchemy.Connection, snapshot: Mapping[str, Any], change: int
    ) -> None:
        """Put an answer back as it was, unless somebody has changed it since."""
        id, t = snapshot["id"], tables.changes
        later = sqlalchemy.select(t).where(self._mine(t), t.c.id > change, t.c.undone.is_(False))
        for row in connection.execute(later):
            if any(other["id"] == id for other in json.loads(row.before)["marks"]):
                raise Conflict(f"{row.marker} has changed this answer since, so it stays")
        now = self._one(connection, id)
        # A change of items since then is no conflict: the mark follows them again.
        if now.elsewhere and not tables.same(now.score, snapshot["score_after"]):
            raise Conflict("this answer was marked in formgrader since, so it stays")
        commented = snapshot["comment"] != snapshot["comment_after"]
        if commented and now.comment != snapshot["comment_after"]:
            raise Conflict("the comment was changed in formgrader since, so it stays")
        m = tables.marks
        connection.execute(m.delete().where(m.c.grade_id == id))
        if snapshot["mark"]:
            # The version goes on, so that a page that shows what is undone is told so.
            values = {**snapshot["mark"], "version": now.version + 1}
            connection.execute(m.insert().values(**values))
        self._write_grade(connection, id, snapshot["score"], waiting=snapshot["waiting"])
        if commented:
            self._write_comment(connection, id, snapshot["comment"])

    def _complain_of(self, points: float, words: str = "-") -> str:
        """Return an item's words as they are kept; UserError where an item cannot be."""
        if points != points or points % STEP or abs(points) > 1000:
            raise UserError(f"{points:g} points: write a multiple of {STEP}")
        words = " ".join(words.split())
        if not words or len(words) > MAX_WORDS:
            raise UserError(f"an item has between 1 and {MAX_WORDS} characters of words")
        return words


def _marked(row: Any) -> Marked:
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
