"""The choice of a sheet's questions."""

import re
import statistics
from collections import Counter
from dataclasses import replace

import numpy as np

from autograder.records.questions import Question
from autograder.staff.defence.maker import Made
from autograder.staff.defence.records import Answer, Item, Kind, Posed
from autograder.staff.defence.running.study import shortened
from autograder.staff.defence.sheets import sheet


def item(kind: Kind, name: str, difficulty: float = 3.0) -> Item:
    answer = Answer(name, name, f"def {name}():\n    return 1", "", "", (), {})
    return Item(kind, answer, f"{kind} {name}?", (), tuple("abcd"), 0, difficulty=difficulty)


def test_what_is_last_is_chosen_as_often() -> None:
    """With too many questions to try all choices, the only ones of other kinds come last."""
    items = (
        *(item("which", f"f{n}") for n in range(20)),
        item("predict", "g"),
        item("where", "g"),
        item("inside", "g"),
    )
    chosen = sheet.chosen({"ada": Made(items)}, 5)["ada"]
    assert len({one.kind for one in chosen}) >= 3


def test_no_place_is_preferred() -> None:
    """If all questions are alike, those of the first answer are on no more sheets than others."""
    places: Counter[int] = Counter()
    for count in range(20, 32):  # each has a draw of its own
        items = tuple(item("which", f"f{n}") for n in range(count))
        chosen = sheet.chosen({"ada": Made(items)}, 5)["ada"]
        places.update(items.index(one) * 4 // count for one in chosen)
    assert max(places.values()) <= 30 < sum(places.values())  # of 60, 15 in each quarter


def test_sheets_of_a_class_are_of_like_difficulty() -> None:
    """With easy and hard questions, a person's sheet becomes as hard as everybody's."""
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


def test_no_code_is_a_number_or_a_date_in_a_spreadsheet() -> None:
    """Of these, six codes would be numbers."""
    codes = [sheet.sheet(str(n), [], title="", course="")[0].code for n in range(300)]
    assert len(set(codes)) == 300
    assert not [one for one in codes if re.fullmatch(r"[0-9A-F]{0,2}(DEC|FEB).*|[0-9E]*", one)]


def test_a_question_says_nothing_of_an_edit() -> None:
    """Its words come after the code, in an order that does not depend on the right choice."""
    edits = ("line 2: the 1st name becomes `x`", "line 10: is left out", "line 3: a", "line 2: b")
    which = replace(item("which", "f"), options=edits, edits=edits, key=1)
    predict = replace(item("predict", "f"), text="Box {box} after {edit}?", edits=edits[1:2])
    one, _ = sheet.sheet("ada", [which, replace(predict, answer=which.answer)], title="", course="")
    (box,) = one.boxes
    assert [says for _, says in box.edits] == [edits[3], edits[0], edits[2], edits[1]]
    named = dict(box.edits)
    assert [named[said] for _, said in one.questions[0].options] == list(edits)
    assert one.questions[1].text == "Box P after edit P4?"
    assert not any("line" in f"{q.text} {q.options}" for q in one.questions)
    assert all(name in box.numbered for name in named)


def test_a_sequence_of_one_position() -> None:
    """The last axis but one must be the sequence everywhere; otherwise nothing is shortened."""
    zeros = np.zeros
    question = Question("q", None, None)
    cases = [
        ({"x": zeros((2, 5, 3)), "mask": zeros((5, 5)), "W": zeros((3, 4)), "n": 1}, (2, 1, 3)),
        ({"x": zeros((5, 3)), "W": zeros((3, 5))}, (1, 3)),
        ({"x": zeros((3, 3))}, None),
        ({"x": zeros(5)}, None),
    ]
    for case, expected in cases:
        short = shortened(Posed(question, case))
        assert (None if short is None else short.case["x"].shape) == expected
        if short and "mask" in case:
            assert short.case["mask"].shape == (1, 1)
            assert short.case["W"].shape == (3, 4)
