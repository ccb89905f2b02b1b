"""Totals of a term -> term.csv, which staff open in a spreadsheet."""

from collections.abc import Mapping, Sequence

from autograder.course.people import People
from autograder.marking.mark import number
from autograder.reports.tables import PERSON, csv_of, text
from autograder.staff.term.totals import Part, Total


def table(
    totals: Mapping[str, Total],
    parts: Mapping[str, Mapping[str, Part]],
    names: Sequence[str],
    roster: People,
    *,
    slip_days: Mapping[str, int] | None = None,
) -> str:
    """Return CSV: one line per person, with the score and late days of each homework."""
    lines = [["id", *(PERSON if roster else ())]]
    for name in names:
        lines[0] += [text(name), text(f"{name} late days")]
    left = ["slip days left"] if slip_days is not None else []
    lines[0] += ["extra credit", "late days", *left]
    lines[0] += ["dropped", "excused", "missing", "total", "state"]
    for id, one in totals.items():
        mine, person = parts.get(id, {}), roster.find(id)
        known = [person.name, person.email] if person else [""] * len(PERSON if roster else ())
        cells = [*map(text, (id, *known))]
        for name in names:
            part = mine.get(name)
            cells += [number(part.score) if part and part.score is not None else ""]
            cells += [str(part.late_days) if part else ""]
        cells += [
            number(sum(part.extra for part in mine.values())),
            str(sum(part.late_days for part in mine.values())),
            *([str(slip_days.get(id, 0))] if slip_days is not None else []),
            text(", ".join(one.dropped)),
            text(", ".join(one.excused)),
            text(", ".join(one.absent)),
            "" if one.percent is None else number(one.percent),
        ]
        unknown = ("not in roster.csv",) if roster and not person else ()
        lines.append([*cells, text("; ".join((*(one.open or ("complete",)), *unknown)))])
    return csv_of(lines)
