"""One graded submission -> the possible questions about it, each with a twice-computed key."""

import contextlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework
from autograder.sandbox.execution import SEED
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.defence.kinds.assumption import assumption
from autograder.staff.defence.kinds.design import design, row
from autograder.staff.defence.kinds.pick_edit import where, which
from autograder.staff.defence.kinds.predict import predict
from autograder.staff.defence.kinds.raises import ends
from autograder.staff.defence.kinds.shapes import inside
from autograder.staff.defence.records import Answer, Call, Evidence, Item, Study
from autograder.staff.defence.running import answers
from autograder.staff.defence.running.calls import Caller, calls, graded, of_submission
from autograder.staff.defence.running.study import Given, posed, study
from autograder.staff.defence.values import same_result

MOST_ANSWERS, ENOUGH, KINDS_ENOUGH = 8, 10, 3
MANY_ROUNDS = 6
MAX_TEXT, MAX_CHOICE = 420, 130
"""The most characters of a question, and of a choice."""
_KINDS = (predict, which, where, inside, design, row, assumption)
_AGAIN = 3
"""The least number of new inputs on which the fresh process tries an edit that never changes
anything."""


@dataclass(frozen=True)
class Made:
    """The possible questions about one submission.

    Args:
        without: Answer -> why there is no question about it, for staff.
        dropped: The number of questions that a fresh process did not confirm.
        why_none: Why there are no questions at all, for staff.
    """

    items: tuple[Item, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    dropped: int = 0
    why_none: str = ""


@dataclass(frozen=True)
class Maker:
    """A maker of questions, for one submission after another.

    Args:
        homework: With an adapter that watches calls, as `observing` returns it.
    """

    homework: Homework
    secret: str
    given: Given
    sandbox: Sandbox

    def made(self, submission: SubmissionId, cells: Sequence[str]) -> Made:
        """Return the questions about a submission whose keys a second process confirms."""
        whose = replace(submission, sha256=f"{submission.sha256} {submission.student}")
        found = answers.read(cells, self.homework)
        without = dict(found.without)
        if not found.answers:
            return Made(without=without, why_none="no answer in it can be asked about")
        try:
            with self.running(cells) as caller:
                items = self._items(found.answers, caller, whose, without)
            if not items:
                return Made(without=without, why_none="nothing in it could be decided")
            # With a different seed, since no reader can know random draws.
            with self.running(cells, seed=SEED + 1) as caller:
                kept = self._confirmed(items, caller, whose)
        except RunEnded as error:
            return Made(without=without, why_none=f"its cells ended the run ({error})")
        why = "" if kept else "a second run gave other results"
        return Made(tuple(kept), without, len(items) - len(kept), why)

    def running(
        self, cells: Sequence[str], *, seed: int = SEED
    ) -> contextlib.AbstractContextManager[Caller]:
        """Run a submission's cells in a fresh process; yield an evaluator of answers there."""
        return of_submission(self.homework, cells, self.sandbox, seed=seed)

    def _items(
        self,
        found: Sequence[Answer],
        caller: Caller,
        whose: SubmissionId,
        without: dict[str, str],
    ) -> list[Item]:
        rng = _generator(whose.sha256, self.secret)
        items: list[Item] = []
        order = [found[n] for n in rng.permutation(len(found))]
        for answer in order[:MOST_ANSWERS]:
            studied = study(
                answer, caller, submission=whose, secret=self.secret, given=self.given, rng=rng
            )
            if isinstance(studied, str):
                without[answer.name] = studied
                continue
            # If there are few usable answers, each has to give more questions.
            items += _about(studied, rng, rounds=2 if len(order) > 2 else MANY_ROUNDS)
            kinds, answers = {item.kind for item in items}, {item.answer.name for item in items}
            if len(items) >= ENOUGH and len(kinds) >= KINDS_ENOUGH and len(answers) > 1:
                break
        return items

    def _confirmed(self, items: Sequence[Item], caller: Caller, whose: SubmissionId) -> list[Item]:
        rng = _generator(f"{whose.sha256} again", self.secret)
        kept: list[Item] = []
        for answer, group in groupby(items, key=lambda item: item.answer):
            own = list(group)
            bad = {id(e) for e in _changed(answer, [e for i in own for e in i.evidence], caller)}
            loud = self._loud(answer, {s for item in own for s in item.never}, caller, whose, rng)
            kept += (
                item
                for item in own
                if not any(id(e) in bad for e in item.evidence) and not loud & set(item.never)
            )
        return kept

    def _loud(
        self,
        answer: Answer,
        quiet: Iterable[str],
        caller: Caller,
        whose: SubmissionId,
        rng: np.random.Generator,
    ) -> set[str]:
        """Return the edits that change something on new inputs, or cannot be tried on them."""
        sources = sorted(quiet)
        if not sources:
            return set()
        new = posed(answer, whose, self.secret, "another defence", rng)
        own, *rows = calls(caller, answer, new, [answer.source, *sources])
        used = [n for n, call in enumerate(own) if call and not call.raised]
        return {
            source
            for source, row in zip(sources, rows, strict=True)
            if len(used) < min(_AGAIN, len(new))
            or not all(same_result(row[n], own[n]) for n in used)
        }


def _about(studied: Study, rng: np.random.Generator, *, rounds: int) -> list[Item]:
    """Return the questions that several rounds draw about one answer, without repetitions."""
    made = [item for _ in range(rounds) for kind in _KINDS if (item := kind(studied, rng))]
    if end := ends(studied, rng):  # a second such question would give the first away
        made.append(end)
    unique: dict[tuple[str, tuple[str, ...]], Item] = {}
    for item in made:
        words = (*sorted(item.options), *sorted(item.edits))
        unique.setdefault((item.text, words), item)
    return [item for item in unique.values() if _fits(item)]


def _fits(item: Item) -> bool:
    longest = max(map(len, item.options))
    return (
        len(set(item.options)) == len(item.options)
        and len(item.text) <= MAX_TEXT
        and longest <= MAX_CHOICE
    )


def _changed(answer: Answer, evidence: Sequence[Evidence], caller: Caller) -> list[Evidence]:
    """Return the parts of the evidence that have changed."""
    bad = []
    by_source: dict[str, list[Evidence]] = {}
    for one in evidence:
        if not one.graded:
            by_source.setdefault(one.source, []).append(one)
        elif not same_result(one.call, graded(caller, answer, one.posed)):
            bad.append(one)
    for source, group in by_source.items():
        (row,) = calls(caller, answer, [one.posed for one in group], [source])
        bad += (one for one, call in zip(group, row, strict=True) if not _is_alike(one.call, call))
    return bad


def _is_alike(one: Call, again: Call | None) -> bool:
    return (
        again is not None
        and bool(same_result(one, again))
        and _shapes(again) == _shapes(one)
        and again.line == one.line
    )


def _shapes(call: Call) -> list[tuple[int, str, tuple[int, ...] | None]]:
    return [(note.line, note.name, note.shape) for note in call.noted]


def _generator(whose: str, secret: str) -> np.random.Generator:
    key = hmac.digest(secret.encode(), f"{whose} defence".encode(), "sha256")
    return np.random.default_rng(int.from_bytes(key))
