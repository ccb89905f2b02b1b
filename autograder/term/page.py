"""A person's total -> term.html: every mark and comment of the term on one page, for the student."""

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.course.course import TotalRules
from autograder.marking.mark import number, points
from autograder.reports.templates import environment
from autograder.term.totals import Part, Total

_environment = environment("autograder", "term")


@dataclass(frozen=True)
class Line:
    """A homework on the page: its title, what it counts, and what the person has in it."""

    name: str
    title: str
    weight: str
    part: Part | None
    note: str


def html(
    id: str,
    one: Total,
    parts: Mapping[str, Part],
    titles: Mapping[str, str],
    rules: TotalRules,
    *,
    course: str,
    slip_days: str = "",
) -> str:
    """Return a self-contained page: no script, nothing loaded from elsewhere, no name.

    Args:
        id: The id of the person.
        one: The total.
        parts: Homework -> what the person has in it.
        titles: Homework -> title, in the order of the term.
        rules: The weights, and what is dropped.
        course: The course's title and term.
        slip_days: A sentence on the slip days that are left.
    """
    whole = sum(rules.weight(name) for name in titles)
    lines = [
        Line(
            name,
            title,
            f"{number(100 * rules.weight(name) / whole) if whole else 0} %",
            parts.get(name),
            _note(name, one),
        )
        for name, title in titles.items()
    ]
    return _environment.get_template("term.html.jinja").render(
        id=id,
        one=one,
        lines=lines,
        course=course,
        rule=_rule(rules, len(titles)),
        slip_days=slip_days,
        number=number,
        points=points,
    )


def _note(name: str, one: Total) -> str:
    """Return what is special about a homework in a total."""
    if name in one.excused:
        return "excused: it does not count"
    if name in one.dropped:
        return "dropped: without it the total is highest"
    return "no submission: it counts 0" if name in one.absent else ""


def _rule(rules: TotalRules, homeworks: int) -> str:
    """Return how the total is made, as a sentence."""
    equal = len(set(rules.weights.values())) <= 1
    text = "Each homework counts the same" if equal else "Each homework counts by its weight"
    text += ", with the share that you earned of its points."
    if drop := min(rules.drop, homeworks - 1):
        count = "One homework is" if drop == 1 else f"{drop} homeworks are"
        text += f" {count} dropped, so that the total is highest."
    if rules.at_most is not None:
        text += f" A total is at most {number(rules.at_most)} %."
    return text
