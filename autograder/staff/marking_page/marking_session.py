"""The marking of one question: its rubric, its answers in order, and the page's view of each."""

import contextlib
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup

from autograder.course.people import People
from autograder.course.rubrics import Rubric
from autograder.platforms.nbgrader.answers import Answer
from autograder.records.errors import UserError
from autograder.records.homework import Homework
from autograder.staff.marking_page import similarity
from autograder.staff.marking_page.answer_html import Reader, Shown, line
from autograder.staff.marking_page.marks import suggestions
from autograder.staff.marking_page.marks.claims import Claims
from autograder.staff.marking_page.marks.double_marking import Second
from autograder.staff.marking_page.marks.question import Question
from autograder.staff.marking_page.marks.records import Marked, MarkingItem, Progress
from autograder.staff.marking_page.marks.suggestions import Suggestion
from autograder.store import results

AHEAD = 16
"""The number of answers to read ahead."""
MAX_VARIANTS = 12
"""The most similar texts that a page shows at once."""
AROUND = 60
"""The number of characters to show before and after a quote."""
SUGGESTIONS_SECONDS = 15.0
"""The time to keep the result of a look for suggestions, which reads all marks of the class."""


@dataclass(frozen=True)
class View:
    """A page's view of one answer.

    Args:
        of: The number of answers.
        given: Item -> the number of answers that have it.
        answer: The text and pictures; None if there is no answer to show.
        place: Its position among all answers, from 1.
        free: Whether nobody else has it open.
        same: The number of unmarked answers with the same text and pictures.
        near: The number of unmarked answers with nearly the same text.
        echo: A comparison with the previous answer if both read alike but differ in something
            decisive.
        suggested: Suggestions for it from rules or models, if people may see them.
    """

    of: int
    items: Sequence[MarkingItem]
    progress: Progress
    given: Mapping[int, int]
    marked: Marked | None = None
    answer: Shown | None = None
    place: int = 0
    person: str = ""
    free: bool = True
    same: int = 0
    near: int = 0
    echo: Sequence[similarity.Piece] = ()
    suggested: Sequence["Suggested"] = ()


@dataclass(frozen=True)
class Suggested:
    """A suggestion that people may see; it is no mark.

    Args:
        quotes: Item -> the supporting quote, with the text before and after it in the answer.
    """

    marker: str
    quotes: Mapping[int, tuple[str, str, str]]


@dataclass(frozen=True)
class Variant:
    """A text that is nearly the same as a different answer's.

    Args:
        ids: The unmarked answers that have it.
        sha256: Its digest, as in the gradebook.
        pieces: The text in pieces, compared with the other one.
    """

    ids: tuple[str, ...]
    sha256: str
    pieces: tuple[similarity.Piece, ...]


class Room:
    """A question, the answers of one folder, and their markers.

    The question takes over the rubric's items if it has none yet.

    Args:
        root: The course's folder.
        rubric: The rubric; None if nobody wrote one.
        folder: The folder that `autograder grade` wrote.
        reader: The folder's reader.
        people: The owners of the folders.
        named: Whether to show their names.
        share: The part of the answers to mark here: (2, 3) is the second of three.
    """

    def __init__(
        self,
        root: Path,
        marks: Question,
        homework: Homework,
        rubric: Rubric | None,
        folder: Path,
        reader: Reader,
        *,
        people: People,
        share: tuple[int, int],
        named: bool,
    ) -> None:
        self.marks, self.homework, self.rubric, self.folder = marks, homework, rubric, folder
        self._reader, self._people, self._named = reader, people, named
        self._claims = Claims(marks)
        self._texts: dict[str, str] = {}
        self._near: dict[str, tuple[str, ...]] = {}
        self._known: similarity.Alike | None = None
        self._suggestions: dict[str, list[tuple[str, Suggestion]]] = {}
        self._suggestions_until = 0.0
        if rubric:
            marks.begin((item.points, item.words) for item in rubric.items)
        folders, _ = people.one_each(results.folders(folder))
        here = {people.id_of(path.name): path.name for path in folders}
        part, parts = share
        self.students: Mapping[str, str] = {
            one.id: here[whose]
            for one in marks.all()
            if (whose := people.id_of(people.folder(one.student))) in here
            and _part(one.id, parts) == part - 1
        }
        self._comparison = similarity.Comparison(
            root, folder, homework.name, marks.id, self.students
        )
        self._digests = marks.texts()
        groups: dict[str, list[str]] = {}
        for id in self.students:
            groups.setdefault(self._digests.get(id, id), []).append(id)
        # Identical answers come one after another.
        self._order = [id for group in groups.values() for id in group]
        self._same = {id: group for group in groups.values() for id in group if len(group) > 1}

    @property
    def second(self) -> bool:
        """Return whether answers are marked a second time here."""
        return isinstance(self.marks, Second)

    def next(self, holder: str, after: str = "") -> View:
        """Claim and return the next waiting answer that nobody else has open."""
        self._arrange()
        start = self._order.index(after) + 1 if after in self.students else 0
        turned = [*self._order[start:], *self._order[:start]]
        return self.view(self._claims.first(turned, holder), holder, claimed=True)

    def beside(self, id: str, step: int, holder: str) -> View:
        """Return the answer at a distance from a given one, whether it waits or not."""
        if not self._order:
            return self.view("", holder)
        place = self._order.index(id) + step if id in self.students else 0
        return self.view(self._order[place % len(self._order)], holder)

    def view(self, id: str, holder: str, *, claimed: bool = False) -> View:
        """Return the view of one answer; raise KeyError if none has this id."""
        self._arrange()
        marks, many = self.marks, len(self._order)
        nothing = View(many, marks.items(), marks.progress(), marks.given())
        if not id:
            return nothing
        student = self.students[id]
        free = claimed or self._claims.one(id, holder)
        place = self._order.index(id)
        following = [self._order[(place + n) % many] for n in range(1, AHEAD)]
        shown = self._reader.answer(self.homework, marks.id, student)
        self._reader.ahead(self.homework, marks.id, [self.students[one] for one in following])
        return replace(
            nothing,
            marked=marks.one(id),
            answer=shown,
            place=place + 1,
            person=self._name(student),
            free=free,
            same=len(marks.unmarked([other for other in self.same(id) if other != id])),
            near=len(marks.unmarked(self._nearly(id))),
            echo=self._echo(id),
            suggested=self._suggested(id),
        )

    def _suggested(self, id: str) -> tuple[Suggested, ...]:
        """Return the suggestions for an answer that people may see, as of a recent look."""
        if time.monotonic() > self._suggestions_until:
            found: dict[str, list[tuple[str, Suggestion]]] = {}
            for marker, one in suggestions.shown(self.marks):
                found.setdefault(one.answer, []).append((marker, one))
            self._suggestions = found
            self._suggestions_until = time.monotonic() + SUGGESTIONS_SECONDS
        mine, text = self._suggestions.get(id, []), ""
        if mine:
            with contextlib.suppress(UserError, OSError):
                text = self.text(id)
        return tuple(
            Suggested(who, {item: _quoted(quote, text) for item, quote in one.quotes.items()})
            for who, one in mine
        )

    def same(self, id: str) -> list[str]:
        """Return the answers that still have the same text and pictures, if there are several."""
        group = self._same.get(id, [])
        now = self.marks.texts(group)
        return [other for other in group if now.get(other) == now.get(id)]

    def group(self, id: str) -> set[str]:
        """Return all answers with the same or nearly the same text, including this one."""
        return {id, *self.same(id), *self._near.get(id, ())}

    def variants(self, id: str) -> tuple[list[Variant], int]:
        """Return nearly equal texts without a mark, and how many answers are left out.

        Raises:
            KeyError: there is no answer with this id.
            UserError, OSError: it is unreadable.
        """
        texts: dict[str, list[str]] = {}
        for other in self.marks.unmarked(self._nearly(id)):
            texts.setdefault(self._digests.get(other, other), []).append(other)
        groups = sorted(texts.values(), key=lambda ids: (-len(ids), ids))
        mine, shown = self.text(id), []
        for ids in groups[:MAX_VARIANTS]:
            one = self._written(ids[0])
            pieces = similarity.differences(mine, one.text)
            shown.append(Variant(tuple(ids), one.sha256, tuple(pieces)))
        return shown, sum(map(len, groups[MAX_VARIANTS:]))

    def _nearly(self, id: str) -> Sequence[str]:
        """Return the answers with nearly the same text, unless it has changed since the look."""
        near, same = self._near.get(id, ()), {id, *self.same(id)}
        now = self.marks.texts(near)
        still = {one for one in near if now.get(one) == self._digests.get(one)}
        return [other for other in near if other in still - same] if id in still else []

    def _echo(self, id: str) -> Sequence[similarity.Piece]:
        before = self._known.echoes.get(id) if self._known else None
        with contextlib.suppress(UserError, OSError):
            return similarity.differences(self.text(before), self.text(id)) if before else ()
        return ()

    def text(self, id: str) -> str:
        """Return an answer's text; raise UserError or OSError if it is unreadable."""
        return self._written(id).text

    def _written(self, id: str) -> Answer:
        return self._reader.written(self.homework, self.marks.id, self.students[id])

    def _arrange(self) -> None:
        """Sort similar answers together, as soon as they are known."""
        if self._known is None:
            self._comparison.begin()
            self._known = self._comparison.found()
            if self._known and self._known.order:
                self._order = list(self._known.order)
                self._near = {id: group for group in self._known.groups for id in group}

    def picture(self, id: str, count: int) -> str:
        """Return an answer's picture in base64; raise KeyError or IndexError if there is none."""
        return self._reader.answer(self.homework, self.marks.id, self.students[id]).pictures[count]

    def html(self, text: str) -> Markup:
        """Return a text by staff as HTML; read each only once, a rubric's texts together."""
        if text not in self._texts:
            known = [item.words for item in self.marks.items()]
            if one := self.rubric:
                known += [one.text, one.full, one.half, one.none, one.sample, one.notes]
            wanted = [text, *(other for other in known if other not in self._texts)]
            self._texts.update(zip(wanted, self._reader.markdown(wanted), strict=True))
        return Markup(self._texts[text])

    def line(self, text: str) -> Markup:
        """Return one line by staff as HTML, without a paragraph around it."""
        return line(self.html(text))

    def _name(self, student: str) -> str:
        if not self._named:
            return ""
        name, id = self._people.name_of(student), self._people.id_of(student)
        return f"{name} ({id})" if name else id


def _quoted(quote: str, text: str) -> tuple[str, str, str]:
    """Return a quote with some words of the answer before and after it."""
    before, _, after = text.partition(quote)
    if len(before) > AROUND:
        before = f"…{before[-AROUND:]}"
    return before, quote, f"{after[:AROUND]}…" if len(after) > AROUND else after


def _part(id: str, parts: int) -> int:
    """Return the part of the class that an answer is in: random, but always the same."""
    return int(hashlib.sha256(id.encode()).hexdigest(), 16) % parts
