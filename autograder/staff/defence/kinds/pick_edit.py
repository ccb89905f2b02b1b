"""The kind "which change matters": which of four edits differs in its effect?"""

from collections.abc import Callable

import numpy as np

from autograder.staff.defence.kinds.common import drawn, given, near, of_edits
from autograder.staff.defence.records import CHOICES, Call, Edit, Item, Study
from autograder.staff.defence.values import same_result

_ALWAYS = "for all inputs that the task allows"
_SPREAD_NEEDED = 3
"""The least number of inputs on which an edit must change nothing to count as never changing
anything."""


def which(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which of four edits behaves differently from the others.

    All four are described in similar words, so that only the code shows the difference.
    """
    # If nothing is returned, the answer's effect is elsewhere, and nothing here observes it.
    silent = all(one.call.returned is None for one in (*study.small, *study.spread))
    forms = (_raises,) if silent else _FORMS
    order = rng.permutation(len(forms)).tolist()
    return next((item for n in order if (item := forms[n](study, rng))), None)


def _never(study: Study, rng: np.random.Generator) -> Item | None:
    quiet, loud = _quiet(study), _loud(study)
    if not quiet or len(loud) < CHOICES - 1:
        return None
    one = drawn(quiet, 1, rng)
    text = f"One of these edits of box {{box}} changes no result, {_ALWAYS}. Which one?"
    return of_edits(study, text, one[0], near(one, loud, 3, rng), (), rng, never=one)


def _only(study: Study, rng: np.random.Generator) -> Item | None:
    quiet, loud = _quiet(study), _loud(study)
    if len(quiet) < CHOICES - 1 or not loud:
        return None
    three = drawn(quiet, 3, rng)
    text = f"Three of these edits of box {{box}} change no result, {_ALWAYS}. Which one does?"
    return of_edits(study, text, near(three, loud, 1, rng)[0], three, (), rng, never=three)


def _here(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that changes nothing in a call that the sheet shows."""
    if not study.small:
        return None
    place = int(rng.integers(len(study.small)))
    one = study.small[place]
    how = [(edit, same_result(edit.on_small[place], one.call)) for edit in study.edits]
    quiet = [edit for edit, alike in how if alike]
    loud = [edit for edit, alike in how if alike is False]
    if not quiet or len(loud) < CHOICES - 1:
        return None
    text = (
        "Box {box} is called with these values. Which edit does not change the result of this call?"
    )
    right = drawn(quiet, 1, rng)
    wrong = near(right, loud, 3, rng)
    return of_edits(study, text, right[0], wrong, given(one.call), rng, at=[place])


def _raises(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that ends in an error, whatever the numbers."""
    if not study.firm:
        return None
    loud = [edit for edit in study.edits if _all(edit, lambda call: bool(call.raised))]
    calm = [edit for edit in study.edits if _all(edit, lambda call: not call.raised)]
    if not loud or len(calm) < CHOICES - 1:
        return None
    text = "Box {box} is called{sizes}. Which of these edits makes it end with an error?"
    right = drawn(loud, 1, rng)
    return of_edits(study, text, right[0], near(right, calm, 3, rng), (), rng, pair=study.firm[0])


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
    if not others or len(kept) < CHOICES - 1:
        return None
    text = "Box {box} is called{sizes}. Which of these edits changes the shape of the result?"
    right = drawn(others, 1, rng)
    return of_edits(study, text, right[0], near(right, kept, 3, rng), (), rng, pair=study.firm[0])


def _short(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask for the edit that changes nothing for one position, but does for longer sequences."""
    if not study.short:
        return None
    quiet = [e for e in _loud(study) if not e.near_a_bound and _on_short(e, study, alike=True)]
    loud = [edit for edit in study.edits if _on_short(edit, study, alike=False)]
    if not quiet or len(loud) < CHOICES - 1:
        return None
    text = (
        "Box {box} is called{sizes}. Three of these edits change the result of such a call. "
        "One leaves it as it is, whatever the numbers are, and changes the results of other calls. "
        "Which one?"
    )
    right = drawn(quiet, 1, rng)
    return of_edits(study, text, right[0], near(right, loud, 3, rng), (), rng, pair=study.short)


def _on_short(edit: Edit, study: Study, *, alike: bool) -> bool:
    pairs = list(zip(edit.on_short, study.short, strict=True))
    return all(same_result(call, one.call) is alike for call, one in pairs)


def _all(edit: Edit, holds: Callable[[Call], bool]) -> bool:
    return bool(edit.on_firm) and all(call is not None and holds(call) for call in edit.on_firm)


def _quiet(study: Study) -> list[Edit]:
    """Return the edits that changed nothing on any input, among lines that run and set no bound."""
    ran = {line for one in study.spread for line, times in one.call.visits.items() if times}
    found = []
    for edit in study.edits:
        calls = [
            *zip(edit.on_small, study.small, strict=True),
            *zip(edit.on_spread, study.spread, strict=False),
        ]
        sure = edit.line in ran and not edit.near_a_bound
        if (
            sure
            and len(edit.on_spread) >= _SPREAD_NEEDED
            and all(same_result(call, one.call) for call, one in calls)
        ):
            found.append(edit)
    return found


def _loud(study: Study) -> list[Edit]:
    """Return the edits that clearly changed something."""
    return [
        edit
        for edit in study.edits
        if any(
            same_result(call, one.call) is False
            for call, one in zip(edit.on_spread, study.spread, strict=False)
        )
    ]


_FORMS: tuple[Callable[[Study, np.random.Generator], Item | None], ...] = (
    _short,
    _never,
    _here,
    _raises,
    _shape,
    _only,
)
