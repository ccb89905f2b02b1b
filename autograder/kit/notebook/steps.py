"""Call the methods of an object one by one, and compare the results with a reference's.

Hidden checks use this text, and so do visible checks made from `shown`: `autograder release`
copies it into the cell `steps_tool` of notebooks that need it.
"""

import copy
import itertools
from typing import Any

from autograder.kit.notebook.plain_data import as_plain, classes_of, unlike
from autograder.records.values import Refused


def run_steps(made: Any, new: Any, calls: Any, beside: Any = None) -> dict[str, Any]:
    """Call methods on one object alone, and alternately on two objects; return all results.

    Args:
        made: The class.
        new: Arguments for a new object.
        calls: For each call, a name, or a name with arguments; attributes are read.
        beside: `new` and `calls` for the second object; by default, the same.
    """
    other = beside or {"new": new, "calls": calls}
    alone = [one for one, _ in _in_turn([(made, new, calls)])]
    both = list(_in_turn([(made, new, calls), (made, other["new"], other["calls"])]))
    first, second = ([one for one, number in both if number == n] for n in (0, 1))
    return {"the result": [alone, first, second]}


def _in_turn(scripts: Any) -> Any:
    """Yield each call's result and its object's number, alternating between the objects."""
    objects = [made(*copy.deepcopy(list(new))) for made, new, _ in scripts]
    for row in itertools.zip_longest(*(calls for _, _, calls in scripts)):
        for number, call in enumerate(row):
            if call is not None:
                yield _given(objects[number], call), number


def _given(item: Any, call: Any) -> dict[str, Any]:
    name, *arguments = [call] if isinstance(call, str) else call
    label = name
    try:
        found = getattr(item, name)
        if callable(found):
            label = f"{name}({', '.join(map(repr, arguments))})"
            found = found(*copy.deepcopy(arguments))
    except Refused:
        raise
    except Exception as error:
        if type(error) is NotImplementedError and not str(error):
            raise
        return {"of": label, "raised": classes_of(error), "said": str(error)[:200]}
    try:
        return {"of": label, "gave": copy.deepcopy(as_plain(found))}
    except Refused as problem:
        return {"of": label, "odd": str(problem)}


def unlike_steps(got: Any, right: Any, tolerance: float, *, bare: bool = False) -> str:
    """Describe the first wrong call and the calls before it; "" if all are right.

    A result does not count if the reference returns None there.

    Args:
        got: The result of `run_steps`, for one object and for two used alternately.
        right: The reference's result, or the right one for each object.
        tolerance: For numbers, absolute plus relative.
        bare: Whether to leave out the arguments of calls and the right results.
    """
    wanted = right if len(right) == 3 else [right[0], right[0], right[-1]]
    for number, (mine, theirs) in enumerate(zip(got, wanted)):  # noqa: B905
        for place, due in enumerate(theirs):
            one = mine[place] if place < len(mine) else {}
            if said := _unlike_call(one, due, tolerance, bare):
                before = [step["of"] for step in theirs[:place] if step.get("gave") is None]
                names = [f"`{_bare(name) if bare else name}`" for name in (*before[-3:], due["of"])]
                after = f"after {'..., ' * (len(before) > 3)}{', '.join(names[:-1])}, " * bool(
                    before
                )
                shared = (
                    "right for one object alone, and not for two that are used in turn: keep in `self` "
                    "what each of them keeps, and make it in `__init__`; "
                ) * bool(number)
                return f"{shared}{after}{names[-1]} {said}"
    return ""


def _bare(label: str) -> str:
    name, called, _ = label.partition("(")
    return f"{name}{'()' * bool(called)}"


def _unlike_call(got: Any, due: Any, tolerance: float, bare: bool) -> str:
    if kinds := due.get("raised"):
        mine = got.get("raised")
        if not mine:
            return "should raise an error, and does not."
        return (
            "" if kinds[0] in mine else f"raises {mine[0]}, and an error of another class is due."
        )
    if kinds := got.get("raised"):
        return f"raises {kinds[0]}: {got.get('said')}".removesuffix(": ") + "."
    if due.get("gave") is None:
        return ""
    if "odd" in got:
        return f"gives nothing that can be compared: {got['odd']}"
    said = unlike(got.get("gave"), due["gave"], place="it", tolerance=tolerance)
    if said and not bare:
        return f"should be {due['gave']!r}, and is {got.get('gave')!r}."
    return said.removeprefix("it ")
