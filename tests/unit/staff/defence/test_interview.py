"""Students to interview, their questions, and the reason for each choice."""

from pathlib import Path

import numpy as np
import pytest

from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId
from autograder.records.marks import Grade, Mark
from autograder.staff.defence import marked_sheets
from autograder.staff.defence.interview.questions import telling
from autograder.staff.defence.interview.selection import selected
from autograder.staff.defence.keys import Keys, SheetKey
from autograder.staff.defence.kinds.common import effect
from autograder.staff.defence.marked_sheets import Defence, DefenceRules, MarkedSheet
from autograder.staff.defence.records import Answer, Call, Item, Kind
from autograder.staff.defence.sheets.sheet import Key, sheet
from autograder.store import results

MARKS = (Mark("f", 8, 8, ""), Mark("text", 6, None, ""), Mark("extra", 4, 0, "", extra=True))


def item(kind: Kind, name: str, difficulty: float = 3.0) -> Item:
    answer = Answer(name, name, f"def {name}():\n    return 1", "", "", (), {})
    because = {"a": "it is right", "c": "it is what `f` returns"}
    text = f"{kind} {name}?"
    return Item(kind, answer, text, (), tuple("abcd"), 0, difficulty=difficulty, because=because)


def test_the_two_most_telling_answers_have_three_questions() -> None:
    """Answers not understood before come first, then those with most kinds, then hard ones."""
    kinds: list[Kind] = ["predict", "which", "where"]
    items = [item(kind, "many") for kind in kinds]
    items += [
        item("predict", "hard", 9.0),
        item("predict", "easy", 1.0),
        item("which", "easy", 1.0),
    ]
    asked = telling(items, {})
    assert {one.answer.name for one in asked} == {"many", "easy"}
    assert len({one.kind for one in asked}) == 3
    asked = telling(items, {"hard": 1})
    assert {one.answer.name for one in asked} == {"hard", "many"}
    assert telling(items[3:4], {}) == (items[3],)
    assert telling([], {}) == ()


def test_each_choice_keeps_its_reason() -> None:
    """The reasons are in the order of the choices, and nowhere on the student's sheet."""
    own, (key,) = sheet("ada", [item("predict", "f")], title="", course="")
    assert key.because == ("it is right", "", "it is what `f` returns", "")
    assert "it is right" not in repr(own)


def test_the_effect_of_an_edit_in_words() -> None:
    """It may be a value, an error, a number of a large array, or nothing."""
    one, large = Call({"x": 1}, returned=2.0), Call(returned=np.arange(20.0))
    other = large.returned.copy()
    other[3] = 7
    for before, after, said in (
        (one, Call(returned=2.0), "leaves the result as it is"),
        (one, Call(returned=3.0), "returns `3`"),
        (one, Call(raised="IndexError", line=2), "ends with IndexError on line 2"),
        (Call(raised="IndexError"), one, "no longer ends with IndexError"),
        (large, Call(returned=other), "returns `7` as number 4 of 20"),
        (large, Call(returned=np.arange(30.0)), "returns shape (30,)"),
    ):
        assert effect([(before, after)]) == said
    assert effect([(one, one), (one, Call(returned=3.0))]) == (
        "returns `3` where it is called with argument 1 = 1"
    )


def test_who_is_asked(tmp_path: Path) -> None:
    """They have high marks and a low sheet, or are named; the key shows what they missed."""
    for student, score in (("ada", 0.4), ("bo", 0.6), ("cy", None)):
        (tmp_path / student).mkdir()
        results.write_grade(tmp_path / student, Grade(SubmissionId(student, "notebook", ""), MARKS))
        if score is not None:
            marked = MarkedSheet("0123AB", ("A", "", "B"), 1, 1, score)
            marked_sheets.write(tmp_path / student, Defence(10, 10 * score, {1: marked}))
    own = tuple(Key("Predict", name, "A", 1.0) for name in "fgh")
    keys = Keys("toy", 1, {"ada": SheetKey("0123AB", own)}, {})
    everybody = ["ada", "bo", "cy"]

    def names(*named: str, mark: float | None = None) -> list[str]:
        rules = DefenceRules(pass_mark=mark)
        return [one.student for one in selected(tmp_path, everybody, named, rules, keys)]

    assert names() == ["ada"]
    assert names(mark=0.7) == ["ada", "bo"]
    assert names("cy") == ["cy"]
    (one,) = selected(tmp_path, everybody, ["ada"], DefenceRules(), keys)
    assert one.missed == {"h": 1}
    assert one.why == (
        "You named this student. 8 of 8 points for what is marked. Sheet 1: 1 right, 1 wrong, 1 left "
        "out; corrected for chance 40 %."
    )
    with pytest.raises(UserError, match="--student dee: "):
        names("dee")
    with pytest.raises(UserError, match="no marked sheet"):
        selected(tmp_path, ["cy"], [], DefenceRules(), None)
