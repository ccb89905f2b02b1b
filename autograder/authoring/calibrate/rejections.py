"""Try right answers in other forms, which must pass, and measure the effect of rounding."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.calibrate.table import Table
from autograder.authoring.contract.proof import earns
from autograder.authoring.contract.sampling import draw
from autograder.course import course as courses
from autograder.course import homework as homeworks
from autograder.course import inputs, known_answers
from autograder.course.cells import defined_names
from autograder.kit.checks import Close
from autograder.records.facts import Outcome
from autograder.records.homework import Homework
from autograder.records.questions import Array, Inputs, Question
from autograder.sandbox.mistake_bank import InstructorRun

SECRET = "truth"
DRAWS_AT_ONCE = 10
LARGE = 5_000
"""The number of input numbers above which one draw tries as much as ten draws of other questions."""
REMEMBERED = 100
"""The most cases whose references are kept."""
OUT_OF_TIME = ("timed_out", "killed", "not_run")
_Draws = Sequence[Sequence[Inputs]]


def styles(course: Path, homework: Homework, *, draws: int) -> Table:
    """Evaluate right answers of every style and the instructor's own on many draws."""
    enough = courses.read(course).rules.forms_at_least or 1
    table = Table(
        f"{homework.name}: right answers in other styles, {draws:,} draws each unless "
        "stated otherwise"
    )
    table.lines.append(
        f"{'question':<18} styles   cases  rejected  of the tolerance, rounding uses"
    )
    answers = known_answers.right(course, homework)
    with InstructorRun(homework, known_answers.instructor(course, homework)) as variants:
        for question in homework.questions:
            # If training is judged, the contract has already tried every style.
            if question.ask is None or question.check is None or question.check.trains:
                continue
            slow = question.check.heavy or _numbers(question) > LARGE
            own = tenth(draws) if slow and _is_drawn(question) else draws
            objects = set(question.ask.objects)
            if isinstance(question.check, Close):
                question = replace(question, check=remembering(question.check))
            defines = [a.define for a in answers if defined_names(a.define) & objects]
            used, cases, rejected = 0.0, 0, 0
            for some in _draws(question, own):
                found = _evaluated(variants, question, some, defines)
                tried = itertools.chain.from_iterable(some)
                # One case at a time, because a check that caches its reference keeps only the last
                # few.
                for case, *outcomes in zip(tried, *found, strict=True):
                    for outcome in outcomes:
                        cases += 1
                        rejected += not earns(question, [case], [outcome])
                        if isinstance(question.check, Close) and outcome.value is not None:
                            used = max(used, excess(question.check, case, outcome))
            table.tried += cases
            rounding = f"{used:.2g}" if isinstance(question.check, Close) else "exact"
            fewer = f"  ({own:,} draws)" if own < draws else ""
            table.lines.append(
                f"{question.id:<18} {len(defines) + 1:>6} {cases:>7,}  {rejected:>8}  {rounding}{fewer}"
            )
            if rejected:
                table.short.append(f"{question.id}: {rejected} right answers were rejected")
            # If nothing is drawn, there is only one right value, however it is computed.
            several = isinstance(question.check, Close) and _is_drawn(question)
            if several and len(defines) + 1 < enough:
                table.short.append(f"{question.id}: fewer than {enough} styles")
            if used > 0.5:
                table.short.append(f"{question.id}: rounding uses {used:.2g} of the tolerance")
    return table


def tenth(draws: int) -> int:
    """Return the number of draws for heavy questions and those with large inputs."""
    return max(1, draws // 10)


def _evaluated(
    variants: InstructorRun, question: Question, some: _Draws, defines: Sequence[str]
) -> list[Sequence[Outcome]]:
    """Return the outcomes of the instructor's answer and of all others on the cases of some draws.

    All share the time of one question; if it runs out, each variant has that time for each draw, as
    a submission has.
    """
    cases = [case for one in some for case in one]
    together = [*variants.outcomes(question, cases)]
    together += variants.outcomes(question, cases, defines) if defines else ()
    alone = [[], *([define] for define in defines)]
    return [
        [outcome for one in some for outcome in variants.outcomes(question, one, own)[0]]
        if any(outcome.status in OUT_OF_TIME for outcome in outcomes)
        else outcomes
        for outcomes, own in zip(together, alone, strict=True)
    ]


def remembering(check: Close) -> Close:
    """Return a check whose reference is computed once per case, not once per answer."""
    found: dict[tuple[int, ...], tuple[Inputs, Mapping[str, Array]]] = {}

    def reference(**case: Any) -> Mapping[str, Array]:
        key = tuple(map(id, case.values()))
        if key not in found:
            if len(found) == REMEMBERED:
                del found[next(iter(found))]
            found[key] = case, check.expected(case)  # while a case is here, its ids are not reused
        return found[key][1]

    return replace(check, reference=reference)


def _draws(question: Question, draws: int) -> Iterator[_Draws]:
    """Yield the cases of some draws at a time, by draw."""
    if not _is_drawn(question):
        yield [draw(question, 0, secret=SECRET)]
        return
    for start in range(0, draws, DRAWS_AT_ONCE):
        numbers = range(start, min(start + DRAWS_AT_ONCE, draws))
        yield [draw(question, n, secret=SECRET) for n in numbers]


def _numbers(question: Question) -> int:
    """Return how many numbers are in the arrays of one draw."""
    cases = draw(question, 0, secret=SECRET)
    return sum(item.size for c in cases for item in c.values() if isinstance(item, np.ndarray))


def _is_drawn(question: Question) -> bool:
    first, second = (inputs.digest(draw(question, number, secret=SECRET)) for number in (0, 1))
    return first != second


def excess(check: Close, case: Inputs, outcome: Outcome) -> float:
    """Return a value's error in units of the check's tolerance.

    It is infinite if there is no value, or if the check refuses right numbers for a different
    reason.
    """
    if outcome.value is None:
        return float("inf")
    worst = 0.0
    for name, right in check.expected(case).items():
        got = np.asarray(outcome.value.get(name))
        if got.shape != right.shape:
            return float("inf")
        allowed, off = check.tolerance * (1 + np.abs(right)), np.abs(got - right)
        # With zero tolerance, any error is infinite.
        with np.errstate(divide="ignore"):
            used = np.divide(off, allowed, out=np.zeros(right.shape), where=off != 0)
        worst = max(worst, float(used.max(initial=0.0)))
    return float("inf") if worst <= 1 and check(case, outcome.value).fraction < 1 else worst


def drawn(course: Path, homework: Homework, *, number: int) -> Table:
    """Judge random right values, if staff/drawn.py draws some."""
    table = Table(f"{homework.name}: random right values")
    if not (course / "source" / homework.name / "staff" / "drawn.py").is_file():
        return table
    for question, right in homeworks.staff_module(course, homework.name, "drawn").DRAWN.items():
        check = homework.question(question).check
        assert check is not None
        rng = np.random.default_rng(0)
        rejected = [n for n in range(number) if check({}, right(rng)).fraction < 1]
        table.tried += number
        table.lines.append(f"{question:<18} {number:>7,} drawn, {len(rejected)} rejected")
        if rejected:
            table.short.append(f"{question}: {len(rejected)} rejected, first number {rejected[0]}")
    return table


def smallest_mistakes(course: Path, homework: Homework, *, draws: int) -> Table:
    """Measure how far each known mistake misses the tolerance in its closest draw."""
    table = Table(
        f"{homework.name}: known mistakes compared with the tolerance, {draws:,} draws each"
    )
    table.lines.append("question, mistake: multiples of the tolerance, in the closest draw")
    answers = known_answers.wrong(course, homework)
    with InstructorRun(homework, known_answers.instructor(course, homework)) as variants:
        for question in homework.questions:
            check = question.check
            if question.ask is None or not isinstance(check, Close):
                continue
            objects = set(question.ask.objects)
            check = remembering(check)
            mistakes = [
                a for a in answers if question.id in a.fails and defined_names(a.define) & objects
            ]
            smallest = dict.fromkeys((a.name for a in mistakes), float("inf"))
            for number in range(draws):
                cases = draw(question, number, secret=SECRET)
                given = variants.outcomes(question, cases, [a.define for a in mistakes])
                for answer, outcomes in zip(mistakes, given, strict=True):
                    pairs = zip(cases, outcomes, strict=True)
                    worst = max(excess(check, c, o) for c, o in pairs)
                    table.tried += 1
                    smallest[answer.name] = min(smallest[answer.name], worst)
            for name, times in smallest.items():
                said = "no value" if times == float("inf") else f"{times:,.0f}"
                table.lines.append(f"{question.id}, {name}: {said}")
                if times < 10:
                    table.short.append(f"{question.id}: {name} misses by {times:.2g} tolerances")
    return table
