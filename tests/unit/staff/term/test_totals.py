"""totals, table, page: sums checked by hand, everybody in the table, and nothing active."""

import csv
import io
import itertools

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course.course import TotalRules
from autograder.course.people import People
from autograder.staff.term import page, table
from autograder.staff.term.totals import Part, Total, order, total
from tests.helpers import FUZZ
from tests.sample_grade import EVIL, GRADE

NAMES = ("a", "b", "c")


def parts(**scores: float | None) -> dict[str, Part]:
    return {name: Part(score, 60.0) for name, score in scores.items()}


@pytest.mark.parametrize(
    ("scores", "rules", "percent", "dropped"),
    [
        # (30 + 60 + 45) / 180
        ({"a": 30, "b": 60, "c": 45}, TotalRules(), 75, ()),
        # 1/2 * 20 % + 1 * 30 % + 3/4 * 50 %
        ({"a": 30, "b": 60, "c": 45}, TotalRules(weights={"a": 2, "b": 3, "c": 5}), 77.5, ()),
        ({"a": 30, "b": 60, "c": 45}, TotalRules(drop=1), 87.5, ("a",)),
        # No submission counts 0, and is what is dropped.
        ({"b": 60, "c": 45}, TotalRules(), 175 / 3, ()),
        ({"b": 60, "c": 45}, TotalRules(drop=1), 87.5, ("a",)),
        # The share is lowest in a, but b weighs more: (3 * .5 + 1) / 4 against (.4 + 1) / 2
        (
            {"a": 24, "b": 30, "c": 60},
            TotalRules(weights={"a": 1, "b": 3, "c": 1}, drop=1),
            70,
            ("b",),
        ),
        # Extra credit, up to a limit.
        ({"a": 66, "b": 60, "c": 60}, TotalRules(), 310 / 3, ()),
        ({"a": 66, "b": 60, "c": 60}, TotalRules(at_most=100), 100, ()),
        # One homework is always left; what lateness takes never makes a share negative.
        ({"a": 30}, TotalRules(drop=9), 50, ("b", "c")),
        ({"a": -6, "b": 60, "c": 60}, TotalRules(), 200 / 3, ()),
        ({}, TotalRules(), 0, ()),
        ({"a": 60}, TotalRules(weights={"b": 1, "c": 1}), 0, ()),
    ],
)
def test_a_total_by_hand(
    scores: dict[str, float], rules: TotalRules, percent: float, dropped: tuple[str, ...]
) -> None:
    """It covers weights, drops, extra credit and missing homeworks."""
    found = total(parts(**scores), NAMES, rules)
    assert found.percent == pytest.approx(percent)
    assert found.dropped == dropped
    assert found.absent == tuple(name for name in NAMES if name not in scores)


def test_who_is_excused_or_waits_is_said() -> None:
    """A homework that does not count for somebody is neither dropped nor missing."""
    rules = TotalRules(drop=1)
    mine = {"b": Part(30.0, 60.0, missing=("1 answer is not marked yet",)), "c": Part(60.0, 60.0)}
    found = total(mine, NAMES, rules, excused=["a"])
    assert found == Total(
        100.0, dropped=("b",), excused=("a",), open=("b: 1 answer is not marked yet",)
    )
    assert total(mine, NAMES, rules).absent == ("a",)


@pytest.mark.parametrize("drop", [0, 1])
def test_somebody_excused_from_everything_has_no_total_yet(drop: int) -> None:
    """The table, the page and the notebook say so: 0 would be a mark."""
    rules = TotalRules(drop=drop)
    one = total({}, ("a", "b"), rules, excused=["b", "a"])
    assert (one.percent, one.excused, one.absent) == (None, ("a", "b"), ())
    (row,) = csv.DictReader(io.StringIO(table.table({"dee": one}, {}, ("a", "b"), People())))
    assert (row["total"], row["state"]) == ("", "no total yet: excused from every homework")
    sheet = page.sheet("dee", one, {}, {"a": "First", "b": "Second"}, rules, course="Attention")
    for text in (page.html(sheet), page.notebook(sheet)):
        assert "no total yet: excused from every homework" in text
        assert "0 %" not in text.replace("50 %", "")


@FUZZ
@given(
    st.lists(st.tuples(st.integers(0, 66), st.integers(1, 9)), min_size=2, max_size=5),
    st.integers(0, 3),
)
def test_no_other_drop_is_better(both: list[tuple[int, int]], drop: int) -> None:
    """Any other drop gives less: all are tried."""
    names = [f"h{n}" for n in range(len(both))]
    rules = TotalRules(weights={n: w for n, (_, w) in zip(names, both, strict=True)}, drop=drop)
    mine = {name: Part(float(s), 60.0) for name, (s, _) in zip(names, both, strict=True)}
    found = total(mine, names, rules)
    size = min(drop, len(names) - 1)
    assert len(found.dropped) == size
    for out in itertools.combinations(range(len(both)), size):
        kept = [both[n] for n in range(len(both)) if n not in out]
        other = 100 * sum(w * s / 60 for s, w in kept) / sum(w for _, w in kept)
        assert found.percent is not None
        assert found.percent >= other - 1e-6


def test_everybody_has_a_line_and_no_cell_is_a_formula() -> None:
    """This includes roster entries without results, and ids missing from the roster."""
    rules = TotalRules()
    mine = {
        "a001": {"a": Part(54.5, 60.0, extra=2.0, late_days=3), "b": Part(None, 60.0)},
        "=cmd()": {},
    }
    totals = {id: total(one, ("a", "b"), rules) for id, one in mine.items()}
    roster = People.of({"a001": {"name": "=x", "email": ""}})
    text = table.table(totals, mine, ("a", "b"), roster, slip_days={"a001": 2})
    ada, other = csv.DictReader(io.StringIO(text))
    assert (ada["a"], ada["a late days"], ada["b"], ada["name"]) == ("54.5", "3", "", "'=x")
    assert (ada["extra credit"], ada["late days"], ada["slip days left"]) == ("2", "3", "2")
    assert ada["total"] == "45.42"
    assert (other["id"], other["missing"]) == ("'=cmd()", "a, b")
    assert (ada["state"], other["state"]) == ("complete", "complete; not in roster.csv")
    assert "slip days left" not in table.table(totals, mine, ("a", "b"), People()).splitlines()[0]


def test_a_page_and_a_notebook_have_every_mark_and_comment_and_nothing_active() -> None:
    """Titles, comments and sentences may contain anything."""
    comments = {"port": EVIL, "port_answer": f"On the code cell {EVIL}"}
    part = Part(14.0, 38.0, late=f"Late {EVIL}", marks=GRADE.marks, comments=comments)
    one = total({"a": part}, ("a", "b"), TotalRules(drop=1, at_most=100))
    sheet = page.sheet(
        "a001",
        one,
        {"a": part},
        {"a": f"First {EVIL}", "b": "Second"},
        TotalRules(drop=1, at_most=100),
        course="Attention",
        slip_days="Slip days left: 2 of 5.",
    )
    book = nbformat.reads(page.notebook(sheet), as_version=4)
    nbformat.validate(book)
    assert {cell.cell_type for cell in book.cells} == {"markdown"}
    for text in (page.html(sheet), "\n".join(cell.source for cell in book.cells)):
        assert "<script" not in text
        assert "<img" not in text
        for mark in GRADE.marks:
            assert mark.question in text.replace("<wbr>", "")
        for said in (
            "36.84 %",
            "On the code cell",
            "dropped: the total is highest",
            "One homework is dropped",
            "left: 2",
        ):
            assert said in text


def test_homeworks_are_in_the_order_of_their_dates() -> None:
    """Without dates, they follow the weights, then the names."""
    rules = TotalRules(weights={"z": 1, "y": 1})
    assert order(["x", "y", "z"], rules, {}) == ["z", "y", "x"]
    assert order(["a", "y", "z"], rules, {"a": ["q"], "y": []}) == ["y", "a", "z"]
