"""Suggestions for written answers from a person, a rule or a model: a blind second marking.

A suggestion consists of items of the rubric, each with a quote from the answer. It is data in a
separate table and never a mark: nothing here writes a mark or interprets a text. Each source of
suggestions is compared with people on random answers, which people mark without seeing any
suggestion. Nobody sees its suggestions until it agrees with people as well as people agree with
each other.
"""

import functools
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import sqlalchemy

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.records import codec
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.staff.marking_page.marks.connection import writing
from autograder.staff.marking_page.marks.double_marking import Second, agreement, kappa
from autograder.staff.marking_page.marks.question import Question
from autograder.submission import receipts

FEWEST = 20
"""The least number of answers from which a kappa decides anything."""
DRAWN = 40
"""The approximate number of answers to draw, at most half of all."""
NOT_A_NAME = ("", "marker", "formgrader")
"""Names of people who have not chosen one."""
_COLUMNS = ("id", "question", "item", "quote")


@dataclass(frozen=True)
class Asked:
    """A question with its answers.

    Args:
        marks: Its marks in the gradebook.
        answers: Student's id -> the answer's id.
        text: A function from an answer's id to its text.
    """

    marks: Question
    answers: Mapping[str, str]
    text: Callable[[str], str]


@dataclass(frozen=True)
class Suggestion:
    """A suggestion for one answer: the ids of items, each with its quote."""

    answer: str
    quotes: Mapping[int, str]


@dataclass(frozen=True)
class Standing:
    """The agreement of a source of suggestions with people on one question.

    Args:
        marker: The source's name.
        suggested: The number of answers with a suggestion.
        answers: The number of drawn answers that people have marked.
        same: The number of these with equal points.
        kappa: Cohen's kappa, as for two people; None if all points are equal.
        people: The kappa of people with each other; None if unknown.
        twice: The number of answers that people have marked twice.
        severity: Points suggested minus points given, on average.
        items: By an item's words: the share of answers on which both agree.
    """

    marker: str
    suggested: int
    answers: int
    same: int
    kappa: float | None
    people: float | None
    twice: int
    severity: float
    items: Mapping[str, float]

    @property
    def shown(self) -> bool:
        """Return whether people may see the suggestions for other answers."""
        known = self.kappa is not None and self.people is not None
        enough = min(self.answers, self.twice) >= FEWEST
        return known and enough and (self.kappa or 0.0) >= (self.people or 0.0)


class _Item(msgspec.Struct, forbid_unknown_fields=True):
    item: int
    quote: str


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    question: str
    items: list[_Item]


@dataclass(frozen=True)
class Line:
    """A line of a file: `item` counts rubric items from 1; None means that no item applies."""

    place: str
    id: str
    question: str
    item: int | None
    quote: str


def read(path: Path) -> list[Line]:
    """Return the lines of a CSV (id, question, item, quote), or the items of a JSON list.

    Raises:
        UserError: it is neither.
    """
    name, found = one_line(path.name), list[Line]()
    if path.suffix.lower() == ".json":
        try:
            entries = msgspec.convert(
                codec.loads(path.read_bytes(), limit=receipts.MAX_BYTES), list[_Entry]
            )
        except (OSError, UserError, msgspec.ValidationError) as error:
            raise UserError(
                f"{name}: it is not a list of {{id, question, items: [{{item, quote}}]}} ({error})"
            ) from error
        for number, entry in enumerate(entries, start=1):
            whose = f"{name}, entry {number}", entry.id, entry.question
            items = [Line(*whose, one.item, one.quote) for one in entry.items]
            found += items or [Line(*whose, None, "")]
        return found
    header, *rows = receipts.lines(path) or [[]]
    names = [cell.strip().casefold() for cell in header]
    if lacking := [one for one in _COLUMNS if one not in names]:
        raise UserError(f"{name}: its first line has no column {lacking[0]}")
    places = [names.index(one) for one in _COLUMNS]
    for number, row in enumerate(rows, start=2):
        if not any(cell.strip() for cell in row):
            continue
        id, question, item, quote = (row[n] if n < len(row) else "" for n in places)
        where = f"{name}, line {number}"
        if item.strip() and not (item.strip().isascii() and item.strip().isdecimal()):
            raise UserError(f"{where}: {one_line(item)[:60]!r} is not an item's number")
        count = int(item) if item.strip() else None
        found.append(Line(where, id.strip(), question.strip(), count, quote))
    return found


def checked(
    lines: Sequence[Line], asked: Mapping[str, Asked], id_of: Callable[[str], str]
) -> dict[str, list[Suggestion]]:
    """Return the suggestions by question; raise UserError for the first invalid line.

    Args:
        lines: The result of `read`.
        asked: The questions of this class that people mark.
        id_of: A function from a person's name in a file to their id.
    """
    found: dict[str, dict[str, dict[int, str]]] = {}
    none: set[tuple[str, str]] = set()
    items = {id: [one.id for one in question.marks.items()] for id, question in asked.items()}
    text = functools.cache(lambda question, answer: asked[question].text(answer))
    for line in lines:
        if (question := asked.get(line.question)) is None:
            there = ", ".join(asked)
            raise UserError(
                f"{line.place}: {one_line(line.question)[:60]!r} is not a question marked by hand "
                f"(there are {there})"
            )
        answer = question.answers.get(id_of(line.id))
        if answer is None:
            raise UserError(
                f"{line.place}: {one_line(line.id)[:60]!r} has no answer to {line.question} here"
            )
        mine, known = (
            found.setdefault(line.question, {}).setdefault(answer, {}),
            items[line.question],
        )
        if line.item is None:
            if line.quote.strip():
                raise UserError(f"{line.place}: it has a quote but no item")
            none.add((line.question, answer))
        elif not 1 <= line.item <= len(known):
            raise UserError(
                f"{line.place}: {line.question} has no item {line.item}; its items are 1 to {len(known)}"
            )
        elif not line.quote.strip() or line.quote not in text(line.question, answer):
            raise UserError(
                f"{line.place}: the quote {one_line(line.quote)[:60]!r} is not in the answer of "
                f"{one_line(line.id)}; copy it exactly"
            )
        else:
            mine[known[line.item - 1]] = line.quote
        if mine and (line.question, answer) in none:
            raise UserError(
                f"{line.place}: {one_line(line.id)} has items, but one of its lines says that none applies"
            )
    return {
        question: [Suggestion(answer, quotes) for answer, quotes in answers.items()]
        for question, answers in found.items()
    }


def store(
    asked: Mapping[str, Asked],
    suggested: Mapping[str, Sequence[Suggestion]],
    marker: str,
    seed: int | None = None,
) -> None:
    """Replace this marker's earlier suggestions for the same questions.

    The seed draws the answers that people mark without suggestions; default: the earlier one, or 0.

    Raises:
        UserError: a person has this name, or different answers would be drawn than before.
    """
    t = tables.suggestions
    for id, several in suggested.items():
        marks = asked[id].marks
        everyone = [one.id for one in marks.all()]
        texts = marks.texts()
        with writing(marks.engine) as connection:
            if marker.casefold() in _people(connection):
                raise UserError(
                    f"--marker {one_line(marker)}: a person has this name; give the source of "
                    "suggestions a different name"
                )
            mine = (t.c.marker == marker) & t.c.grade_id.in_(everyone)
            before = connection.execute(sqlalchemy.select(t).where(mine)).first()
            if before is not None and seed not in (None, before.seed):
                raise UserError(
                    f"--seed {seed}: the answers that people mark without {one_line(marker)} were drawn "
                    f"with the seed {before.seed}, which cannot change"
                )
            seed_of, one_of = seed or 0, max(2, len(everyone) // DRAWN)
            if before is not None:
                seed_of, one_of = before.seed, before.one_of
            connection.execute(t.delete().where(mine))
            for one in several:
                connection.execute(
                    t.insert().values(
                        grade_id=one.answer,
                        marker=marker,
                        quotes=json.dumps({str(item): quote for item, quote in one.quotes.items()}),
                        text=texts.get(one.answer, ""),
                        seed=seed_of,
                        one_of=one_of,
                        at=time.time(),
                    )
                )


def refuse_person(engine: sqlalchemy.Engine, marker: str) -> None:
    """Raise UserError if a source of suggestions has a person's name."""
    with engine.connect() as connection:
        names = _names(connection, tables.suggestions)
    if marker.casefold() in names:
        raise UserError(
            f"--marker {one_line(marker)}: this name belongs to a source of suggestions; give your "
            "own name"
        )


def _people(connection: sqlalchemy.Connection) -> set[str]:
    """Return the names of people in a gradebook, and the default names."""
    theirs = (tables.marks, tables.second_marks, tables.changes)
    return {*NOT_A_NAME}.union(*(_names(connection, table) for table in theirs))


def _names(connection: sqlalchemy.Connection, table: sqlalchemy.Table) -> set[str]:
    query = sqlalchemy.select(table.c.marker).distinct()
    return {name.casefold() for name in connection.scalars(query)}


@dataclass(frozen=True)
class _Kept:
    quotes: Mapping[int, str]
    drawn: bool


def _kept(marks: Question) -> dict[str, dict[str, _Kept]]:
    """Return suggestions by marker and answer, except those for a text that has changed."""
    t, texts = tables.suggestions, marks.texts()
    students = {one.id: one.student for one in marks.all()}
    found: dict[str, dict[str, _Kept]] = {}
    with marks.engine.connect() as connection:
        rows = connection.execute(sqlalchemy.select(t).where(t.c.grade_id.in_(list(students))))
        for row in rows:
            if row.text == texts.get(row.grade_id, ""):
                quotes = {int(item): quote for item, quote in json.loads(row.quotes).items()}
                place = f"{row.seed} {marks.place.homework} {marks.id} {students[row.grade_id]}"
                number = int(hashlib.sha256(place.encode()).hexdigest(), 16)
                one = _Kept(quotes, number % row.one_of == 0)
                found.setdefault(row.marker, {})[row.grade_id] = one
    return found


def standings(marks: Question) -> list[Standing]:
    """Return the agreement of each source with people, by the current items."""
    among, items = agreement(marks), marks.items()
    points = {one.id: one.points for one in items}
    people = {
        one.id: one
        for one in marks.all()
        if one.done and one.score is not None and one.automatic is None
    }
    found = []
    for marker, kept in sorted(_kept(marks).items()):
        pairs = [(people[id], one.quotes) for id, one in kept.items() if one.drawn and id in people]
        scores = [(mine.score or 0.0, marks.score(points, theirs, 0.0)) for mine, theirs in pairs]
        with_items = [(mine.items, theirs) for mine, theirs in pairs if not mine.elsewhere]
        found.append(
            Standing(
                marker,
                suggested=len(kept),
                answers=len(scores),
                same=sum(tables.same(mine, theirs) for mine, theirs in scores),
                kappa=kappa(scores),
                people=among.kappa,
                twice=among.answers,
                severity=float(np.mean([b - a for a, b in scores])) if scores else 0.0,
                items={
                    one.words: float(
                        np.mean([(one.id in a) == (one.id in b) for a, b in with_items])
                    )
                    for one in items
                    if with_items
                },
            )
        )
    return found


def shown(marks: Question) -> Iterator[tuple[str, Suggestion]]:
    """Yield trusted sources with their suggestions, except for drawn answers.

    A second marking is blind, so nothing is shown there.
    """
    if isinstance(marks, Second) or not _any(marks):
        return
    everything = _kept(marks)
    drawn = {id for kept in everything.values() for id, one in kept.items() if one.drawn}
    earned = {one.marker for one in standings(marks) if one.shown}
    for marker in sorted(earned):
        for id, one in everything[marker].items():
            if id not in drawn:
                yield marker, Suggestion(id, one.quotes)


def _any(marks: Question) -> bool:
    """Return whether there are any suggestions, which is quick to find out."""
    with marks.engine.connect() as connection:
        return (
            connection.execute(sqlalchemy.select(tables.suggestions).limit(1)).first() is not None
        )
