"""The changes of a question's marks, with the earlier state, so that they can be undone."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.staff.marking_page.marks import rows
from autograder.staff.marking_page.marks.records import Conflict, Marked


def log(
    connection: sqlalchemy.Connection,
    place: rows.Place,
    marker: str,
    what: str,
    marks: Iterable[tuple[Marked, float | None, str]] = (),
    *,
    items: Iterable[Any] = (),
    added: Iterable[int] = (),
    followed: Iterable[tuple[str, float, float]] = (),
) -> None:
    """Record a change: the marks before it, and score and comment after it.

    `followed` are answers whose marks changed only because of the items, with the scores before and
    after; an undo of the items changes these marks again.
    """
    concerned, t = list(marks), tables.marks
    ids = [one.id for one, *_ in concerned]
    texts = rows.texts(connection, ids)
    ours = connection.execute(sqlalchemy.select(t).where(t.c.grade_id.in_(ids)))
    there = {row.grade_id: dict(row._mapping) for row in ours}
    before = {
        "marks": [
            {
                "id": one.id,
                "mark": there.get(one.id),
                "score": one.score,
                "waiting": one.waiting,
                "sha256": texts.get(one.id),
                "comment": one.comment,
                "score_after": score,
                "comment_after": comment,
            }
            for one, score, comment in concerned
        ],
        "items": [
            {"id": row.id, "points": row.points, "words": row.words, "retired": row.retired}
            for row in items
        ],
        "added": list(added),
        "followed": list(followed),
    }
    connection.execute(
        tables.changes.insert().values(
            at=time.time(),
            marker=marker,
            homework=place.homework,
            question=place.question,
            what=what,
            before=json.dumps(before),
            undone=False,
        )
    )


def undo(
    connection: sqlalchemy.Connection, place: rows.Place, marker: str
) -> tuple[str, list[str]]:
    """Undo a marker's last change that still counts; the caller makes marks follow the items.

    Returns:
        The change in words, and the answers concerned; "" if there is none.

    Raises:
        Conflict: somebody else has changed the same answer or item since, or has given an item that
            this change added.
    """
    t = tables.changes
    mine = (place.mine(t), t.c.marker == marker, t.c.undone.is_(False))
    query = sqlalchemy.select(t).where(*mine).order_by(t.c.id.desc()).limit(1)
    last = connection.execute(query).first()
    if last is None:
        return "", []
    before = json.loads(last.before)
    _refuse_items(connection, place, last, before)
    for snapshot in before["marks"]:
        _restore(connection, place, snapshot, last.id)
    for row in before["items"]:
        rows.write_item(connection, row.pop("id"), **row)
    for id in before["added"]:
        rows.write_item(connection, id, retired=True)
    connection.execute(t.update().where(t.c.id == last.id).values(undone=True))
    return str(last.what), [snapshot["id"] for snapshot in before["marks"]]


def _refuse_items(
    connection: sqlalchemy.Connection, place: rows.Place, change: Any, before: Mapping[str, Any]
) -> None:
    """Raise Conflict if others have built on a change of items: undoing it would alter their work."""
    ids = {row["id"] for row in before["items"]} | set(before["added"])
    for row, later in _later(connection, place, change.id):
        if ids & {*(item["id"] for item in later["items"]), *later["added"]}:
            raise Conflict(f"{row.marker} has changed this item since, so it stays")
    for t in (tables.marks, tables.second_marks):
        for id in before["added"]:
            others = sqlalchemy.select(t).where(t.c.marker != change.marker)
            # The text narrows the search; 1 is also in 11.
            for row in connection.execute(others.where(t.c["items"].contains(str(id)))):
                if id in json.loads(row.items):
                    raise Conflict(f"{row.marker} has given this item since, so it stays")


def _later(
    connection: sqlalchemy.Connection, place: rows.Place, change: int
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the changes after one that still count, each with the state before it."""
    t = tables.changes
    later = sqlalchemy.select(t).where(place.mine(t), t.c.id > change, t.c.undone.is_(False))
    for row in connection.execute(later):
        yield row, json.loads(row.before)


def repeated(connection: sqlalchemy.Connection, request: str) -> tuple[str, list[str]] | None:
    """Return what an earlier request with this key has undone, like `undo`; None if there is none."""
    t = tables.undos
    row = connection.execute(sqlalchemy.select(t).where(t.c.request == request)).first()
    return (row.what, json.loads(row.answers)) if row else None


def remember(
    connection: sqlalchemy.Connection, request: str, what: str, answers: Sequence[str]
) -> None:
    """Remember what a request with this key has undone, for `repeated`."""
    if request and what:
        values = {"request": request, "what": what, "answers": json.dumps(answers)}
        connection.execute(tables.undos.insert().values(**values))


def _restore(
    connection: sqlalchemy.Connection, place: rows.Place, snapshot: Mapping[str, Any], change: int
) -> None:
    """Restore an answer, unless somebody has changed it since."""
    id = snapshot["id"]
    for row, later in _later(connection, place, change):
        if any(other["id"] == id for other in later["marks"]):
            raise Conflict(f"{row.marker} has changed this answer since, so it stays")
    now = place.answer(connection, id)
    # A change of items since then is not a conflict: the mark follows them again.
    if now.elsewhere and not tables.same(now.score, snapshot["score_after"]):
        raise Conflict("this answer was marked in formgrader since, so it stays")
    commented = snapshot["comment"] != snapshot["comment_after"]
    if commented and now.comment != snapshot["comment_after"]:
        raise Conflict("the comment was changed in formgrader since, so it stays")
    m = tables.marks
    connection.execute(m.delete().where(m.c.grade_id == id))
    if snapshot["mark"]:
        # The version still increases, so that a page with the undone state notices.
        values = {**snapshot["mark"], "version": now.version + 1}
        connection.execute(m.insert().values(**values))
    waiting, text = snapshot["waiting"], rows.texts(connection, [id]).get(id)
    if snapshot.get("sha256", text) != text:  # as when a gradebook is filled with another text
        waiting = snapshot["score"] is not None or now.automatic is None
    rows.write_grade(connection, id, snapshot["score"], waiting=waiting)
    if commented:
        rows.write_comment(connection, id, snapshot["comment"])


def history(engine: sqlalchemy.Engine) -> Iterator[tuple[Any, str, float | None, float | None]]:
    """Yield every change of a mark by hand, oldest first, once for each answer.

    Yields:
        The row of `changes`, the student, and the points before and after it.
    """
    t, g = tables, tables.grade.c
    whose = sqlalchemy.select(g.id, t.submission.c.student_id).select_from(rows.joined())
    with engine.connect() as connection:
        students = {row[0]: row[1] for row in connection.execute(whose)}
        found = connection.execute(sqlalchemy.select(t.changes).order_by(t.changes.c.id)).all()
    for row in found:
        change = json.loads(row.before)
        marks = [(one["id"], one["score"], one["score_after"]) for one in change["marks"]]
        # Earlier records lack the marks that followed.
        for id, before, after in (*marks, *change.get("followed", ())):
            yield row, students.get(id, id), before, after
