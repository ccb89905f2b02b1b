"""Search, filters and order of the list of people."""

from collections.abc import Callable, Mapping
from typing import Any

from autograder.staff.desk.classes import Classes, Person, folded

_ASKED = ("q", "filter", "homework", "order", "page")
ROWS = 100
"""The number of people on one page of the list."""


def listed(classes: Classes, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return a page of matching people, as variables of its template.

    Args:
        classes: The results.
        asked: q, words that must all be in a person's line of roster.csv; filter, one of `FILTERS`;
            homework, for the filter; order, "name" or a homework whose points sort the list; page,
            from 1.
    """
    words, flag, name, order, number = (asked.get(one, "") for one in _ASKED)
    page = int(number) if number.isdecimal() else 1
    everybody, graded = classes.people(), list(classes.folders())
    wanted = folded(words).split()
    name = name if name in graded else ""
    found = [
        one
        for one in everybody
        if all(word in one.words for word in wanted)
        and (not flag or flag in one.flags(name, graded))
    ]
    if order:
        found.sort(key=_order(order))
    elif wanted:  # whole words come first, since Ivanov also contains Ivan
        found.sort(key=lambda one: -len(set(wanted) & set(one.words.split())))
    pages = max(1, -(-len(found) // ROWS))
    page = min(max(1, page), pages)
    return {
        "rows": found[(page - 1) * ROWS : page * ROWS],
        "homeworks": graded,
        "found": len(found),
        "all": len(everybody),
        "page": page,
        "pages": pages,
        "words": words,
        "flag": flag,
        "name": name,
        "order": order,
    }


def _order(order: str) -> Callable[[Person], Any]:
    if order == "name":
        return lambda one: (folded(one.name or one.id), one.id)

    def by_points(one: Person) -> tuple[float, str]:
        entry = one.entries.get(order)
        return (-1.0 if entry is None or entry.score is None else entry.score, one.id)

    return by_points
