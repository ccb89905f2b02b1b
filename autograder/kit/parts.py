"""Several checks of one answer: each part of a question has its own points."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.kit.output_checks import Raises
from autograder.records.errors import UserError
from autograder.records.marks import rounded
from autograder.records.questions import (
    RESULT,
    AuthorsFunction,
    Check,
    Inputs,
    Reads,
    Value,
    Verdict,
)
from autograder.records.values import Refused, plain

_WIDER: tuple[Reads, ...] = ("numbers", "data", "error")
"""Forms of an answer that may be read together: each includes the previous one."""
SO_FAR = "part by part:"
"""The line above the parts, here and in the visible check."""


def always(**inputs: Any) -> bool:  # noqa: ARG001
    """Return True: the part covers every case."""
    return True


@dataclass(frozen=True)
class Part(Check):
    """A part of a question: its name, its check, its points, and its cases.

    Args:
        name: A few words that students read, such as "an empty list".
        check: Any check except those of training, derivations and nbgrader's test cells.
        points: The parts' points add up to the question's.
        where: Called with a case's inputs by name; returns whether the part covers this case. Default: every case.
    """

    name: str
    check: Check
    points: float
    where: Callable[..., bool] = always

    def __post_init__(self) -> None:
        """Complain about an argument of the wrong kind."""
        check, of = self.check, f"Part {self.name!r}"
        if not isinstance(self.name, str) or not self.name.strip():
            raise UserError(f"{of}: name is {self.name!r}; write a few words that students read")
        if not isinstance(check, Check):
            raise UserError(f"{of}: check is {check!r}; give a check, such as Close(...)")
        if isinstance(check, Part | Parts) or check.reads == "asserts":
            raise UserError(f"{of}: {type(check).__name__} cannot be the check of a part")
        if check.trains or check.derives:
            raise UserError(
                f"{of}: {type(check).__name__} has a question of its own; ask two questions"
            )
        if type(self.points) not in (int, float) or not 0 < self.points < float("inf"):
            raise UserError(f"{of}: points is {self.points!r}; write a number above 0")
        _read(self, check.reads, [check])

    def about(self, inputs: Inputs) -> bool:
        """Return whether it covers a case."""
        return bool(self.where(**inputs))

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case."""
        try:
            return self.check(inputs, self._own(value))
        except Refused as error:
            return Verdict(0.0, str(error))

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return its check's likeness; 1 if neither value can be read."""
        try:
            other = self._own(known)
        except Refused:
            return float(str(value) == str(known))
        try:
            return self.check.likeness(inputs, self._own(value), other)
        except Refused:
            return 0.0

    def overview(self, cases: Sequence[tuple[Inputs, Value | None, bool]]) -> str:
        """Return the overview that this part's check gives of the part's cases."""
        try:
            own = [(case, value and self._own(value), right) for case, value, right in cases]
        except Refused:
            return ""
        return self.check.overview(own)

    def fault(self, inputs: Inputs, value: Value) -> str:
        """Return its check's fault."""
        try:
            return self.check.fault(inputs, self._own(value))
        except Refused:
            return ""

    def expected(self, inputs: Inputs) -> Any:
        """Return the value that its check expects."""
        return self.check.expected(inputs)

    def allowed(self) -> float:
        """Return the tolerance of its check."""
        return self.check.allowed()

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the functions of its check."""
        return self.check.functions()

    def _own(self, value: Value) -> Value:
        """Return a value in its check's form; raise Refused if that is impossible."""
        reads = self.check.reads
        if self.reads == "error" != reads:
            found: Any = value.get(RESULT)
            if not Raises().fits(found):
                return {}
            if found["kinds"]:
                said = f"{found['kinds'][0]}: {found['message']}".rstrip(": ")
                raise Refused(f"It raises {said}.")
            value = {RESULT: found["returned"]}
        if self.reads != reads == "numbers":
            return {name: plain(item, name) for name, item in value.items()}
        return value


class Parts(Check):
    """Several checks of one answer, like several tests in one nbgrader cell, each with points.

    A part earns its points if its check accepts every case that it covers. The report and the
    visible check name each part with its points.

    Args:
        parts: The parts, in the report's order.
    """

    def __init__(self, *parts: Part) -> None:
        """Take the parts of a question."""
        odd = [one for one in parts if not isinstance(one, Part)]
        if odd or not parts:
            what = repr(odd[0]) if odd else "nothing"
            raise UserError(f'Parts has {what}; write Parts(Part("name", check, points=1), ...)')
        names = [part.name for part in parts]
        if twice := [name for name in names if names.count(name) > 1]:
            raise UserError(f"Parts: two parts have the name {twice[0]!r}; give each its own")
        reads = {part.check.reads for part in parts}
        if len(reads) > 1 and not reads <= {*_WIDER}:
            kinds = " and ".join(sorted({type(part.check).__name__ for part in parts}))
            raise UserError(
                f"Parts: {kinds} look at different things (what an answer returns, prints or "
                "draws); ask two questions"
            )
        widest = max(reads, key=(*_WIDER, *reads).index)
        _read(self, widest, [part.check for part in parts])
        self._parts = tuple(map(self._wide, parts))

    def _wide(self, part: Part) -> Part:
        part = replace(part)
        _read(part, self.reads, [part.check])
        return part

    @property
    def parts(self) -> Sequence[Part]:
        """Return its parts."""
        return self._parts

    @property
    def points(self) -> float:
        """Return the points of all parts."""
        return sum(part.points for part in self._parts)

    def with_checks(self, changed: Callable[[Check], Check]) -> "Parts":
        """Return the same parts with other checks."""
        return Parts(*(replace(part, check=changed(part.check)) for part in self._parts))

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        """Judge one case, by the parts that cover it."""
        found = [(part, part(inputs, value)) for part in self._about(inputs)]
        return self.together(found) if found else Verdict(1.0, "No part is about this case.")

    def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
        """Return how well a value matches a known mistake's value in all parts."""
        return min((p.likeness(inputs, value, known) for p in self._about(inputs)), default=1.0)

    def fault(self, inputs: Inputs, value: Value) -> str:
        """Return the first message on a mistake that costs nothing."""
        return next(filter(None, (p.fault(inputs, value) for p in self._about(inputs))), "")

    def expected(self, inputs: Inputs) -> Any:
        """Return the first value that a part expects."""
        found = (part.expected(inputs) for part in self._about(inputs))
        return next((one for one in found if one is not None), None)

    def allowed(self) -> float:
        """Return how far off a number may be in every part."""
        return min(part.allowed() for part in self._parts)

    def functions(self) -> Mapping[str, AuthorsFunction]:
        """Return the functions of all parts."""
        return {
            f"{role} of {part.name!r}": one
            for part in self._parts
            for role, one in part.functions().items()
        }

    def together(self, found: Sequence[tuple[Part, Verdict]]) -> Verdict:
        """Return the verdict on several parts, with points and messages for each."""
        worth = sum(part.points for part, _ in found)
        earned = rounded(sum(part.points * verdict.fraction for part, verdict in found))
        right = all(verdict.fraction >= 1 for _, verdict in found)
        lines = [
            f"- {part.name} ({rounded(part.points * verdict.fraction):g} of {worded(part.points)}): "
            + ("right." if verdict.fraction >= 1 else verdict.message)
            for part, verdict in found
        ]
        return Verdict(
            1.0 if right else earned / worth,
            "\n".join([f"{earned:g} of {worded(worth)}, {SO_FAR}", *lines]),
            tuple(picture for _, verdict in found for picture in verdict.pictures),
            any(verdict.doubtful for _, verdict in found),
        )

    def numbers(self, cases: Sequence[Inputs]) -> list[list[int]]:
        """Return for each part the numbers of its cases."""
        return [[n for n, case in enumerate(cases) if part.about(case)] for part in self._parts]

    def _about(self, inputs: Inputs) -> Iterator[Part]:
        return (part for part in self._parts if part.about(inputs))


def worded(points: float) -> str:
    """Return points in words."""
    return f"{points:g} point{'s' * (points != 1)}"


def _read(check: Check, reads: Reads, checks: Sequence[Check]) -> None:
    """Make a check read answers in the way that all parts share."""
    vars(check).update(
        reads=reads,
        decides=any(one.decides for one in checks),
        once=any(one.once for one in checks),
        heavy=any(one.heavy for one in checks),
    )
