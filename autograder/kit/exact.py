"""Values that are right or wrong as they are: numbers, text, lists, sets, dicts; and properties.

No message quotes a right answer; all quotations are the student's own.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from autograder import data
from autograder.data import Frame
from autograder.model import RESULT, AuthorsFunction, Check, Inputs, Reads, Value, Verdict

RIGHT = "Right in every case."
UNREADABLE = "the reply could not be read."


def kind(item: Any) -> str:
    """Return what plain data are, in words."""
    for types, word in (
        (type(None), "None"),
        (bool, "a truth value"),
        (int | float, "a number"),
        (str, "text"),
        (list, "a list"),
        (tuple, "a tuple"),
        (set | frozenset, "a set"),
        (dict, "a dict"),
        (Frame, "a table"),
    ):
        if isinstance(item, types):
            return word
    return "an array"


def sizes(inputs: Inputs) -> str:
    """Return the kinds and sizes of a case's inputs, in words."""
    return ", ".join(f"{name} ({_size(item)})" for name, item in inputs.items())


def _size(item: Any) -> str:
    if isinstance(item, np.ndarray):
        return f"of shape {item.shape}"
    if hasattr(item, "columns"):  # a table of pandas
        return f"{len(item)} rows"
    if isinstance(item, str):
        return f"{len(item)} characters"
    if isinstance(item, list | tuple | set | frozenset | dict):
        return f"{kind(item)} of {len(item)}"
    return kind(item)


def difference(got: Any, right: Any, *, place: str = RESULT, tolerance: float = 0.0) -> str:
    """Return the first thing in which plain data differ, in a sentence; "" where they are the same.

    Whole numbers and others are the same where they are equal; a truth value is no number, and a
    tuple is no list.

    Args:
        got: A student's value.
        right: The reference's.
        place: What the sentence calls it.
        tolerance: Of numbers, absolute and relative.
    """
    if kind(got) != kind(right):
        hint = ": is there a `return`?" if got is None else "."
        return f"{place} is {kind(got)}, and should be {kind(right)}{hint}"
    if isinstance(right, list | tuple):
        return _in_a_row(got, right, place, tolerance)
    if isinstance(right, dict):
        return _by_key(got, right, place, tolerance)
    if isinstance(right, set | frozenset):
        return _members(got, right, place)
    if isinstance(right, np.ndarray) and got.shape != right.shape:
        return f"{place} should have shape {right.shape}, and has {got.shape}."
    if isinstance(right, str) and got != right and folded(got) == folded(right):
        return f"{place} is right but for spaces or capital letters."
    return "" if _same(got, right, tolerance) else f"{place} is not right."


def _same(got: Any, right: Any, tolerance: float) -> bool:
    if isinstance(right, np.ndarray):
        return bool(np.allclose(got, right, rtol=tolerance, atol=tolerance))
    if isinstance(right, int | float) and not isinstance(right, bool):
        both = (got, right)
        if all(isinstance(one, float) and math.isnan(one) for one in both):
            return True
        return got == right or math.isclose(*both, rel_tol=tolerance, abs_tol=tolerance)
    return bool(got == right)


def _in_a_row(got: Sequence[Any], right: Sequence[Any], place: str, tolerance: float) -> str:
    if len(got) != len(right):
        return f"{place} has {_items(len(got))}, and should have {len(right)}."
    for number, (one, other) in enumerate(zip(got, right, strict=True)):
        if said := difference(one, other, place=f"{place}[{number}]", tolerance=tolerance):
            if sorted(map(repr, got)) == sorted(map(repr, right)):
                return f"{place} has the right items in another order."
            return said
    return ""


def _by_key(got: Mapping[Any, Any], right: Mapping[Any, Any], place: str, tolerance: float) -> str:
    extra = [key for key in got if key not in right]
    missing = sum(key not in got for key in right)
    if extra or missing:
        parts = [f"has {_quoted(extra)} as a key, which does not belong there"] * bool(extra)
        parts += [f"lacks {missing} of the {len(right)} keys"] * bool(missing)
        return f"{place} {' and '.join(parts)}."
    for key, item in right.items():
        if said := difference(got[key], item, place=f"{place}[{key!r}]", tolerance=tolerance):
            return said
    return ""


def _members(got: Collection[Any], right: Collection[Any], place: str) -> str:
    extra = [item for item in got if item not in right]
    missing = sum(item not in got for item in right)
    parts = [f"has {_quoted(extra)}, which does not belong there"] * bool(extra)
    parts += [f"lacks {_items(missing)}"] * bool(missing)
    return f"{place} {' and '.join(parts)}." if parts else ""


def _items(number: int) -> str:
    return f"{number} item{'s' * (number != 1)}"


def _quoted(items: Sequence[Any]) -> str:
    """Return one of a student's own items, the same one however they are ordered."""
    return min((repr(item) for item in items), key=lambda text: (len(text), text))[:80]


def folded(text: str) -> str:
    """Return text with single spaces and small letters, in Unicode's compatible form."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def in_common(
    cases: Sequence[tuple[Inputs, Value | None, bool]], described: Callable[[Inputs], str]
) -> str:
    """Return how many cases are right, and which where it is one."""
    good = [inputs for inputs, _, right in cases if right]
    if len(good) == 1 < len(cases) and (where := described(good[0])):
        return f"Right for {where}, and in no other of the {len(cases)} cases."
    return f"{len(good)} of the {len(cases)} cases are right." if good else ""


@dataclass(frozen=True)
class Compared(Check):
    """A value beside a reference's: what `Exact`, `Text`, `Prints` and others have in common.

    Args:
        reference: Called with the case's inputs by name; returns the right value.
        describe: Says in a few words what the case was, without what it holds.
    """

    reference: Callable[..., Any]
    describe: Callable[[Inputs], str] = sizes
    reads: ClassVar[Reads] = "data"

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        got = value.get(RESULT)
        said = self.complaint(got, self.expected(inputs)) if self.fits(got) else UNREADABLE
        if not said:
            return Verdict(1.0, RIGHT)
        where = self.describe(inputs)
        return Verdict(0.0, f"For {where}: {said}" if where else said[0].upper() + said[1:])

    def expected(self, inputs: Inputs) -> Any:
        """Return what is right in a case, as plain data."""
        return data.read(self.reference(**inputs), "the reference's value")

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the reference."""
        return {"reference": AuthorsFunction(self.reference)}

    def fits(self, got: Any) -> bool:  # noqa: ARG002
        """Whether a value has the form in which it is read; one that was forged may have any."""
        return True

    def complaint(self, got: Any, right: Any) -> str:
        """Return what is wrong with a value that fits; "" where nothing is."""
        return difference(got, right)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 where a value is a known mistake's, else 0."""
        got, other = value.get(RESULT), known.get(RESULT)
        return float(self.fits(got) and self.fits(other) and not self.complaint(got, other))

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return what the cases have in common."""
        return in_common(cases, self.describe)


@dataclass(frozen=True)
class Exact(Compared):
    """The very value: a number, text, truth value, list, tuple, set or dict of these, or an array.

    Args:
        tolerance: Of numbers, absolute and relative.
    """

    tolerance: float = 0.0

    def complaint(self, got: Any, right: Any) -> str:
        """Return the first difference."""
        return difference(got, right, tolerance=self.tolerance)

    def allowed(self) -> float:
        """Return how far off a number may be."""
        return self.tolerance


Ignored = Literal["spaces", "capitals", "punctuation"]


@dataclass(frozen=True)
class Text(Compared):
    """Text, where not every character matters.

    Args:
        ignoring: What makes no difference.
    """

    ignoring: tuple[Ignored, ...] = ("spaces", "capitals")

    def complaint(self, got: Any, right: Any) -> str:
        """Return what is wrong; how much of it is right by words."""
        if not isinstance(got, str):
            return difference(got, right)
        mine, theirs = self._normal(got), self._normal(right)
        if mine == theirs:
            return ""
        if not mine.strip():
            return f"{RESULT} is empty."
        if folded(re.sub(r"\W", "", got)) == folded(re.sub(r"\W", "", right)):
            return f"{RESULT} is right but for spaces, capital letters or punctuation."
        return f"{RESULT} is not right."

    def _normal(self, text: str) -> str:
        text = unicodedata.normalize("NFKC", text)
        if "capitals" in self.ignoring:
            text = text.casefold()
        if "punctuation" in self.ignoring:
            text = "".join(c for c in text if not unicodedata.category(c).startswith("P"))
        return " ".join(text.split()) if "spaces" in self.ignoring else text


@dataclass(frozen=True)
class Property(Check):
    """Any value that has a property, where many are right.

    Args:
        holds: Called with what the answer returned and then the case's inputs by name; returns True,
            or a sentence (or False) that names the fault.
        describe: Says in a few words what the case was.
    """

    holds: Callable[..., bool | str]
    describe: Callable[[Inputs], str] = sizes
    reads: ClassVar[Reads] = "data"
    decides: ClassVar[bool] = True

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the property."""
        return {"holds": AuthorsFunction(self.holds, before=1)}

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case; a value of a kind that `holds` does not expect has no such property."""
        got = value.get(RESULT)
        try:
            found = self.holds(data.to_pandas(got) if isinstance(got, Frame) else got, **inputs)
        except (TypeError, ValueError, LookupError, AttributeError):
            # The error's message is about the reference's own code, and may show an answer.
            found = f"{RESULT} is {kind(got)}, and not of the kind that this property is about."
        if found is True or found == "":
            return Verdict(1.0, RIGHT)
        said = found if isinstance(found, str) else f"{RESULT} does not have the property."
        where = self.describe(inputs)
        return Verdict(0.0, f"For {where}: {said}" if where else said)

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return what the cases have in common."""
        return in_common(cases, self.describe)
