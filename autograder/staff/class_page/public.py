"""The figures that the class may see: nothing about groups of fewer than five."""

from collections.abc import Sequence

SMALLEST = 5


def suppressed(counts: Sequence[int]) -> list[int | None]:
    """Return the sizes of all groups, with None for hidden ones.

    Groups below SMALLEST are hidden, and then the next larger ones until the hidden ones total
    SMALLEST: otherwise subtraction would reveal them.
    """
    hidden = {place for place, count in enumerate(counts) if 0 < count < SMALLEST}
    others = sorted((count, place) for place, count in enumerate(counts) if count >= SMALLEST)
    while hidden and others and (len(hidden) < 2 or sum(counts[p] for p in hidden) < SMALLEST):
        hidden.add(others.pop(0)[1])
    return [None if place in hidden else count for place, count in enumerate(counts)]


def merged(counts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Join neighbouring groups until each has at least SMALLEST members.

    Returns:
        The first and last position of each, and its size; empty if all together are too few.

    """
    found: list[tuple[int, int, int]] = []
    first, size = 0, 0
    for place, count in enumerate(counts):
        size += count
        if size >= SMALLEST:
            found.append((first, place, size))
            first, size = place + 1, 0
    if found and first < len(counts):  # the rest joins the last group
        begin, _, last = found.pop()
        found.append((begin, len(counts) - 1, last + size))
    return found
