"""Records of a defence: answers, calls, questions and edits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from autograder.records.questions import Inputs, Question

Kind = Literal["predict", "which", "where", "inside", "design", "row", "assumption", "ends"]
KINDS: Mapping[Kind, str] = {
    "predict": "Predict",
    "which": "Which change matters",
    "where": "Where is the edit",
    "inside": "Shapes inside",
    "design": "Your design: an entry",
    "row": "Your design: a row",
    "assumption": "An assumption less",
    "ends": "Where it ends",
}
CHOICES = 4
LETTERS = "ABCD"


@dataclass(frozen=True, eq=False)
class Answer:
    """A function or class of a student, as a sheet shows it.

    Args:
        name: Its name.
        function: Qualified name of the function to watch; for a class, its main method.
        source: Its text, without comments and docstrings.
        before: The definitions above it in its cell.
        after: The definitions below it in its cell.
        questions: The questions that evaluate it.
        stores: Line of the source, from 1 -> the names that it assigns.
    """

    name: str
    function: str
    source: str
    before: str
    after: str
    questions: tuple[Question, ...]
    stores: Mapping[int, tuple[str, ...]]

    def whole(self, source: str) -> str:
        """Return the definitions of this answer's cell, with `source` in place of the answer."""
        return "\n\n\n".join(filter(None, (self.before, source, self.after)))

    @property
    def first_line(self) -> int:
        """Return the line of `whole` on which its source begins."""
        return self.before.count("\n") + 4 if self.before else 1


@dataclass(frozen=True)
class Unreadable:
    """The type of something that is not plain data, such as a function."""

    kind: str


@dataclass(frozen=True, eq=False)
class Noted:
    """A variable's value after its line has run for the first time.

    Args:
        line: The line of the answer's source, from 1.
        shape: The shape of an array or tensor; None for anything else.
        value: The value, if small; otherwise Unreadable.
    """

    line: int
    name: str
    shape: tuple[int, ...] | None
    value: Any


@dataclass(frozen=True, eq=False)
class Call:
    """One call of an answer: its arguments, its result, and its variables along the way.

    Args:
        given: Argument -> plain data or Unreadable.
        own: The object's attributes, for a method.
        returned: Plain data or Unreadable; None if it raised.
        raised: The type of the exception, or "".
        line: The line that raised it; 0 if unknown.
        noted: Its variables, in order of assignment.
        visits: Line -> how often it ran.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    returned: Any = None
    raised: str = ""
    line: int = 0
    noted: tuple[Noted, ...] = ()
    visits: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Posed:
    """A way to call an answer: the question, and the inputs."""

    question: Question
    case: Inputs


@dataclass(frozen=True, eq=False)
class Evidence:
    """A call behind a key, which a fresh process repeats.

    Args:
        posed: The way in which it was called.
        call: Its outcome; for a graded question, the result of the homework's adapter.
        graded: Whether the question itself was evaluated, rather than a call watched.
    """

    posed: Posed
    source: str
    call: Call
    graded: bool = False


@dataclass(frozen=True, eq=False)
class Item:
    """One question of a sheet.

    Args:
        answer: The answer that it is about.
        given: Names and values that it mentions.
        edits: The edits that it mentions, in words: `{edit}` in its text, or its choices.
        key: The place of the right choice.
        evidence: The calls behind the key.
        never: Sources that are claimed to give the same result for every input.
        difficulty: The work for a person: lines that run, and similar choices.
        because: Choice -> the edit or mistake behind it, for staff.
    """

    kind: Kind
    answer: Answer
    text: str
    given: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    key: int
    evidence: tuple[Evidence, ...] = ()
    never: tuple[str, ...] = ()
    difficulty: float = 0.0
    edits: tuple[str, ...] = ()
    because: Mapping[str, str] = field(default_factory=dict)

    @property
    def alone(self) -> "Item":
        """Return the question without the code that found its key."""
        return replace(self, answer=replace(self.answer, questions=()), evidence=(), never=())


@dataclass(frozen=True, eq=False)
class Study:
    """The results of running one answer.

    Args:
        small: Calls whose inputs and result a person can read.
        spread: Calls on inputs of many sizes.
        firm: Pairs of one of these calls and a second call with the same shapes.
        short: A call on a sequence of one position and its twin, if any.
        edits: One-line edits of its source.
        failing: Calls that end with an error, if all do.
        design: The result of an answer without arguments that earns everything.
        dropped: For a derivation: an assumption to drop, in words, and the values of its lines with
            and without it.
    """

    answer: Answer
    small: Sequence[Evidence] = ()
    spread: Sequence[Evidence] = ()
    firm: Sequence[tuple[Evidence, Evidence]] = ()
    short: Sequence[Evidence] = ()
    edits: Sequence["Edit"] = ()
    failing: Sequence[Evidence] = ()
    design: Evidence | None = None
    dropped: Sequence[tuple[str, Evidence, Evidence]] = ()


@dataclass(frozen=True, eq=False)
class Edit:
    """One line of an answer, changed.

    Args:
        says: The changed line, with its number.
        source: The whole answer with it.
        change: The kind of the changed part, and its replacement.
        on_small: The calls of `Study.small` after the edit; None if unknown.
        on_spread: The first calls of `Study.spread` after the edit; all calls if it changes
            nothing.
        on_firm: The first two calls of `Study.firm` after the edit.
        on_short: The two calls of `Study.short` after the edit.
        near_a_bound: Whether its line compares, chooses, or has a number near 0. It may matter only
            for inputs that are hardly ever drawn, so nobody can claim that it never does.
    """

    line: int
    says: str
    source: str
    change: frozenset[str] = frozenset()
    on_small: Sequence[Call | None] = ()
    on_spread: Sequence[Call | None] = ()
    on_firm: Sequence[Call | None] = ()
    on_short: Sequence[Call | None] = ()
    near_a_bound: bool = False
