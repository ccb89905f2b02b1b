"""People's marks in nbgrader's gradebook; the slow import of nbgrader happens only if needed."""

import functools
from collections.abc import Mapping
from pathlib import Path

from autograder.course import homework
from autograder.course.people import roster
from autograder.records.marks import HandMarks, MarkGiver


class Gradebook(MarkGiver):
    """The marks of a gradebook, by default formgrader's."""

    def by_people(
        self, root: Path, folder: Path, url: str | None
    ) -> tuple[str, Mapping[str, HandMarks]] | None:
        """Return the gradebook's name and its marks; None if its file does not exist."""
        from autograder.platforms.nbgrader import database

        place = url or database.existing(root)
        if not place:
            return None
        load = functools.cache(functools.partial(homework.load, root))
        with database.connect(place, make=False) as book:
            return database.shown(place), database.given(book, folder, load, roster(root))


giver = Gradebook()
