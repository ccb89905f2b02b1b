"""pairs: rare passages count; provided and common ones do not."""

import math
import re
import statistics
from pathlib import Path

from autograder.staff.similar import pairs
from autograder.staff.similar.fingerprints import Fingerprint
from autograder.staff.similar.pairs import Pair, Part, Work


def part(place: str, *keys: int) -> Part:
    return Part(place, "x\n" * 9, tuple(Fingerprint(key, 0, 0) for key in keys), "code")


def work(student: str, *keys: int, group: str = "") -> Work:
    return Work(student, group, student, (), (part("a", *keys),))


def named(found: list[Pair]) -> list[tuple[str, str]]:
    return [(pair.first.student, pair.second.student) for pair in found]


def test_the_rarer_counts_more() -> None:
    """A passage that two share comes before one that three share; a unique one makes no pair."""
    works = [work("a", 1, 7), work("b", 1), work("c", 2), work("d", 2), work("e", 2), work("f", 3)]
    found = pairs.compare(works)
    assert named(found) == [("a", "b"), ("c", "d"), ("c", "e"), ("d", "e")]
    assert found[0].shared == {1: 2}
    one, two, three = (math.log2(7 / count) ** 2 for count in (1, 2, 3))
    usual = statistics.median([one + two, two, three, three, three, one])
    assert math.isclose(found[0].likeness, two / (two + usual / 2))  # all that b has
    assert math.isclose(found[1].likeness, three / (three + usual / 2))


def test_many_cells_count_more_than_a_long_one() -> None:
    """Each cell counts once, whatever its length; moved code is found, too."""
    others = [Work(f"{n}", "", "", (), (part("a", 900 + n), part("b", 950 + n))) for n in range(9)]
    long = [Work(name, "", "", (), (part("a", *range(50)),)) for name in ("c", "d")]
    two = [Work(name, "", "", (), (part("a", 101), part("b", 102))) for name in ("e", "f")]
    moved = [
        Work("g", "", "", (), (part("a", 201, 202),)),
        Work("h", "", "", (), (part("", 201, 202),)),
    ]
    found = pairs.compare([*others, *long, *two, *moved])
    assert named(found) == [("e", "f"), ("c", "d"), ("g", "h")]
    assert all(1 < pair.likeness < 2 if pair is found[0] else pair.likeness < 1 for pair in found)


def test_what_is_given_or_common_does_not_count() -> None:
    """This covers the release's, and passages of more than half of the class."""
    works = [work(name, 1, 2) for name in "abcdefgh"]
    assert pairs.compare(works) == []
    few = [work("a", 1, 5), work("b", 1, 5), *(work(name) for name in "cdef")]
    assert named(pairs.compare(few, {1})) == [("a", "b")]
    assert pairs.compare(few, {1, 5}) == []


def test_small_classes_can_be_compared() -> None:
    """With two or three submissions, shared passages are not yet common."""
    assert named(pairs.compare([work("a", 1), work("b", 1)])) == [("a", "b")]
    assert len(pairs.compare([work("a", 1), work("b", 1), work("c", 1)])) == 3
    assert pairs.compare([work("a", 1)]) == []
    assert pairs.compare([]) == []


def test_more_copies_than_half_of_a_class_are_not_found() -> None:
    """As in similar.md's table: this many copies of a work are found, but one more are not."""
    (page,) = (Path(__file__).parents[4] / "docs").rglob("similar.md")
    table = page.read_text()
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d\.\d\d) \| (\d\.\d\d) \|$", table, re.MULTILINE)
    assert len(rows) >= 6
    for size, most, likeness, of_two in rows:
        assert _copies(int(size), 2) == (1, f"{of_two}")
        assert _copies(int(size), int(most)) == (math.comb(int(most), 2), likeness)
        if int(most) < int(size):
            assert _copies(int(size), int(most) + 1) == (0, "")


def _copies(size: int, copies: int) -> tuple[int, str]:
    """Return how many pairs are found if so many have one work, and their likeness."""
    works = [
        work(f"{n:03}", *(range(20) if n < copies else range(1000 * n, 1000 * n + 20)))
        for n in range(size)
    ]
    found = pairs.compare(works)
    assert all(pair.first.student < f"{copies:03}" for pair in found)
    return len(found), f"{found[0].likeness:.2f}" if found else ""


def test_earlier_classes_are_compared_with_this_one() -> None:
    """They are not compared with each other, nor by equal ids; this class's comes first."""
    works = [
        work("new", 1, 2),
        work("again", 3),
        work("again", 3, group="earlier"),
        work("old", 1, 2, group="earlier"),
        work("older", 2, group="before"),
        *(work(f"other-{number}") for number in range(9)),
    ]
    assert named(pairs.compare(works)) == [("new", "old"), ("new", "older")]
    assert named(pairs.compare(works[::-1])) == [("new", "old"), ("new", "older")]
