"""Which questions become a sheet."""

import statistics
from collections import Counter

from autograder.defence.maker import Made
from autograder.defence.records import Answer, Item, Kind
from autograder.defence.sheets import sheet


def item(kind: Kind, name: str, difficulty: float = 3.0) -> Item:
    answer = Answer(name, name, f"def {name}():\n    return 1", "", "", (), {})
    return Item(kind, answer, f"{kind} {name}?", (), tuple("abcd"), 0, difficulty=difficulty)


def test_what_is_last_is_chosen_as_often() -> None:
    """Of more questions than all choices can be looked at: the only ones of other kinds are the last."""
    items = (
        *(item("which", f"f{n}") for n in range(20)),
        item("predict", "g"),
        item("where", "g"),
        item("inside", "g"),
    )
    chosen = sheet.chosen({"ada": Made(items)}, 5)["ada"]
    assert len({one.kind for one in chosen}) >= 3


def test_no_place_is_preferred() -> None:
    """Where all questions are alike, those of the first answer are on no more sheets than the others."""
    places: Counter[int] = Counter()
    for count in range(20, 32):  # each has a draw of its own
        items = tuple(item("which", f"f{n}") for n in range(count))
        chosen = sheet.chosen({"ada": Made(items)}, 5)["ada"]
        places.update(items.index(one) * 4 // count for one in chosen)
    assert max(places.values()) <= 30 < sum(places.values())  # of 60, 15 in each quarter


def test_sheets_of_a_class_are_of_like_difficulty() -> None:
    """Somebody with easy and hard questions gets those that make a sheet like everybody's."""
    kinds: list[Kind] = ["predict", "which", "where", "inside", "design"]
    usual = tuple(item(kind, f"f{n}", 3.0) for n, kind in enumerate(kinds))
    wide = tuple(
        item(kind, f"{word}{n}", level)
        for n, kind in enumerate(kinds)
        for word, level in (("easy", 1.0), ("hard", 6.0))
    )
    chosen = sheet.chosen({"ada": Made(usual), "ben": Made(usual), "eve": Made(wide)}, 5)
    assert statistics.mean(one.difficulty for one in chosen["eve"]) == 3.0
    assert len({one.kind for one in chosen["eve"]}) >= 3
