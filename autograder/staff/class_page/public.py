"""What of a class's figures may be shown to the class: nothing on groups of fewer than five."""

from collections.abc import Sequence

SMALLEST = 5


def suppressed(counts: Sequence[int]) -> list[int | None]:
    """Return the sizes of groups that make up a whole, None for those that are not shown.

    Those below SMALLEST are not, and neither are the next ones in size, until all that is not
    shown is of SMALLEST together: the rest would be found by subtracting.
    """
    hidden = {place for place, count in enumerate(counts) if 0 < count < SMALLEST}
    others = sorted((count, place) for place, count in enumerate(counts) if count >= SMALLEST)
    while hidden and others and (len(hidden) < 2 or sum(counts[p] for p in hidden) < SMALLEST):
        hidden.add(others.pop(0)[1])
    return [None if place in hidden else count for place, count in enumerate(counts)]


def merged(counts: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return neighbouring groups, joined until each is of SMALLEST or more.

    Returns:
        The first and the last place of each, and its size; nothing where all together are too few.
    """
    found: list[tuple[int, int, int]] = []
    first, size = 0, 0
    for place, count in enumerate(counts):
        size += count
        if size >= SMALLEST:
            found.append((first, place, size))
            first, size = place + 1, 0
    if found and first < len(counts):  # what is left goes to the last one
        begin, _, last = found.pop()
        found.append((begin, len(counts) - 1, last + size))
    return found
