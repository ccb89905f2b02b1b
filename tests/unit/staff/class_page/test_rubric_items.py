"""The share of a class that has each rubric item, by section."""

from autograder.course.people import parsed
from autograder.records.marks import HandMarks
from autograder.staff.class_page.rubric_items import NO_SECTION, shares

ROSTER = "id,section\na1,Mon\nb2,Tue\nc3,Mon\nd4,\n"
GIVEN = {
    "a1": HandMarks(items={"argue": {"Says so.": True, "Says why.": False}}),
    "b2": HandMarks(items={"argue": {"Says so.": True, "Says why.": True}}),
    "c3": HandMarks(
        items={"argue": {"Says so.": False, "Says why.": False}, "more": {"Is.": True}}
    ),
    "d4": HandMarks({"argue": 1.0}),
    "e5": HandMarks(items={"argue": {"Says so.": True, "Says why.": False}}),
}


def test_items_are_counted_for_all_and_by_section() -> None:
    """This includes items that nobody in a section has; people without a section form one."""
    argue, more = shares(GIVEN, parsed(ROSTER))
    assert (argue.question, argue.count) == ("argue", 4)
    assert argue.sections == {"Mon": 2, "Tue": 1, NO_SECTION: 1}
    assert [(one.words, one.all, one.by_section) for one in argue.items] == [
        ("Says so.", 3, {"Mon": 1, "Tue": 1, NO_SECTION: 1}),
        ("Says why.", 1, {"Mon": 0, "Tue": 1, NO_SECTION: 0}),
    ]
    assert more.sections == {"Mon": 1}


def test_without_sections_there_is_one_column() -> None:
    """This covers a roster without the column, and no roster at all."""
    for roster in ("id\na1\nb2\n", "id,section\na1,Mon\nb2,Mon\n"):
        given = {id: GIVEN[id] for id in ("a1", "b2")}
        (argue,) = shares(given, parsed(roster))
        assert argue.sections == {}
    assert shares({}, parsed(ROSTER)) == []
