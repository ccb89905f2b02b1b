"""The hidden inputs of a question: drawn, never stored, and the same at every regrade."""

import ast
import functools
import hashlib
import hmac
import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autograder.course.cells import parse
from autograder.records import codec, data
from autograder.records.errors import UserError
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework
from autograder.records.questions import Array, Inputs, Question
from autograder.records.tables import Frame
from autograder.records.values import Refused, unchanged


def draw(question: Question, *, submission: SubmissionId, secret: str) -> Sequence[Inputs]:
    """Return the cases of a question for one submission.

    The generator is seeded with HMAC-SHA256(secret, submission's sha256 + question id), so a
    student who knows everything but the secret cannot predict them.
    """
    cases = question.cases(_generator(submission, question.id, secret))
    if _odd(cases):
        return cases
    return (question.check.paired if question.check and cases else list)(
        [*map(data.as_drawn, cases)]
    )


class Plan(NamedTuple):
    """The cases of a question for one submission, and the order in which they are evaluated.

    Each case is evaluated once, in random order, so that any state an answer keeps between calls
    meets different inputs. Then the last and the first are repeated: an answer may remember its
    last, first or any input. Training and test cells are evaluated only once.
    """

    cases: Sequence[Inputs]
    order: tuple[int, ...]


def plan(question: Question, *, submission: SubmissionId, secret: str) -> Plan:
    """Return the cases to evaluate for a submission, the same at every grading."""
    cases = drawn(question, submission=submission, secret=secret).cases
    rng = _generator(submission, f"{question.id} in order", secret)
    order = rng.permutation(len(cases)).tolist()
    again = () if question.once else dict.fromkeys((order[-1], order[0]))
    return Plan(cases, (*order, *again))


def _generator(submission: SubmissionId, use: str, secret: str) -> np.random.Generator:
    key = hmac.digest(secret.encode(), (submission.sha256 + use).encode(), "sha256")
    return np.random.default_rng(int.from_bytes(key))


class Drawn(NamedTuple):
    """The cases of a question for one submission, and their digest."""

    cases: Sequence[Inputs]
    digest: str


def drawn(question: Question, *, submission: SubmissionId, secret: str) -> Drawn:
    """Return the result of `draw` with its digest; its arrays are read-only."""
    return _drawn(_Asked(question), submission, secret)


EVERYONE = SubmissionId("everyone", "notebook", "common")
MAX_COMMON = 20


def common(question: Question) -> Drawn:
    """Return inputs that all submissions of all courses share; no mark depends on them."""
    cases, digest = drawn(question, submission=EVERYONE, secret="")
    return Drawn(cases[:: -(-len(cases) // MAX_COMMON)], digest)


class _Asked:
    """A question as a cache key: its id and its cases' generator: checks may be unhashable."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def __hash__(self) -> int:
        return hash(self.question.id)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and other.question.id == self.question.id
            and other.question.cases is self.question.cases
        )


# Facts, marks and diagnosis of one submission use the same cases in turn.
@functools.lru_cache(maxsize=64)
def _drawn(asked: _Asked, submission: SubmissionId, secret: str) -> Drawn:
    cases = draw(asked.question, submission=submission, secret=secret)
    for case in cases:
        for item in case.values():
            if isinstance(item, np.ndarray):
                item.setflags(write=False)
    return Drawn(cases, digest(cases))


BITS = 20
"""The precision of the digest, relative to an array's largest number."""


def digest(cases: Sequence[Inputs]) -> str:
    """Return a sha256 that shows whether a regrade drew the same inputs, on any processor.

    The last digits of a product or a logarithm depend on processor and library, so numbers are
    rounded to about a millionth of the largest one in their array.
    """
    return hashlib.sha256(codec.dumps([_shown(dict(case)) for case in cases]).encode()).hexdigest()


def _shown(item: Any) -> Any:
    """Return the part of an input that a digest covers, as JSON; an array has a digest of its own."""
    if isinstance(item, np.ndarray):
        seen = hashlib.sha256(_coarse(item).tobytes()).hexdigest()
        return [item.dtype.str, item.shape, seen]
    if isinstance(item, float):
        return _coarse(np.array(item)).tobytes().hex()
    if isinstance(item, dict):
        return {name: _shown(one) for name, one in item.items()}
    if isinstance(item, list | tuple):
        return [_shown(one) for one in item]
    if item is None or isinstance(item, str | int):
        return item
    found = data.read_given(item)
    if not isinstance(found, Frame):
        return _shown(data.encode(found))
    columns = [
        np.array(column, dtype=float) if kind == "numbers" else data.encode(column)
        for kind, column in zip(found.kinds, found.values, strict=True)
    ]
    return _shown([data.encode([found.columns, found.index, found.names]), columns])


def _coarse(array: Array) -> Array:
    """Return an array in whole steps, then the step's size; leave whole numbers unchanged."""
    if array.dtype.kind not in "fc":
        return array
    exact = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    exact = np.ascontiguousarray(exact).view(np.float64)
    largest = np.max(np.abs(exact), initial=0.0, where=np.isfinite(exact))
    mantissa, exponent = np.frexp(largest)
    exponent += mantissa > 0.6371  # no largest number is likely to equal this, unlike 1 or 0.3
    steps = np.rint(np.ldexp(exact, BITS - exponent)) + 0.0  # no -0
    return np.append(np.where(np.isnan(steps), np.nan, steps), exponent)


def complain_of_cases(homework: Homework) -> None:
    """Raise UserError if a question cannot draw inputs that the sandbox accepts.

    Also raise it if the reference or the adapter lacks parameters with the inputs' names.
    """
    someone = SubmissionId("draw", "notebook", "0")
    for question in homework.questions:
        if question.ask is None:
            continue
        if not callable(question.cases):
            raise UserError(
                f"source/{homework.name}/staff/spec.py: the cases of question {question.id!r} are "
                f"given as a {type(question.cases).__name__}; give a function of rng that returns them"
            )
        try:
            cases = draw(question, submission=someone, secret="")
            what = _odd(cases)
            if not what:
                digest(cases)
                what = _lost(cases)
        except Refused as error:
            what = (
                f"a case contains something that it may not contain: {str(error).partition(':')[0]}"
            )
        except Exception as error:  # the author's code may raise anything
            what = f"{type(error).__name__}: {error}{_line(error, homework.name)}"
        if not what:
            _complain_of_arguments(homework, question, cases)
            _complain_of_parts(homework, question, cases)
            continue
        raise UserError(
            f"source/{homework.name}/staff/spec.py: the cases of question "
            f"{question.id!r} cannot be drawn: {what}; a case may contain arrays, "
            "tables, numbers, texts, numpy Generators, and lists and dicts of these"
        )


def _complain_of_parts(homework: Homework, question: Question, cases: Sequence[Inputs]) -> None:
    for part in question.check.parts if question.check else ():
        of = f"source/{homework.name}/staff/spec.py: question {question.id!r}: "
        of += f"Part {getattr(part, 'name', '')!r}: "
        try:
            found = any(part.about(case) for case in cases)
        except Exception as error:  # the author's code may raise anything
            raise UserError(
                f"{of}`where` raised {type(error).__name__}: {error}; it is called with a case's inputs by "
                f"name ({', '.join(map(str, cases[0]))})"
            ) from error
        if not found:
            raise UserError(
                f"{of}`where` is true for none of the {len(cases)} cases; draw a case for which it is true"
            )


def _odd(cases: Any) -> str:
    if cases is None:
        return "it returns None: is there a `return`?"
    if not isinstance(cases, Sequence) or isinstance(cases, str):
        return f"it returns a {type(cases).__name__} instead of a list of dicts of inputs by name"
    if not cases:
        return "it returns no case"
    odd = [type(case).__name__ for case in cases if not isinstance(case, Mapping)]
    return f"a case is a {odd[0]} instead of a dict of inputs by name" if odd else ""


def _lost(cases: Sequence[Inputs]) -> str:
    for case in cases:
        arrived = data.decode_inputs(data.encode_inputs(case))
        for name, item in case.items():
            if hasattr(item, "dtypes") and not unchanged(item, arrived[name]):
                return f"the table `{name}` has cells that would arrive in a different form"
    return ""


def _line(error: Exception, name: str) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if f"source/{name}/staff/" in Path(frame.filename).as_posix()]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def _complain_of_arguments(homework: Homework, question: Question, cases: Sequence[Inputs]) -> None:
    staff = f"source/{homework.name}/staff"
    called: list[tuple[str, Any, int]] = []
    for role, one in question.check.functions().items() if question.check else ():
        place = f"{staff}/spec.py: question {question.id!r}: {role}"
        called.append((place, one.function, one.before))
    ask = question.ask
    for node in parse(homework.adapters).body if ask and ask.adapter else ():
        if isinstance(node, ast.FunctionDef) and ask and node.name == ask.adapter:
            place = f"{staff}/adapters.py: line {node.lineno}: {node.name}"
            # A decorator may take other arguments.
            called += [(place, _stub(node), len(ask.objects))] * (not node.decorator_list)
    if ask and not ask.adapter:
        for place, function, given in called:
            for case in cases if not given else ():
                complain_of_order(place, function, case)
    for place, function, given in called:
        for case in cases:
            if why := _misfit(function, given, case):
                first = f"{given} of the notebook's objects or values first, and then " * bool(
                    given
                )
                raise UserError(
                    f"{place} is called with {first}a case's inputs by name "
                    f"({', '.join(map(str, case)) or 'none'}): {why}"
                )


def _misfit(function: Any, given: int, case: Inputs) -> str:
    try:
        signature = inspect.signature(function)
    except TypeError:
        return f"it is a {type(function).__name__}, not a function"
    except ValueError:  # C functions may have none
        return ""
    try:
        signature.bind(*[None] * given, **case)
    except TypeError as error:
        return str(error)
    return ""


def complain_of_order(where: str, function: Any, case: Inputs) -> None:
    """Raise UserError if inputs by name are in a different order from a reference's arguments.

    An answer without an adapter receives them in order, since students choose their own parameter
    names.
    """
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # not a function, or a C function
        return
    if set(case) == set(names) and list(case) != names:
        raise UserError(
            f"{where}: the inputs {', '.join(case)} are given to an answer in this "
            f"order, but the reference takes {', '.join(names)}; write them in the "
            "reference's order"
        )


def _stub(node: ast.FunctionDef) -> Callable[..., None]:
    """Return a function with a given one's parameters, without running any of its code."""
    every = node.args
    for one in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
        if one:
            one.annotation = None
    every.defaults = [ast.Constant(None) for _ in every.defaults]
    every.kw_defaults = [default and ast.Constant(None) for default in every.kw_defaults]
    tree = ast.Expression(ast.Lambda(every, ast.Constant(None)))
    stub: Callable[..., None] = eval(compile(ast.fix_missing_locations(tree), "", "eval"))
    return stub


def digests(homework: Homework, *, submission: SubmissionId, secret: str) -> dict[str, str]:
    """Return the digest of every machine-marked question's inputs, by question id."""
    return {
        question.id: drawn(question, submission=submission, secret=secret).digest
        for question in homework.questions
        if question.ask
    }
