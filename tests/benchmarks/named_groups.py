"""How far one sentence goes: wrong answers of homeworks, grouped by what they give.

    python -m tests.benchmarks.named_groups hw2_transformer hw7_induction

Wrong answers are all small changes of the solutions and of right answers written in other ways, and
the mistakes in staff/tests. What fits a known mistake is left out. A group is pure where all its
answers give the same for other inputs as well, which no group was made by. Then a class is drawn:
one half is there when staff name the groups of at least two, the other half submits later.
"""

import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.authoring.contract import proof
from autograder.authoring.contract.mutation import Trial
from autograder.authoring.contract.sampling import draw
from autograder.course import homework, inputs, known_answers
from autograder.course.cells import defined_names
from autograder.program import mutants
from autograder.records import digests
from autograder.records.facts import Digest, Outcome
from autograder.records.homework import Homework
from autograder.records.questions import Question
from autograder.sandbox.mistake_bank import InstructorRun

ROOT = Path(__file__).parents[2]
OTHERS = 3
"""Draws of other inputs by which groups are tried."""
SECONDS = 2.0
"""The time limit, since a small change may loop forever."""
TOGETHER = 40
MOST = 120
"""Answers to one question, drawn from all small changes."""
CLASS = 500
SEEN = ("returned", "raised", "refused")


@dataclass(frozen=True)
class Wrong:
    """A wrong answer to one question: what it gives for the common inputs, and for others."""

    question: str
    common: tuple[Digest, ...]
    others: tuple[Digest, ...]


def sources(root: Path, chosen: Homework) -> Iterator[str]:
    """Yield answers that may be wrong: each is the code that replaces the solution's."""
    instructor = known_answers.instructor(root, chosen)
    given = {cell.id: cell.source for cell in instructor.cells}
    for cell in instructor.cells:
        if cell.role == "answer" and cell.type == "code":
            yield from (one.source for one in mutants.mutants(cell.source))
    for right in known_answers.right(root, chosen):
        for cell in right.submission.cells:
            if cell.role == "answer" and cell.type == "code" and cell.source != given[cell.id]:
                text = f"{mutants.BEGIN}\n{cell.source}\n{mutants.END}"
                yield from (one.source for one in mutants.mutants(text))
    for read in (known_answers.disguised, known_answers.unlisted):
        yield from (one.define for one in read(root, chosen))


def asked(
    runs: InstructorRun, question: Question, some: Sequence[str]
) -> Iterator[tuple[tuple[Outcome, ...], bool, tuple[Digest, ...]]]:
    """Yield what each answer gives for the common inputs, whether it is right, and what it gives for others."""
    common = inputs.common(question).cases
    drawn = [draw(question, number) for number in range(OTHERS)]
    cases = [*common, *(case for one in drawn for case in one)]
    many, first = len(common), len(drawn[0])
    for found in runs.outcomes(question, cases, some):
        if len(found) < len(cases):  # it ended its time
            continue
        mine = tuple(replace(o, number=n) for n, o in enumerate(found[many : many + first]))
        right = proof.earns(question, drawn[0], mine)
        yield found[:many], right, tuple(map(digests.digest, found[many:]))


def wrong(root: Path, chosen: Homework) -> tuple[list[Wrong], int]:
    """Return the wrong answers that fit no known mistake, and how many fit one."""
    found, fits = list[Wrong](), 0
    texts = list(dict.fromkeys(sources(root, chosen)))
    quick = replace(chosen, limits=replace(chosen.limits, question_seconds=SECONDS))
    with InstructorRun(quick, known_answers.instructor(root, chosen)) as runs:
        trial = Trial(chosen, runs)
        for question in chosen.questions:
            if question.trains or question.asserted or not question.ask:
                continue
            objects = {*question.ask.objects}
            known = [
                one.define
                for one in known_answers.wrong(root, chosen)
                if objects & defined_names(one.define)
            ]
            taken = (
                [
                    tuple(map(digests.digest, common))
                    for common, _, _ in asked(runs, question, known)
                ]
                if known
                else []
            )
            mine = [t for t in texts if question in trial.concerned(defined_names(t))]
            mine = random.Random(question.id).sample(mine, min(MOST, len(mine)))
            for start in range(0, len(mine), TOGETHER):
                some = mine[start : start + TOGETHER]
                print(chosen.name, question.id, start, len(mine), file=sys.stderr)
                for common, right, others in asked(runs, question, some):
                    if right or not all(one.status in SEEN for one in common):
                        continue
                    values = tuple(map(digests.digest, common))
                    if any(digests.alike(values, one) for one in taken):
                        fits += 1
                    else:
                        found.append(Wrong(question.id, values, others))
    return found, fits


def grouped(answers: Sequence[Wrong]) -> list[list[Wrong]]:
    """Return groups of answers to one question that gave the same, as the class page has them."""
    groups = list[list[Wrong]]()
    key = lambda one: one.question  # noqa: E731
    for _, some in itertools.groupby(sorted(answers, key=key), key=key):
        mine = list(some)
        for places in digests.groups([one.common for one in mine]):
            groups.append([mine[place] for place in places])
    return sorted(groups, key=len, reverse=True)


def kinds(group: Sequence[Wrong]) -> list[int]:
    """Return how many answers of a group give the same for other inputs, the most first."""
    return [len(places) for places in digests.groups([one.others for one in group])]


def figures(answers: Sequence[Wrong], fits: int) -> Mapping[str, object]:
    """Return how many students one sentence per group reaches."""
    groups = grouped(answers)
    several = [one for one in groups if len(one) > 1]
    pure = sum(len(kinds(one)) == 1 for one in several)
    most = sum(kinds(one)[0] for one in several)
    inside = sum(map(len, several))
    rng = random.Random(0)
    # A mistake is as frequent as the answers that make it, and a few are much more frequent.
    weights = [1 / (1 + place) for place in range(len(answers))]
    drawn = rng.choices(rng.sample(list(answers), len(answers)), weights, k=CLASS)
    early, late = drawn[: CLASS // 2], drawn[CLASS // 2 :]
    named = [one for one in grouped(early) if len(one) > 1]
    reached = Counter(
        next((n for n, group in enumerate(named) if is_of(group[0], one)), -1) for one in late
    )
    true = sum(
        digests.alike(named[n][0].others, one.others)
        for one in late
        for n in [next((n for n, group in enumerate(named) if is_of(group[0], one)), -1)]
        if n >= 0
    )
    return {
        "wrong answers": len(answers) + fits,
        "fit a known mistake": fits,
        "groups": len(groups),
        "of several": len(several),
        "answers in them": inside,
        "pure groups": f"{pure} of {len(several)}",
        "answers that agree with most of their group": f"{most} of {inside}",
        "ten sentences reach": f"{sum(map(len, groups[:10]))} of {len(answers)}",
        f"class of {CLASS}: sentences after the first half": len(named),
        "they reach of the first half": f"{sum(map(len, named))} of {len(early)}",
        "they reach of the second": f"{len(late) - reached[-1]} of {len(late)}",
        "of these, the same for other inputs": f"{true} of {len(late) - reached[-1]}",
    }


def is_of(one: Wrong, other: Wrong) -> bool:
    """Return whether a late answer belongs to a named group."""
    return one.question == other.question and digests.alike(one.common, other.common)


def main(names: Sequence[str]) -> None:
    """Print the figures of some homeworks, and of all of them."""
    everything, all_fits = list[Wrong](), 0
    for name in names:
        chosen = homework.load(ROOT, name)
        found, fits = wrong(ROOT, chosen)
        everything += [Wrong(f"{name} {one.question}", one.common, one.others) for one in found]
        all_fits += fits
        print(
            name,
            *(f"  {what}: {number}" for what, number in figures(found, fits).items()),
            sep="\n",
        )
    print(
        "all",
        *(f"  {what}: {number}" for what, number in figures(everything, all_fits).items()),
        sep="\n",
    )


if __name__ == "__main__":
    main(sys.argv[1:] or ["hw2_transformer", "hw7_induction"])
