"""Run the visible checks of a notebook.

`autograder release` copies this text into the cell `check_tool` of every notebook, below
`value_tool`.
"""

import builtins
import inspect
import os
import re
import sys
import traceback
import unicodedata
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.records.values import KIT, Refused, agree, is_function, plain, watched

NOTEBOOK = globals()
FIRST_RUN = "CHECK_STATES" not in NOTEBOOK
CHECK_STATES: dict[str, tuple[int, str]] = {}
"""The last run of each question's check: the number of its cell, and its message."""


IN_PLACE = "modified by an inplace operation"
"""Part of torch's message when code changed a tensor that a gradient needs."""
CHANGED_IN_PLACE = (
    "it changes a tensor in place (like `x += 1`, `x[0] = 1` or `x.relu_()`), but the gradient "
    "needs the old values: make a new tensor"
)


class Complaint(Refused):
    """An answer is not right yet; the message gives the reason in one sentence."""


def check(question: str, complaint: Any, *functions: str, again: bool = True) -> None:
    """Print the result of checking an answer.

    Args:
        question: Its name.
        complaint: A function that returns None for a right answer, and returns or raises one
            sentence for a wrong one. It is called twice, as the grader does.
        functions: Names of the answers that it calls; by default, the question's. They must not
            change their arguments.
        again: Whether to call it twice; training takes too long for that.
    """
    mine = NOTEBOOK
    called = {name: mine[name] for name in functions or (question,) if is_function(mine.get(name))}
    answers = [mine[name] for name in (question, *functions) if callable(mine.get(name))]
    mine.update({name: watched(function, name) for name, function in called.items()})
    asked = with_tools(complaint)
    try:
        message = said(asked, *answers)
        if again and not message and (more := said(asked, *answers)):
            message = f"right the first time, but called again: {more}"
    finally:
        mine.update(called)
    message = message and one_line(hidden_tool(complaint, answers) or message)
    typed = mine.get("In")  # the kernel's list of all cells that ran
    CHECK_STATES[question] = (
        len(typed) - 1 if isinstance(typed, list) else 0,
        message or "passed",
    )
    print(f"[{question}] {message or 'passed'}")
    if message and os.environ.get("NBGRADER_EXECUTION"):
        raise AssertionError(message)


def one_line(message: str) -> str:
    """Put each quoted array on one line, because reports quote a single line."""
    return re.sub(r"(?<=,)\s*\n\s*|\s*\n\s*(?=\[)", " ", message)


def with_tools(complaint: Any) -> Any:
    """Return a check's function that uses the kit's and Python's names, even if an answer reuses them."""
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
    """Return advice if the notebook redefines a kit function that a check's helpers use.

    The answers themselves may use such names.
    """
    used: set[str] = set()
    waiting = [complaint]
    while waiting:
        helper = waiting.pop()
        for code in codes_of(helper):
            new = set(code.co_names) - used
            if helper is not complaint:  # it already uses the kit's
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
    """Warn if a cell redefined `check`, which the check cells call."""
    if getattr(NOTEBOOK.get("check"), "__code__", None) != check.__code__:
        print(HIDDEN.format("check"))


if FIRST_RUN and "get_ipython" in NOTEBOOK:
    NOTEBOOK["get_ipython"]().events.register(
        "post_run_cell", lambda *_, kit=KIT: kit["watch_names"]()
    )


def said(complaint: Any, *answers: Any) -> str | None:
    """Return a check's message, or None; exceptions in answers become messages."""
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
        if isinstance(error, NameError) and str(error.name).endswith("_complaint"):
            return "it builds on a check above: run that check's cell first"
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        yours, line = failing_line(error, answers, complaint)
        where = f" (at `{line}`)" if line else ""
        if yours:
            return f"your code raised {what}{where}"
        return f"this check raised {what}{where} when it called your answer, or used what that returned"


def failing_line(error: BaseException, answers: Any, complaint: Any) -> tuple[bool, str]:
    """Return whether an error came from an answer, and the last line to look at.

    The line is in no library and, if the error came from an answer, not in the check's cell.
    """
    codes = {code for answer in answers for code in codes_of(answer)}
    cells = {code.co_filename for code in codes}
    own = {code.co_filename for code in codes_of(complaint)} - cells
    yours, line, shown = not codes, "", False
    walked = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    for code, frame in zip(walked, traceback.extract_tb(error.__traceback__)):  # noqa: B905
        yours = yours or code in codes
        library = frame.filename.startswith((sys.prefix, sys.base_prefix))
        if frame.line and not library and "-packages" not in frame.filename:
            of_check = frame.filename in own
            if not (yours and of_check and shown):
                line, shown = frame.line, not of_check
    return yours, line


def codes_of(answer: Any) -> list[Any]:
    """Return the code objects of a function, or of a class's methods, with those defined inside."""
    parts = vars(answer).values() if isinstance(answer, type) else [inspect.unwrap(answer)]
    parts = [getattr(part, "fget", None) or getattr(part, "__func__", part) for part in parts]
    found = [part.__code__ for part in parts if hasattr(part, "__code__")]
    for code in found:  # which grows meanwhile
        found += [part for part in code.co_consts if isinstance(part, CodeType)]
    return found


def passes(complaint: Any) -> bool:
    """Return whether a check passes."""
    return said(complaint) is None


def text_difference(got: Any, right: str) -> str | None:
    """Return None if a text is right, otherwise its first wrong word or space."""
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
    """Return None if two arrays or two texts agree, otherwise what is wrong with the first.

    Args:
        got: Text, or numbers in any usual form; Refused if one is NaN or infinite.
        right: The same, and of the same shape.
        allowed: The largest error, relative to the largest number in both.
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
    if agree(got, right, 1, allowed * size + 1e-12):  # an exact 0 still allows rounding errors
        return None
    return f"it is off by up to {np.abs(got - right).max():.2g}"
