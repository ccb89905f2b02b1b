"""The parts of a notebook generated from spec.py: mainly checks on inputs that everybody sees.

An author who gives a question `shown` leaves its check cell empty. Both checks then share
reference, tolerance and argument order, so they cannot disagree.
"""

import ast
import builtins
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import numpy as np

from autograder.authoring.markers import identifier
from autograder.course.cells import free, imported_names, used_names
from autograder.course.homework import HomeworkError, described
from autograder.course.inputs import complain_of_order
from autograder.kit import (
    Check,
    Close,
    Draws,
    Exact,
    Picture,
    Prints,
    Property,
    Raises,
    Steps,
    Table,
    Text,
)
from autograder.kit.parts import SO_FAR, Part, Parts, worded
from autograder.records.data import as_drawn, read, state_of
from autograder.records.errors import UserError
from autograder.records.homework import Cell
from autograder.records.questions import RESULT, Inputs, Question
from autograder.records.tables import Frame, to_pandas

_LOCAL = {
    *("inputs", "right", "given", "got", "ignoring", "due", "raised", "yours", "error", "said"),
    *("tested", "pairs", "kinds", "form"),
}
_TAKES = (Close, Draws, Exact, Picture, Prints, Property, Raises, Steps, Table, Text)
_ARRAYS = {"np": "an array", "pd": "a table"}
_FOLLOWS = re.compile(
    r"# (@title Check: .+|Given: the check of this question), on inputs that you see"
)


def texts(questions: Sequence[Question], name: str) -> dict[str, str]:
    """Return the text of each check cell generated from a homework's spec.py, by question.

    It is "" if `shown` allows no check; raises HomeworkError if a check cannot be shown.
    """
    where = f"source/{name}/staff/spec.py: question"
    return {
        question.id: _text(f"{where} {question.id!r}", question) if question.shown else ""
        for question in questions
        if question.shown or not _may_show(question)
    }


def follows(source: str) -> bool:
    """Return whether a check's text was generated here."""
    return bool(_FOLLOWS.match(source))


def questions(course: Path, name: str, cells: Sequence[Cell]) -> tuple[Question, ...]:
    """Return a homework's questions with the settings from its cells; () without a spec.py."""
    if not (course / "source" / name / "staff" / "spec.py").is_file():
        return ()
    return described(course, name, cells).questions


def fill(notebook: nbformat.NotebookNode, checks: Mapping[str, str], where: str) -> bool:
    """Put the checks from `texts` into their cells; return whether that changed the notebook.

    Raises:
        HomeworkError: a cell already has a check, or the notebook lacks a name that a check uses.

    """
    changed = False
    names = {name for cell in notebook.cells for name in imported_names(cell.source)}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("grade") or marks.get("solution"):
            continue
        id = marks["grade_id"]
        if not checks.get(id) and not cell.source.strip():
            more = "give the question `shown` in spec.py, which generates its lines, or "
            raise HomeworkError(
                f"{where}: the check of {id!r} is empty; {more * (id not in checks)}write a check"
            )
        if not (text := checks.get(id, "")):
            continue
        if cell.source.strip() and not follows(cell.source):
            raise HomeworkError(
                f"{where}: the check of {id!r} has lines of its own, but spec.py has "
                "`shown` for it; empty the cell, or remove `shown`"
            )
        for short, module in (("np", "numpy"), ("pd", "pandas")):
            if short in used_names(text) and module not in names:
                raise HomeworkError(
                    f"{where}: the check of {id!r} shows {_ARRAYS[short]}; import {module} as {short} in "
                    "a cell above it"
                )
        changed |= cell.source != text
        cell.source = text
    return changed


def _may_show(question: Question) -> bool:
    parts = question.check.parts if question.check else [None]
    checks = [part.check if isinstance(part, Part) else part for part in parts]
    return all(isinstance(one, _TAKES) for one in checks) and not _own_adapter(question)


def _own_adapter(question: Question) -> str:
    """Return the adapter that a question's author wrote; "" for none or the kit's."""
    given = question.ask.adapter if question.ask else ""
    return "" if question.check and given == question.check.adapter else given


def _text(where: str, question: Question) -> str:
    if adapter := _own_adapter(question):
        raise HomeworkError(
            f"{where} has an adapter ({adapter}), which students do not have, so `shown` "
            "generates no visible check; remove `shown` and write the check into its "
            "cell, or remove `use` if the answer can be called with the inputs themselves"
        )
    name = (question.ask.objects or (question.id,))[-1] if question.ask else question.id
    if name in _LOCAL:
        raise HomeworkError(
            f"{where}: the lines generated from `shown` have their own {name!r}; rename "
            "the function, or write the check"
        )
    for inputs in question.shown:
        if not isinstance(inputs, Mapping):
            raise HomeworkError(
                f'{where}: `shown` has {inputs!r}; write a list of inputs by name, such as [{{"n": 3}}]'
            )
    complaint = f"{identifier(question.id)}_complaint"
    if isinstance(question.check, Parts):
        functions = _in_parts(where, question.check, question.shown, name, complaint)
    else:
        functions = _complaint(where, question.check, question.shown, name, complaint)
    mine = f", {name!r}" if name != question.id else ""
    title = f"# @title Check: {question.id}, on inputs that you see"
    return f"{title}\n{functions}\n\ncheck({question.id!r}, {complaint}{mine})"


def _in_parts(where: str, check: Parts, shown: Sequence[Inputs], name: str, complaint: str) -> str:
    """Return a function that complains part by part, nested for each part that is shown."""
    text, lines = "", ""
    for number, (part, places) in enumerate(zip(check.parts, check.numbers(shown), strict=True), 1):
        own, said = f"{complaint}_{number}", repr(NOT_SHOWN)
        if places:
            text += _complaint(where, part.check, [shown[n] for n in places], name, own) + "\n\n"
            said = f"said({own}, {name})"
        lines += f"        {f'{part.name} ({worded(part.points)})'!r}: {said},\n"
    return f"{text}{_PARTS.replace('COMPLAINT', complaint).replace('LINES', lines)}"


def _complaint(
    where: str, check: Check | None, shown: Sequence[Inputs], name: str, complaint: str
) -> str:
    """Return a function that complains about an answer for some inputs."""
    before = ""
    if isinstance(check, Property):
        before = textwrap.indent(_property(where, check.holds), "    ")
    compared = _comparison(where, check).replace("CALL", f"{name}(*inputs.values())")
    compared = compared.replace("NAME", name)
    shown = check.paired(shown) if check else shown
    pairs = "".join(_pair(where, check, inputs) for inputs in shown)
    if any("\n" in repr(item) for inputs in shown for item in inputs.values()):
        compared = _fault_first(compared)
    random = {n for one in shown for n in one if isinstance(one[n], np.random.Generator)}
    without = f" if name not in {_literal(where, random)}" if random else ""
    given = "" if isinstance(check, Steps) else _GIVEN.replace("WITHOUT", without)
    return f"""def {complaint}():
{before}    for inputs, right in [
{pairs}    ]:
{given}{compared}"""


def _fault_first(lines: str) -> str:
    """Move multi-line inputs to the end of a message, since a report shows its first line only."""
    lines = re.sub(r', f"for \{given\}: it"\)', ")", lines)
    return re.sub(r'f"for \{given\}:? (.*)"$', r'f"\1\\nfor {given}"', lines, flags=re.MULTILINE)


def _pair(where: str, check: Check | None, inputs: Inputs) -> str:
    given = ", ".join(f"{name!r}: {_literal(where, item)}" for name, item in inputs.items())
    assert check is not None
    for one in check.functions().values():
        complain_of_order(f"{where}: `shown`", one.function, inputs)
    try:
        right = check.shows(as_drawn(inputs))
    except UserError as error:
        raise HomeworkError(f"{where}: {error}") from error
    except Exception as error:  # the author's code may raise anything
        raise HomeworkError(
            f"{where}: the reference raised {type(error).__name__} for what is in `shown`: {error}"
        ) from error
    value = right.get(RESULT) if isinstance(right, dict) and RESULT in right else right
    if isinstance(check, Table) and isinstance(value, Frame):
        text = _table(where, to_pandas(value), lambda made: not check.complaint(read(made), value))
    else:
        text = _literal(where, value)
    return f"        ({{{given}}}, {text}),\n"


def _comparison(where: str, check: Check | None) -> str:
    """Return the lines that compare like the hidden check; CALL stands for the answer's value."""
    match check:
        case Close():
            return _CLOSE.replace("NEAR", f"rtol={check.tolerance!r}, atol={check.tolerance!r}")
        case Exact():
            near = f", tolerance={check.tolerance!r}" * bool(check.tolerance)
            return _EXACT.replace("NEAR", near)
        case Text():
            return _TEXT.replace("IGNORING", repr(check.ignoring))
        case Prints():
            return _PRINTS
        case Raises():
            return _RAISES
        case Property():
            return _PROPERTY
        case Draws():
            return _SAID.replace("SAID", 'unlike_draws(plain(CALL, f"for {given}: it"), **right)')
        case Picture():
            near = f"{check.tolerance!r}{', guides=False' * (not check.guides)}"
            return _SAID.replace("SAID", f"unlike_picture(drawn(lambda: CALL), right, {near})")
        case Steps():
            return _STEPS.replace("NEAR", repr(check.tolerance))
        case Table():
            how = ", ".join(f"{name}={value!r}" for name, value in check.settings().items())
            return _SAID.replace("SAID", f"unlike_table(as_table(CALL), as_table(right), {how})")
    names = ", ".join(sorted(one.__name__ for one in _TAKES))
    raise HomeworkError(f"{where}: `shown` needs one of {names}, NoLoop, or Parts of these")


def _property(where: str, holds: Callable[..., Any]) -> str:
    """Return the text of a property, which students can read, so it uses only names that they have."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(holds)))
    except (OSError, TypeError, SyntaxError):
        tree = ast.Module([], [])
    node = tree.body[0] if tree.body else None
    if not isinstance(node, ast.FunctionDef) or node.decorator_list:
        raise HomeworkError(
            f"{where}: `shown` puts the property into the notebook, so write it as a "
            "function with `def`"
        )
    if lost := sorted(free(node) - {*dir(builtins), "np", "pd", node.name}):
        raise HomeworkError(
            f"{where}: `shown` puts the property {node.name} into the notebook, which "
            f"has no `{lost[0]}`; import or write it inside the function, or write the "
            "check"
        )
    node.name = "tested"
    return f"{ast.unparse(node)}\n\n"


NOT_SHOWN = "hidden inputs decide"
"""The visible check's message on a part without a visible input."""
_PARTS = f"""\
def COMPLAINT():
    found = {{
LINES    }}
    wrong = {{*found.values()}} - {{None, {NOT_SHOWN!r}}}
    if wrong == {{"not written yet"}}:
        return "not written yet"
    lines = (f"\\n- {{part}}: {{one or 'right'}}" for part, one in found.items())
    return {SO_FAR!r} + "".join(lines) if wrong else None
"""
_CLOSE = """\
        got, right = plain(CALL, f"for {given}: it"), plain(right)
        if got.shape != right.shape or not np.allclose(got, right, NEAR):
            return f"for {given}: {difference(got, right, 0)}"
"""
_EXACT = """\
        got = as_plain(CALL)
        if unlike(got, as_plain(right)NEAR):
            return f"for {given} it should be {right!r}, yours is {got!r}"
"""
_TEXT = """\
        got, ignoring = as_plain(CALL), IGNORING
        if not isinstance(got, str) or worded(got, ignoring) != worded(right, ignoring):
            form = isinstance(got, str) and worded(got, ("form",)) == worded(right, ("form",))
            said = f"for {given} it should be {right!r}, yours is {got!r}"
            return said + ", in a different Unicode form" * form
"""
_PRINTS = """\
        got = what_prints(lambda: CALL)
        if printed_lines(got) != printed_lines(right):
            return f"for {given} it should print {right!r}, yours prints {got!r}"
"""
_RAISES = """\
        due, raised = [*right["kinds"], ""][0], []
        try:
            got = CALL
        except Refused:
            raise
        except Exception as error:
            if type(error) is NotImplementedError and not str(error):
                raise
            raised = classes_of(error)
        yours = f"raises {raised[0]}" if raised else f"returns {got!r}"
        if due and due not in raised:
            return f"for {given} it should raise {due}, yours {yours}"
        if not due and (raised or unlike(as_plain(got), as_plain(right["returned"]))):
            return f"for {given} it should return {right['returned']!r}, yours {yours}"
"""


_PROPERTY = """\
        got = CALL
        if not hasattr(got, "columns") and not is_finite(got := as_plain(got)):
            return f"for {given}: it contains NaN or infinity"
        if said := lacking(tested(got, **inputs)):
            return f"for {given}: {said}"
"""
_SAID = """\
        if said := SAID:
            return f"for {given}: {said}"
"""
_GIVEN = """\
        given = ", ".join(f"{name} = {item!r}" for name, item in inputs.items()WITHOUT)
"""
_STEPS = """\
        got = run_steps(NAME, **inputs)["the result"]
        if said := unlike_steps(got, right, NEAR):
            return f"for NAME({', '.join(map(repr, inputs['new']))}): {said}"
"""


def _literal(where: str, item: Any) -> str:
    """Return Python text for a value, which evaluates to the same value."""
    if isinstance(item, Frame):
        item = to_pandas(item)
    if hasattr(item, "iloc"):
        return _table(where, item)
    if isinstance(item, np.ndarray) and item.ndim:
        return f"np.array({_literal(where, item.tolist())})"
    if isinstance(item, np.ndarray | np.generic):
        return _literal(where, item.item())
    if type(item).__name__ in ("Timestamp", "Timedelta"):
        return f"pd.{type(item).__name__}({str(item)!r})"
    if type(item).__name__ in ("NaTType", "NAType"):
        return "None"
    if isinstance(item, np.random.Generator):
        return _generator(where, item)
    if isinstance(item, float) and not np.isfinite(item):
        return f"float({str(item)!r})"
    if type(item) in (list, tuple, set, frozenset, dict):
        return _collection(where, item)
    try:
        same = ast.literal_eval(repr(item)) == item
    except (ValueError, SyntaxError, TypeError):
        same = False
    if not same:
        raise HomeworkError(
            f"{where}: `shown` has {type(item).__name__}, which has no Python literal; "
            "use arrays, tables, numbers, text, lists, tuples, sets and dicts"
        )
    return repr(item)


def _collection(where: str, item: Any) -> str:
    if isinstance(item, dict):
        pairs = (f"{_literal(where, key)}: {_literal(where, one)}" for key, one in item.items())
        return f"{{{', '.join(pairs)}}}"
    parts = [_literal(where, one) for one in item]
    if isinstance(item, set | frozenset):  # in a fixed order
        return f"{{{', '.join(sorted(parts))}}}" if item else "set()"
    inside = ", ".join(parts)
    if isinstance(item, tuple):
        return f"({inside},)" if len(item) == 1 else f"({inside})"
    return f"[{inside}]"


def _generator(where: str, item: np.random.Generator) -> str:
    """Return a numpy call that makes a Generator; raise HomeworkError if there is none."""
    seed = getattr(item.bit_generator.seed_seq, "entropy", None)
    text = f"np.random.default_rng({seed!r})"
    if not isinstance(seed, int | list) or state_of(eval(text, {"np": np})) != state_of(item):
        raise HomeworkError(
            f"{where}: `shown` has a Generator that no seed recreates; write "
            "np.random.default_rng(7) there, with any seed"
        )
    return text


def _table(where: str, item: Any, fits: Callable[[Any], bool] = lambda made: False) -> str:  # noqa: ARG005
    """Return a pandas call that makes a table or Series; raise HomeworkError if there is none.

    `fits` tells whether a table that differs slightly is acceptable.
    """
    pd = importlib.import_module("pandas")  # a table consists of one such call
    series = isinstance(item, pd.Series)
    columns = {} if series else {name: item[name].tolist() for name in item.columns}
    text = _literal(where, item.tolist() if series else columns)
    if not item.index.equals(pd.RangeIndex(len(item))):
        text += f", index={_literal(where, item.index.tolist())}"
    text = f"pd.Series({text}, name={item.name!r})" if series else f"pd.DataFrame({text})"
    made = eval(text, {"pd": pd, "np": np})
    same = made.equals(item) and np.array_equal(made.index.names, item.index.names)
    if not (same or fits(made)):
        raise HomeworkError(
            f"{where}: `shown` has a table that Python code cannot recreate exactly, "
            "such as one with categories or a named index; simplify it, or write the "
            "check"
        )
    return text
