"""One student's written answers -> pages: each question on the same page for everybody.

A question has one page of its own. What does not fit goes to an appendix, from the leaf
on that the typesetter put on the next page.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from autograder.printing import markup
from autograder.printing.markup import Passage, string, words


@dataclass(frozen=True)
class Part:
    """A cell that belongs to an answer.

    Args:
        text: Its source.
        label: What to say above it, if anything.
        markdown: Whether it is Markdown; otherwise it is shown as it is.
        attachments: Name -> image in base64.
    """

    text: str
    label: str = ""
    markdown: bool = True
    attachments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PrintedAnswer:
    """A question, and what is in its place.

    Args:
        question: Its id.
        worth: Its points, in words.
        most: The same as a number, for the box that a marker fills in.
        notices: Sentences for the reader, above the answer.
        parts: Its cells; none where nothing was written.
    """

    question: str
    worth: str
    most: str
    notices: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class PrintedSheet:
    """All that is printed of a notebook; without a student it is a blank template."""

    title: str
    student: str
    answers: tuple[PrintedAnswer, ...]


@dataclass(frozen=True)
class Ready:
    """An answer whose cells were read."""

    answer: PrintedAnswer
    passages: tuple[Passage, ...]


Cuts = Mapping[int, int]
"""Answer -> the first leaf that does not fit on its page."""
Places = Sequence[tuple[str, int, int]]
"""Of each leaf: the answer, the leaf's number, the page."""

PRELUDE = files("autograder.printing").joinpath("sheet.typ").read_text(encoding="utf-8")


def document(
    sheet: PrintedSheet, ready: Sequence[Ready], *, absent: frozenset[str], cuts: Cuts
) -> str:
    """Return the whole document: first page, a page a question, appendix."""
    pages = [_first_page(sheet, absent, cuts)]
    rest = []
    for number, item in enumerate(ready):
        stop = cuts.get(number, sys.maxsize)
        whole = markup.write(item.passages, key=str(number), absent=absent)
        here = markup.write(item.passages, key=str(number), absent=absent, window=(0, stop))
        notices = [*item.answer.notices, *(f"Note: {warning}." for warning in whole.warnings)]
        shown = "".join(f"[{words(notice, absent)}], " for notice in notices)
        pages.append(
            f"#pagebreak()\n#question({_id(number)}, [{words(item.answer.question)}], "
            f"[{words(item.answer.worth)}], [{words(item.answer.most)}], ({shown}))\n{here.code}"
        )
        if number in cuts:
            pages.append(f"#goes-on({_id(number)})")
            after = markup.write(item.passages, absent=absent, window=(stop, sys.maxsize))
            rest.append(
                f"#pagebreak()\n#rest({_id(number)}, [{words(item.answer.question)}])\n{after.code}"
            )
    return wrap("\n".join([*pages, *rest]), sheet, absent)


def wrap(body: str, sheet: PrintedSheet, absent: frozenset[str] = frozenset()) -> str:
    """Return a document with this body."""
    student = (
        words(sheet.student, absent) if sheet.student else "Student: #box(width: 5cm, repeat[\\_])"
    )
    return f"{PRELUDE}#show: body => sheet({string(sheet.title)}, [{student}], body)\n{body}\n"


def index(title: str, first_pages: Mapping[str, int], absent: frozenset[str] = frozenset()) -> str:
    """Return the document of the pages that go before many sheets: where each begins.

    Args:
        title: The homework's.
        first_pages: Submission -> page.
        absent: Characters that no font has.
    """
    rows = "".join(f"([{words(who, absent)}], [{page}]), " for who, page in first_pages.items())
    body = f"#title[{words(title, absent)}]\nWritten answers#parbreak()\n#index(({rows}))\n"
    return f"{PRELUDE}#show: body => sheet({string(title)}, [], body)\n{body}\n"


def _id(number: int) -> str:
    return string(str(number))


def _first_page(sheet: PrintedSheet, absent: frozenset[str], cuts: Cuts) -> str:
    rows = "".join(
        f"({_id(n)}, [{words(answer.question)}], [{words(answer.worth)}], "
        f"{'true' if n in cuts else 'false'}), "
        for n, answer in enumerate(sheet.answers)
    )
    student = words(sheet.student, absent) or "#box(width: 8cm, repeat[\\_])"
    return (
        f"#title[{words(sheet.title, absent)}]\nWritten answers#parbreak()\n"
        f"Student: {student}#parbreak()\n#contents(({rows}))\n"
    )


def first_cuts(ready: Sequence[Ready]) -> dict[int, int]:
    """Return where to cut answers that are longer than any page."""
    leaves = {number: markup.write(item.passages).leaves for number, item in enumerate(ready)}
    return {number: markup.MOST for number, many in leaves.items() if many > markup.MOST}


def cut(places: Places, cuts: Cuts) -> dict[int, int]:
    """Return where each answer has to be cut, by where its leaves were put."""
    starts = {key: page for key, _, page in places if key.startswith("start-")}
    result = dict(cuts)
    for key, leaf, page in places:
        if key.isdigit() and page != starts[f"start-{key}"]:
            number = int(key)
            result[number] = min(leaf, result.get(number, leaf))
    return result
