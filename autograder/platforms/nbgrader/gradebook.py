"""Bring what people gave in nbgrader's gradebook; only then is nbgrader imported, which takes seconds."""

import functools
from collections.abc import Mapping
from pathlib import Path

from autograder.course import homework
from autograder.course.people import roster
from autograder.records.marks import HandMarks, MarkGiver


class Gradebook(MarkGiver):
    """Give the marks of a gradebook, by default of the one that formgrader opens."""

    def by_people(
        self, root: Path, folder: Path, url: str | None
    ) -> tuple[str, Mapping[str, HandMarks]] | None:
        """Return the gradebook's name and what counts in it; None where its file is not there."""
        from autograder.platforms.nbgrader import database

        place = url or database.existing(root)
        if not place:
            return None
        load = functools.cache(functools.partial(homework.load, root))
        with database.connect(place, make=False) as book:
            return database.shown(place), database.given(book, folder, load, roster(root))


giver = Gradebook()
