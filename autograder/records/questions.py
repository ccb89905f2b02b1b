"""Questions and their checks, as written in a homework's staff/spec.py."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from autograder.records.errors import UserError

T = TypeVar("T")

Array = npt.NDArray[Any]

Inputs = Mapping[str, Any]
"""A case's inputs for an adapter: arrays and plain JSON values by name."""

Value = Mapping[str, Any]
"""An answer's result by name: float64 or int64 arrays, text, or other plain data (see `data`)."""

Reads = Literal["numbers", "steps", "alone", "data", "error", "output", "picture", "asserts"]
"""The part of an answer that a check reads: arrays, plain data, errors, printed lines or figures.

"steps" reads numbers, and counts the Python lines that run for them. "alone" reads numbers
including the adapter's count of torch operations, and refuses anything that such a count would
miss. "asserts" reads no answer: the question's own test cell runs, and its outcome counts.
"""

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]


@dataclass(frozen=True)
class Heatmap:
    """A small matrix to draw in a report.

    Args:
        title: One sentence on the matrix.
        rows: One label per row.
        columns: One label per column.
        values: Numbers in [0, 1], one list per row.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Verdict:
    """A check's judgement of one value: the fraction of the points it earns, and why.

    `doubtful` marks a remark that costs nothing.
    """

    fraction: float
    message: str
    pictures: tuple[Heatmap, ...] = ()
    doubtful: bool = False


def no_array(name: str, got: object) -> str:
    """Return the message if a value is not an array of finite numbers; "" if it is."""
    if isinstance(got, np.ndarray):
        finite = got.dtype.kind in "biuf" and np.isfinite(got).all()
        return "" if finite else f"{name} contains NaN or infinity, which are not numbers."
    return f"{name} is missing." if got is None else f"{name} is not an array."


class AuthorsFunction(NamedTuple):
    """An author's function, and how many arguments come before a case's inputs, passed by name."""

    function: Callable[..., Any]
    before: int = 0


def the_solution(**inputs: Any) -> Any:
    """Stand for the solution in the instructor's notebook: the reference of a check without one."""
    raise UserError(
        f"this check compares with the notebook's solution, but none was found (inputs: {', '.join(inputs)}); write one between the solution markers, or give the check a reference"
    )


class Check:
    """A check: it judges the result of one case; every method but `__call__` has a neutral default.

    A check sees the inputs of one case and the returned arrays and texts. It never raises for a
    student's result; an exception here is our own bug.

    Attributes:
        reads: What it reads of an answer.
        decides: Whether its verdict is the only thing to say about a value.
        trains: Whether answering trains a model, which takes long.
        once: Whether cases are evaluated only once, as in training.
        heavy: Whether a case takes a fifth of a second or longer, so that `check --large` tries a tenth
            of the draws.
        derives: Whether a value is the lines of a derivation.
        adapter: The kit's adapter for this check, if the question names none.
    """

    reads: ClassVar[Reads] = "numbers"
    decides: ClassVar[bool] = False
    trains: ClassVar[bool] = False
    once: ClassVar[bool] = False
    heavy: ClassVar[bool] = False
    derives: ClassVar[bool] = False
    adapter: ClassVar[str] = ""

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        raise NotImplementedError

    @property
    def parts(self) -> Sequence["Check"]:
        """Return its component checks, each with its own points; by default, only itself."""
        return (self,)

    def about(self, inputs: Inputs) -> bool:  # noqa: ARG002
        """Return whether it applies to a case."""
        return True

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return how well a value matches a known mistake's, up to 1 for equal values."""
        alike = value.keys() == known.keys() and all(
            np.array_equal(value[name], known[name]) for name in known
        )
        return float(alike)

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:  # noqa: ARG002
        """Return a sentence or two on what the cases have in common.

        Args:
            cases: The inputs, the value if there was one, and whether it is right.
        """
        return ""

    def fault(self, inputs: Inputs, value: Value) -> str:  # noqa: ARG002
        """Return a message on a mistake that costs nothing, or ""."""
        return ""

    def graded(self, value: Value) -> Value:
        """Return the part of a value that earns points."""
        return value

    def expected(self, inputs: Inputs) -> Any:  # noqa: ARG002
        """Return the only right value of a case; None if several are right."""
        return None

    def shows(self, inputs: Inputs) -> Any:
        """Return what the visible check derived from this one compares an answer with."""
        return self.expected(inputs)

    def allowed(self) -> float:
        """Return the tolerance for a number, both absolute and relative to the expected one."""
        return 0.0

    def paired(self, cases: Sequence[Inputs]) -> Sequence[Inputs]:
        """Return the cases in the form in which they are evaluated, if they depend on each other."""
        return cases

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the author's functions that are called with a case's inputs, by their role."""
        return {}


def one_case(rng: np.random.Generator) -> Sequence[Inputs]:  # noqa: ARG001
    """Return the single empty case of a question whose object takes no hidden input."""
    return ({},)


RESULT = "the result"
"""The name of a value in messages, for a question without an adapter.

Checks of one value, such as `Exact`, `Table` or `Draws`, look for it under this name in the dict
that an adapter returns.
"""

ADAPTERS = "staff/adapters.py"
"""The beginning of messages about an author's adapter; no answer is at fault there."""

STEPS = "steps of Python"
"""The name of the number of Python lines and calls that a value took, if counted."""


@dataclass(frozen=True)
class Ask:
    """How a question calls a notebook's objects.

    Args:
        adapter: Name of a function in staff/adapters.py. Without one, the object is called with the inputs in order, and its return value is `RESULT`.
        objects: Names in the student's notebook, given to the adapter in this order; the last is evaluated and builds on the others. Default: the object with the question's name.
        hide: Names removed from the notebook before the adapter is called, so
            that a provided reference cannot answer for the student.
        may_mutate: The objects that may modify their arguments, as a training step does; any other function that does so loses the case.
        asserts: The text of the question's own test cell, including hidden tests, if that decides; filled in from the instructor's notebook. Then there are no objects.
    """

    adapter: str = ""
    objects: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    may_mutate: tuple[str, ...] = ()
    asserts: str = ""

    @property
    def watched(self) -> tuple[str, ...]:
        """Return the objects that must leave their arguments alone."""
        return tuple(name for name in self.objects if name not in self.may_mutate)


def _with_ask_first(question: type[T]) -> type[T]:
    """Also accept `Question("id", Ask(...), check, cases)`, as earlier courses write it."""
    begin = question.__init__

    @functools.wraps(begin)
    def started(self: T, id: str, *given: Any, **named: Any) -> None:
        if given and (isinstance(given[0], Ask) or isinstance((*given, None)[1], Check)):
            named, given = {"ask": given[0], **named}, given[1:]
        begin(self, id, *given, **named)  # type: ignore[call-arg]

    question.__init__ = started  # type: ignore[assignment, method-assign]
    return question


@_with_ask_first
@dataclass(frozen=True)
class Question:
    """One line of the mark sheet.

    Args:
        id: The notebook's grade_id.
        check: Judges one case; None for a question marked by hand.
        cases: Draws the hidden inputs from a seeded generator.
        use: A function of staff/adapters.py that evaluates the answer, or its name; default: the
            function with the question's name. It gets the objects, then the case's inputs by name,
            and returns a dict of values by name. `Close` compares every value with the reference's;
            a check of a single value reads "the result". Without an adapter, the student's function
            is called with the inputs in order, and its return value is "the result".
        objects: Names in the student's notebook, given to `use` in this order; the last is
            evaluated and builds on the others. Default: the question's name.
        hide: Names removed from the notebook before the answer is evaluated, so that a provided
            reference cannot answer for the student.
        may_mutate: The objects that may modify their arguments, as a training step does; any other
            function that does so loses the case.
        shown: Inputs for the visible check. If its cell is empty, `autograder release` writes it
            from `check`.
        extra: Extra credit, left out of `Grade.possible`.
        needs: Earlier questions that must earn everything for this one to earn anything. For
            example, counts that only the sandbox can know are worthless if the values are wrong. A
            trained question is then skipped, since training takes long.
        if_right: Earlier question -> the message if that question is right and this one is not.
        visibility: Gradescope's word for when a student may see the question.
        gradients: Whether the text asks that gradients flow through the answer; values that are
            cut off from the inputs must then lose. None if the text does not mention gradients.
        milder: Argument of the answer -> why hidden inputs are less extreme there than those of
            the visible check.
        par: For attention golf: the number of nonzero numbers in a good answer. A right answer is
            told its own count.
        points: Filled in from the notebook, the only place where points are written.
        ask: `use`, `objects`, `hide` and `may_mutate` as one record.
    """

    id: str
    check: Check | None = None
    cases: Callable[[np.random.Generator], Sequence[Inputs]] = one_case
    _: KW_ONLY
    use: InitVar[Callable[..., Any] | str] = ""
    objects: InitVar[Sequence[str]] = ()
    hide: InitVar[Sequence[str]] = ()
    may_mutate: InitVar[Sequence[str]] = ()
    shown: Sequence[Inputs] = field(default=(), hash=False)
    extra: bool = False
    needs: tuple[str, ...] = ()
    if_right: Mapping[str, str] = field(default_factory=dict, hash=False)
    visibility: Visibility = "visible"
    gradients: bool | None = None
    milder: Mapping[str, str] = field(default_factory=dict, hash=False)
    par: int | None = None
    points: float = 0.0
    ask: Ask | None = None

    def __post_init__(
        self,
        use: Callable[..., Any] | str,
        objects: Sequence[str],
        hide: Sequence[str],
        may_mutate: Sequence[str],
    ) -> None:
        """Combine `use`, `objects`, `hide` and `may_mutate` in one record."""
        if not (use or objects or hide or may_mutate):
            return
        if self.ask:
            raise UserError(
                f"question {self.id!r} has an `Ask`, and also `use`, `objects`, `hide` or `may_mutate`; give either the `Ask` or these"
            )
        adapter = use if isinstance(use, str) else getattr(use, "__name__", repr(use))
        # A text instead of a tuple is reported with its place once the homework is read.
        names = [
            one if isinstance(one, str) else tuple(one)
            for one in (objects or (self.id,), hide, may_mutate)
        ]
        object.__setattr__(self, "ask", Ask(adapter, *names))  # type: ignore[arg-type]

    @property
    def by_hand(self) -> bool:
        """Return whether a person marks this question."""
        return self.check is None

    @property
    def trains(self) -> bool:
        """Return whether answering trains a model, which takes long."""
        return self.check is not None and self.check.trains

    @property
    def once(self) -> bool:
        """Return whether cases are evaluated only once."""
        return self.check is not None and (self.check.trains or self.check.once)

    @property
    def asserted(self) -> bool:
        """Return whether the question's own test cell decides, as in the instructor's notebook."""
        return isinstance(self.check, Check) and self.check.reads == "asserts"

    @property
    def formative(self) -> bool:
        """Return whether this is a written answer without marks or points."""
        return self.by_hand and self.points == 0

    def in_parts(self) -> list["Question"]:
        """Return the question once for each part of its check, with that part's cases."""
        check, cases = self.check, self.cases
        if check is None:
            return []

        def of(part: Check) -> Callable[[np.random.Generator], Sequence[Inputs]]:
            return lambda rng: [case for case in cases(rng) if part.about(case)]

        return [replace(self, check=part, cases=of(part)) for part in check.parts]
