"""Compare the visible checks with the hidden evaluation: their inputs, and the wrong answers they accept.

The visible checks are tried in one run of the instructor's notebook, in which `check` goes on to
careless answers. The hidden evaluation is asked of the same answers, warm, one after another.
"""

import ast
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from autograder.authoring.contract.agreement import judged
from autograder.authoring.contract.careless import (
    OBJECTS,
    OFF,
    SPOILED,
    TEXT,
    TRAINED,
    Way,
    made_careless,
)
from autograder.authoring.contract.heard import Heard, Line, printed
from autograder.course import inputs
from autograder.course.cells import defined_names, parsed
from autograder.program.build import Step
from autograder.records.facts import Submission, SubmissionId
from autograder.records.homework import Cell, Homework, Limits
from autograder.records.questions import Inputs, Question
from autograder.sandbox.mistake_bank import Variants

Answer = tuple[str, str, str]
"""A question, the name of what it asks for, and how that is careless."""
Like = Mapping[str, Any]
"""Features of an array or a number: sizes, low, high, zero, infinity, nan."""
Given = Mapping[str, Mapping[str, Sequence[Like]]]
"""Features of all arguments that answers receive, by answer and argument."""
DRAWS = 3
"""So many draws of hidden inputs are looked at; each has to be as extreme as what is visible."""
NEAR = 2.0
"""Hidden numbers and sizes may differ from visible ones by this factor.

The largest of a few normal numbers varies as much from draw to draw.
"""
MOST_CALLS = 6
"""From so many of the calls in a visible check on an answer is made wrong, to hear its later lines."""
LIMITS = Limits(cell_seconds=1e3, question_seconds=1e3, submission_seconds=1e4)
"""Many answers are tried in one cell, and in one question."""
_TRIED, _GIVEN = "[tried]", "[given]"
_OBSERVING = """

def _like(numbers):
    if numbers.dtype.kind == "b":
        return {"sizes": list(numbers.shape)}
    finite = numbers[_np.isfinite(numbers)]
    return {
        "sizes": list(numbers.shape),
        "low": float(finite.min()) if finite.size else 0.0,
        "high": float(finite.max()) if finite.size else 0.0,
        "zero": bool((numbers == 0).any()),
        "infinity": bool(_np.isinf(numbers).any()),
        "nan": bool(_np.isnan(numbers).any()),
    }


def _look(name, item, found):
    if _is_table(item):
        for column, numbers in _columns(item).items():
            _look(f"{name}[{column!r}]" if item.ndim > 1 else name, numbers, found)
    elif isinstance(item, (list, tuple)):
        for part in item:
            _look(name, part, found)
    elif hasattr(item, "keys") and hasattr(item, "__getitem__"):
        for key in item.keys():
            _look(f"{name}[{key!r}]", item[key], found)
    elif (_is_number(item) and not isinstance(item, bool)) or _is_array(item):
        numbers = _np.asarray(item.detach().cpu() if _is_tensor(item) else item)
        if numbers.dtype.kind in "fiub" and numbers.size:
            like = _like(numbers)
            if like not in found.setdefault(name, []):
                found[name].append(like)


_seen, _calls = {}, {}


def _observed(name):
    import inspect

    def way(function, seen):
        signature = inspect.signature(function)

        @_functools.wraps(function)
        def call(*args, **kwargs):
            _calls[name] = _calls.get(name, 0) + 1
            for place, item in signature.bind(*args, **kwargs).arguments.items():
                if place != "self":
                    _look(place, item, _seen.setdefault(name, {}))
            return function(*args, **kwargs)

        return call

    return way
"""
_TRYING = f"""

def _trying(check, own, ways, objects, later, lines):
    import io, json

    def said(question, complaint, functions, again):
        out = io.StringIO()
        try:
            with _contextlib.redirect_stdout(out):
                check(question, complaint, *functions, again=again)
        except BaseException as error:
            out.write(f"[{{question}}] {{error!r}}")
        found = [l for l in out.getvalue().splitlines() if l.startswith(f"[{{question}}] ")]
        return found[0][len(question) + 3 :] if found else ""

    def call(question, complaint, *functions, again=True):
        mine = globals()
        names = [name for name in own.get(question, ()) if name in mine]
        right = {{name: mine[name] for name in names}}
        mine.update({{name: _careless(mine[name], _observed(name)) for name in names}})
        try:
            check(question, complaint, *functions, again=again)
        finally:
            mine.update(right)
        calls = dict(_calls)
        print("{_GIVEN}", json.dumps([question, _seen]))
        _seen.clear(), _calls.clear()
        for name in names:
            tried = [*ways[question], *(objects if isinstance(right[name], type) else ())]
            number = calls.get(name, 0)
            after = range(1, number, max(1, number // {MOST_CALLS})) if again else ()
            late = [f"{{way[:-1]}}, {{n}})" for n in after for way in later]
            for way in [*tried, *late]:
                if way in late and not set(lines[question]) - globals().get("_spoke_of", set()):
                    break
                mine[name] = _careless(right[name], eval(way, mine))
                try:
                    found = said(question, complaint, functions, again)
                finally:
                    mine[name] = right[name]
                if way in tried:
                    print("{_TRIED}", json.dumps([question, name, way, found[:300]]))

    return call
"""


class Seen(NamedTuple):
    """Results of the visible checks.

    Args:
        said: Careless answer -> what the visible check says of it.
        given: Question -> what its check gives the answers.
        steps: The run.
    """

    said: Mapping[Answer, str]
    given: Mapping[str, Given]
    steps: Sequence[Step]


def own(homework: Homework, cells: Sequence[Cell]) -> Mapping[str, tuple[str, ...]]:
    """Return the answers that a question asks for, without those that it is only built on.

    Args:
        homework: Its questions.
        cells: The instructor's.
    """
    answers = {
        name for cell in cells if cell.role == "answer" for name in defined_names(cell.source)
    }
    asked = {q.id: q.ask for q in homework.questions if q.ask and q.ask.objects and not q.asserted}
    lasts = {ask.objects[-1] for ask in asked.values()}
    return {
        id: tuple(
            name
            for name in ask.objects
            if name in answers and name not in lasts - {ask.objects[-1]}
        )
        for id, ask in asked.items()
    }


def trying(
    heard: Heard, homework: Homework, instructor: Submission, spoke: Collection[Line]
) -> tuple[Homework, Submission]:
    """Return a homework and its instructor's notebook whose `check` goes on to careless answers.

    Args:
        heard: The homework's checks.
        homework: With the questions that are tried.
        instructor: The instructor's notebook.
        spoke: Lines of the checks that need not be heard once more.
    """
    ours = own(homework, instructor.cells)
    ways = {id: [way.name for way in ways_of(homework.question(id))] for id in ours}
    kept, later = ([way.name for way in kind] for kind in (OBJECTS, OFF))
    lines = {
        id: [n for n, one in enumerate(heard.lines) if id in one.questions and one not in spoke]
        for id in ours
    }
    told = ", ".join(map(repr, (ours, ways, kept, later, lines)))
    text = f"\n\n\n{TEXT}{_OBSERVING}{_TRYING}\n\ncheck = _trying(check, {told})\n"

    def changed(cells: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(
            replace(c, source=c.source + text) if "check" in defined_names(c.source) else c
            for c in cells
        )

    answer = heard.submission(instructor)
    alone = replace(
        heard.homework, questions=(), cells=changed(heard.homework.cells), limits=LIMITS
    )
    return alone, replace(answer, cells=changed(answer.cells))


def seen(steps: Sequence[Step]) -> Seen:
    """Read what a run of `trying` printed."""
    said = {(q, name, way): found for q, name, way, found in printed(steps, _TRIED)}
    return Seen(said, dict(printed(steps, _GIVEN)), steps)


class Hidden:
    """The hidden evaluation of the instructor's answers, and of careless ones in their place.

    Args:
        variants: The instructor's notebook, of a homework with `observing` adapters.
        secret: From which hidden inputs are drawn.
    """

    def __init__(self, variants: Variants, *, secret: str) -> None:
        self._variants, self._secret = variants, secret

    def takes(self, question: Question, name: str, ways: Sequence[Way]) -> list[Way]:
        """Return the ways in which an answer may be careless and earn everything."""
        assert question.check is not None
        cases = self._draw(question, 0)
        left = list(ways)
        for part in (cases[:1], cases[1:]):  # most lose the first case
            if left and part:
                defines = [made_careless([name], way) for way in left]
                found = self._variants.outcomes(question, part, defines)
                left = [
                    way
                    for way, outcomes in zip(left, found, strict=True)
                    if len(outcomes) == len(part)
                    and all(
                        judged(question.check, case, outcome.value)[1] == 1
                        for case, outcome in zip(part, outcomes, strict=True)
                    )
                ]
        return left

    def given(self, question: Question, names: Sequence[str]) -> list[Given]:
        """Return what the hidden inputs of some draws give the answers, draw by draw."""
        assert question.ask is not None
        asked = replace(
            question, check=None, ask=replace(question.ask, adapter=_observer(question))
        )
        draws = [self._draw(question, number) for number in range(DRAWS)]
        define = "".join(
            [TEXT, _OBSERVING]
            + [
                f"\n{name} = _careless({name}, _observed({name!r}))\n{name}._seen = _seen"
                for name in names
            ]
        )
        cases = [case for cases in draws for case in cases]
        (outcomes,) = self._variants.outcomes(asked, cases, [define])
        found: list[dict[str, dict[str, list[Like]]]] = [{} for _ in draws]
        for number, outcome in enumerate(outcomes):
            seen = json.loads(outcome.value["seen"]) if outcome.value else {}
            for name, places in seen.items():
                for place, likes in places.items():
                    found[number // len(draws[0])].setdefault(name, {}).setdefault(
                        place, []
                    ).extend(likes)
        return list(found)

    def _draw(self, question: Question, number: int) -> Sequence[Inputs]:
        submission = SubmissionId("draw", "notebook", str(number))
        return inputs.draw(question, submission=submission, secret=self._secret)


def ways_of(question: Question) -> Sequence[Way]:
    """Return the ways in which answers to a question are made careless."""
    return TRAINED if question.trains else (*SPOILED, *OFF)


def spoils(way: Way, question: Question) -> bool:
    """Return whether no answer to a question can be right that is spoiled in a way.

    A line of a derivation that is none costs nothing, and is only told. What an answer returns does
    not count where its output or its figure does.
    """
    if question.check is not None and question.check.reads in ("output", "picture"):
        return False
    derives = question.check is not None and question.check.derives
    return not derives or way.name in ("_returns('none')", "_returns('no parts')")


def taken(
    homework: Homework,
    own: Mapping[str, Sequence[str]],
    seen: Seen,
    hidden: Hidden,
    cells: Sequence[Cell],
) -> frozenset[Answer]:
    """Return the careless answers that the hidden evaluation takes, and should not.

    Args:
        homework: The questions that are tried.
        own: The answers that each asks for.
        seen: What the visible checks say: the hidden evaluation refuses what they refuse.
        hidden: The hidden evaluation.
        cells: The instructor's.
    """
    found: set[Answer] = set()
    for question in homework.questions:
        for name in own.get(question.id, ()):
            said = {way: seen.said.get((question.id, name, way.name), "passed") for way in OFF}
            ways = [
                way
                for way in ways_of(question)
                if (spoils(way, question) if way in SPOILED else said[way] != "passed")
            ]
            ways += OBJECTS if is_class(cells, name) and not question.trains else ()
            found |= {(question.id, name, way.name) for way in hidden.takes(question, name, ways)}
    # A question that needs a different one loses its points there.
    needs = {question.id: question.needs for question in homework.questions}
    return frozenset(
        (id, name, way)
        for id, name, way in found
        if not any(
            name in own.get(other, ()) and (other, name, way) not in found for other in needs[id]
        )
    )


def _observer(question: Question) -> str:
    return f"_observed_{question.id}"


def observing(homework: Homework) -> Homework:
    """Return a homework with adapters that tell what they give an answer."""
    texts = [
        f"\n\n\ndef {_observer(q)}(*objects, **case):\n"
        f"    import json\n"
        f"    {q.ask.adapter or '(lambda *them, **given: them[-1](*given.values()))'}(*objects, **case)\n"
        f"    return {{'seen': json.dumps(getattr(objects[-1], '_seen', {{}}))}}\n"
        for q in homework.questions
        if q.ask
    ]
    return replace(homework, adapters=homework.adapters + "".join(texts), limits=LIMITS)


def together(one: Given, other: Given) -> Given:
    """Return what two questions give the answers."""
    names = {*one, *other}
    return {
        name: {
            place: [*one.get(name, {}).get(place, ()), *other.get(name, {}).get(place, ())]
            for place in {*one.get(name, {}), *other.get(name, {})}
        }
        for name in names
    }


def milder(visible: Given, hidden: Sequence[Given]) -> Iterator[tuple[str, str]]:
    """Yield each argument of which hidden inputs are less extreme than visible ones, and in what.

    Args:
        visible: What a visible check gives the answers.
        hidden: What each of some draws gives them.
    """
    for name, places in visible.items():
        for place, likes in places.items():
            draws = [draw[name][place] for draw in hidden if place in draw.get(name, {})]
            if draws and (said := "; ".join(_less(likes, draws))):
                yield place, said


def _less(visible: Sequence[Like], draws: Sequence[Sequence[Like]]) -> Iterator[str]:
    """Say in what each of some draws is less extreme than what is visible."""
    low, high = _range(visible)
    hidden = [_range(draw) for draw in draws]
    if high > 0 and (most := min(range_[1] for range_ in hidden)) < high / NEAR:
        yield f"numbers up to {high:.3g}, and hidden ones up to {most:.3g}"
    if low < 0 and (most := max(range_[0] for range_ in hidden)) > low / NEAR:
        yield f"numbers down to {low:.3g}, and hidden ones down to {most:.3g}"
    for kind, word in (("zero", "zeros"), ("infinity", "infinity"), ("nan", "NaN")):
        if _any(visible, kind) and not all(_any(draw, kind) for draw in draws):
            yield NO_ZERO if kind == "zero" else f"{word}, and hidden ones none"
    for axes in sorted({len(like["sizes"]) for like in visible}):
        mine = _sizes(visible, axes)
        theirs = [_sizes(draw, axes) for draw in draws]
        if not all(theirs):
            yield f"{axes} axes, and hidden ones never" * bool(theirs)
            continue
        for axis, sizes in enumerate(zip(*mine, strict=True)):
            least = max(min(sizes_[axis] for sizes_ in draw) for draw in theirs)
            most_ = min(max(sizes_[axis] for sizes_ in draw) for draw in theirs)
            which = f"axis {axis}" if axes > 1 else "the length"
            if most_ < max(sizes) / NEAR:
                yield f"{max(sizes)} along {which}, and hidden ones {most_} at most"
            if least > min(sizes) * (NEAR if min(sizes) > 1 else 1):  # of one there is no half
                yield f"{min(sizes)} along {which}, and hidden ones {least} at least"


NO_ZERO = "zeros, and hidden ones none"
"""What is said of zeros that only visible inputs have: by itself it is worth a note."""


def _range(likes: Sequence[Like]) -> tuple[float, float]:
    numbers = [like for like in likes if "low" in like]
    return (
        min((like["low"] for like in numbers), default=0.0),
        max((like["high"] for like in numbers), default=0.0),
    )


def _any(likes: Sequence[Like], kind: str) -> bool:
    return any(like.get(kind) for like in likes)


def _sizes(likes: Sequence[Like], axes: int) -> list[list[int]]:
    return [like["sizes"] for like in likes if len(like["sizes"]) == axes]


def is_class(cells: Sequence[Cell], name: str) -> bool:
    """Return whether an answer cell defines a class of this name."""
    return any(
        isinstance(node, ast.ClassDef) and node.name == name
        for cell in cells
        if cell.role == "answer"
        for node in (parsed(cell.source) or ast.Module([], [])).body
    )
