"""Marks of each homework and the rules of a term -> a total, with dropped and missing homeworks."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.course.course import TotalRules
from autograder.records.marks import Mark


@dataclass(frozen=True)
class Part:
    """One person's result in one homework.

    Args:
        score: Points, including lateness and extra credit; None without any.
        possible: The possible points without extra credit.
        extra: Points of extra credit, included in the score.
        late: A sentence on lateness, or "".
        penalty: The points that lateness costs.
        late_days: Days started after the due date.
        missing: Why the score is not final.
        marks: Each question's mark, including people's.
        comments: Question, or nbgrader's name of another cell -> a person's comment.

    """

    score: float | None
    possible: float
    extra: float = 0.0
    late: str = ""
    penalty: float = 0.0
    late_days: int = 0
    missing: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)

    @property
    def other_comments(self) -> list[str]:
        """Return the comments on cells that are not questions."""
        questions = {mark.question for mark in self.marks}
        return [said for cell, said in self.comments.items() if cell not in questions]


@dataclass(frozen=True)
class Total:
    """One person's results in a term.

    Args:
        percent: The total, out of 100 without extra credit; None if no homework counts yet.
        dropped: Homeworks left out to maximize the total.
        excused: Homeworks that do not count for this person.
        absent: Homeworks without a submission, which count 0 unless dropped.
        open: Why the total is not final, one line per homework.

    """

    percent: float | None
    dropped: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def total(
    parts: Mapping[str, Part],
    names: Sequence[str],
    rules: TotalRules,
    *,
    excused: Collection[str] = (),
) -> Total:
    """Return a person's total.

    Each homework counts by the share of points earned, times its weight. Of all ways to drop the
    number of homeworks in the rules, the highest total counts; ties drop the earliest homeworks.
    Somebody excused from everything has no total yet.
    """
    excused = tuple(name for name in names if name in excused)
    counted = [name for name in names if name not in excused]
    if names and not counted:
        return Total(None, excused=excused, open=("no total yet: excused from every homework",))
    absent = tuple(name for name in counted if name not in parts)
    open_ = tuple(
        f"{name}: {'; '.join(parts[name].missing)}"
        for name in counted
        if name in parts and parts[name].missing
    )
    best = 0.0
    dropped: tuple[str, ...] = ()
    # At least one homework is left.
    many = min(rules.drop, max(0, len(counted) - 1))
    for number, out in enumerate(itertools.combinations(counted, many)):
        kept = [name for name in counted if name not in out]
        percent = _percent(parts, kept, rules)
        if not number or percent > best + 1e-9:
            best, dropped = percent, out
    if rules.at_most is not None:
        best = min(best, rules.at_most)
    return Total(best, dropped, excused, absent, open_)


def _percent(parts: Mapping[str, Part], names: Sequence[str], rules: TotalRules) -> float:
    weights = {name: rules.weight(name) for name in names}
    if not sum(weights.values()):
        return 0.0
    earned = sum(weight * _share(parts.get(name)) for name, weight in weights.items())
    return 100 * earned / sum(weights.values())


def _share(part: Part | None) -> float:
    """Return the earned share of the possible points; above 1 with extra credit."""
    if part is None or part.score is None or not part.possible:
        return 0.0
    return max(0.0, part.score) / part.possible


def order(
    names: Sequence[str], rules: TotalRules, before: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return homeworks by due date, followed by those without a date, by name."""
    listed = list(rules.weights)
    return sorted(
        names,
        key=lambda name: (
            name not in before,
            len(before.get(name, ())),
            listed.index(name) if name in listed else len(listed),
            name,
        ),
    )
