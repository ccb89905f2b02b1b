"""Values compared exactly: numbers, text, lists, sets and dicts; and properties.

No message quotes a right answer, only the student's own.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from autograder.kit.cases import Pair, counted, of_numbers, overview
from autograder.kit.notebook.plain_data import is_finite, kind_of, lacking, unlike, worded
from autograder.records import data
from autograder.records.codec import with_full_stop
from autograder.records.questions import (
    RESULT,
    Array,
    AuthorsFunction,
    Check,
    Inputs,
    Reads,
    Value,
    Verdict,
    the_solution,
)
from autograder.records.tables import Frame, to_pandas

RIGHT = "Right in every case."
UNREADABLE = "the reply could not be read."


def sizes(inputs: Inputs) -> str:
    """Return the kinds and sizes of a case's inputs, in words; "" if all are single numbers."""
    found = {name: _size(item) for name, item in inputs.items()}
    told = set(found.values()) != {"a number"}
    return ", ".join(f"{name} ({size})" for name, size in found.items()) * told


def sentence(where: str, said: str) -> str:
    """Return the fault in a case as a full sentence, however the author wrote it."""
    return with_full_stop(f"For {where}: {said}" if where else f"{said[:1].upper()}{said[1:]}")


def _size(item: Any) -> str:
    if isinstance(item, np.ndarray):
        return f"of shape {item.shape}"
    if hasattr(item, "columns"):  # a table of pandas
        return f"{len(item)} rows"
    if isinstance(item, str):
        beyond = any(one.isalpha() and not one.isascii() for one in item)
        kinds = ["letters beyond a to z"] * beyond + ["several lines"] * ("\n" in item.strip())
        return f"{len(item)} characters{', with ' * bool(kinds)}{' and '.join(kinds)}"
    if isinstance(item, list | tuple | set | frozenset | dict):
        return f"{kind_of(item)} of {len(item)}"
    return kind_of(item)


def text_of(item: Any, check: str) -> str:
    """Return a reference's text; raise TypeError, with its kind, for anything else."""
    if not isinstance(item, str):
        raise TypeError(f"the reference of {check} returns text, but this one {kind_of(item)}")
    return item


def returned(value: Value) -> Any:
    """Return an answer's result, or an adapter's results by name."""
    return value.get(RESULT) if RESULT in value or not value else dict(value)


@dataclass(frozen=True)
class Compared(Check):
    """A comparison with a reference's value: the base of `Exact`, `Text`, `Prints` and others.

    Args:
        reference: Called with the case's inputs by name; returns the right value. Default: the
            notebook's own solution.
        describe: Describes the case in a few words, without its contents.
    """

    reference: Callable[..., Any] = the_solution
    describe: Callable[[Inputs], str] = sizes
    reads: ClassVar[Reads] = "data"

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        got = returned(value)
        said = self.complaint(got, self.expected(inputs)) if self.fits(got) else UNREADABLE
        if not said:
            return Verdict(1.0, RIGHT)
        return Verdict(0.0, sentence(self.describe(inputs), said))

    def expected(self, inputs: Inputs) -> Any:
        """Return the right value of a case, as plain data."""
        return data.read(self.reference(**inputs), "the reference's value")

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the reference."""
        return {"reference": AuthorsFunction(self.reference)}

    def allowed(self) -> float:
        """Return how far off a number may be: the `tolerance` of a check that has one."""
        allowed: float = getattr(self, "tolerance", 0.0)
        return allowed

    def fits(self, got: Any) -> bool:  # noqa: ARG002
        """Return whether a value has the expected form; a forged value may have any form."""
        return True

    def complaint(self, got: Any, right: Any) -> str:
        """Return the fault of a well-formed value, or ""."""
        return unlike(got, right)

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for a known mistake's value, otherwise 0."""
        got, other = returned(value), returned(known)
        return float(self.fits(got) and self.fits(other) and not self.complaint(got, other))

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return the common features of the cases, mainly of their numbers."""
        return overview(cases, self.describe, self._in_common)

    def _in_common(self, wrong: Sequence[tuple[Inputs, Value]]) -> str:
        """Return sentences on the numbers of all wrong values, if each has the right form."""
        compared = [
            (inputs, self.pairs(returned(value), self.expected(inputs))) for inputs, value in wrong
        ]
        allowed = max(self.allowed(), ROUNDING)
        alike = all(pairs for _, pairs in compared)
        return of_numbers(compared, self._expected_numbers, allowed) if alike else ""

    def _expected_numbers(self, inputs: Inputs) -> Mapping[str, Array]:
        return self.numbers(self.expected(inputs))

    def pairs(self, got: Any, right: Any) -> Mapping[str, Pair]:
        """Return the numbers of two values side by side; none if their forms differ."""
        mine, theirs = self.numbers(got), self.numbers(right)
        alike = mine.keys() == theirs.keys() and all(mine[n].shape == theirs[n].shape for n in mine)
        return {name: (mine[name], theirs[name]) for name in theirs} if alike else {}

    def numbers(self, item: Any) -> Mapping[str, Array]:
        """Return a value's numbers by name, so that wrong ones can be described."""
        flat = item if isinstance(item, list | tuple) else [item]
        numbers = flat and all(kind_of(one) == "a number" for one in flat)
        return finite({RESULT: item}) if numbers or isinstance(item, np.ndarray) else {}


ROUNDING = 1e-12
"""The tolerance for numbers that differ only in their last digits."""


def finite(named: Mapping[str, Any]) -> Mapping[str, Array]:
    """Return finite numbers as arrays of floats."""
    found: dict[str, Array] = {}
    for name, item in named.items():
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            array = np.array(item, dtype=float)
            found |= {name: array} if np.isfinite(array).all() else {}
    return found


@dataclass(frozen=True)
class Exact(Compared):
    """An exact comparison of numbers, text, booleans, lists, tuples, sets, dicts or arrays.

    Args:
        tolerance: The tolerance for numbers, absolute and relative.
    """

    tolerance: float = 0.0

    def complaint(self, got: Any, right: Any) -> str:
        """Return the first difference; for text also its place."""
        said = unlike(got, right, tolerance=self.tolerance)
        if said and isinstance(got, str) and isinstance(right, str):
            return _placed(said, got, right, ())
        return said


Ignored = Literal["spaces", "capitals", "punctuation", "form"]


@dataclass(frozen=True)
class Text(Compared):
    """A comparison of text in which some characters do not matter.

    Args:
        ignoring: What to ignore, of "spaces", "capitals", "punctuation" and "form": the Unicode
            form of a character, such as é as one or as e and an accent, or ² for 2. With (), every
            character counts.
    """

    ignoring: tuple[Ignored, ...] = ("spaces", "capitals", "form")

    def expected(self, inputs: Inputs) -> str:
        """Return the right text of a case; raise TypeError if the reference returns none."""
        return text_of(super().expected(inputs), "Text")

    def complaint(self, got: Any, right: Any) -> str:
        """Return the kind and place of the first difference."""
        if not (
            isinstance(got, str) and isinstance(right, str)
        ):  # a known mistake may return anything
            return unlike(got, right)
        mine, theirs = worded(got, self.ignoring), worded(right, self.ignoring)
        if mine == theirs:
            return ""
        if not got.strip():
            return f"{RESULT} is empty."
        said = "not right"
        if worded(got, ("form",)) == worded(right, ("form",)):
            said = "right but for its Unicode form"
        elif _letters(got) == _letters(right):
            form = "" if _letters(got, ()) == _letters(right, ()) else ", Unicode form"
            said = f"right but for spaces, capital letters{form} or punctuation"
        return _placed(f"{RESULT} is {said}.", got, right, self.ignoring)


@dataclass(frozen=True)
class Property(Check):
    """A check for any value with a property, if many are right.

    NaN and infinity are wrong before `holds` is called: comparisons with NaN are False, so many
    properties would hold. A value for which `holds` raises is wrong: it may be of any kind and
    size, divide by zero or overflow. Errors that no value can cause are your own mistake, and staff
    are told: a missing name or module (NameError, ImportError), and too much time or memory. So
    `check` and `check --large` call `holds` with the right answers, which must pass.

    With `shown`, students read the source of `holds` in their notebook, so it must not compute the
    answer; without `shown` it stays hidden.

    An adapter's result arrives as its dict. For example, this is a round trip, for whose middle
    there is no reference:

        # In adapters.py
        def round_trip(encrypt, decrypt, text, key):
            secret = encrypt(text, key)
            return {"secret": secret, "back": decrypt(secret, key)}

        # In spec.py
        def returns(result, text, key):
            if result["back"] != text:
                return "what was encrypted should be the text again when it is decrypted"
            return len(result["secret"]) == len(text) or "each letter becomes one letter"

        Question("cipher", Property(returns), cases, use=adapters.round_trip,
                 objects=("encrypt", "decrypt"))

    Args:
        holds: Called with the answer's result and then the case's inputs by name; returns True, or a sentence on the fault (or False). For several properties it returns a dict of names and whether each holds; the message names those that do not.
        describe: Describes the case in a few words.
    """

    holds: Callable[..., bool | str | Mapping[str, bool]]
    describe: Callable[[Inputs], str] = sizes
    reads: ClassVar[Reads] = "data"
    decides: ClassVar[bool] = True

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the property."""
        return {"holds": AuthorsFunction(self.holds, before=1)}

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case; a value for which `holds` raises does not have the property."""
        got = returned(value)
        try:
            found = (
                self.holds(to_pandas(got) if isinstance(got, Frame) else got, **inputs)
                if is_finite(got)
                else f"{RESULT} contains NaN or infinity."
            )
        except (NameError, ImportError, MemoryError):
            raise
        except Exception:
            # The error's message is about the author's code, and may reveal an answer.
            found = f"{RESULT} is {kind_of(got)} for which this property cannot be tested."
        if not (said := lacking(found)):
            return Verdict(1.0, RIGHT)
        return Verdict(0.0, sentence(self.describe(inputs), said))

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return 1 for a known mistake's value, otherwise 0."""
        return float(not unlike(value, known))

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return the common features of the cases."""
        return counted(cases, self.describe)


def _placed(said: str, got: str, right: str, ignoring: Sequence[Ignored]) -> str:
    """Return a sentence on a text with the kind and place of the first difference."""
    if len(got) > MOST_COMPARED or not got.strip():
        return said
    return f"{said[:-1]}: {_first_difference(got, right, ignoring)}."


MOST_COMPARED = 20_000
"""The most characters of a text in which to look for the first difference."""


def _first_difference(got: str, right: str, ignoring: Sequence[Ignored]) -> str:
    """Return the student's first differing word, or the line whose spaces differ."""
    mine, theirs = (
        [word for word in text.split() if worded(word, ignoring)] for text in (got, right)
    )
    alike = [worded(a, ignoring) == worded(b, ignoring) for a, b in zip(mine, theirs, strict=False)]
    at = alike.index(False) if False in alike else len(alike)
    if at == len(mine) == len(theirs):
        lines, due = got.split("\n"), right.split("\n")
        if len(lines) != len(due):
            return f"it has {len(lines)} line{'s' * (len(lines) != 1)}, and should have {len(due)}"
        first = next((n for n, (a, b) in enumerate(zip(lines, due, strict=True), 1) if a != b), 1)
        return f"the spaces in line {first} are not right"
    if at == len(mine):
        return f"it ends after word {at}, too soon"
    if at == len(theirs):
        return f"it should end before word {at + 1}, {mine[at][:30]!r}"
    place = f"word {at + 1}, {mine[at][:30]!r},"
    rest, due_rest = (
        [worded(word, ignoring) for word in words] for words in (mine[at:], theirs[at:])
    )
    if rest == due_rest[1:]:
        return f"a word is missing before {place[:-1]}"
    if rest[1:] == due_rest:
        return f"{place} does not belong there"
    kinds = [kind for kind in _KINDS if _alike(mine[at], theirs[at], (*ignoring, kind))]
    if kinds:
        return f"{place} differs in its {_KINDS[kinds[0]]}"
    return f"{place} is the first that is not right"


_KINDS: Mapping[Ignored, str] = {
    "form": "Unicode form, such as \u00e9 as one character or as two",
    "capitals": "capital letters",
    "punctuation": "punctuation",
}


def _alike(one: str, other: str, ignoring: Sequence[Ignored]) -> bool:
    """Return whether two words differ only in ignored ways; \u03c3 and \u03c2 are both small letters."""
    kinds = [kind for kind in ignoring if kind != "capitals"]
    one, other = (worded(word, kinds) for word in (one, other))
    return one == other or ("capitals" in ignoring and one.lower() == other.lower())


def _letters(text: str, ignoring: Sequence[Ignored] = ("form",)) -> str:
    """Return text without spaces, capital letters and punctuation."""
    return "".join(worded(text, ("spaces", "punctuation", *ignoring)).lower().split())
