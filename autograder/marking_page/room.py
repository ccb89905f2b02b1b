"""One question as it is marked: rubric, answers in their order, what a page shows of each."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from autograder.course.rubrics import Rubric
from autograder.marking_page.shown import Reader, Shown
from autograder.marking_page.store import Item, Marked, Progress, Question
from autograder.model import Homework

AHEAD = 8
"""Answers that are read before they are wanted."""


@dataclass(frozen=True)
class View:
    """What a page shows of one answer.

    Args:
        answer: The text and pictures; None where there is no answer to show.
        marked: Its marks.
        place: Which one of all it is, from 1.
        of: How many there are.
        person: Whose it is, where names are shown.
        free: Whether it is on nobody else's page.
        same: How many others with the same text and pictures have no mark yet.
        items: The question's.
        progress: How far it is.
    """

    marked: Marked | None
    answer: Shown | None
    place: int
    of: int
    person: str
    free: bool
    same: int
    items: tuple[Item, ...]
    progress: Progress


class Room:
    """A question, the answers of one folder, and those who mark them.

    Args:
        marks: Its marks in the gradebook.
        homework: To which it belongs.
        rubric: How it is marked; None where nobody wrote one.
        folder: What `autograder grade` wrote.
        reader: Reads it.
        people: Names by student id, where they are shown.
        share: Which part of the answers is marked here: (2, 3) is the second of three.
    """

    def __init__(
        self,
        marks: Question,
        homework: Homework,
        rubric: Rubric | None,
        folder: Path,
        reader: Reader,
        people: Mapping[str, Mapping[str, str]] | None,
        share: tuple[int, int],
    ) -> None:
        self.marks, self.homework, self.rubric = marks, homework, rubric
        self._folder, self._reader, self._people, self._share = folder, reader, people, share
        self._order: list[str] = []
        self._students: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._same: dict[str, list[str]] = {}

    def open(self) -> None:
        """Take over the rubric where there are no items yet, and find the answers."""
        if self.rubric:
            self.marks.begin((item.points, item.words) for item in self.rubric.items)
        here = {path.name for path in self._folder.iterdir() if path.is_dir()}
        part, parts = self._share
        found = [
            one
            for one in self.marks.all()
            if one.student in here and _part(one.id, parts) == part - 1
        ]
        self._students = {one.id: one.student for one in found}
        digests = self.marks.identical()
        first: dict[str, int] = {}
        for place, one in enumerate(found):
            first.setdefault(digests.get(one.id, one.id), place)
        # Identical answers come one after another.
        self._order = sorted(self._students, key=lambda one: first[digests.get(one) or one])
        groups: dict[str, list[str]] = {}
        for id in self._order:
            groups.setdefault(digests.get(id, id), []).append(id)
        self._same = {id: group for group in groups.values() for id in group if len(group) > 1}

    @property
    def size(self) -> int:
        """How many answers there are to look at."""
        return len(self._order)

    def next(self, holder: str, after: str = "") -> View:
        """Return the first answer behind one that waits and is on no other page, and claim it."""
        start = self._order.index(after) + 1 if after in self._students else 0
        turned = [*self._order[start:], *self._order[:start]]
        return self.view(self.marks.claim(turned, holder), holder)

    def beside(self, id: str, step: int, holder: str) -> View:
        """Return the answer so many places behind one, whether it waits or not."""
        if not self._order:
            return self.view("", holder)
        place = self._order.index(id) + step if id in self._students else 0
        return self.view(self._order[place % len(self._order)], holder)

    def view(self, id: str, holder: str) -> View:
        """Return what is shown of one answer; KeyError where there is none with this id."""
        items, progress = tuple(self.marks.items()), self.marks.progress()
        if not id:
            return View(None, None, 0, self.size, "", True, 0, items, progress)
        student = self._students[id]
        free = self.marks.look(id, holder)
        place = self._order.index(id)
        following = [self._order[(place + n) % self.size] for n in range(1, AHEAD)]
        shown = self._reader.answer(self.homework, self.marks.id, student)
        others = (self._students[other] for other in following)
        self._reader.ahead(self.homework, self.marks.id, others)
        marked = self.marks.one(id)
        same = len(self.marks.unmarked([other for other in self.same(id) if other != id]))
        name = self._name(student)
        return View(marked, shown, place + 1, self.size, name, free, same, items, progress)

    def same(self, id: str) -> list[str]:
        """Return the answers with the same text and pictures, where there are several."""
        return self._same.get(id, [])

    def picture(self, id: str, count: int) -> str:
        """Return a picture of an answer in base64; KeyError or IndexError where there is none."""
        return self._reader.answer(self.homework, self.marks.id, self._students[id]).pictures[count]

    def student(self, id: str) -> str:
        """Return whose answer it is; KeyError where there is none with this id."""
        return self._students[id]

    def html(self, text: str) -> Markup:
        """Return a text of staff as HTML; each is read once, and those of a rubric together."""
        if text not in self._texts:
            rubric = self.rubric
            known = [rubric.text, rubric.full, rubric.half, rubric.none] if rubric else []
            known += [rubric.sample, rubric.notes] if rubric else []
            known += [item.words for item in self.marks.items()]
            wanted = [text, *(other for other in known if other not in self._texts)]
            self._texts.update(zip(wanted, self._reader.markdown(wanted), strict=True))
        return Markup(self._texts[text])

    def line(self, text: str) -> Markup:
        """Return one line of staff's as HTML, without a paragraph around it."""
        made = str(self.html(text)).strip()
        if made.startswith("<p>") and made.endswith("</p>") and made.count("<p>") == 1:
            made = made[3:-4]
        return Markup(made)

    def _name(self, student: str) -> str:
        if self._people is None:
            return ""
        name = self._people.get(student, {}).get("name") or ""
        return f"{name} ({student})" if name else student


def _part(id: str, parts: int) -> int:
    """Return in which part of the class an answer is; anybody's guess, and always the same."""
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % parts
