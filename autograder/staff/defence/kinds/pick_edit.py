"""The kinds "which change matters" and "where is the edit": all four choices are edits."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from autograder.staff.defence.kinds.common import (
    apart,
    effect,
    given,
    returned,
    shuffled,
    sizes_of,
)
from autograder.staff.defence.records import CHOICES, Call, Edit, Evidence, Item, Study
from autograder.staff.defence.running.edits import code
from autograder.staff.defence.running.study import trace
from autograder.staff.defence.values import MOST_TEXT, same_result, written

_ALWAYS = "for all inputs that the task allows"
_SPREAD_NEEDED = 3
"""The least number of inputs on which an edit must change nothing to count as never changing
anything."""


def where(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which of four edits explains a result."""
    if not study.small:
        return None
    place = len(study.small) - 1  # if possible, a different call from a prediction's
    order = _near(_drawn(study.edits, 1, rng), study.edits, len(study.edits), rng)
    values = [(edit, returned(edit.on_small[place])) for edit in order]
    shown = [(e, v) for e, v in values if v is not None and 0 < len(written(v)) <= MOST_TEXT]
    chosen = apart(shown, study.small[place].call.returned)[:CHOICES]
    if len(chosen) < CHOICES:
        return None
    right, value = chosen.pop(int(rng.integers(CHOICES)))
    text = (
        "After exactly one of these edits, box {box} is called with these values and returns "
        f"{code(written(value))}. Which edit was it?"
    )
    item = _of_edits(study, text, right, [edit for edit, _ in chosen], rng, at=place)
    return None if item is None else replace(item, kind="where")


def which(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which of four edits behaves differently from the others.

    All four are described in similar words, so that only the code shows the difference.
    """
    # If nothing is returned, the answer's effect is elsewhere, and nothing here observes it.
    silent = all(one.call.returned is None for one in (*study.small, *study.spread))
    forms = (_raises,) if silent else (_short, _never, _here, _raises, _shape, _only)
    order = rng.permutation(len(forms)).tolist()
    return next((item for n in order if (item := forms[n](study, rng))), None)


def _never(study: Study, rng: np.random.Generator) -> Item | None:
    text = f"One of these edits of box {{box}} changes no result, {_ALWAYS}. Which one?"
    return _odd_one(study, text, _quiet(study), _loud(study), rng, never=True)


def _only(study: Study, rng: np.random.Generator) -> Item | None:
    quiet, loud = _quiet(study), _loud(study)
    if len(quiet) < CHOICES - 1 or not loud:
        return None
    three = _drawn(quiet, 3, rng)
    text = f"Three of these edits of box {{box}} change no result, {_ALWAYS}. Which one does?"
    return _of_edits(study, text, _near(three, loud, 1, rng)[0], three, rng, never=three)


def _here(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that changes nothing in a call that the sheet shows."""
    if not study.small:
        return None
    place = int(rng.integers(len(study.small)))
    one = study.small[place]
    how = [(edit, same_result(edit.on_small[place], one.call)) for edit in study.edits]
    quiet = [edit for edit, alike in how if alike]
    loud = [edit for edit, alike in how if alike is False]
    text = (
        "Box {box} is called with these values. Which edit does not change the result of this call?"
    )
    return _odd_one(study, text, quiet, loud, rng, at=place)


def _raises(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that ends in an error, whatever the numbers."""
    if not study.firm:
        return None
    loud = [edit for edit in study.edits if _all(edit, lambda call: bool(call.raised))]
    calm = [edit for edit in study.edits if _all(edit, lambda call: not call.raised)]
    text = "Box {box} is called{sizes}. Which of these edits makes it end with an error?"
    return _odd_one(study, text, loud, calm, rng, pair=study.firm[0])


def _shape(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that changes the result's shape, whatever the numbers."""
    if not study.firm:
        return None
    one, twin = (evidence.call.returned for evidence in study.firm[0])
    if not isinstance(one, np.ndarray) or np.shape(twin) != one.shape:
        return None

    def other(call: Call) -> bool:
        return isinstance(call.returned, np.ndarray) and call.returned.shape != one.shape

    def alike(call: Call) -> bool:
        return isinstance(call.returned, np.ndarray) and call.returned.shape == one.shape

    others = [edit for edit in study.edits if _all(edit, other)]
    kept = [edit for edit in study.edits if _all(edit, alike)]
    text = "Box {box} is called{sizes}. Which of these edits changes the shape of the result?"
    return _odd_one(study, text, others, kept, rng, pair=study.firm[0])


def _short(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that changes nothing for one position, but does for longer sequences."""
    if not study.short:
        return None
    how = {edit: _alike(edit.on_short, study.short) for edit in study.edits}
    quiet = [edit for edit in _loud(study) if not edit.near_a_bound and all(how[edit])]
    loud = [edit for edit in study.edits if all(alike is False for alike in how[edit])]
    text = (
        "Box {box} is called{sizes}. Three of these edits change the result of such a call. "
        "One leaves it as it is, whatever the numbers are, and changes the results of other calls. "
        "Which one?"
    )
    return _odd_one(study, text, quiet, loud, rng, pair=study.short)


def _all(edit: Edit, holds: Callable[[Call], bool]) -> bool:
    return bool(edit.on_firm) and all(call is not None and holds(call) for call in edit.on_firm)


def _quiet(study: Study) -> list[Edit]:
    """Return the edits that changed nothing on any input, among lines that run and set no bound."""
    ran = {line for one in study.spread for line, times in one.call.visits.items() if times}
    return [
        edit
        for edit in study.edits
        if edit.line in ran
        and not edit.near_a_bound
        and len(edit.on_spread) >= _SPREAD_NEEDED
        and all(_alike(edit.on_small, study.small))
        and all(_alike(edit.on_spread, study.spread))
    ]


def _loud(study: Study) -> list[Edit]:
    """Return the edits that clearly changed something."""
    return [edit for edit in study.edits if False in _alike(edit.on_spread, study.spread)]


def _alike(after: Sequence[Call | None], before: Sequence[Evidence]) -> list[bool | None]:
    """Return whether each call that was run again ends as before; None if that is unclear."""
    return [same_result(call, one.call) for call, one in zip(after, before, strict=False)]


def _odd_one(
    study: Study,
    text: str,
    odd: Sequence[Edit],
    rest: Sequence[Edit],
    rng: np.random.Generator,
    *,
    at: int | None = None,
    pair: Sequence[Evidence] = (),
    never: bool = False,
) -> Item | None:
    """Return a question whose right choice is an edit of `odd`, and the others are of `rest`."""
    if not odd or len(rest) < CHOICES - 1:
        return None
    one = _drawn(odd, 1, rng)
    wrong = _near(one, rest, CHOICES - 1, rng)
    claimed = one if never else ()
    return _of_edits(study, text, one[0], wrong, rng, at=at, pair=pair, never=claimed)


def _of_edits(
    study: Study,
    text: str,
    right: Edit,
    wrong: Sequence[Edit],
    rng: np.random.Generator,
    *,
    at: int | None = None,
    pair: Sequence[Evidence] = (),
    never: Sequence[Edit] = (),
) -> Item | None:
    """Return a question whose choices are edits; its evidence is the effect of each edit.

    It is about the small call `at`, which the sheet shows; about any call with the shapes of
    `pair`, which is `Study.short` or one of `Study.firm`; or about all calls. `never` has the edits
    that are claimed to change nothing.
    """
    used = list(pair or study.spread[:1]) if at is None else [study.small[at]]
    evidence: list[Evidence] = []
    because: dict[str, str] = {}
    for edit in (right, *wrong):
        pairs = list(zip(study.spread, edit.on_spread, strict=False))
        if at is not None:
            pairs = [(study.small[at], edit.on_small[at])]
        elif pair:
            found = edit.on_short if pair is study.short else edit.on_firm
            pairs = list(zip(pair, found, strict=True))
        if any(call is None for _, call in pairs):
            return None
        evidence += (Evidence(one.posed, edit.source, call) for one, call in pairs if call)
        because[edit.says] = effect([(one.call, call) for one, call in pairs if call])
    options, key = shuffled(because, rng)
    return Item(
        "which",
        study.answer,
        text.replace("{sizes}", sizes_of(used[0].call)) if pair else text,
        () if at is None else given(study.small[at].call),
        options,
        key,
        (*used, *evidence),
        tuple(edit.source for edit in never),
        difficulty=trace(used[0].call) + 2 if used else 2.0,
        edits=options,
        because=because,
    )


def _drawn(edits: Sequence[Edit], number: int, rng: np.random.Generator) -> list[Edit]:
    """Return some random edits, on as many different lines as possible."""
    order = [edits[n] for n in rng.permutation(len(edits))]
    first = {edit.line: edit for edit in reversed(order)}
    return sorted(order, key=lambda edit: edit is not first[edit.line])[:number]


def _near(
    edits: Sequence[Edit], others: Sequence[Edit], number: int, rng: np.random.Generator
) -> list[Edit]:
    """Return edits as similar as possible to given ones, so that mainly their places differ."""
    changes = {part for edit in edits for part in edit.change}
    order = [others[n] for n in rng.permutation(len(others))]
    return sorted(order, key=lambda edit: -len(changes & edit.change))[:number]
