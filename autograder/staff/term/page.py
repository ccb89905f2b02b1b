"""A person's total -> term.html or a notebook: every mark and comment of the term, for the student."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.course.course import TotalRules
from autograder.marking.mark import number, points
from autograder.platforms import feedback_files
from autograder.reports.templates import environment
from autograder.staff.term.totals import Part, Total

_environment = environment("autograder.staff.term", ".")


@dataclass(frozen=True)
class Line:
    """A homework on the page: its title, its weight, and the person's result."""

    title: str
    weight: str
    part: Part | None
    note: str


@dataclass(frozen=True)
class Sheet:
    """A student's page on the term, in any form."""

    id: str
    one: Total
    lines: Sequence[Line]
    course: str
    rule: str
    slip_days: str


def sheet(
    id: str,
    one: Total,
    parts: Mapping[str, Part],
    titles: Mapping[str, str],
    rules: TotalRules,
    *,
    course: str,
    slip_days: str = "",
) -> Sheet:
    """Return a person's page on the term."""
    whole = sum(rules.weight(name) for name in titles)
    lines = [
        Line(
            title,
            f"{number(100 * rules.weight(name) / whole) if whole else 0} %",
            parts.get(name),
            _note(name, one),
        )
        for name, title in titles.items()
    ]
    return Sheet(id, one, lines, course, _rule(rules, len(titles)), slip_days)


def html(sheet: Sheet) -> str:
    """Return a self-contained page without scripts, external files or names."""
    return _environment.get_template("term.html.jinja").render(vars(sheet), number=number)


def notebook(sheet: Sheet) -> str:
    """Return a notebook that reads like the page: only text, and nothing runs."""
    one, line = sheet.one, feedback_files.inert_line
    head = [
        f"# {line(sheet.course)}",
        f"{line(sheet.id)}: all marks of the term",
        "**no total**" if one.percent is None else f"**{number(one.percent)} %**",
        " ".join(filter(None, (sheet.rule, sheet.slip_days))),
    ]
    if one.open:
        head += ["This total is not final:", "\n".join(f"- {line(text)}" for text in one.open)]
    cells = ["\n\n".join(head)]
    for each in sheet.lines:
        part = each.part
        score = "none"
        if part and part.score is not None:
            score = f"{number(part.score)} of {points(part.possible)}"
        lines = [f"## {line(each.title)}: {score}", f"It has the weight {each.weight}."]
        lines += [line(text) for text in (each.note, part.late if part else "") if text]
        for mark in part.marks if part else ():
            earned = "open" if mark.earned is None else number(mark.earned)
            extra = " (extra credit)" if mark.extra else ""
            lines.append(f"- `{mark.question}`{extra}: {earned} of {points(mark.points)}")
            if part and (said := part.comments.get(mark.question)):
                lines.append(feedback_files.inert_text(f"Comment: {said}"))
        if part and part.penalty:
            lines.append(f"- Lateness: {number(-part.penalty)}")
        others = part.other_comments if part else ()
        lines += [feedback_files.inert_text(f"Comment: {said}") for said in others]
        cells.append("\n\n".join(lines))
    return feedback_files.as_notebook(cells)


def _note(name: str, one: Total) -> str:
    if name in one.excused:
        return "excused: it does not count"
    if name in one.dropped:
        return "dropped: the total is highest without it"
    return "no submission: it counts 0" if name in one.absent else ""


def _rule(rules: TotalRules, homeworks: int) -> str:
    equal = len(set(rules.weights.values())) <= 1
    text = "Each homework counts the same" if equal else "Each homework counts by its weight"
    text += ", by the share that you earned of its points."
    if drop := min(rules.drop, homeworks - 1):
        count = "One homework is" if drop == 1 else f"{drop} homeworks are"
        text += f" {count} dropped, so that the total is highest."
    if rules.at_most is not None:
        text += f" A total is at most {number(rules.at_most)} %."
    return text
