"""Public figures: no group under five, even by subtraction."""

import itertools

from autograder.staff.class_page.public import SMALLEST, merged, suppressed


def test_no_small_group_is_shown_or_found_by_subtracting() -> None:
    """This tries all classes of up to 13 in each of three groups."""
    for counts in itertools.product(range(14), repeat=3):
        shown = suppressed(counts)
        hidden = [count for count, seen in zip(counts, shown, strict=True) if seen is None]
        assert not [seen for seen in shown if seen and seen < SMALLEST]
        assert all(seen in (None, count) for count, seen in zip(counts, shown, strict=True))
        if hidden and sum(counts) >= SMALLEST:
            assert sum(hidden) >= SMALLEST, counts
            assert len(hidden) > 1 or sum(count > 0 for count in counts) == 1, counts


def test_large_groups_are_all_shown() -> None:
    """Nothing is hidden without a reason."""
    assert suppressed([5, 9, 0]) == [5, 9, 0]
    assert suppressed([20, 30, 3]) == [None, 30, None]


def test_neighbours_are_joined() -> None:
    """Each has five or more, all places are covered, and nobody is lost."""
    for counts in itertools.product((0, 1, 4, 5, 9), repeat=5):
        found = merged(counts)
        if sum(counts) < SMALLEST:
            assert not found
            continue
        assert all(size >= SMALLEST for *_, size in found)
        assert sum(size for *_, size in found) == sum(counts)
        places = [place for first, last, _ in found for place in range(first, last + 1)]
        assert places == list(range(len(counts)))
