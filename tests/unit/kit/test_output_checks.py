"""effects: errors, output, figures and tables, read inside and judged outside."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from IPython.display import display
from matplotlib import pyplot as plt
from matplotlib_inline import backend_inline

from autograder.kit import ANY, Picture, Prints, Raises, Table, Text
from autograder.records.data import read
from autograder.records.questions import RESULT, Check, Inputs
from autograder.records.values import Refused
from autograder.sandbox.inside import evaluate


def judged(check: Check, inputs: Inputs, got: Any) -> str:
    """Return a check's message on a value, or "" if it is right."""
    verdict = check(inputs, {RESULT: got})
    return verdict.message.lower() * (verdict.fraction < 1)


def own(name: str, above: Exception | None = None) -> Exception:
    """Return an error of a class defined here, like a notebook's."""
    error: Exception = type(name, (type(above) if above else Exception,), {})("no")
    return error


def half(number: int) -> int:
    if (
        number > 2 and number % 2
    ):  # a class of the author's, which has its name in the notebook as well
        raise own("TooMuch" if number == 3 else "TimeoutError")
    if number % 2:
        raise ValueError("odd")
    return number // 2


class OddError(ValueError):
    pass


@pytest.mark.parametrize(
    ("number", "raises", "said"),
    [
        (1, ValueError("no"), ""),
        (1, OddError("no"), ""),
        (1, KeyError("no"), "it raises keyerror, and an error of another class belongs here"),
        (1, None, "it should raise an error here, and returns"),
        (2, ValueError("no"), "it raises valueerror (no), and should return here"),
        (2, None, ""),
        (4, None, "is not right"),
        (1, own("ValueError"), "it raises your own valueerror, and an error of another class"),
        (1, own("More", own("ValueError")), "it raises more, and an error of another class"),
        (3, own("TooMuch"), ""),
        (3, own("More", own("TooMuch")), ""),
        (3, ValueError("no"), "it raises valueerror, and an error of another class"),
        (5, own("TimeoutError"), ""),
        (5, TimeoutError("no"), "it raises timeouterror, and an error of another class"),
    ],
)
def test_what_is_raised(number: int, raises: Exception | None, said: str) -> None:
    """A derived class counts; if the reference returns, the value counts."""

    def answer() -> dict[str, int]:
        if raises:
            raise raises
        return {RESULT: 1}

    found = judged(Raises(half), {"number": number}, evaluate.raised(answer))
    assert said in found if said else not found


def test_what_is_for_the_student_is_no_error_of_theirs() -> None:
    """Unwritten and refused answers are reported."""
    for error in (NotImplementedError(), Refused("no")):

        def answer(error: Exception = error) -> Any:
            raise error

        with pytest.raises(type(error)):
            evaluate.raised(answer)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\n2\n", ""),
        ("1 \n2", ""),
        ("", "it prints nothing"),
        ("1", "it prints 1 line, and should print 2"),
        ("1\n3", "line 2 of what it prints is not right."),
        (" 1\n2", "line 1 of what it prints is not right in its spaces."),
        ("1\r\n2\r", ""),
        *((f"1{end}2", "it prints 1 line") for end in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"),
        ("1\n2\x0c", "line 2 of what it prints is not right"),
    ],
)
def test_what_is_printed(text: str, said: str) -> None:
    """Spaces at the ends of lines do not count."""
    printed = evaluate.printed(lambda: print(text))
    found = judged(Prints(lambda: "1\n2"), {}, printed)
    assert said in found if said else not found
    with pytest.raises(Refused, match="prints more than"):
        evaluate.printed(lambda: print("x" * (evaluate.MAX_TEXT + 1)))


def test_what_a_reference_of_text_may_give() -> None:
    """It must give text; printing instead, which returns None, is the author's mistake."""
    assert Prints(lambda: "1\n2").expected({}) == Text(lambda: "1\n2").expected({}) == "1\n2"
    for check in (Prints(lambda: 3), Prints(lambda: print(end="")), Text(lambda: None)):
        with pytest.raises(
            TypeError, match=r"the reference of \w+ returns text, but this one (a number|None)"
        ):
            check.expected({})


TABLE = pd.DataFrame({"name": ["a", "b"], "mean": [0.5, 1.5]})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t, ""),
        (lambda t: t.set_index("name", drop=False), ""),
        (lambda t: t * 1, ""),
        (lambda t: list(t), "is a list, and should be a table"),
        (lambda t: t.head(1), "the table has 1 row, and should have 2"),
        (lambda t: t.rename(columns={"mean": "avg"}), "lacks 1 of the 2 that belong there; 'avg'"),
        (lambda t: t[["mean", "name"]], "the right columns in a different order"),
        (lambda t: t.astype({"mean": str}), "the column 'mean' has text, and should have numbers"),
        (lambda t: t[::-1], "the right rows in a different order"),
        (
            lambda t: t.assign(mean=t["mean"] + [0, 1]),
            "1 of the 2 rows is not right, in the column 'mean'",
        ),
    ],
)
def test_a_table(change: Callable[[Any], Any], said: str) -> None:
    """The comparison goes from the outside to the inside."""
    found = judged(Table(lambda: TABLE), {}, read(change(TABLE)))
    assert said in found if said else not found


def test_orders_and_index_as_one_wants() -> None:
    """The author chooses each."""
    turned = read(TABLE[::-1][["mean", "name"]])
    assert not judged(Table(lambda: TABLE, rows="any order", columns="any order"), {}, turned)
    assert "in the index" in judged(
        Table(lambda: TABLE, index=True), {}, read(TABLE.set_index(pd.Index([1, 0])))
    )
    text = read(TABLE.astype({"mean": str}))
    assert "has text, and should have numbers" in judged(Table(lambda: TABLE), {}, text)


def test_columns_of_one_name() -> None:
    """Each is compared with its own, in order; a name of a different kind is different."""
    twice = pd.concat([TABLE, TABLE.assign(mean=[3.0, 4.0])], axis=1)
    assert not judged(Table(lambda: twice), {}, read(twice))
    wrong = twice.copy()
    wrong.iloc[1, 3] = 5.0
    assert "1 of the 2 rows is not right" in judged(Table(lambda: twice), {}, read(wrong))
    assert "4 columns" in judged(Table(lambda: TABLE), {}, read(twice))
    one, true = (pd.DataFrame({name: [1]}) for name in (1, True))
    assert "True does not belong".lower() in judged(Table(lambda: one), {}, read(true))


def test_rows_that_are_near_each_other() -> None:
    """In any order, they count as the same rows, for integers and other numbers."""
    near = pd.DataFrame({"id": [10_000_001, 10_000_002], "x": [1.0000001, 1.0000002]})
    check = Table(lambda: near, rows="any order", kinds=False)
    assert not judged(check, {}, read(near[::-1]))
    assert not judged(check, {}, read(near[::-1].astype(float)))


def figure(
    title: str = "Loss",
    label: str = "step",
    scale: str = "log",
    y: float = 2.0,
    line: str = "train",
) -> None:
    axes = plt.figure().subplots()
    axes.plot([1, 2, 3], [1, y, 4], label=line)
    axes.set(title=title, xlabel=label, yscale=scale)
    axes.legend()


def expected() -> dict[str, Any]:
    line = np.array([[1, 1], [2, 2], [3, 4]])
    return {"title": ANY, "x_label": "Step", "y_scale": "log", "lines": [line], "legend": ["train"]}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"title": "Anything"}, ""),
        ({"title": ""}, "`title` is missing"),
        ({"label": "x"}, "`x_label` is not right"),
        ({"label": ""}, "`x_label` is missing"),
        ({"scale": "linear"}, "`y_scale` is not right"),
        ({"y": 2.5}, "`lines` is not right"),
        ({"label": " STEP"}, ""),
        ({"line": "Train"}, ""),
        ({"line": "test"}, "`legend` is not right"),
    ],
)
def test_a_picture(changed: dict[str, Any], said: str) -> None:
    """Its content counts, not its pixels; parts that the reference does not set are free."""
    check = Picture(expected)
    shown = evaluate.drawn(lambda: figure(**changed))
    found = judged(check, {}, shown)
    assert said in found if said else not found
    assert check.likeness({}, {RESULT: shown}, {RESULT: shown}) == 1


def test_a_figure_that_is_returned_and_one_that_is_not_there() -> None:
    """The figure or its axes may be returned; bars and points are read."""
    made, axes = plt.subplots()
    plt.close(made)
    axes.bar([0, 1], [3, 4])
    axes.scatter([1, np.nan], [2, 2])
    (shown,) = evaluate.drawn(lambda: axes)
    assert shown["bars"] == [3, 4]
    assert shown["points"][0].tolist() == [[1, 2]]
    with pytest.raises(Refused, match="draws nothing"):
        evaluate.drawn(lambda: None)
    with pytest.raises(Refused, match="is empty"):
        evaluate.drawn(plt.figure)


@pytest.mark.parametrize(
    "end",
    [
        lambda: None,
        plt.show,
        lambda: plt.close("all"),
        lambda: plt.close(plt.gcf()),
        lambda: backend_inline.show(close=True),
        lambda: (backend_inline.show(close=True), plt.tight_layout()),
        lambda: display(plt.gcf()) or plt.close(),
    ],
)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_a_figure_counts_however_it_is_shown(end: Callable[[], Any]) -> None:
    """A notebook closes a shown figure; later commands can only make an empty one."""

    def answer() -> None:
        figure(title="first", y=3.0)
        plt.close("all")
        figure()
        end()

    for _ in range(2):
        assert not judged(Picture(expected), {}, evaluate.drawn(answer))
    with pytest.raises(Refused, match="is empty"):
        evaluate.drawn(lambda: [plt.figure(), end()][2:])


X = np.array([[1.0, 1], [2, 3], [3, 2], [4, 4]])


def portrait() -> dict[str, Any]:
    return {
        "x_label": ["angle", "angle (rad)"],
        "lines": [X, 2 * X],
        "legend": ["first", ["second", "2nd"]],
    }


def curves(
    *order: tuple[Any, str], beside: Callable[[Any], Any] = lambda _: None, label: str = "Angle"
) -> Any:
    axes = plt.figure().subplots()
    for points, name in order or ((X, "first"), (2 * X, "second")):
        axes.plot(*points.T, label=name or None)
    beside(axes)
    axes.set_xlabel(label)
    if not axes.get_legend():
        axes.legend()


@pytest.mark.parametrize(
    "answer",
    [
        curves,
        lambda: curves((2 * X, "2ND"), (X, "First"), label="Angle  (rad)"),
        lambda: curves(beside=lambda axes: (axes.axhline(0), axes.axvline(0, label="zero"))),
        lambda: curves(beside=lambda axes: axes.axline((0, 0), slope=1)),
        lambda: curves(beside=lambda axes: axes.plot([1, 8], [0, 0], "k--", label="no data")),
        lambda: curves(beside=lambda axes: (axes.hlines(0, 1, 8), axes.axhspan(0, 1))),
        lambda: curves((2 * X, ""), (X, ""), beside=lambda axes: axes.legend(["second", "first"])),
        lambda: curves(
            (X, ""),
            (2 * X, ""),
            beside=lambda axes: axes.legend(axes.lines[::-1], ["2nd", "first"]),
        ),
    ],
)
def test_right_pictures_of_curves(answer: Callable[[], Any]) -> None:
    """Curves match by label, in any order, and lines without data cost nothing."""
    shown = evaluate.drawn(answer)
    assert not judged(Picture(portrait), {}, shown)
    unnamed = Picture(lambda: {"lines": portrait()["lines"]})
    assert not judged(unnamed, {}, shown)
    assert unnamed.likeness({}, {RESULT: shown}, {RESULT: evaluate.drawn(curves)}) == 1
    bare = Picture(lambda: {**portrait(), "points": []})
    assert not judged(bare, {}, shown)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: curves((X, "second"), (2 * X, "first")), "`lines` with the label 'second' is not"),
        (lambda: curves((X, "first"), (3 * X, "second")), "`lines` with the label 'second' is not"),
        (lambda: curves((X, "one"), (3 * X, "two")), "`lines` number 2 is not right"),
        (lambda: curves((X, "first"), (2 * X, "third")), "`legend` number 2 is not right"),
        (lambda: curves((X, "first")), "`lines` has 1 in the figure, and should have 2"),
        (
            lambda: curves((X, "first"), (2 * X, "second"), (X + 1, "third")),
            "`lines` has 3 in the figure, and should have 2",
        ),
        (lambda: curves(label="time"), "`x_label` is not right"),
        (lambda: curves((X, "first"), beside=lambda axes: axes.axhline(0)), "`lines` has 1"),
    ],
)
def test_wrong_pictures_of_curves(answer: Callable[[], Any], said: str) -> None:
    """The first wrong part is named by the student's own label or number."""
    assert said in judged(Picture(portrait), {}, evaluate.drawn(answer))


def test_an_author_may_forbid_lines_that_are_no_data() -> None:
    """Then an extra line counts."""
    shown = evaluate.drawn(lambda: curves(beside=lambda axes: axes.axhline(0)))
    assert "`lines` has 3" in judged(Picture(portrait, guides=False), {}, shown)
    wanted = Picture(lambda: {"lines": [np.array([[0, 5], [1, 5]])]}, guides=False)
    assert not judged(wanted, {}, evaluate.drawn(lambda: plt.gca().axhline(5)))


def test_points_of_several_clouds_go_by_their_labels() -> None:
    """Points are compared like curves."""
    wanted = Picture(lambda: {"points": [X, 2 * X], "legend": ["a", "b"]})

    def answer(*labels: str) -> None:
        for points, label in zip((2 * X, X), labels, strict=True):
            plt.scatter(*points.T, label=label)
        plt.legend()

    assert not judged(wanted, {}, evaluate.drawn(lambda: answer("b", "a")))
    said = judged(wanted, {}, evaluate.drawn(lambda: answer("a", "b")))
    assert "`points` with the label 'a' is not right" in said


def test_a_figure_that_was_made_before() -> None:
    """The figure that a call changes counts, wherever it was made; an unchanged one is reported."""
    made, axes = plt.subplots()

    def answer() -> None:
        axes.clear()
        axes.plot([1, 2, 3], [1, 2, 4], label="train")
        axes.set(title="Loss", xlabel="step", yscale="log")
        axes.legend()

    for _ in range(2):
        assert not judged(Picture(expected), {}, evaluate.drawn(answer))
    plt.figure(made)
    with pytest.raises(
        Refused, match="draws nothing with matplotlib; the figure that is there was"
    ):
        evaluate.drawn(lambda: plt.sca(axes))
    axes.set_title("")
    said = judged(Picture(expected), {}, evaluate.drawn(lambda: made))
    assert "`title` is missing. that figure was drawn before" in said


def test_which_of_two_figures_is_read() -> None:
    """If a wrong answer draws two, the message says which one was read."""

    def answer() -> Any:
        figure()
        figure(title="")
        return plt.figure(1)

    assert not judged(Picture(expected), {}, evaluate.drawn(answer))
    said = judged(Picture(expected), {}, evaluate.drawn(lambda: answer() and None))
    assert not said
    said = judged(Picture(expected), {}, evaluate.drawn(lambda: (figure(), figure(title=""))))
    assert "`title` is missing. it draws 2 figures; this is number 2." in said


@pytest.mark.parametrize(
    "forged",
    [
        *(None, 3, [], [1], {}, {"kinds": 1, "message": 2, "returned": 3}),
        {"kinds": [np.ones(2)], "message": "", "returned": 3},
        [
            {
                "title": np.ones(2),
                "x_label": np.ones(2),
                "lines": np.array(3),
                "line_labels": [np.ones(2)],
                "guides": [np.ones(2), "a"],
                "figures": [np.ones(2), None],
                "legend": [np.ones(2)],
            }
        ],
        [{"title": "a", "x_label": "step", "y_scale": "log", "lines": [10**999], "legend": []}],
    ],
)
def test_a_forged_reply_earns_nothing_and_breaks_nothing(forged: Any) -> None:
    """A check never raises for any reply."""
    for check in (Raises(lambda: 1), Prints(lambda: "x"), Picture(expected), Table(lambda: TABLE)):
        assert check({}, {RESULT: forged}).fraction == 0
        assert check({}, {}).fraction == 0
        assert check.likeness({}, {RESULT: forged}, {}) in (0, 1)


def test_a_table_in_any_order_names_no_row() -> None:
    """Rows are sorted before the comparison: a wrong one moves others."""
    right = pd.DataFrame({"n": [1, 2, 3, 4]})
    wrong = read(pd.DataFrame({"n": [9, 2, 3, 4]}))
    said = judged(Table(lambda: right, rows="any order"), {}, wrong)
    assert said == "the table does not have the right rows."
