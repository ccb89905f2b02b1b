"""A class's figures and people -> the text of class.html and of class_public.html."""

import functools
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from markupsafe import Markup, escape

from autograder.course.people import People
from autograder.marking.mark import number
from autograder.records.codec import shown
from autograder.records.homework import Homework
from autograder.records.marks import HandMarks
from autograder.reports.templates import environment
from autograder.staff.class_page import derivation_breaks, mistakes, public, rubric_items
from autograder.staff.class_page.people import Person, falls, worries
from autograder.staff.class_page.questions import Figures, how_sure
from autograder.store import files

LISTED = 12
"""The most ids that a line names; the others are counted."""
MOST_LINES = 40

_environment = environment("autograder.staff.class_page", ".")
_environment.filters["median"] = statistics.median


@dataclass(frozen=True)
class Place:
    """A person who needs attention.

    Args:
        student: The id.
        name: The name in the roster, or "".
        page: The folder with a report.html to open, or "".

    """

    student: str
    name: str
    points: str
    reasons: tuple[str, ...]
    page: str = ""


@dataclass(frozen=True)
class Class:
    """The data of both pages.

    Args:
        homework: The graded homework; None if nothing could be graded.
        course: Its title and term.
        people: Everybody with a folder of results.
        figures: The figures of people with a grade.

    """

    homework: Homework | None
    course: str
    people: Sequence[Person]
    figures: Figures

    @property
    def title(self) -> str:
        """Return the homework's title."""
        return self.homework.title if self.homework else "A homework"

    @property
    def graded(self) -> list[Person]:
        """Return the people with a grade."""
        return [person for person in self.people if person.grade is not None]


def staff(
    of: Class,
    *,
    roster: People,
    earlier: Mapping[str, Mapping[str, float]],
    given: Mapping[str, HandMarks],
) -> str:
    """Return class.html, only for staff: it has ids, links and names from the roster.

    `earlier` has everybody's totals in earlier homeworks, by folder and id; `given`, people's marks.
    """
    words = _staff(of, roster, earlier, given)
    return _environment.get_template("class.html.jinja").render(words, part=False, name="")


def staff_part(
    of: Class, *, roster: People, given: Mapping[str, HandMarks], items: Mapping[str, Markup]
) -> Markup:
    """Return the contents of class.html below its title, and each rubric item's HTML in it."""
    words = {**_staff(of, roster, {}, given), "items": items}
    return Markup(
        _environment.get_template("class.html.jinja").render(
            words, part=True, name=of.homework.name if of.homework else ""
        )
    )


def _staff(
    of: Class,
    roster: People,
    earlier: Mapping[str, Mapping[str, float]],
    given: Mapping[str, HandMarks],
) -> dict[str, object]:
    graded = of.graded
    there = {roster.id_of(person.student) for person in of.people}
    return {
        "title": of.title,
        "course": of.course,
        "figures": of.figures,
        "groups": [(place, place, count) for place, count in enumerate(of.figures.bins)],
        "looked_at": sorted(
            (line for line in of.figures.questions if line.complaints),
            # A question with a negative correlation comes before those whose correlation it lowers.
            key=lambda line: 1.0 if (r := line.item.correlation) is None else r,
        ),
        "unsure": how_sure(len(graded)),
        "refused": len(of.people) - len(graded),
        "absent": sum(person.id not in there for person in roster),
        "golf": [line for line in of.figures.questions if line.golf],
        "known": mistakes.known(graded),
        "unknown": mistakes.unknown(graded, of.homework)[:MOST_LINES] if of.homework else [],
        "rubrics": rubric_items.shares(given, roster),
        "derivations": derivation_breaks.derived(graded, of.homework) if of.homework else [],
        "ended": mistakes.ended(graded),
        "repairs": mistakes.repairs(graded)[:MOST_LINES],
        "failed_cells": mistakes.failed_cells(graded)[:MOST_LINES],
        "attention": _attention(of.people, roster, earlier),
        "everybody": [
            (one.student, roster.id_of(one.student), "" if one.grade is None else number(one.total))
            for one in sorted(of.people, key=lambda one: roster.id_of(one.student))
        ],
        "items": {},
        "links": functools.partial(_links, roster),
        "number": number,
        "percent": _percent,
    }


def for_all(of: Class, *, explain: bool) -> str:
    """Return class_public.html, which the class may see: no ids, names or small groups.

    Without `explain`, it names no mistakes, but still hints at where to look.
    """
    shares = {
        line.id: public.suppressed([line.item.full, line.item.part, line.item.zero])
        for line in of.figures.questions
    }
    known = mistakes.known(of.graded)
    return _environment.get_template("class_public.html.jinja").render(
        title=of.title,
        course=of.course,
        figures=of.figures,
        enough=len(of.graded) >= public.SMALLEST,
        smallest=public.SMALLEST,
        groups=public.merged(of.figures.bins),
        shares=shares,
        golf=[
            line
            for line in of.figures.questions
            if line.golf and len(line.golf.counts) >= public.SMALLEST
        ],
        known=[one for one in known if len(one.students) >= public.SMALLEST],
        explain=explain,
        number=number,
        percent=_percent,
    )


def _attention(
    people: Sequence[Person], roster: People, earlier: Mapping[str, Mapping[str, float]]
) -> list[Place]:
    totals = {
        roster.id_of(person.student): person.total for person in people if person.grade is not None
    }
    fell: dict[str, list[str]] = {}
    for name, before in earlier.items():
        then = {roster.id_of(student): total for student, total in before.items()}
        for id, said in falls(totals, then).items():
            fell.setdefault(id, []).append(f"in {name} {said} now")
    found = []
    # If the roster's ids differ from the platform's, it shows nothing about anybody.
    known = {person.student: roster.in_folder(person.student) for person in people}
    matches = 2 * sum(one is not None for one in known.values()) > len(people)
    for person in people:
        id = roster.id_of(person.student)
        reasons = (*worries(person), *fell.get(id, ()))
        if matches and known[person.student] is None:
            reasons = (*reasons, "not in roster.csv")
        if reasons:
            points = "" if person.grade is None else number(person.total)
            name = roster.name_of(person.student)
            found.append(Place(id, name, points, reasons, page=person.student))
    there = set(known.values())
    found += [Place(one.id, one.name, "", ("no submission",)) for one in roster if one not in there]
    return sorted(found, key=lambda place: (place.points != "", -len(place.reasons), place.student))


def _links(roster: People, students: Sequence[str]) -> Markup:
    found = [
        Markup('<a href="{}/{}">{}</a>').format(
            quote(student, safe=""), files.REPORT, shown(roster.id_of(student))
        )
        for student in students[:LISTED]
    ]
    more = f" and {len(students) - LISTED} more" if len(students) > LISTED else ""
    return Markup(", ").join(found) + escape(more)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"
