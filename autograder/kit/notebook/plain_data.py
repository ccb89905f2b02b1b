"""Compare plain data: numbers, text, lists, tuples, sets, dicts, and arrays of them.

Hidden checks use this text, and so do visible checks made from `shown`: `autograder release`
copies it into the cell `data_tool` of notebooks that need it. No message quotes the right value,
only the student's own.
"""

import builtins
import contextlib
import io
import itertools
import numbers
import unicodedata
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from typing import Any

import numpy as np

from autograder.records.values import Refused, agree, plain

KINDS = (
    (type(None), "None"),
    (bool, "a truth value"),
    (int | float, "a number"),
    (str, "text"),
    (list, "a list"),
    (tuple, "a tuple"),
    (set | frozenset, "a set"),
    (dict, "a dict"),
    (np.random.Generator, "a Generator"),
)
MOST_MARKS = 30
"""The most accents on one letter: normalising more of them takes for ever."""


def as_plain(item: Any) -> Any:
    """Return an answer's result as plain data: Python's own numbers, and lists for views of dicts."""
    if item is None or isinstance(item, str):
        return item if item is None else str(item)
    if isinstance(item, bool | np.bool_):
        return bool(item)
    if isinstance(item, numbers.Integral):
        return int(item)
    if isinstance(item, numbers.Real) or type(item).__name__ == "Decimal":
        return float(item)
    if hasattr(item, "ndim") and hasattr(item, "tolist"):
        if not item.ndim:
            return as_plain(item.item())
        kinds = getattr(item.dtype, "kind", "f")  # a tensor's dtype has none
        return plain(item) if kinds in "biufc" else as_plain(item.tolist())
    if isinstance(item, Mapping):
        return {as_plain(key): as_plain(part) for key, part in item.items()}
    if isinstance(item, list | range | KeysView | ValuesView | ItemsView):
        return [as_plain(part) for part in item]
    if isinstance(item, tuple):
        return tuple(map(as_plain, item))
    if isinstance(item, set | frozenset):
        return frozenset(map(as_plain, item))
    used_up = ", which is used up by looking: make a list" if hasattr(item, "__next__") else ""
    raise Refused(f"it is or contains a {type(item).__name__}{used_up}.")


def kind_of(item: Any) -> str:
    """Return the kind of some plain data, in words."""
    for types, word in KINDS:
        if isinstance(item, types):
            return word
    return "a table" if hasattr(item, "columns") else "an array"


def unlike(got: Any, right: Any, *, place: str = "the result", tolerance: float = 0.0) -> str:
    """Describe the first difference between plain data in a sentence; "" if there is none.

    Equal whole numbers and floats are the same. A truth value is not a number and a tuple is not a
    list, even in a set or as a key of a dict. NaN equals NaN. If a whole number is too large for a
    float, every digit counts.

    Args:
        got: A student's value.
        right: The reference's.
        place: The name to use in the sentence.
        tolerance: For numbers, absolute plus relative.
    """
    if kind_of(got) != kind_of(right):
        hint = ": is there a `return`?" if got is None else "."
        return f"{place} is {kind_of(got)}, and should be {kind_of(right)}{hint}"
    if isinstance(right, list | tuple):
        return _in_a_row(got, right, place, tolerance)
    if isinstance(right, dict):
        return _by_key(got, right, place, tolerance)
    if isinstance(right, set | frozenset):
        return _members(got, right, place)
    if isinstance(right, np.ndarray) and got.shape != right.shape:
        return f"{place} should have shape {right.shape}, and has {got.shape}."
    if isinstance(right, str) and got != right and _bare(got) == _bare(right):
        return f"{place} is right but for spaces or capital letters."
    return "" if _same(got, right, tolerance) else f"{place} is not right."


def _bare(text: str) -> str:
    """Return text in lower case and without spaces."""
    return "".join(text.split()).lower()


def _same(got: Any, right: Any, tolerance: float) -> bool:
    if isinstance(right, np.ndarray):  # Python's numbers are never rounded
        near = tolerance and agree(got, right, tolerance)
        return bool(near) or got.tolist() == right.tolist()
    if hasattr(right, "columns"):  # a table, whose cells may hold anything
        parts = ("columns", "kinds", "values", "index")
        mine, theirs = ([getattr(one, part) for part in parts] for one in (got, right))
        return not unlike(mine, theirs, tolerance=tolerance)
    if tolerance and kind_of(right) == "a number":
        with contextlib.suppress(OverflowError):
            if agree(got, right, tolerance):
                return True
    return bool(comparable(got) == comparable(right))


def _in_a_row(got: Any, right: Any, place: str, tolerance: float) -> str:
    if len(got) != len(right):
        return f"{place} has {_items(len(got))}, and should have {len(right)}."
    for number, (one, other) in enumerate(zip(got, right, strict=True)):
        if said := unlike(one, other, place=f"{place}[{number}]", tolerance=tolerance):
            # Sort by each item's text. The text of a large array leaves out numbers.
            pairs = zip(sorted(got, key=repr), sorted(right, key=repr), strict=True)
            if not any(unlike(mine, theirs, tolerance=tolerance) for mine, theirs in pairs):
                return f"{place} has the right items in a different order."
            return said
    return ""


def _by_key(got: Any, right: Any, place: str, tolerance: float) -> str:
    mine, theirs = ({comparable(key): key for key in one} for one in (got, right))
    extra = [key for same, key in mine.items() if same not in theirs]
    missing = sum(same not in mine for same in theirs)
    if extra or missing:
        parts = [f"has {_quoted(extra)} as a key, which does not belong there"] if extra else []
        parts += [f"lacks {missing} of the {len(right)} keys"] * bool(missing)
        return f"{place} {' and '.join(parts)}."
    for same, key in theirs.items():
        there = f"{place}[{mine[same]!r}]"
        if said := unlike(got[mine[same]], right[key], place=there, tolerance=tolerance):
            return said
    return ""


def _members(got: Any, right: Any, place: str) -> str:
    mine, theirs = ({comparable(item): item for item in one} for one in (got, right))
    extra = [item for same, item in mine.items() if same not in theirs]
    missing = sum(same not in mine for same in theirs)
    parts = [f"has {_quoted(extra)}, which does not belong there"] if extra else []
    parts += [f"lacks {_items(missing)}"] * bool(missing)
    return f"{place} {' and '.join(parts)}." if parts else ""


def comparable(item: Any) -> Any:
    """Return a value to compare keys and members by, because Python treats True as 1."""
    if isinstance(item, tuple):
        return tuple, tuple(map(comparable, item))
    if isinstance(item, set | frozenset):
        return frozenset(map(comparable, item))
    return kind_of(item), None if item != item else item  # NaN is not equal to itself


def _items(number: int) -> str:
    return f"{number} item{'s' * (number != 1)}"


def _quoted(items: Any) -> str:
    """Return one of a student's own items; the choice does not depend on their order."""
    return min((repr(item) for item in items), key=lambda text: (len(text), text))[:80]


def folded(text: str) -> str:
    """Return text in lower case and Unicode's compatible form, with single spaces."""
    return worded(text, ("spaces", "capitals", "form"))


def worded(text: str, ignoring: Any) -> str:
    """Return text without what to ignore: "spaces", "capitals", "punctuation", "form"."""
    if "form" in ignoring:
        runs = itertools.groupby("" if text.isascii() else text, _is_mark)
        if not any(marks and len(list(run)) > MOST_MARKS for marks, run in runs):
            text = unicodedata.normalize("NFKC", text)
    if "capitals" in ignoring:
        text = text.casefold()
    if "punctuation" in ignoring:
        text = "".join(c for c in text if not unicodedata.category(c).startswith("P"))
    return " ".join(text.split()) if "spaces" in ignoring else text


def _is_mark(letter: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]) > 0


def is_finite(item: Any) -> bool:
    """Return whether plain data contain neither NaN nor infinity."""
    if isinstance(item, float | np.ndarray):
        return bool(np.isfinite(item).all())
    parts = [*item, *item.values()] if isinstance(item, dict) else getattr(item, "values", item)
    nested = isinstance(parts, list | tuple | set | frozenset | np.ndarray)
    return not nested or all(map(is_finite, parts))


def lacking(found: Any) -> str:
    """Return the fault that a property found, or the names of several; "" if there is none."""
    if isinstance(found, dict):
        lost = [str(name) for name, has in found.items() if not has]
        return f"the result fails in: {', '.join(lost)}." if lost else ""
    if isinstance(found, str):
        return found
    return "" if isinstance(found, bool | np.bool_) and found else "it does not have the property."


def unlike_draws(got: Any, mean: Any, variance: Any, size: int) -> str:
    """Return why numbers cannot be independent draws with this mean and variance; "" if they can.

    Args:
        got: One row for each draw.
        mean: The mean of a draw: one number, or several.
        variance: The same for the variance.
        size: The number of draws.
    """
    got, mean, variance = (np.asarray(item, dtype=float) for item in (got, mean, variance))
    if not (variance > 0).all():
        raise ValueError(f"the variance of a draw is {variance}, and should be above 0")
    if got.shape != (shape := (size, *np.broadcast_shapes(mean.shape, variance.shape))):
        return f"the result should have shape {shape}, and has {got.shape}."
    far = (got - mean) / np.sqrt(variance)
    if np.abs(far).max(initial=0) > MOST_DEVIATIONS:
        return "a draw is farther from the mean than any draw can be."
    tails = np.clip((far**4).mean(axis=0), 3, 50)
    off = {
        "the mean of the draws": far.mean(axis=0),
        "the variance of the draws": ((far**2).mean(axis=0) - 1) / np.sqrt(tails - 1),
        "the product of each draw with the next": (far[1:] * far[:-1]).sum(axis=0) / size,
    }
    for what, errors in off.items():
        errors = np.sqrt(size) * np.ravel(errors)
        worst = errors[np.abs(errors).argmax()]
        if np.abs(worst) > MOST_ERRORS:
            way = "too large" if worst > 0 else "too small"
            return f"{what} is {way}, by {abs(worst):.0f} standard errors."
    return ""


MOST_ERRORS, MOST_DEVIATIONS = 6.0, 1e6
"""The largest errors: of all draws in standard errors, of one draw in standard deviations."""


def unlike_picture(got: Any, right: Any, tolerance: float, *, guides: bool = True) -> str:
    """Describe the first wrong part of a figure; "" if none is.

    Args:
        got: A list of the contents of each axes.
        right: The same, or one item for a single axes, with only the parts to compare.
        tolerance: For numbers, absolute plus relative.
        guides: Whether to allow further lines that show no data.
    """
    wanted = right if isinstance(right, list) else [right]
    said = ""
    if len(got) != len(wanted):
        said = f"the figure has {len(got)} axes, and should have {len(wanted)}."
    for number, (axes, due) in enumerate(zip(got, wanted)):  # noqa: B905
        where = f" of axes {number + 1}" if len(wanted) > 1 else ""
        for name in due:
            said = said or _unlike_part(axes, name, due, f"`{name}`{where}", tolerance, guides)
    return said and f"{said}{_which_figure(got)}"


def _which_figure(got: Any) -> str:
    """Return which figure was read, if that is not obvious."""
    found = _in_a_list(got[0].get("figures")) if got else []
    which, several = found if [type(one) for one in found] == [int, int] else (1, 1)
    if which == 0:
        return " That figure was drawn before, and this call does not change it."
    return "" if several == 1 else f" It draws {several} figures; this is number {which}."


ANY = "any text"
"""In a `Picture`: there must be a title, label or legend, with any words."""


TEXTS = ("title", "x_label", "y_label", "x_scale", "y_scale")
"""The parts of axes with a single text; a list gives all accepted ones."""


def _unlike_part(
    axes: Any, name: str, wanted: Any, place: str, tolerance: float, guides: bool
) -> str:
    got, due = axes.get(name), wanted[name]
    if isinstance(due, str) or name in TEXTS:
        given = got if isinstance(got, str | list) else ""  # a figure has nothing else
        if _says(given, due) or (isinstance(due, str) and due == ANY and given):
            return ""
        return f"{place} is {'not right' if given else 'missing'}."
    mine, theirs = _in_a_list(got), _in_a_list(due)
    if name in ("lines", "points", "legend"):
        shown = _labelled(axes, name, mine, guides)
        return _unlike_curves(shown, _accepted(wanted, name, theirs), place, tolerance)
    if len(mine) != len(theirs):
        return f"{place} has {len(mine)} in the figure, and should have {len(theirs)}."
    for number, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        if not _shows_alike(one, other, tolerance):
            which = f" number {number + 1}" if len(theirs) > 1 else ""
            return f"{place}{which} is not right."
    return ""


def _labelled(axes: Any, name: str, mine: Any, guides: bool) -> Any:
    """Return the contents of axes, each with its label and whether it is allowed as an extra."""
    no_data = [n for n in _in_a_list(axes.get("guides")) if guides and isinstance(n, int)]
    labels = _in_a_list(axes.get(f"{name[:-1]}_labels"))
    if name == "legend":
        known = dict(enumerate(_in_a_list(axes.get("line_labels"))))
        texts = [known.get(n) for n in no_data]
        return [(one, "", any(_says(one, text) for text in texts)) for one in mine]
    labels = labels if len(labels) == len(mine) else [""] * len(mine)
    spare = no_data if name == "lines" else []
    return [(one, labels[n], n in spare) for n, one in enumerate(mine)]


def _accepted(wanted: Any, name: str, due: Any) -> Any:
    """Return the wanted contents of axes, each with its accepted labels, if it needs any."""
    legend = wanted.get("legend")
    if name == "legend" or not isinstance(legend, list) or len(legend) != len(due):
        return [(one, []) for one in due]
    texts = [[] if isinstance(text, str) and text == ANY else _in_a_list(text) for text in legend]
    return list(zip(due, texts, strict=True))


def _unlike_curves(shown: Any, wanted: Any, place: str, tolerance: float) -> str:
    """Return what is wrong in curves, points or a legend's texts, in any order.

    Match by a wanted label first, and the rest by contents.
    """
    known = [label for _, accepted in wanted for label in accepted]
    left, lost = [*range(len(shown))], []
    for due, accepted in wanted:
        alike = [
            n
            for n in left
            if (_says(shown[n][1], accepted) or not _says(shown[n][1], known))
            and (_says(shown[n][0], due) or _shows_alike(shown[n][0], due, tolerance))
        ]
        if alike:
            left.remove(min(alike, key=lambda n: (not _says(shown[n][1], accepted), shown[n][2])))
        else:
            lost.append(accepted)
    extra = [n for n in left if not shown[n][2]]
    if len(extra) != len(lost):
        number = len(wanted) - len(lost) + len(extra)
        return f"{place} has {number} in the figure, and should have {len(wanted)}."
    if not lost:
        return ""
    named = [shown[n][1] for n in extra if any(_says(shown[n][1], one) for one in lost)]
    which = f" with the label {named[0]!r}" if named else f" number {extra[0] + 1}"
    return f"{place}{which * (len(wanted) > 1)} is not right."


def _says(got: Any, due: Any) -> bool:
    """Return whether a text is the wanted one, or one of several accepted ones."""
    if isinstance(due, list | tuple):
        return any(_says(got, one) for one in due)
    same = isinstance(got, str) and isinstance(due, str) and folded(got) == folded(due)
    return same or (isinstance(got, str) and isinstance(due, str) and due == ANY and got != "")


def _shows_alike(got: Any, due: Any, tolerance: float) -> bool:
    """Return whether two collections hold the same numbers, whatever their types."""
    if isinstance(due, str) or isinstance(got, str):
        return False
    try:
        mine, theirs = np.asarray(got, dtype=float), np.asarray(due, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return False
    return agree(mine, theirs, tolerance)


def _in_a_list(item: Any) -> list[Any]:
    several = isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim)
    return list(item) if several else [item] * (item is not None)


def classes_of(error: Exception) -> list[str]:
    """Return the names of an error's classes, the nearest first.

    A class of the student's with the name of a Python class is called "your own".
    """
    return [
        f"{'' if vars(builtins).get(kind.__name__, kind) is kind else 'your own '}{kind.__name__}"
        for kind in type(error).__mro__[:-2]
    ]


def what_prints(call: Any) -> str:
    """Return the text that a call prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    return out.getvalue()


def printed_lines(text: str) -> list[str]:
    r"""Return printed lines without trailing spaces, and without empty lines at the end.

    Lines end in \n, \r\n or \r, and in nothing else.
    """
    lines = io.StringIO(text.rstrip(" \t\r\n"), newline=None)
    return [line.rstrip(" \t\n") for line in lines]
