"""Read the marks that people gave in nbgrader's gradebook.

`database.py` reads them, and is imported only when needed, because importing nbgrader is slow.
`hand_marks.py` writes them.
"""

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
