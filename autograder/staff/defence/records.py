"""Records that the parts of a defence pass around: an answer, a call, a question, a sheet."""

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
        name: What it is called.
        function: Qualified name of the function that is watched: of a class, its main method.
        source: Its text, without comments and docstrings.
        before: What its cell defines above it.
        after: What its cell defines below it.
        questions: Those that evaluate it.
        stores: Line of the source, from 1 -> names that are assigned there.
    """

    name: str
    function: str
    source: str
    before: str
    after: str
    questions: tuple[Question, ...]
    stores: Mapping[int, tuple[str, ...]]

    def whole(self, source: str) -> str:
        """Return what its cell defines, with another text of this answer."""
        return "\n\n\n".join(filter(None, (self.before, source, self.after)))

    @property
    def first_line(self) -> int:
        """The line of `whole` on which its source begins."""
        return self.before.count("\n") + 4 if self.before else 1


@dataclass(frozen=True)
class Unreadable:
    """Something that is not plain data, such as a function: its type."""

    kind: str


@dataclass(frozen=True, eq=False)
class Noted:
    """A variable's value when its line had run for the first time.

    Args:
        line: Of the answer's source, from 1.
        shape: Of an array or tensor; None for anything else.
        value: Of what is small, else Unreadable.
    """

    line: int
    name: str
    shape: tuple[int, ...] | None
    value: Any


@dataclass(frozen=True, eq=False)
class Call:
    """One call of an answer: what it was given, gave back, and had on the way.

    Args:
        given: Argument -> plain data or Unreadable.
        own: What the object has, for a method.
        returned: Plain data or Unreadable; None where it raised.
        raised: The type of the exception, or "".
        line: The line on which it was raised, 0 where that is not known.
        noted: Its variables, in the order in which they were assigned.
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
    """How an answer is called: through which question, with which inputs."""

    question: Question
    case: Inputs


@dataclass(frozen=True, eq=False)
class Evidence:
    """A call on which a key rests; it is made again in a fresh process.

    Args:
        posed: How it was made.
        call: What came of it; of one that is graded, what the homework's adapter returned.
        graded: Whether the question itself was evaluated, not a call watched.
    """

    posed: Posed
    source: str
    call: Call
    graded: bool = False


@dataclass(frozen=True, eq=False)
class Item:
    """One question of a sheet.

    Args:
        answer: What it is about.
        given: Names and values that it speaks of.
        edits: The edits that it speaks of, in words: `{edit}` in its text, or its choices.
        key: The place of the right one.
        evidence: The calls on which the key rests.
        never: Sources that are claimed to give the same for every input.
        difficulty: What a person has to follow: lines that run, choices that are near.
        because: Choice -> the edit or mistake that it belongs to, for staff.
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
        """The question without the code that found its key."""
        return replace(self, answer=replace(self.answer, questions=()), evidence=(), never=())


@dataclass(frozen=True, eq=False)
class Study:
    """Results of running one answer.

    Args:
        small: Calls whose inputs and result a person can read.
        spread: Calls on inputs of many sizes.
        firm: Of these, those for which there is another call with the same shapes, and that one.
        short: A call on a sequence of one position and its twin; nothing where there is none.
        edits: One-line edits of its source.
        failing: Calls that end with an error, where all do.
        design: What it returns where it is given nothing and earns everything.
        dropped: Of a derivation: an assumption that is dropped, in words, what comes of its lines
            with it, and without it.
    """

    answer: Answer
    small: Sequence["Evidence"]
    spread: Sequence["Evidence"]
    firm: Sequence[tuple["Evidence", "Evidence"]]
    short: Sequence["Evidence"]
    edits: Sequence["Edit"]
    failing: Sequence["Evidence"] = ()
    design: "Evidence | None" = None
    dropped: Sequence[tuple[str, "Evidence", "Evidence"]] = ()


@dataclass(frozen=True, eq=False)
class Edit:
    """One line of an answer, changed.

    Args:
        says: The changed line, with its number.
        source: The whole answer with it.
        change: The kind of what is changed, and what it becomes.
        on_small: What each call of `Study.small` becomes; None where that is not known.
        on_spread: What the first calls of `Study.spread` become; all, if that changes nothing.
        on_firm: What the first two calls of `Study.firm` become.
        on_short: What the two calls of `Study.short` become.
        near_a_bound: Whether its line compares, chooses, or has a number near 0: it may matter
            only for inputs that are hardly ever drawn, so nobody can say that it never does.
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
