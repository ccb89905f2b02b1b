"""Tables in any form: the visible check generated from `shown` agrees with the hidden one."""

import datetime
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

from autograder.authoring import kit_cells, shown_checks
from autograder.course.homework import HomeworkError
from autograder.kit import Check, Close, Draws, Question, Table
from autograder.records import data
from autograder.records.questions import RESULT
from autograder.records.values import Refused

NAN = np.nan
BASE = pd.DataFrame(
    {
        "region": ["a", "b", "c"],
        "n": [2, 3, 4],
        "sd": [0.5, NAN, 1.5],
        "visited": pd.to_datetime(["2026-03-01", "2026-03-02", None]),
        "open": [True, False, True],
    }
)
FORMS: dict[str, tuple[bool, bool, Callable[[pd.DataFrame], Any]]] = {
    # right with any kind of number, right with kinds=True, and how the table is changed
    "as it is": (True, True, lambda t: t),
    "convert_dtypes": (True, True, lambda t: t.convert_dtypes()),
    "Float64": (True, True, lambda t: t.astype({"sd": "Float64"})),
    "object with None": (True, True, lambda t: t.assign(sd=t["sd"].astype(object).where(t["sd"].notna(), None))),
    "whole numbers as floats": (True, False, lambda t: t.astype({"n": float})),
    "whole numbers as Float64": (True, False, lambda t: t.astype({"n": "Float64"})),
    "int8": (True, True, lambda t: t.astype({"n": "int8"})),
    "objects": (True, True, lambda t: t.astype({"n": object, "open": object})),
    "string": (True, True, lambda t: t.astype({"region": "string"})),
    "category": (True, False, lambda t: t.astype({"region": "category"})),
    "category of numbers": (True, False, lambda t: t.astype({"n": "category"})),
    "category of dates": (True, False, lambda t: t.astype({"visited": "category"})),
    "dates in nanoseconds": (True, True, lambda t: t.astype({"visited": "datetime64[ns]"})),
    "dates without a time": (True, True, lambda t: t.assign(visited=t["visited"].dt.date)),
    "dates of Python": (True, True, lambda t: t.assign(visited=pd.Series([*t["visited"].dt.to_pydatetime()], dtype=object))),
    "rows with other names": (True, True, lambda t: t.set_index(pd.Index([5, 6, 7]))),
    "text that looks like numbers": (False, False, lambda t: t.astype({"n": str})),
    "categories of text that looks like numbers": (False, False, lambda t: t.assign(n=t["n"].astype(str).astype("category"))),
    "numbers as text": (False, False, lambda t: t.assign(sd=["0.5", None, "1.5"])),
    "dates as text": (False, False, lambda t: t.assign(visited=["2026-03-01", "2026-03-02", None])),
    "dates as text with times": (False, False, lambda t: t.assign(visited=["2026-03-01 00:00:00", "2026-03-02 00:00:00", None])),
    "dates with a zone": (False, False, lambda t: t.assign(visited=t["visited"].dt.tz_localize("UTC"))),
    "dates of Python with a zone": (False, False, lambda t: t.assign(visited=t["visited"].dt.tz_localize("UTC").astype(object))),
    "truth values as numbers": (False, False, lambda t: t.astype({"open": int})),
    "truth values as text": (False, False, lambda t: t.astype({"open": str})),
    "another number": (False, False, lambda t: t.assign(n=[2, 3, 5])),
    "a missing number as 0": (False, False, lambda t: t.fillna({"sd": 0})),
    "rounded": (False, False, lambda t: t.assign(sd=t["sd"].round())),
    "another order": (False, False, lambda t: t[::-1]),
    "an index": (False, False, lambda t: t.set_index("region")),
    "a row less": (False, False, lambda t: t.head(2)),
    "a column more": (False, False, lambda t: t.assign(more=1)),
    "a column less": (False, False, lambda t: t.drop(columns="n")),
    "columns in another order": (False, False, lambda t: t[[*t.columns[::-1]]]),
    "None": (False, False, lambda t: None),
    "a list": (False, False, lambda t: t["n"].tolist()),
    "a Series": (False, False, lambda t: t["n"]),
    "an Index": (False, False, lambda t: pd.Index(t["n"])),
    "a dict": (False, False, lambda t: t[["n"]].to_dict()),
}  # fmt: skip


def complaint(check: Check, inputs: dict[str, Any], answer: Callable[..., Any]) -> str:
    """Return the message of the visible check generated from a hidden one, or ""."""
    question = Question("answered", check, shown=[inputs])
    text = shown_checks.texts([question], "hw")["answered"].rsplit("\n\n", 1)[0]
    cell = nbformat.v4.new_code_cell(text)
    space: dict[str, Any] = {"np": np, "pd": pd, "answered": answer}
    for tool in kit_cells.tools_of(nbformat.v4.new_notebook(cells=[cell])).values():
        exec(tool, space)
    exec(text, space)
    found = space["said"](space["answered_complaint"], answer)
    return found or ""


def hidden(check: Check, inputs: dict[str, Any], value: Any) -> str:
    """Return the hidden check's message, or ""."""
    try:
        value = data.decode_value(data.encode_value({RESULT: data.read(value, RESULT)}))
    except Refused as error:
        return str(error)
    verdict = check(inputs, value)
    return verdict.message * (verdict.fraction < 1)


@pytest.mark.parametrize("kinds", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_both_checks_give_one_verdict(form: str, kinds: bool) -> None:
    """This holds for all dtypes, whether or not kinds count."""
    loose, strict, change = FORMS[form]
    check = Table(lambda n: BASE, kinds=kinds)
    seen, found = (
        complaint(check, {"n": 1}, lambda _: change(BASE)),
        hidden(check, {"n": 1}, change(BASE)),
    )
    assert (not seen, not found) == ((strict, strict) if kinds else (loose, loose)), (seen, found)
    assert not any(word in seen for word in ("[left]", "NoneType", "dtype", "<class"))


@pytest.mark.parametrize("form", ["convert_dtypes", "category", "string", "objects", "Float64"])
def test_a_reference_may_return_any_form(form: str) -> None:
    """Its table is shown as plain code that compares in the same way."""
    right = FORMS[form][2](BASE)
    check = Table(lambda n: right)
    for other in ("as it is", form, "dates as text"):
        value = FORMS[other][2](BASE)
        assert bool(complaint(check, {"n": 1}, lambda _, v=value: v)) == (other == "dates as text")
        assert bool(hidden(check, {"n": 1}, value)) == (other == "dates as text")


@pytest.mark.parametrize(
    ("change", "index"),
    [
        (lambda t: t, ""),
        (lambda t: t.set_index(pd.Index([7, 8, 9])), "index"),
        (lambda t: t.set_index(pd.Index([0.0, 1.0, 2.0])), ""),
        (lambda t: t.set_index(pd.Index(["0", "1", "2"])), "index has text, and should have whole"),
    ],
)
def test_names_of_rows(change: Callable[[Any], Any], index: str) -> None:
    """If they count, they are compared like columns."""
    check = Table(lambda n: BASE, index=True)
    for said in (
        complaint(check, {"n": 1}, lambda _: change(BASE)),
        hidden(check, {"n": 1}, change(BASE)),
    ):
        assert index in said if index else not said


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (
            "dates with a zone",
            "the column 'visited' has dates with a time zone, and should have dates.",
        ),
        ("dates as text", "the column 'visited' has text, and should have dates."),
        ("text that looks like numbers", "the column 'n' has text, and should have whole numbers."),
        ("None", "the result is None, and should be a table: is there a `return`?"),
    ],
)
def test_the_fault_comes_before_the_table(form: str, words: str) -> None:
    """A report shows the first line that the visible check prints."""
    check = Table(lambda sales: BASE)
    said = complaint(check, {"sales": BASE}, lambda _: FORMS[form][2](BASE))
    first, *more = said.split("\n")
    assert first == words
    assert "region" in more[0]


def test_inputs_of_several_lines_come_last_in_every_check() -> None:
    """A matrix has several lines, too; if it contains NaN, it is left out."""
    check = Close(lambda a: a.sum())
    inputs = {"a": np.ones((2, 2))}
    said = complaint(check, inputs, lambda a: a.sum() + 1)
    assert said.startswith("it is off by up to 1\nfor a = array(")
    assert complaint(check, inputs, lambda a: NAN) == "it contains NaN or infinity."


def test_a_generator_is_shown_by_its_seed() -> None:
    """Each call gets a new one, it is not printed, and a used one gives one line."""
    inputs = {"size": 2000, "rng": np.random.default_rng(7)}
    check = Draws(mean=0.0, variance=1.0, size="size")
    assert not complaint(check, inputs, lambda size, rng: rng.normal(size=size))
    said = complaint(check, inputs, lambda size, rng: rng.normal(1, 1, size))
    assert said.startswith("for size = 2000: the mean of the draws is too large")
    exact = Close(lambda size, rng: rng.random(size))
    assert not complaint(
        exact, {"size": 3, "rng": np.random.default_rng([1, 2])}, lambda n, rng: rng.random(n)
    )
    used = np.random.default_rng(7)
    used.random()
    with pytest.raises(HomeworkError, match="no seed recreates; write np"):
        complaint(exact, {"size": 3, "rng": used}, lambda n, rng: rng.random(n))


def test_only_some_columns_are_called_right_where_all_are_known() -> None:
    """This includes columns beside a wrong one with missing cells, text or infinity."""
    right = pd.DataFrame(
        {"n": [1, 2, 3], "mean": [1.25, 2.25, 3.25], "sd": [0.55, NAN, 1.55], "who": list("abc")}
    )
    check = Table(lambda k: right)

    def overview(answer: Any) -> str:
        return check.overview([({"k": 1}, {RESULT: data.read(answer)}, False)])

    said = "Only the column 'mean' is wrong; the column 'n' and the column 'sd' are right."
    assert said in overview(right.assign(mean=[2.25, 3.25, 4.25]))
    both = right.assign(mean=[1.3, 2.2, 3.2], sd=[0.6, NAN, 1.6])
    assert (
        overview(both)
        == "Only the column 'mean' and the column 'sd' are wrong; the column 'n' is right."
    )
    for wrong in ({"who": list("abd")}, {"sd": [0.55, 0.0, 1.55]}, {"sd": [0.55, NAN, np.inf]}):
        assert not overview(right.assign(mean=[2.25, 3.25, 4.25], **wrong))


def test_dates_are_midnight_and_no_other_time() -> None:
    """A date with a time is a different moment."""
    day = pd.DataFrame({"at": [datetime.date(2026, 3, 1)]})
    noon = pd.DataFrame({"at": pd.to_datetime(["2026-03-01 12:00"])})
    check = Table(lambda n: day)
    assert not hidden(check, {"n": 1}, pd.DataFrame({"at": pd.to_datetime(["2026-03-01"])}))
    assert "in the column 'at'" in hidden(check, {"n": 1}, noon)
    assert "in the column 'at'" in hidden(replace(check, reference=lambda n: noon), {"n": 1}, day)
