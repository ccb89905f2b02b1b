"""How a notebook checks an answer before students' eyes.

Every notebook has this text in its cell `check_tool`, below `value_tool`, where `autograder release`
puts it.
"""

import builtins
import inspect
import os
import re
import sys
import traceback
import unicodedata
from types import FunctionType
from typing import Any

import numpy as np

from autograder.records.values import KIT, Refused, agree, is_function, plain, watched

NOTEBOOK = globals()
FIRST_RUN = "CHECK_STATES" not in NOTEBOOK
CHECK_STATES: dict[str, tuple[int, str]] = {}
"""When each question's check ran last, as the number of its cell, and what it said."""


IN_PLACE = "modified by an inplace operation"
"""In torch's message where something changed what a gradient is computed from."""
CHANGED_IN_PLACE = (
    "it changes in place a tensor that its gradient needs, as `x += 1`, `x[0] = 1` or `x.relu_()` "
    "do: make a new one"
)


class Complaint(Refused):
    """One sentence about an answer that is not right yet."""


def check(question: str, complaint: Any, *functions: str, again: bool = True) -> None:
    """Print what a check has to say about an answer.

    Args:
        question: Its name.
        complaint: A function that returns None for a right answer, and returns or raises one
            sentence for a wrong one. It is called twice, as hidden inputs are evaluated twice.
        functions: Names of the answers that it calls, the question's own where none is given: they
            have to leave alone what they are given.
        again: Whether it is called twice; what trains takes too long for that.
    """
    mine = NOTEBOOK
    called = {name: mine[name] for name in functions or (question,) if is_function(mine.get(name))}
    answers = [mine[name] for name in functions or (question,) if callable(mine.get(name))]
    mine.update({name: watched(function, name) for name, function in called.items()})
    asked = with_tools(complaint)
    try:
        message = said(asked, *answers)
        if again and not message and (more := said(asked, *answers)):
            message = f"right the first time, but called again: {more}"
    finally:
        mine.update(called)
    message = message and one_line(hidden_tool(complaint, answers) or message)
    typed = mine.get("In")  # of the kernel: every cell that ran
    CHECK_STATES[question] = (
        len(typed) - 1 if isinstance(typed, list) else 0,
        message or "passed",
    )
    print(f"[{question}] {message or 'passed'}")
    if message and os.environ.get("NBGRADER_EXECUTION"):
        raise AssertionError(message)


def one_line(message: str) -> str:
    """Return a sentence with each array that it quotes in one line, since reports quote a line."""
    return re.sub(r"(?<=,)\s*\n\s*|\s*\n\s*(?=\[)", " ", message)


def with_tools(complaint: Any) -> Any:
    """Return a check's function with the kit's names and Python's, whatever an answer calls so."""
    if not isinstance(complaint, FunctionType) or complaint.__globals__ is not NOTEBOOK:
        return complaint
    theirs = {
        n: item for n, item in NOTEBOOK.items() if is_function(item) or not hasattr(builtins, n)
    }
    names = {**theirs, **KIT, "np": np}
    parts = complaint.__name__, complaint.__defaults__, complaint.__closure__
    copy = FunctionType(complaint.__code__, names, *parts)
    copy.__kwdefaults__ = complaint.__kwdefaults__
    return copy


def hidden_tool(complaint: Any, answers: Any) -> str | None:
    """Return what to do where a notebook's name hides a part of the kit that a check's helpers use.

    What the answers themselves call may well have such a name.
    """
    used: set[str] = set()
    waiting = [complaint]
    while waiting:
        helper = waiting.pop()
        for code in codes_of(helper):
            new = set(code.co_names) - used
            if helper is not complaint:  # which has the kit's own
                used |= new
            called = [NOTEBOOK.get(name) for name in new if name not in KIT]
            waiting += [one for one in called if is_function(one) and one not in answers]
    hidden = (name for name in sorted(used & KIT.keys()) if NOTEBOOK.get(name) is not KIT[name])
    return next((HIDDEN.format(name) for name in hidden), None)


HIDDEN = (
    "`{}` belongs to the check tool, and yours hides it: give yours a different name, and restart "
    "the kernel"
)


def watch_names() -> None:
    """Say so where a cell took the name `check`, which the cells of the checks call."""
    if getattr(NOTEBOOK.get("check"), "__code__", None) != check.__code__:
        print(HIDDEN.format("check"))


if FIRST_RUN and "get_ipython" in NOTEBOOK:
    NOTEBOOK["get_ipython"]().events.register(
        "post_run_cell", lambda *_, kit=KIT: kit["watch_names"]()
    )


def said(complaint: Any, *answers: Any) -> str | None:
    """Return None, or what a check says, whatever the answers do that it calls."""
    try:
        sentence: str | None = complaint()
        return sentence
    except Refused as problem:
        return str(problem)
    except (Exception, SystemExit) as error:
        if isinstance(error, NotImplementedError) and not str(error):
            return "not written yet"
        if IN_PLACE in str(error):
            return CHANGED_IN_PLACE
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        yours, line = failing_line(error, answers)
        where = f" (at `{line}`)" if line else ""
        if yours:
            return f"your code raised {what}{where}"
        return f"this check raised {what}{where} when it called your answer, or used what that returned"


def failing_line(error: BaseException, answers: Any) -> tuple[bool, str]:
    """Return whether an error came from inside an answer, and the last line outside of libraries."""
    codes = {code for answer in answers for code in codes_of(answer)}
    yours, line = not codes, ""
    walked = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    for code, frame in zip(walked, traceback.extract_tb(error.__traceback__)):  # noqa: B905
        yours = yours or code in codes
        library = frame.filename.startswith((sys.prefix, sys.base_prefix))
        if frame.line and not library and "-packages" not in frame.filename:
            line = frame.line
    return yours, line


def codes_of(answer: Any) -> list[Any]:
    """Return what Python runs of a function or of a class's methods."""
    parts = vars(answer).values() if isinstance(answer, type) else [inspect.unwrap(answer)]
    parts = [getattr(part, "fget", None) or getattr(part, "__func__", part) for part in parts]
    return [part.__code__ for part in parts if hasattr(part, "__code__")]


def passes(complaint: Any) -> bool:
    """Say whether a check has nothing to complain about."""
    return said(complaint) is None


def text_difference(got: Any, right: str) -> str | None:
    """Return None where a text is right, else the first word or space of it that is not."""
    if not isinstance(got, str):
        what = "None" if got is None else f"a {type(got).__name__}"
        return f"it is {what}, and should be text{': is there a `return`?' * (got is None)}"
    if got == right:
        return None
    mine, theirs = got.split(), right.split()
    pairs = enumerate(zip(mine, theirs), 1)  # noqa: B905
    for place, (one, other) in pairs:
        if one != other:
            forms = (unicodedata.normalize("NFC", word) for word in (one, other))
            return f"word {place}, {one!r}, is {FORM if next(forms) == next(forms) else FIRST}"
    if len(mine) != len(theirs):
        return f"it has {len(mine)} word{'s' * (len(mine) != 1)}, and should have {len(theirs)}"
    place = len(os.path.commonprefix([got, right]))  # noqa: RUF071
    return f"its spaces are not right at character {place + 1}"


FIRST, FORM = "the first that is not right", "right but for its Unicode form (NFC or NFD)"


def difference(got: Any, right: Any, allowed: float = 1e-6) -> str | None:
    """Return None where two arrays or two texts agree, else what is wrong with the first.

    Args:
        got: Numbers in any usual form; Refused where one is NaN or infinite. Or text.
        right: The same, and of the same shape.
        allowed: How far off a number may be, relative to the largest of all.
    """
    if isinstance(right, str):
        return text_difference(got, right)
    whole = isinstance(right, dict | set | frozenset)
    if whole or (isinstance(right, list | tuple) and any(isinstance(one, str) for one in right)):
        raise TypeError(
            "`difference` compares numbers, or two texts: compare anything else with =="
        )
    got, right = plain(got), plain(right)
    if got.shape != right.shape:
        return f"it should have shape {right.shape}, yours has {got.shape}"
    size = max(np.abs(got).max(initial=0), np.abs(right).max(initial=0))
    if agree(got, right, 1, allowed * size + 1e-12):  # where 0 is right, rounding is not
        return None
    return f"it is off by up to {np.abs(got - right).max():.2g}"
