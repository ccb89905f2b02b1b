"""The class page as a part of the desk, made again only if marks have changed."""

import functools
import threading
from pathlib import Path

from markupsafe import Markup

from autograder.course import course, homework
from autograder.course import people as roster
from autograder.records.errors import UserError
from autograder.records.marks import without_added
from autograder.reports import collected
from autograder.staff.class_page import page, write
from autograder.staff.desk.classes import Classes
from autograder.staff.desk.marking import Marking


class ClassFigures:
    """The figures of each homework's class; `marking` reads the rubrics."""

    def __init__(self, root: Path, classes: Classes, marking: Marking) -> None:
        self._root, self._classes, self._marking = root, classes, marking
        self._made: dict[str, tuple[object, Markup]] = {}
        self._lock = threading.Lock()

    def html(self, name: str) -> Markup:
        """Return the figures of a homework's class; raise UserError if nothing was graded."""
        with self._lock:
            entries = self._classes.entries(name)
            if not entries:
                raise UserError(f"{name} has no results yet; bring submissions in first")
            if name not in self._made or self._made[name][0] != entries:
                self._made[name] = entries, self._figures(name)
            return self._made[name][1]

    def _figures(self, name: str) -> Markup:
        place, people = self._classes.place(name), roster.roster(self._root)
        have = collected.collect(place, people, self._classes.given(name))
        graded = {student: without_added(grade) for student, grade in have.graded.items()}
        load = functools.partial(homework.load, self._root)
        of = write.class_of(place, graded, have.rows, course.read(self._root), load)
        marked = [items for one in have.given.values() for items in one.items.values()]
        items = self._marking.lines(place, (text for each in marked for text in each))
        return page.staff_part(of, roster=people, given=have.given, items=items)
