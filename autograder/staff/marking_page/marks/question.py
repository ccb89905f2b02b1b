"""Actions on the answers of one question: items, an adjustment, a comment, one mark for many."""

from collections.abc import Collection, Iterable, Sequence

import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.staff.marking_page.marks import changes, rows
from autograder.staff.marking_page.marks.connection import writing
from autograder.staff.marking_page.marks.items import Items, checked
from autograder.staff.marking_page.marks.records import Conflict, Marked


class Question(Items):
    """The marks of one question in a gradebook."""

    def set_item(
        self, id: str, item: int, *, on: bool, marker: str, version: int, sha256: str = ""
    ) -> Marked:
        """Set whether an answer, as the marker saw it (`version`), has an item.

        `sha256` is the digest of the text that the marker read, or "" if there was none to read.

        Raises:
            Conflict: somebody else marked it meanwhile, it was marked in formgrader, or its text
                has changed.
            KeyError: there is no such answer or item.
        """
        with writing(self.engine) as connection:
            given = {row.id: row.words for row in connection.execute(self.place.items())}
            what = f"{'gave' if on else 'took back'}: {given[item]}"
            before = self._unclaimed(connection, id, marker, version, sha256)
            chosen = before.items | {item} if on else before.items - {item}
            if chosen == before.items and before.done:
                return before
            return self._mark(connection, [before], chosen, before.adjustment, marker, what)

    def give_nothing(self, id: str, *, marker: str, version: int, sha256: str = "") -> Marked:
        """Mark an answer as done without any items; raise Conflict and KeyError like `set_item`."""
        with writing(self.engine) as connection:
            before = self._unclaimed(connection, id, marker, version, sha256)
            if not before.items and not before.adjustment and before.done and before.score == 0:
                return before
            what = "no item is true"
            return self._mark(connection, [before], frozenset(), 0.0, marker, what, done=True)

    def give_all(self, id: str, *, marker: str, version: int, sha256: str = "") -> Marked:
        """Give an answer every item that adds points; raise errors like `set_item`."""
        with writing(self.engine) as connection:
            before = self._unclaimed(connection, id, marker, version, sha256)
            every = before.items | {item.id for item in self.items() if item.points > 0}
            if before.items == every and before.done:
                return before
            what = "all items are true"
            return self._mark(connection, [before], every, before.adjustment, marker, what)

    def adjust(
        self, id: str, points: float, *, marker: str, version: int, sha256: str = ""
    ) -> Marked:
        """Add points to an answer's items or deduct some; raise errors like `set_item`.

        Raises:
            UserError: the points are not a multiple of 0.25 within the question's points.
        """
        checked(points)
        with writing(self.engine) as connection:
            before = self._unclaimed(connection, id, marker, version, sha256)
            if points == before.adjustment and before.done:
                return before
            what = f"adjusted by {points:+g}"
            return self._mark(connection, [before], before.items, points, marker, what)

    def say(self, id: str, text: str, *, marker: str, seen: str) -> Marked:
        """Replace the comment on one answer, as the marker saw it, by a new one.

        Raises:
            Conflict: it has changed meanwhile.
        """
        text = text.strip()
        with writing(self.engine) as connection:
            before = self.place.answer(connection, id)
            if before.comment.strip() == text:
                return before
            if before.comment.split() != seen.split():  # formgrader keeps blanks around a comment
                raise Conflict(
                    "the comment was changed by somebody else meanwhile; it is shown now"
                )
            changes.log(connection, self.place, marker, "commented", [(before, before.score, text)])
            rows.write_comment(connection, id, text)
            return self.place.answer(connection, id)

    def keep(self, id: str, *, marker: str, sha256: str = "") -> Marked:
        """Confirm that a mark, wherever it was given, is right for the text that the marker read.

        Raises:
            Conflict: the text has changed since.
        """
        with writing(self.engine) as connection:
            before = self._as_read(connection, id, sha256)
            if before.changed:
                after = (before, before.score, before.comment)
                changes.log(connection, self.place, marker, "kept the mark", [after])
                rows.write_grade(connection, id, before.score, waiting=False)
            return self.place.answer(connection, id)

    def take_over(self, id: str, *, marker: str, sha256: str = "") -> Marked:
        """Replace a mark from formgrader by the marks of this page; raise Conflict like `keep`."""
        with writing(self.engine) as connection:
            before = self._as_read(connection, id, sha256)
            if not before.elsewhere:
                return before
            what = "replaced the mark of formgrader"
            return self._mark(connection, [before], before.items, before.adjustment, marker, what)

    def copy(
        self,
        id: str,
        ids: Iterable[str],
        *,
        marker: str,
        sha256: str = "",
        texts: Collection[str] = (),
    ) -> tuple[list[str], list[str]]:
        """Give the marks and comment of one answer to others with the same text.

        Answers that somebody has already marked, here or in formgrader, stay as they are. `sha256`
        is as in `set_item`, and `texts` are the digests of other texts that the marker has seen,
        whose answers may have the same mark.

        Returns:
            The changed answers, and those that stay as they are.

        Raises:
            Conflict: it has no mark from here, or one answer's text has changed; then all stay as
                they are.
        """
        with writing(self.engine) as connection:
            pattern = self._as_read(connection, id, sha256)
            if pattern.waiting or pattern.elsewhere:
                raise Conflict("mark this answer here first, and then give its mark to others")
            others = [self.place.answer(connection, other) for other in ids if other != id]
            free = [one for one in others if one.score is None and not one.elsewhere]
            kept = [one.id for one in others if one not in free]
            now = rows.texts(connection, [id, *(one.id for one in free)])
            if not {now.get(one.id) for one in free} <= {now.get(id), *texts}:
                raise Conflict(
                    "the text of another of these answers has changed meanwhile, so none has got "
                    "the mark; look at them again"
                )
            if free:
                what = f"gave one mark to {len(free)} more"
                mark, comment = (pattern.items, pattern.adjustment), pattern.comment
                self._mark(connection, free, *mark, marker, what, done=True, comment=comment)
            return [one.id for one in free], kept

    def undo(self, marker: str, *, request: str = "") -> tuple[str, list[str]]:
        """Undo a marker's last change, like `changes.undo`.

        A request with the key of an earlier one undoes nothing more, and returns the same.
        """
        with writing(self.engine) as connection:
            if done := changes.repeated(connection, request):
                return done
            what, answers = self._undo(connection, marker)
            changes.remember(connection, request, what, answers)
            return what, answers

    def _undo(self, connection: sqlalchemy.Connection, marker: str) -> tuple[str, list[str]]:
        undone = changes.undo(connection, self.place, marker)
        self.follow(connection)
        return undone

    def _unclaimed(
        self, connection: sqlalchemy.Connection, id: str, marker: str, version: int, sha256: str
    ) -> Marked:
        """Return an answer that a marker may change."""
        one = self._as_read(connection, id, sha256)
        if one.elsewhere:
            raise Conflict("this answer was marked in formgrader; replace that mark first (key r)")
        if one.version != version and one.marker != marker:
            if not one.marker:
                raise Conflict("the mark of this answer was undone meanwhile; it is open again")
            raise Conflict(f"{one.marker} marked this answer meanwhile; their mark is shown now")
        return one

    def _as_read(self, connection: sqlalchemy.Connection, id: str, sha256: str) -> Marked:
        """Return an answer, unless its text has changed since the marker read it."""
        one = self.place.answer(connection, id)
        if sha256 and rows.texts(connection, [id]).get(id, sha256) != sha256:
            raise Conflict(
                "the text of this answer has changed, so read it as it is shown now; if this comes "
                "again, run `autograder mark D --fill`"
            )
        return one

    def _total(
        self,
        connection: sqlalchemy.Connection,
        chosen: Collection[int],
        adjustment: float,
        *,
        done: bool,
    ) -> float | None:
        """Return a mark; None if there is no item, no adjustment, and the marker is not `done`."""
        if not (chosen or adjustment or done):
            return None
        return self.score(self.points(connection), chosen, adjustment)

    def _mark(
        self,
        connection: sqlalchemy.Connection,
        before: Sequence[Marked],
        chosen: frozenset[int],
        adjustment: float,
        marker: str,
        what: str,
        *,
        done: bool = False,
        comment: str = "",
    ) -> Marked:
        """Mark some answers alike, with a comment for those without one; return the first."""
        score = self._total(connection, chosen, adjustment, done=done)
        after = [(one, score, one.comment or comment) for one in before]
        changes.log(connection, self.place, marker, what, after)
        for one in before:
            if comment and not one.comment:
                rows.write_comment(connection, one.id, comment)
            rows.write_mark(connection, tables.marks, one, chosen, adjustment, score, marker)
            rows.write_grade(connection, one.id, score, waiting=score is None)
        return self.place.answer(connection, before[0].id)
