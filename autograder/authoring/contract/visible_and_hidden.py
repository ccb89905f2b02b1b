"""Visible checks compared with the hidden evaluation: inputs, and wrong answers accepted.

One run of the instructor's notebook tries the visible checks; in it, `check` also tries careless
answers. The hidden evaluation then gets the same answers, in turn, in a warm process.
"""

import ast
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, NamedTuple

from autograder.authoring.contract import careless_answers
from autograder.authoring.contract.careless_answers import OBJECTS, OFF, SPOILED, TEXT, TRAINED, Way
from autograder.authoring.contract.complaint_lines import Heard, printed
from autograder.authoring.contract.proof import Clause, Runs, clause, judged, quiet
from autograder.authoring.contract.sampling import draw
from autograder.authoring.markers import identifier
from autograder.course.cells import defined_names, parsed
from autograder.records.facts import Submission
from autograder.records.homework import Cell, Homework, Limits
from autograder.records.marks import Grade
from autograder.records.questions import Question
from autograder.sandbox.execute import Executed
from autograder.sandbox.mistake_bank import InstructorRun

Answer = tuple[str, str, str]
"""A question, the name of the object it evaluates, and the way in which the object is careless."""
Like = Mapping[str, Any]
"""Features of an array or a number: its sizes, range, zeros, infinities and NaN."""
Given = Mapping[str, Mapping[str, Sequence[Like]]]
"""Features of all arguments that answers receive, by answer and argument."""
DRAWS = 3
"""The number of draws of hidden inputs to look at; each must be as extreme as the visible inputs."""
NEAR = 2.0
"""The factor by which hidden numbers and sizes may differ from visible ones.

The largest of a few normal numbers varies as much from draw to draw.
"""
TOGETHER = 6
"""The number of runs that share the trial of careless answers: one check may take most of the time.
"""
LIMITS = Limits(cell_seconds=1e3, question_seconds=1e3, submission_seconds=1e4)
"""A long time limit in seconds, since one cell and one question try many answers."""
_OBSERVING, _TRYING = (
    "\n\n" + (careless_answers.FOLDER / f"{name}.py.txt").read_text(encoding="utf-8")
    for name in ("observing", "trying")
)


class Seen(NamedTuple):
    """The verdicts of visible checks on careless answers, and the inputs that each check uses."""

    said: Mapping[Answer, str]
    given: Mapping[str, Given]


def start(
    instructor: Submission, chosen: Homework, runs: Runs, heard: Heard
) -> list[Future[tuple[Executed, Grade]]]:
    """Start runs that each try a part of the visible checks on careless answers."""
    alone, trying = _trying(heard, _compared(chosen), instructor)
    ids = [question.id for question in chosen.questions]
    parts = [ids[n::TOGETHER] for n in range(min(TOGETHER, len(ids)))]
    return [runs.start(*quiet(trying, alone, part)) for part in parts]


def _compared(chosen: Homework) -> Homework:
    return replace(chosen, questions=tuple(q for q in chosen.questions if not q.asserted))


def clauses(
    instructor: Submission,
    chosen: Homework,
    tried: Sequence[Future[tuple[Executed, Grade]]],
    heard: Heard,
) -> Iterator[Clause]:
    """Compare visible and hidden checks: careless answers they accept, and their inputs."""
    asked = _compared(chosen)
    ours = _own(asked, instructor.cells)
    states = [run.result()[0] for run in tried]
    for reason in dict.fromkeys(repair.text for state in states for repair in state.log.repairs):
        # An answer that did not run was not tried.
        yield Clause("9 careless answers lose", "visible checks", False, reason)
    steps = [step for state in states for step in state.steps()]
    heard.listen(steps)
    said = {(q, name, way): found for q, name, way, found in printed(steps, "[tried]")}
    seen = Seen(said, dict(printed(steps, "[given]")))
    with InstructorRun(_observing(chosen), instructor) as variants:
        taken = _taken(asked, ours, seen, variants, instructor.cells)
        for rule, ways in (
            ("12 spoiled values lose", SPOILED),
            ("9 careless answers lose", OBJECTS),
            ("8 visible and hidden agree", OFF),
        ):
            yield from _accepted(rule, ways, asked, seen, taken)
        for question in asked.questions:
            if (names := ours.get(question.id)) and not question.trains:
                draws = _given(variants, question, names)
                # `question` counts only if `other` is right
                for other in map(asked.question, question.needs):
                    if set(names) & set(ours.get(other.id, ())):
                        more = _given(variants, other, names)
                        draws = [_together(*both) for both in zip(draws, more, strict=True)]
                yield _extreme(question, seen, draws)


def _accepted(
    rule: str, ways: Sequence[Way], asked: Homework, seen: Seen, taken: Collection[Answer]
) -> Iterator[Clause]:
    """Find questions that wrongly accept an answer made careless in any of these ways."""
    broken = False
    for question in asked.questions:
        said = []
        for way in ways:
            mine = (question.id, way.name)
            own = {name: found for (id, name, how), found in seen.said.items() if (id, how) == mine}
            for name in [name for id, name, how in taken if (id, how) == mine]:
                beside = f", but the visible check does not ({own[name]})" if way in OFF else ""
                said.append(f"the grader accepts a `{name}` that {way.says}{beside}")
            if way in SPOILED and _spoils(way, question):
                said += [
                    f"the visible check prints passed for a `{name}` that {way.says}"
                    for name, found in own.items()
                    if found == "passed"
                ]
        if said:
            broken = True
            yield Clause(rule, question.id, False, "; ".join(said))
    if not broken:
        told = {id for id, _, _ in seen.said}
        untold = ", ".join(q.id for q in asked.questions if q.ask and q.id not in told)
        untold = f"; no visible check reports {untold}" * bool(untold and ways is OFF)
        yield Clause(rule, "careless answers", True, f"each of {len(ways)} ways loses{untold}")


def _extreme(question: Question, seen: Seen, draws: Sequence[Given]) -> Clause:
    """Check that hidden inputs are as extreme as visible ones, argument by argument."""
    found = [
        (place, what)
        for place, what in milder(seen.given.get(question.id, {}), draws)
        if not {place, place.split("[")[0]} & set(question.milder)
    ]
    less = [f"`{place}` has {what}" for place, what in found if what != NO_ZERO]
    zeros = ", ".join(f"`{place}`" for place, what in dict.fromkeys(found) if what == NO_ZERO)
    wrong = f"{question.id}: in the visible check {', '.join(dict.fromkeys(less))}"
    wrong += "; draw such a case, or name the argument in `milder` of spec.py, with the reason"
    note = f"; note that {zeros} has {NO_ZERO}: draw one if 0 is a special case"
    rule = "11 hidden inputs are as extreme"
    kept = f"in each draw{note * bool(zeros)}" if question.id in seen.given else "none is visible"
    return clause(rule, question.id, wrong * bool(less), kept)


def _own(homework: Homework, cells: Sequence[Cell]) -> Mapping[str, tuple[str, ...]]:
    """Return the answers that a question evaluates, except those that it only builds on."""
    answers = {
        name for cell in cells if cell.role == "answer" for name in defined_names(cell.source)
    }
    asked = {q.id: q.ask.objects for q in homework.questions if q.ask and not q.asserted}
    lasts = {objects[-1] for objects in asked.values() if objects}
    return {
        id: tuple(name for name in objects if name in answers - (lasts - {objects[-1]}))
        for id, objects in asked.items()
        if objects
    }


def _trying(
    heard: Heard, homework: Homework, instructor: Submission
) -> tuple[Homework, Submission]:
    """Return a homework and the instructor's notebook; its `check` also tries careless answers."""
    ours = _own(homework, instructor.cells)
    ways = {id: [way.name for way in _ways_of(homework.question(id))] for id in ours}
    kept, later = ([way.name for way in kind] for kind in (OBJECTS, OFF))
    lines = {id: heard.waiting(id) for id in ours}
    told = ", ".join(map(repr, (ours, ways, kept, later, lines)))
    text = f"\n\n\n{TEXT}{_OBSERVING}{_TRYING}\n\ncheck = _trying(check, {told})\n"

    def changed(cells: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(
            replace(c, source=c.source + text) if "check" in defined_names(c.source) else c
            for c in cells
        )

    answer = heard.submission(instructor)
    cells = changed(heard.homework.cells)
    alone = replace(heard.homework, questions=(), cells=cells, limits=LIMITS)
    return alone, replace(answer, cells=changed(answer.cells))


def _takes(
    variants: InstructorRun, question: Question, name: str, ways: Sequence[Way]
) -> list[Way]:
    """Return the ways in which an answer may be careless and still earn everything."""
    assert question.check is not None
    cases = draw(question, 0)
    left = list(ways)
    for part in (cases[:1], cases[1:]):  # most fail in the first case
        if left and part:
            defines = [careless_answers.made_careless([name], way) for way in left]
            found = variants.outcomes(question, part, defines)
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


def _given(variants: InstructorRun, question: Question, names: Sequence[str]) -> list[Given]:
    """Return the inputs that answers receive in some draws, draw by draw.

    The variants are those of a homework with `observing` adapters.
    """
    assert question.ask is not None
    asked = replace(question, check=None, ask=replace(question.ask, adapter=_observer(question)))
    behind = "\n{0} = _careless({0}, _observed({0!r}))\n{0}._seen = _seen"
    define = TEXT + _OBSERVING + "".join(map(behind.format, names))
    draws = [draw(question, number) for number in range(DRAWS)]
    (outcomes,) = variants.outcomes(asked, [case for cases in draws for case in cases], [define])
    found: list[Given] = [{} for _ in draws]
    for number, outcome in enumerate(outcomes):
        seen = json.loads(outcome.value["seen"]) if outcome.value else {}
        place = number // len(draws[0])
        found[place] = _together(found[place], seen)
    return found


def _together(*several: Given) -> Given:
    """Combine the inputs that answers receive from several questions or cases."""
    found: dict[str, dict[str, list[Like]]] = defaultdict(lambda: defaultdict(list))
    for one in several:
        for name, places in one.items():
            for place, likes in places.items():
                found[name][place] += likes
    return found


def _ways_of(question: Question) -> Sequence[Way]:
    """Return the ways to make answers to a question careless."""
    return TRAINED if question.trains else (*SPOILED, *OFF)


def _spoils(way: Way, question: Question) -> bool:
    """Return whether no answer that is spoiled in this way can be right.

    An invalid line of a derivation costs nothing, and only gets a message. A returned value does
    not count if the output or the figure does.
    """
    if question.check is not None and question.check.reads in ("output", "picture"):
        return False
    derives = question.check is not None and question.check.derives
    return not derives or way.name in ("_returns('none')", "_returns('no parts')")


def _taken(
    homework: Homework,
    own: Mapping[str, Sequence[str]],
    seen: Seen,
    variants: InstructorRun,
    cells: Sequence[Cell],
) -> frozenset[Answer]:
    """Return the careless answers that the hidden evaluation wrongly accepts.

    It must refuse whatever the visible checks refuse.
    """
    found: set[Answer] = set()
    for question in homework.questions:
        for name in own.get(question.id, ()):
            ways = []
            for way in _ways_of(question):
                said = seen.said.get((question.id, name, way.name), "passed")
                if _spoils(way, question) if way in SPOILED else said != "passed":
                    ways.append(way)
            ways += OBJECTS if _is_class(cells, name) and not question.trains else ()
            lost_by_none = _takes(variants, question, name, ways)
            found |= {(question.id, name, way.name) for way in lost_by_none}
    # A careless answer may earn points here if a question that this one needs refuses it.
    needs = {question.id: question.needs for question in homework.questions}
    return frozenset(
        (id, name, way)
        for id, name, way in found
        if not any(
            name in own.get(other, ()) and (other, name, way) not in found for other in needs[id]
        )
    )


def _observer(question: Question) -> str:
    return f"_observed_{identifier(question.id)}"


def _observing(homework: Homework) -> Homework:
    """Return a homework with adapters that report the inputs they give to answers."""
    texts = [
        f"\n\n\ndef {_observer(q)}(*objects, **case):\n"
        f"    import json\n"
        f"    {q.ask.adapter or '(lambda *them, **given: them[-1](*given.values()))'}(*objects, **case)\n"
        f"    return {{'seen': json.dumps(getattr(objects[-1], '_seen', {{}}))}}\n"
        for q in homework.questions
        if q.ask
    ]
    return replace(homework, adapters=homework.adapters + "".join(texts), limits=LIMITS)


def milder(visible: Given, hidden: Sequence[Given]) -> Iterator[tuple[str, str]]:
    """Yield each argument whose hidden inputs are less extreme than the visible ones, and how.

    They are compared draw by draw.
    """
    for name, places in visible.items():
        for place, likes in places.items():
            draws = [draw[name][place] for draw in hidden if place in draw.get(name, {})]
            if draws and (said := "; ".join([*_milder(likes, draws), *_sized(likes, draws)])):
                yield place, said


def _milder(visible: Sequence[Like], draws: Sequence[Sequence[Like]]) -> Iterator[str]:
    low, high = _range(visible)
    lows, highs = zip(*map(_range, draws), strict=True)
    if high > 0 and min(highs) < high / NEAR:
        yield f"numbers up to {high:.3g}, and hidden ones up to {min(highs):.3g}"
    if low < 0 and max(lows) > low / NEAR:
        yield f"numbers down to {low:.3g}, and hidden ones down to {max(lows):.3g}"
    for kind, word in (("zero", "zeros"), ("infinity", "infinity"), ("nan", "NaN")):
        there = [any(like.get(kind) for like in likes) for likes in (visible, *draws)]
        if there[0] and not all(there):
            yield NO_ZERO if kind == "zero" else f"{word}, and hidden ones none"


def _sized(visible: Sequence[Like], draws: Sequence[Sequence[Like]]) -> Iterator[str]:
    for axes in sorted({len(like["sizes"]) for like in visible}):
        mine, *theirs = (
            [like["sizes"] for like in likes if len(like["sizes"]) == axes]
            for likes in (visible, *draws)
        )
        if not all(theirs):
            yield f"{axes} axes, and hidden ones never"
            continue
        for axis, sizes in enumerate(zip(*mine, strict=True)):
            least = max(min(size[axis] for size in draw) for draw in theirs)
            most = min(max(size[axis] for size in draw) for draw in theirs)
            which = f"axis {axis}" if axes > 1 else "the length"
            if most < max(sizes) / NEAR:
                yield f"{max(sizes)} along {which}, and hidden ones {most} at most"
            if least > min(sizes) * (NEAR if min(sizes) > 1 else 1):  # a size of 1 has no half
                yield f"{min(sizes)} along {which}, and hidden ones {least} at least"


NO_ZERO = "zeros, and hidden ones none"
"""The message for zeros that only visible inputs have; on its own it is a note, not a failure."""


def _range(likes: Sequence[Like]) -> tuple[float, float]:
    numbers = [like for like in likes if "low" in like]
    return (
        min((like["low"] for like in numbers), default=0.0),
        max((like["high"] for like in numbers), default=0.0),
    )


def _is_class(cells: Sequence[Cell], name: str) -> bool:
    """Return whether an answer cell defines a class of this name."""
    return any(
        isinstance(node, ast.ClassDef) and node.name == name
        for cell in cells
        if cell.role == "answer"
        for node in (parsed(cell.source) or ast.Module([], [])).body
    )
