"""marks: they follow from items, never overwrite others' unasked, and can be undone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.platforms.nbgrader import hand_marks
from autograder.records.errors import UserError
from autograder.staff.marking_page.marks import changes
from autograder.staff.marking_page.marks.claims import Claims
from autograder.staff.marking_page.marks.connection import connect
from autograder.staff.marking_page.marks.double_marking import Second
from autograder.staff.marking_page.marks.question import Question
from autograder.staff.marking_page.marks.records import Conflict
from autograder.staff.marking_page.marks.rows import questions
from tests.marking import (
    HOMEWORK,
    QUESTION,
    execute,
    fill,
    in_formgrader,
    make_gradebook,
    score,
)

ITEMS = [(1.0, "Says that it is undefined."), (1.0, "Says that 0 is a choice."), (-0.5, "Is rude.")]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return make_gradebook(tmp_path / "gradebook.db", 4)


@pytest.fixture
def argue(url: str) -> Question:
    return opened(url)


def opened(url: str) -> Question:
    question = Question(connect(url), HOMEWORK, QUESTION, worth=2)
    question.begin(ITEMS)
    return question


def give(question: Question, id: str, *places: int, marker: str = "ana") -> None:
    """Give an answer the items at these positions."""
    for place in places:
        version = question.one(id).version
        item = question.items()[place].id
        question.set_item(id, item, on=True, marker=marker, version=version)


def ids(question: Question) -> list[str]:
    return [one.id for one in question.all()]


def test_what_there_is_to_mark(url: str, argue: Question) -> None:
    """It lists questions with written answers, and all answers of the class, ordered by id."""
    assert questions(connect(url)) == [(HOMEWORK, QUESTION, 4)]
    found = argue.all()
    assert sorted(one.student for one in found) == ["s0000", "s0001", "s0002", "s0003"]
    assert all(one.waiting and one.score is None and not one.elsewhere for one in found)
    assert [(item.points, item.words) for item in argue.items()] == ITEMS


def test_a_rubric_is_taken_over_once(argue: Question) -> None:
    """Items changed on the page stay when the page is opened again."""
    first = argue.items()[0]
    argue.change_item(first.id, 0.5, "Says so.", marker="ana")
    argue.begin(ITEMS)
    assert [item.words for item in argue.items()] == ["Says so.", ITEMS[1][1], ITEMS[2][1]]


def test_a_mark_is_in_nbgraders_table_at_once(url: str, argue: Question) -> None:
    """The score is the sum, never below 0 or above the question's points."""
    one, two, *_ = ids(argue)
    give(argue, one, 0)
    assert score(url, one) == (1, False, None)
    give(argue, one, 1, 2)
    assert score(url, one)[0] == 1.5
    marked = argue.adjust(one, 2, marker="ana", version=3)
    assert (marked.score, marked.adjustment, marked.version) == (2, 2, 4)
    give(argue, two, 2)
    assert score(url, two) == (0, False, None)
    assert argue.progress().done == 2
    assert argue.progress().markers == {"ana": 2}


def test_an_item_that_is_taken_back_leaves_an_answer_open(url: str, argue: Question) -> None:
    """Only a person's action is a mark."""
    one, *_ = ids(argue)
    give(argue, one, 0)
    argue.set_item(one, argue.items()[0].id, on=False, marker="ana", version=1)
    assert score(url, one) == (None, True, None)
    argue.give_nothing(one, marker="ana", version=2)
    assert score(url, one) == (0, False, None)


def test_the_same_request_twice_counts_once(argue: Question) -> None:
    """A page repeats a request if the server was killed before it answered."""
    one, *_ = ids(argue)
    item = argue.items()[0].id
    first = argue.set_item(one, item, on=True, marker="ana", version=0)
    again = argue.set_item(one, item, on=True, marker="ana", version=0)
    assert first == again
    assert argue.undo("ana")[0] == f"gave: {ITEMS[0][1]}"
    assert argue.undo("ana") == ("", [])


def test_marks_follow_an_item_that_changes(url: str, argue: Question) -> None:
    """Points and words change for everybody, except where formgrader's mark counts."""
    one, two, three, _ = ids(argue)
    for id in (one, two, three):
        give(argue, id, 0)
    in_formgrader(url, three, 0.25)
    item = argue.items()[0]
    assert argue.change_item(item.id, 0.5, "Says  so.", marker="ana") == 2
    assert [score(url, id)[0] for id in (one, two, three)] == [0.5, 0.5, 0.25]
    assert argue.items()[0].words == "Says so."
    assert argue.retire_item(item.id, marker="ana") == 2
    assert score(url, one) == (0, False, None)
    assert [i.words for i in argue.items()] == [ITEMS[1][1], ITEMS[2][1]]
    argue.undo("ana")
    argue.undo("ana")
    assert [score(url, id)[0] for id in (one, two, three)] == [1, 1, 0.25]
    assert [(i.points, i.words) for i in argue.items()] == ITEMS


def test_marks_that_followed_an_item_are_in_the_log(url: str, argue: Question) -> None:
    """Each with its student, and an undo says so; a mark from formgrader does not follow."""
    one, two, three, _ = ids(argue)
    for id in (one, two, three):
        give(argue, id, 0)
    in_formgrader(url, three, 0.25)
    argue.change_item(argue.items()[0].id, 0.5, "Says so.", marker="ben")
    argue.undo("ben")
    argue.retire_item(argue.items()[0].id, marker="cem")
    whose = {argue.one(id).student for id in (one, two)}
    last = [(row.marker, row.undone, *rest) for row, *rest in changes.history(argue.engine)][3:]
    assert {line[2] for line in last} == whose
    assert {line[:2] + line[3:] for line in last} == {("ben", True, 1, 0.5), ("cem", False, 1, 0)}


def test_items_that_cannot_be_are_refused(argue: Question) -> None:
    """One line gives the reason; nothing is written."""
    item = argue.items()[0].id
    with pytest.raises(UserError, match=r"0.3 points: write a multiple of 0.25"):
        argue.change_item(item, 0.3, "Words.", marker="ana")
    with pytest.raises(UserError, match="an item's text has between"):
        argue.add_item(1, " ", marker="ana")
    with pytest.raises(UserError, match="multiple"):
        argue.adjust(ids(argue)[0], float("nan"), marker="ana", version=0)
    for number in range(6):
        argue.add_item(0, f"Item {number}", marker="ana")
    with pytest.raises(UserError, match="9 items already"):
        argue.add_item(1, "One more.", marker="ana")
    argue.undo("ana")
    assert len(argue.items()) == 8


def test_formgraders_mark_is_never_overwritten_unasked(url: str, argue: Question) -> None:
    """It is shown, and stays until somebody deliberately replaces it; that can be undone."""
    one, *_ = ids(argue)
    in_formgrader(url, one, 1.25, "From formgrader.")
    shown = argue.one(one)
    assert (shown.score, shown.comment, shown.elsewhere) == (1.25, "From formgrader.", True)
    with pytest.raises(Conflict, match="formgrader"):
        give(argue, one, 0)
    assert score(url, one) == (1.25, False, "From formgrader.")
    argue.take_over(one, marker="ana")
    assert score(url, one) == (None, True, "From formgrader.")
    give(argue, one, 0, 1)
    assert score(url, one) == (2, False, "From formgrader.")
    for _ in range(3):
        argue.undo("ana")
    assert score(url, one) == (1.25, False, "From formgrader.")


def test_a_mark_that_formgrader_changed_afterwards_stays(url: str, argue: Question) -> None:
    """Neither an undo nor an older page's comment overwrites it."""
    one, *_ = ids(argue)
    give(argue, one, 0)
    argue.say(one, "Good.", marker="ana", seen="")
    in_formgrader(url, one, 0.75, "No.")
    assert argue.one(one).elsewhere
    with pytest.raises(Conflict):
        argue.say(one, "Better.", marker="ana", seen="Good.")
    with pytest.raises(Conflict):
        argue.undo("ana")
    assert score(url, one) == (0.75, False, "No.")


def test_a_comment_with_blanks_around_it_can_be_changed(url: str, argue: Question) -> None:
    """Formgrader keeps them, and the page shows them."""
    one, *_ = ids(argue)
    in_formgrader(url, one, 1, "Well argued.\n")
    seen = argue.one(one).comment
    assert argue.say(one, "Well argued.", marker="ana", seen=seen).comment == seen
    argue.say(one, "Well argued, but see 3.", marker="ana", seen=seen)
    assert score(url, one)[2] == "Well argued, but see 3."


def test_two_markers_are_told_of_each_other(url: str, argue: Question) -> None:
    """A page with an older state changes nothing; the marker's own second window does."""
    one, *_ = ids(argue)
    first, second = (item.id for item in argue.items()[:2])
    argue.set_item(one, first, on=True, marker="ana", version=0)
    with pytest.raises(Conflict, match="ana marked this answer meanwhile"):
        argue.set_item(one, second, on=True, marker="ben", version=0)
    argue.set_item(one, second, on=True, marker="ana", version=0)
    argue.give_nothing(one, marker="ben", version=2)
    with pytest.raises(Conflict, match="ben has changed this answer since"):
        argue.undo("ana")
    assert argue.undo("ben") == ("no item is true", [one])
    assert score(url, one)[0] == 2
    for _ in range(2):
        argue.undo("ana")
    with pytest.raises(Conflict, match="the mark of this answer was undone meanwhile"):
        argue.set_item(one, first, on=True, marker="ben", version=1)


def test_full_marks_are_one_key(url: str, argue: Question) -> None:
    """It selects every item that adds points, but none that subtracts; undo works at once."""
    one, *_ = ids(argue)
    less = argue.add_item(-0.5, "No unit.", marker="ana")
    first = argue.items()[0].id
    argue.set_item(one, first, on=True, marker="ana", version=0)
    full = argue.give_all(one, marker="ana", version=1)
    assert full.items == {item.id for item in argue.items() if item.points > 0}
    assert less not in full.items
    assert argue.give_all(one, marker="ana", version=full.version) == full
    assert argue.undo("ana") == ("all items are true", [one])
    assert argue.one(one).items == {first}


def test_comments_are_found_again(url: str, argue: Question) -> None:
    """The search covers this question, and any of their words."""
    one, two, three, _ = ids(argue)
    for id in (one, two):
        argue.say(id, "Name the sign.", marker="ana", seen="")
    argue.say(three, "Which sign is it?", marker="ana", seen="")
    assert argue.comments("SIGN") == ["Name the sign.", "Which sign is it?"]
    assert argue.comments("which it") == ["Which sign is it?"]
    argue.undo("ana")
    assert score(url, three) == (None, True, None)


def test_a_claim_keeps_others_away_until_it_times_out(argue: Question) -> None:
    """Nobody marks an answer on somebody else's page; an abandoned page blocks it only for a while."""
    one, two, three, four = ids(argue)
    claims = Claims(argue)
    assert claims.first(ids(argue), "a") == one
    assert claims.first(ids(argue), "b") == two
    assert claims.first(ids(argue), "a") == one
    assert not claims.one(one, "b")
    assert claims.first([one], "b") == ""
    assert claims.first([three], "c", seconds=-1) == three
    assert claims.first([three], "b") == three
    give(argue, four, 0)
    assert claims.first([four], "d") == ""
    assert claims.one(four, "d")


def test_one_mark_for_many(url: str, argue: Question) -> None:
    """Marked answers keep their marks; a single undo takes all back."""
    one, two, three, four = ids(argue)
    with pytest.raises(Conflict, match="mark this answer here first"):
        argue.copy(one, [two], marker="ana")
    give(argue, one, 0)
    argue.say(one, "Half.", marker="ana", seen="")
    in_formgrader(url, three, 2)
    argue.say(four, "My own.", marker="ben", seen="")
    assert argue.copy(one, [one, two, three, four], marker="ana") == ([two, four], [three])
    assert score(url, two) == (1, False, "Half.")
    assert score(url, three) == (2, False, None)
    assert score(url, four) == (1, False, "My own.")
    assert set(argue.undo("ana")[1]) == {two, four}
    assert score(url, two) == (None, True, None)
    assert score(url, four) == (None, True, "My own.")


def test_another_text_waits_until_somebody_looked(url: str, argue: Question) -> None:
    """`autograder mark --fill` flags it: the mark stays, and a key confirms it."""
    one, *_ = ids(argue)
    give(argue, one, 0)
    execute(url, "update grade set needs_manual_grade = 1 where id = :id", id=one)
    assert argue.one(one).changed
    item = argue.items()[0]
    argue.change_item(item.id, 0.5, item.words, marker="ana")
    assert score(url, one) == (0.5, True, None)
    assert not argue.keep(one, marker="ana").changed
    assert score(url, one) == (0.5, False, None)
    argue.undo("ana")
    assert argue.one(one).changed


@pytest.mark.parametrize(
    "mark",
    [
        lambda argue, one, **seen: argue.set_item(one, argue.items()[1].id, on=True, **seen),
        lambda argue, one, **seen: argue.give_nothing(one, **seen),
        lambda argue, one, **seen: argue.give_all(one, **seen),
        lambda argue, one, **seen: argue.adjust(one, 0.5, **seen),
    ],
)
def test_a_mark_is_for_the_text_that_was_read(
    url: str, argue: Question, mark: Callable[..., object]
) -> None:
    """A text that came meanwhile waits for somebody to read it, whether or not there was a mark."""
    one, two, *_ = ids(argue)
    give(argue, two, 0)
    fill(url, {one: "old", two: "old"})
    fill(url, {one: "new", two: "new"})
    for id, version in ((one, 0), (two, 1)):
        before = score(url, id)
        with pytest.raises(Conflict, match="the text of this answer has changed"):
            mark(argue, id, marker="ana", version=version, sha256="old")
        assert score(url, id) == before
        assert argue.one(id).waiting
        mark(argue, id, marker="ana", version=version, sha256="new")
        assert argue.one(id).done


def test_a_mark_is_kept_or_replaced_for_the_text_that_was_read(url: str, argue: Question) -> None:
    """Neither key settles a text that came after it was shown."""
    one, two, *_ = ids(argue)
    for id in (one, two):
        give(argue, id, 0)
    in_formgrader(url, two, 0.25)
    fill(url, {one: "new", two: "new"})
    with pytest.raises(Conflict, match="the text of this answer has changed"):
        argue.keep(one, marker="ana", sha256="old")
    with pytest.raises(Conflict, match="the text of this answer has changed"):
        argue.take_over(two, marker="ana", sha256="old")
    assert [score(url, id)[:2] for id in (one, two)] == [(1, True), (0.25, True)]
    assert argue.keep(one, marker="ana", sha256="new").done
    assert argue.take_over(two, marker="ana", sha256="new").score == 1


def test_one_mark_goes_to_no_text_that_nobody_read(url: str, argue: Question) -> None:
    """If one of them has changed meanwhile, none gets the mark; texts that were shown get it."""
    one, two, three, four = ids(argue)
    fill(url, {one: "same", two: "same", three: "near", four: "same"})
    give(argue, one, 0)
    fill(url, {four: "new"})
    for others, texts in (([two, four], ()), ([two, three, four], ("near",)), ([three], ())):
        with pytest.raises(Conflict, match="the text of another of these answers has changed"):
            argue.copy(one, others, marker="ana", sha256="same", texts=texts)
    assert argue.unmarked([two, three, four]) == [two, three, four]
    with pytest.raises(Conflict, match="the text of this answer has changed"):
        argue.copy(one, [two], marker="ana", sha256="old")
    given = argue.copy(one, [two, three], marker="ana", sha256="same", texts=("near",))
    assert given == ([two, three], [])


def test_an_undone_mark_does_not_settle_another_text(url: str, argue: Question) -> None:
    """The earlier mark comes back, but for a text that it was not given for, so it waits."""
    one, two, three, _ = ids(argue)
    fill(url, {one: "old", two: "old", three: "old"})
    give(argue, one, 0, 1)
    give(argue, two, 0)
    item = argue.items()[0].id
    argue.set_item(two, item, on=False, marker="ana", version=1)
    fill(url, {one: "new", two: "new"})
    argue.undo("ana")
    assert score(url, two)[:2] == (1, True)
    argue.undo("ana")
    argue.undo("ana")
    assert score(url, one)[:2] == (1, True)
    give(argue, three, 0, 1)
    argue.undo("ana")
    assert score(url, three)[:2] == (1, False)


def test_an_item_that_others_have_changed_or_given_stays(url: str, argue: Question) -> None:
    """An undo of one person's change of items would take back somebody else's later work."""
    one, two, *_ = ids(argue)
    first = argue.items()[0]
    argue.change_item(first.id, 0.5, first.words, marker="ana")
    argue.change_item(first.id, 2, first.words, marker="ben")
    with pytest.raises(Conflict, match="ben has changed this item since, so it stays"):
        argue.undo("ana")
    assert argue.items()[0].points == 2
    argue.undo("ben")
    assert argue.undo("ana")[0].startswith("changed the item")
    assert argue.items()[0].points == 1
    added = argue.add_item(0.5, "Is brief.", marker="ana")
    argue.set_item(one, added, on=True, marker="ben", version=0)
    with pytest.raises(Conflict, match="ben has given this item since, so it stays"):
        argue.undo("ana")
    assert score(url, one)[0] == 0.5
    argue.undo("ben")
    argue.set_item(two, added, on=True, marker="ana", version=0)
    assert argue.undo("ana")[0] == "gave: Is brief."
    assert argue.undo("ana")[0] == "added the item: Is brief."
    assert added not in [item.id for item in argue.items()]


def test_an_item_that_a_second_marker_gave_stays(url: str, argue: Question) -> None:
    """A second mark, too, follows from the items."""
    one, *_ = ids(argue)
    added = argue.add_item(0.5, "Is brief.", marker="ana")
    give(argue, one, 0)
    blind = Second(connect(url), HOMEWORK, QUESTION, 2, "ben")
    blind.set_item(one, added, on=True, marker="ben", version=0)
    argue.undo("ana")
    with pytest.raises(Conflict, match="ben has given this item since, so it stays"):
        argue.undo("ana")


def test_a_repeated_undo_undoes_one_change(argue: Question) -> None:
    """The page repeats a request if the server was killed before it answered."""
    one, *_ = ids(argue)
    give(argue, one, 0, 1)
    first = argue.undo("ana", request="a key")
    assert argue.undo("ana", request="a key") == first == (f"gave: {ITEMS[1][1]}", [one])
    assert argue.one(one).items == {argue.items()[0].id}
    assert argue.undo("ana", request="another") == (f"gave: {ITEMS[0][1]}", [one])
    assert argue.undo("ana", request="one more") == ("", [])


def test_items_of_a_mark_are_known_where_it_counts(url: str, argue: Question) -> None:
    """Feedback shows them; after a change in formgrader they no longer apply."""
    one, two, *_ = ids(argue)
    give(argue, one, 0, 2)
    argue.adjust(one, 0.25, marker="ana", version=2)
    give(argue, two, 0)
    in_formgrader(url, two, 0)
    scores = {one.id: ("argue", one.score) for one in argue.all()}
    with connect(url).connect() as connection:
        found = hand_marks.given_items(connection, "toy", scores)
    words = [words for _, words in ITEMS]
    assert found == {
        "argue": (
            dict(zip(words, (True, False, True), strict=True)),
            [
                f"+1: {words[0]}",
                f"-0.5: {words[2]}",
                "+0.25: Adjustment for this answer.",
                f"missing (+1): {words[1]}",
            ],
        )
    }


def test_what_is_no_gradebook_is_said_in_one_line(tmp_path: Path) -> None:
    """Nothing is created there."""
    with pytest.raises(UserError, match="no such gradebook; run `autograder mark D --fill` first"):
        connect(str(tmp_path / "absent.db"))
    (tmp_path / "other.db").write_bytes(b"")
    with pytest.raises(UserError, match="is not a gradebook"):
        connect(str(tmp_path / "other.db"))
    with pytest.raises(UserError, match="cannot be opened"):
        connect("nothing://x")
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]
