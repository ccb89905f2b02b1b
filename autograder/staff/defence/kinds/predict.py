"""The kind "predict": which of four values does a call return after one edit of the code?"""

import numpy as np

from autograder.staff.defence.kinds.common import apart, given, returned, shuffled
from autograder.staff.defence.records import CHOICES, Evidence, Item, Study
from autograder.staff.defence.running.study import is_constant, trace
from autograder.staff.defence.values import form, same_result, written


def predict(study: Study, rng: np.random.Generator) -> Item | None:
    """Ask which of four values a call returns after one edit of the code.

    Everybody who knows the task knows the result of right code, so asking for that would show
    nothing. One choice is the result without the edit; if some edit changes nothing, it is the
    right choice as often as any other. The remaining choices are the results of other edits.
    """
    if not study.small or is_constant(study):
        return None
    one = study.small[0]
    own = one.call.returned
    order = [study.edits[n] for n in rng.permutation(len(study.edits))]
    quiet = [edit for edit in order if same_result(edit.on_small[0], one.call)]
    values = [(edit, returned(edit.on_small[0])) for edit in order]
    loud = apart([(e, v) for e, v in values if v is not None and form(v) == form(own)], own)
    as_before = bool(quiet) and rng.integers(CHOICES) == 0
    possible = [(edit, own) for edit in quiet] if as_before else loud
    for edit, right in possible:
        call = edit.on_small[0]
        if call is None:
            continue
        # Edits of the same line come first: similar results are harder to tell apart.
        rest = sorted(loud, key=lambda pair: pair[0].line != edit.line)
        others = [
            (value, f"a different edit gives it ({e.says})") for e, value in rest if e is not edit
        ]
        if as_before:
            choices = [(own, "this edit changes nothing here"), *others]
        else:
            before = (own, "it is the result without the edit")
            choices = [(right, "this edit gives it"), before, *others]
        if len(choices) < CHOICES:
            continue
        because = {written(value): words for value, words in choices[:CHOICES]}
        options, key = shuffled(because, rng)
        return Item(
            "predict",
            study.answer,
            "Box {box} is called with these values after {edit}. What does it return?",
            given(one.call),
            options,
            key,
            (Evidence(one.posed, edit.source, call), one),
            difficulty=trace(call) + 1,
            edits=(edit.says,),
            because=because,
        )
    return None
