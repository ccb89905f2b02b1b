"""Checks of an answer's effects besides its result: errors, output, figures, and state."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from autograder.kit.cases import Pair
from autograder.kit.exact import Compared, finite, text_of
from autograder.kit.notebook.plain_data import (
    classes_of,
    comparable,
    kind_of,
    printed_lines,
    unlike,
    unlike_picture,
)
from autograder.kit.notebook.steps import run_steps, unlike_steps
from autograder.kit.notebook.tables import unlike_table
from autograder.records.data import read as plain_data
from autograder.records.questions import RESULT, Array, AuthorsFunction, Inputs, Reads, Value
from autograder.records.tables import Frame


@dataclass(frozen=True)
class Raises(Compared):
    """A comparison of an answer's error, or of its value if the reference raises none.

    The reference is called like the answer; only the class of an error counts, and derived classes
    are accepted. A student's own class that shares a name with one of Python's does not count.
    """

    reads: ClassVar[Reads] = "error"

    def fits(self, got: Any) -> bool:
        """Return whether it has an error's classes and message, or a returned value."""
        if not isinstance(got, dict) or not got.keys() >= {"kinds", "message", "returned"}:
            return False
        texts = (*got["kinds"], got["message"]) if isinstance(got["kinds"], list) else (None,)
        read = all(isinstance(one, str) for one in texts)
        return read and (not got["kinds"] or got["returned"] is None)

    def expected(self, inputs: Inputs) -> Any:
        """Return the class of the reference's error, or its result."""
        try:
            returned = self.reference(**inputs)
        except Exception as error:  # the reference may raise anything on purpose
            return {"kinds": classes_of(error)[:1], "returned": None}
        return {"kinds": [], "returned": plain_data(returned, "the reference's value")}

    def complaint(self, got: Any, right: Any) -> str:
        """Return the fault, without the name of the right error."""
        mine, due = got["kinds"], right["kinds"]
        if due and not mine:
            return "it should raise an error here, and returns."
        if mine and not due:
            said = f" ({got['message'][:100]})" if got["message"] else ""
            return f"it raises {mine[0]}{said}, and should return here."
        if due and due[0] not in mine:
            return f"it raises {mine[0]}, and an error of another class belongs here."
        return "" if due else unlike(got["returned"], right["returned"])


@dataclass(frozen=True)
class Prints(Compared):
    r"""A comparison of printed text, without spaces at the ends of lines or final empty lines.

    The reference returns the text. Only \n, \r\n and \r end a line.
    """

    reads: ClassVar[Reads] = "output"

    def expected(self, inputs: Inputs) -> str:
        """Return the right text of a case; raise TypeError if the reference returns none."""
        return text_of(super().expected(inputs), "Prints")

    def fits(self, got: Any) -> bool:
        """Return whether it is text."""
        return isinstance(got, str)

    def complaint(self, got: Any, right: Any) -> str:
        """Return the first line that is wrong."""
        mine, theirs = printed_lines(got), printed_lines(right)
        if mine == theirs:
            return ""
        if not any(mine):
            return "it prints nothing."
        if len(mine) != len(theirs):
            lines = f"{len(mine)} line{'s' * (len(mine) != 1)}"
            return f"it prints {lines}, and should print {len(theirs)}."
        first = next(
            n for n, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other
        )
        spaces = "".join(mine[first].split()) == "".join(theirs[first].split())
        return f"line {first + 1} of what it prints is not right{' in its spaces' * spaces}."


@dataclass(frozen=True)
class Table(Compared):
    """A comparison of pandas tables; a Series is a table with one column.

    First the names and the number of columns and rows are compared, then the kind of each column,
    then each value. Numbers are equal to numbers (2 and 2.0, of any dtype, nullable or not), text
    to text (a category is the text that it shows), and a date is midnight of that day. Missing
    cells are equal to each other, whether they are NaN, None, NaT or NA. Text that looks like a
    number or a date, booleans for 0 and 1, and dates without their time zone are always wrong.

    Args:
        tolerance: The tolerance for numbers, absolute and relative.
        rows: Whether the order of the rows counts.
        columns: Whether the order of the columns counts.
        index: Whether the rows' names count.
        kinds: Whether 2.0 is wrong for 2, and a category for its text: each column then needs the reference's kind, of "whole numbers", "numbers", "text", "truth values", "dates", "dates
            with a time zone", "durations", "periods" and "categories of" these. A dtype's size, and
            whether it is nullable, never counts.
    """

    tolerance: float = 1e-9
    rows: Literal["in order", "any order"] = "in order"
    columns: Literal["in order", "any order"] = "in order"
    index: bool = False
    kinds: bool = False

    def settings(self) -> Mapping[str, Any]:
        """Return the settings of the comparison, for the notebook and here."""
        names = ("tolerance", "rows", "columns", "index", "kinds")
        return {name: getattr(self, name) for name in names}

    def complaint(self, got: Any, right: Any) -> str:
        """Return the first error, from the outside to the inside."""
        return unlike_table(got, right, **self.settings())

    def numbers(self, item: Any) -> Mapping[str, Array]:
        """Return the numbers of each column, without missing cells."""
        if not isinstance(item, Frame) or self.rows != "in order":
            return {}
        columns = zip(item.columns, item.kinds, item.values, strict=True)
        present = {
            f"the column {name!r}": [one for one in values if one is not None]
            for name, kind, values in columns
            if kind in ("numbers", "whole numbers")
        }
        return finite({name: values for name, values in present.items() if values})

    def pairs(self, got: Any, right: Any) -> Mapping[str, Pair]:
        """Return each column's numbers on both sides; none if anything else is also wrong."""
        both = [one for one in (got, right) if isinstance(one, Frame)]
        rest = [
            {
                comparable(name): [NUMBER if _is_finite_number(one) else one for one in values]
                for name, values in zip(one.columns, one.values, strict=True)
            }
            for one in both
        ]
        return {} if len(rest) < len((got, right)) or unlike(*rest) else super().pairs(got, right)


NUMBER = "a number"


def _is_finite_number(item: Any) -> bool:
    return kind_of(item) == NUMBER and bool(abs(item) < math.inf)


@dataclass(frozen=True)
class Picture(Compared):
    """A comparison of a matplotlib figure's contents, not its pixels.

    The reference returns a dict of the parts to compare (or a list, a dict for each axes): title,
    x_label, y_label, x_scale, y_scale (text), x_limits, y_limits (pairs), lines and points (arrays
    of shape (n, 2), one for each), bars (heights), images (arrays) and legend (texts). A text may
    be `ANY` (`from autograder.kit import ANY`), for any text, or a list of acceptable texts;
    capital letters and the number of spaces make no difference.

    Curves and points may be drawn in any order: if the legend has a text for each of them, they
    match by label, and otherwise by their contents. The figure that the answer returns or changed
    last is read, wherever it was made.

    Args:
        tolerance: The tolerance for numbers, absolute and relative.
        guides: Whether lines that are not data may be beside the curves: `axhline`, `axvline`, or
            two points across the axes.
    """

    tolerance: float = 1e-6
    guides: bool = True
    reads: ClassVar[Reads] = "picture"

    def fits(self, got: Any) -> bool:
        """Return whether it is a list of axes."""
        return isinstance(got, list) and all(isinstance(axes, dict) for axes in got)

    def complaint(self, got: Any, right: Any) -> str:
        """Return the first part that is wrong."""
        return unlike_picture(got, right, self.tolerance, guides=self.guides)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return 1 if the compared parts of a figure equal a known mistake's."""
        due = self.expected(inputs)
        names = [list(one) for one in (due if isinstance(due, list) else [due])]
        got, theirs = value.get(RESULT), known.get(RESULT)
        if not self.fits(got) or not self.fits(theirs) or len(names) != len(theirs or ()):
            return 0.0
        axes_of: Sequence[Mapping[str, Any]] = theirs or ()
        kept = [{n: axes.get(n) for n in some} for some, axes in zip(names, axes_of, strict=True)]
        return float(not self.complaint(got, kept))


@dataclass(frozen=True)
class Steps(Compared):
    """A comparison of stateful classes: the results of calls on their objects, in order.

    A case defines how to make an object, and which calls to make: `{"new": (1.0, 0.5), "calls":
    ["energy", ("step", 0.1), "x"]}`. A call is a name, or a name with arguments; an attribute is
    read. The calls run on the student's class and on the reference, which needs no adapter: on one
    object alone, and again alternating with a second object, from the next case, which reveals
    shared state. Each call's result counts, and whether it raises; if the reference returns None,
    any result is accepted.

    Args:
        reference: A class. Default: the notebook's own solution.
        tolerance: The tolerance for numbers, absolute and relative.
    """

    describe: Callable[[Inputs], str] = lambda inputs: ""  # noqa: ARG005
    tolerance: float = 1e-9
    adapter: ClassVar[str] = "run_steps"

    def paired(self, cases: Sequence[Inputs]) -> Sequence[Inputs]:
        """Return cases, each with the next one for a second object; raise ValueError without cases."""
        for case in cases:
            if said := _no_script(case):
                raise ValueError(said)
        if len(cases) < 2:
            return cases
        return [
            {"new": case["new"], "calls": case["calls"], "beside": dict(other)}
            for case, other in zip(cases, [*cases[1:], cases[0]], strict=True)
        ]

    def expected(self, inputs: Inputs) -> Any:
        """Return the reference's results: for the case's calls, and for those of the second object."""
        return self._run(**inputs)

    def _run(self, new: Any, calls: Any, beside: Any = None) -> Any:
        scripts = [{"new": new, "calls": calls}, *[beside] * (beside is not None)]
        return [run_steps(self.reference, **script)[RESULT][0] for script in scripts]

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return a function that runs the reference."""
        return {"reference": AuthorsFunction(self._run)}

    def fits(self, got: Any) -> bool:
        """Return whether it has the results of calls on one object, and on two alternating ones."""
        lists = (
            isinstance(got, list) and len(got) == 3 and all(isinstance(one, list) for one in got)
        )
        return lists and all(_is_step(one) for some in got for one in some)

    def complaint(self, got: Any, right: Any) -> str:
        """Return the first call with a wrong result, without its arguments."""
        return unlike_steps(got, right, self.tolerance, bare=True)


def _is_step(one: Any) -> bool:
    """Return whether it has the form of one call's result; a forged value may have any form."""
    if not isinstance(one, dict):
        return False
    kinds = one.get("raised", [""])
    texts = [one.get(name, "") for name in ("of", "said", "odd")]
    return isinstance(kinds, list) and all(isinstance(text, str) for text in (*kinds, *texts))


def _no_script(case: Any) -> str:
    """Return why a case of `Steps` is invalid, or ""."""
    if not isinstance(case, Mapping) or case.keys() != {"new", "calls"}:
        return f"a case of Steps is {case!r}; write a dict of new and calls"
    if not all(isinstance(case[name], list | tuple) for name in ("new", "calls")):
        return "new is a list of arguments for the class, and calls is a list of calls"
    for call in case["calls"]:
        name = call[0] if isinstance(call, list | tuple) and call else call
        if not isinstance(name, str):
            return f"calls has {call!r}; write a name, or a name with arguments as in ('step', 0.1)"
    return ""
