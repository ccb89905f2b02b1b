"""Questions and the checks that judge their answers, as a homework's staff/spec.py writes them."""

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

"""What one case hands to an adapter: arrays and plain JSON values by name."""

Value = Mapping[str, Any]

"""What came back: float64 or int64 arrays, text, or other plain data (see `data`), by name."""

Reads = Literal["numbers", "steps", "alone", "data", "error", "output", "picture", "asserts"]

"""What is read of an answer: arrays of numbers, plain data, what it raises, prints or draws.

"steps" reads numbers, and counts what Python runs for them. "alone" reads numbers among which the
adapter counts operations of torch, and refuses what such a count would not see.

"asserts" reads no answer: the question's own test cell runs, and how it ended is read.
"""

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]


@dataclass(frozen=True)
class Heatmap:
    """A small matrix to draw in a report.

    Args:
        title: One sentence that tells what the matrix is.
        rows: One label a row.
        columns: One label a column.
        values: Numbers in [0, 1], one list a row.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Verdict:
    """A check's judgement of one value: the fraction of the points it earns, and why.

    `doubtful` means that there is something to say although it costs nothing.
    """

    fraction: float
    message: str
    pictures: tuple[Heatmap, ...] = ()
    doubtful: bool = False


def no_array(name: str, got: object) -> str:
    """Return the message where an array belongs and something else came back; "" for finite numbers."""
    if isinstance(got, np.ndarray):
        finite = got.dtype.kind in "biuf" and np.isfinite(got).all()
        return "" if finite else f"{name} contains NaN or infinity, which are not numbers."
    return f"{name} is missing." if got is None else f"{name} is not an array."


class AuthorsFunction(NamedTuple):
    """A function that a check calls with a case's inputs by name, behind so many other arguments."""

    function: Callable[..., Any]
    before: int = 0


def the_solution(**inputs: Any) -> Any:
    """Stand for the solution in the instructor's notebook: the reference of a check that gives none."""
    raise UserError(f"no solution was read for {', '.join(inputs)}")


class Check:
    """Judges what came back in one case; all but `__call__` has a default that tells nothing.

    A check sees the inputs of one case and the arrays and texts that came back. It never
    raises for what a student returned; an exception here is our own bug.

    Attributes:
        reads: What of an answer it looks at.
        decides: Whether its verdict is all that can be told of a value.
        trains: Whether an answer trains a model for it, which takes long.
        once: Whether each case is evaluated once, and not twice; what trains always is.
        heavy: Whether a case takes about a second, so that `check --large` tries a tenth of the draws.
        derives: Whether a value is the lines of a derivation.
        adapter: The kit's own adapter that evaluates answers for it, where a question names none.
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
        """Return the checks that it is made of, each with points of its own: itself alone."""
        return (self,)

    def about(self, inputs: Inputs) -> bool:  # noqa: ARG002
        """Whether a case concerns it."""
        return True

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:  # noqa: ARG002
        """Return how well a value fits a known mistake's, from 0 to 1 for the same."""
        alike = value.keys() == known.keys() and all(
            np.array_equal(value[name], known[name]) for name in known
        )
        return float(alike)

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:  # noqa: ARG002
        """Return what the cases have in common, in a sentence or two.

        Args:
            cases: The inputs, the value if there was one, and whether it is right.
        """
        return ""

    def fault(self, inputs: Inputs, value: Value) -> str:  # noqa: ARG002
        """Return the message on a mistake that costs nothing; "" where there is none."""
        return ""

    def graded(self, value: Value) -> Value:
        """Return what of a value earns points."""
        return value

    def expected(self, inputs: Inputs) -> Any:  # noqa: ARG002
        """Return the one right value of a case; None where several are right."""
        return None

    def shows(self, inputs: Inputs) -> Any:
        """Return what the visible check that follows from this one compares an answer with."""
        return self.expected(inputs)

    def allowed(self) -> float:
        """Return how far off a number may be, absolute and relative to the expected one."""
        return 0.0

    def paired(self, cases: Sequence[Inputs]) -> Sequence[Inputs]:
        """Return cases as they are evaluated, where one of them needs another."""
        return cases

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the functions of the author's that are called with a case's inputs, by argument."""
        return {}


def one_case(rng: np.random.Generator) -> Sequence[Inputs]:  # noqa: ARG001
    """Return the single empty case of a question whose object takes no hidden input."""
    return ({},)


RESULT = "the result"

"""What a message calls the value of a question that has no adapter.

A check that looks at one value, as `Exact`, `Table` or `Draws` does, looks for it under this name in
the dict that an adapter returns.
"""

ADAPTERS = "staff/adapters.py"

"""How a sentence begins that is about an author's adapter, and no answer's fault."""

STEPS = "steps of Python"

"""What a value calls the number of lines and calls that Python ran for it, where they are counted."""


@dataclass(frozen=True)
class Ask:
    """How a question reaches into a notebook.

    Args:
        adapter: Name of a function in staff/adapters.py. Without one, the object is called with the
            inputs in their order, and what it returns is `RESULT`.
        objects: Names in the student's notebook, given to the adapter in this order; the last is
            the one that is evaluated, the others are what it is built on. Without any, the one
            that is called like the question.
        hide: Names removed from the notebook before the adapter is called, so
            that a provided reference cannot answer for the student.
        may_mutate: Those of the objects that may change what they are given, as a step of training
            does; any other function that does so loses the case.
        asserts: The text of the question's own test cell, hidden tests included, where that is
            what decides; filled in from the instructor's notebook. There are no objects then.
    """

    adapter: str = ""
    objects: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    may_mutate: tuple[str, ...] = ()
    asserts: str = ""

    @property
    def watched(self) -> tuple[str, ...]:
        """The objects that have to leave alone what they are given."""
        return tuple(name for name in self.objects if name not in self.may_mutate)


def _with_ask_first(question: type[T]) -> type[T]:
    """Let `Question("id", Ask(...), check, cases)` load as well, as earlier courses write it."""
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
        use: A function of staff/adapters.py that evaluates the answer, or its name; default: the one
            with the question's name. It gets the objects, then the case's inputs by name, and returns
            a dict of values by name: of any names for `Close`, which compares each with the
            reference's, and under "the result" for a check that looks at one value. Where there is
            none, the student's function is called with the inputs in their order, and what it returns
            is "the result".
        objects: Names in the student's notebook, given to `use` in this order; the last is the one
            that is evaluated, the others are what it is built on. Default: the question's name.
        hide: Names removed from the notebook before the answer is evaluated, so that a provided
            reference cannot answer for the student.
        may_mutate: Those of the objects that may change what they are given, as a step of training
            does; any other function that does so loses the case.
        shown: Inputs for the visible check, whose cell `autograder release` writes from `check` where
            its author left it empty.
        extra: Extra credit, left out of `Grade.possible`.
        needs: Earlier questions that must earn everything for this one to earn anything: counts
            that only the sandbox can know are worth something when the values are right. What trains
            is left out where they are not right: it takes long.
        if_right: Earlier question -> the message on this one where that is right and this is not.
        visibility: Gradescope's word for when a student may see it.
        gradients: Whether the text asks that gradients flow through the answer: then values that
            are cut off from the inputs have to lose. None where the text does not speak of them.
        milder: Argument of the answer -> why hidden inputs are less extreme than those of its
            visible check there.
        points: Filled in from the notebook, the one place where points are written.
        ask: What `use`, `objects`, `hide` and `may_mutate` say, as one record.
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
    points: float = 0.0
    ask: Ask | None = None

    def __post_init__(
        self,
        use: Callable[..., Any] | str,
        objects: Sequence[str],
        hide: Sequence[str],
        may_mutate: Sequence[str],
    ) -> None:
        """Write down what is asked as one record."""
        if not (use or objects or hide or may_mutate):
            return
        if self.ask:
            raise UserError(
                f"question {self.id!r} has both an Ask and use, objects, hide or may_mutate; give one"
            )
        adapter = use if isinstance(use, str) else getattr(use, "__name__", repr(use))
        # A text in place of a tuple is told with its place, once the homework is read.
        names = [
            one if isinstance(one, str) else tuple(one)
            for one in (objects or (self.id,), hide, may_mutate)
        ]
        object.__setattr__(self, "ask", Ask(adapter, *names))  # type: ignore[arg-type]

    @property
    def by_hand(self) -> bool:
        """Whether a person marks this question."""
        return self.check is None

    @property
    def trains(self) -> bool:
        """Whether an answer trains a model for it, which takes long."""
        return self.check is not None and self.check.trains

    @property
    def once(self) -> bool:
        """Whether each case is evaluated once, and not twice."""
        return self.check is not None and (self.check.trains or self.check.once)

    @property
    def asserted(self) -> bool:
        """Whether its own test cell decides, as it is in the instructor's notebook."""
        return isinstance(self.check, Check) and self.check.reads == "asserts"

    @property
    def formative(self) -> bool:
        """Whether this is written for its own sake: nobody marks it, and it has no points."""
        return self.by_hand and self.points == 0

    def in_parts(self) -> list["Question"]:
        """Return the question once for each part of its check, with the cases that concern it."""
        check, cases = self.check, self.cases
        if check is None:
            return []

        def of(part: Check) -> Callable[[np.random.Generator], Sequence[Inputs]]:
            return lambda rng: [case for case in cases(rng) if part.about(case)]

        return [replace(self, check=part, cases=of(part)) for part in check.parts]
