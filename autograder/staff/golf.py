"""The extra credit of attention golf, added as a separate mark if course.toml gives any."""

from pathlib import Path

from autograder.records.marks import GOLF, Grade, Mark, MarkGiver, golf_mark


class GolfPoints(MarkGiver):
    """The source of extra credit for sparse right answers."""

    title = GOLF

    def added(self, grade: Grade, folder: Path) -> Mark | None:  # noqa: ARG002
        """Return one mark for all questions."""
        return golf_mark(grade)


giver = GolfPoints()
