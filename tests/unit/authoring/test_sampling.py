"""sampling: every item has its turn, and no turn is empty."""

import pytest

from autograder.authoring.contract.sampling import ALL, Share


@pytest.mark.parametrize("number", [1, 2, 7, 30, 61])
def test_everything_has_its_turn_and_no_turn_has_nothing(number: int) -> None:
    """Within `every` turns, whatever the number of items."""
    items = list(range(number))
    turns = [Share(7, turn).of(items) for turn in range(100, 107)]
    assert all(turns)
    assert {item for some in turns for item in some} == set(items)


def test_all_are_all() -> None:
    """Without items there are none."""
    assert ALL.of([1, 2, 3]) == ALL.one_of([1, 2, 3]) == [1, 2, 3]
    assert Share(5, 3).of([]) == Share(5, 3).one_of([]) == []


def test_what_takes_longest_is_one_of_the_share() -> None:
    """Over all turns, each one is chosen."""
    items = list(range(12))
    chosen = [Share(3, turn).one_of(items) for turn in range(12)]
    assert all(
        len(some) == 1 and set(some) <= set(Share(3, n).of(items)) for n, some in enumerate(chosen)
    )
    assert {item for some in chosen for item in some} == set(items)
