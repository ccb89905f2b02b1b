"""staff/rubrics/<question>.md -> `Rubric`: how a written answer is marked.

A rubric is self-contained: the question, items with points, sample answers that get all, half and
none of the points, and the staff's own. Every complaint names the file, the line, and the expected
text.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from autograder.course.homework import HomeworkError

MAX_ITEMS = 9
"""The most items: one for each of the keys 1 to 9."""
STEP = 0.25
MAX_POINTS = 1000
QUESTION, ITEMS = "Question", "Items"
SECTIONS = (QUESTION, ITEMS, "Full marks", "Half marks", "No marks", "Sample answer")
NOTES = "Notes"
"""The only optional section, which is the last."""
UNWRITTEN = "Not written yet."
"""The placeholder in sections that an import could not fill in."""

_ITEM = re.compile(r"- \*\*(?P<points>[^*]*)\*\*(?P<words>.*)")
_POINTS = re.compile(r"[+-]?\d{1,6}(?:\.\d{1,6})?")
_AN_ITEM = "write `- **1** States that ...`"


@dataclass(frozen=True)
class RubricItem:
    """A thing that an answer does or fails to do, with its points."""

    points: float
    words: str


@dataclass(frozen=True)
class Rubric:
    """The marking scheme for one written answer; all texts are Markdown.

    Args:
        question: The question's id.
        text: The task in the student's words.
        items: At most 9, in the file's order.
        full: An answer that gets all points.
        half: An answer that gets about half of the points, and its items.
        none: An answer that looks right but gets nothing, and why.
        sample: The staff's own answer.
        notes: Notes for markers, or "".
    """

    question: str
    text: str
    items: tuple[RubricItem, ...]
    full: str
    half: str
    none: str
    sample: str
    notes: str

    @property
    def points(self) -> float:
        """Return the sum of the items, without deductions."""
        return sum(item.points for item in self.items if item.points > 0)


def read(path: Path) -> Rubric:
    """Read one rubric."""
    where = "/".join(path.absolute().parts[-5:])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise HomeworkError(f"{where} cannot be read ({error.strerror}); {_begin(path)}") from error
    except UnicodeDecodeError as error:
        raise HomeworkError(f"{where} is not UTF-8; save it as UTF-8") from error
    lines = text.splitlines()
    sections = _sections(where, path.stem, lines)
    items = tuple(_items(where, sections[ITEMS]))
    texts = {name: "\n".join(section.lines).strip() for name, section in sections.items()}
    for name, section in sections.items():
        if not texts[name]:
            _refuse(where, section.number, f"`## {name}` is empty; write its text below it")
    question, _, full, half, none, sample = (texts[name] for name in SECTIONS)
    notes = texts.get(NOTES, "")
    return Rubric(path.stem, question, items, full, half, none, sample, notes)


def of(staff: Path) -> dict[str, Rubric]:
    """Return the rubrics of a homework, by the question's id."""
    return {path.stem: read(path) for path in sorted((staff / "rubrics").glob("*.md"))}


def as_text(rubric: Rubric) -> str:
    """Return the text of a rubric's file, from which `read` restores the rubric."""
    items = "\n".join(f"- **{item.points:g}** {item.words}" for item in rubric.items)
    sections = zip(
        (*SECTIONS, NOTES),
        (rubric.text, items, rubric.full, rubric.half, rubric.none, rubric.sample, rubric.notes),
        strict=True,
    )
    parts = [f"## {name}\n{text}" for name, text in sections if text]
    return "\n\n".join([f"# {rubric.question}", *parts]) + "\n"


def unwritten(rubric: Rubric) -> list[str]:
    """Return the names of the sections that are still to be written."""
    texts = rubric.text, "", rubric.full, rubric.half, rubric.none, rubric.sample
    return [name for name, text in zip(SECTIONS, texts, strict=True) if text == UNWRITTEN]


def secret(text: str) -> str:
    """Return a rubric's text without its question, which students also have."""
    lines = text.splitlines()
    heads = [*(number - 1 for number, _ in _heads(lines)), len(lines)]
    parts = [lines[: heads[0]], *(lines[a:b] for a, b in itertools.pairwise(heads))]
    kept = [part for part in parts if part and part[0].rstrip() != f"## {QUESTION}"]
    return "\n".join(line for part in kept for line in part)


def complaint(rubric: Rubric, points: float) -> str:
    """Return why a rubric does not fit its question, or "".

    Args:
        rubric: As it was read.
        points: The question's points; 0 if nobody marks it.
    """
    if points == 0 and any(item.points for item in rubric.items):
        return "the question has no points, so each item has 0: `- **0** ...`"
    if rubric.points != points:
        return (
            f"its items give {rubric.points:g} points in all, but the question has "
            f"{points:g}; change the items' points, or the question's in the notebook"
        )
    return ""


class _Section(NamedTuple):
    """The number of a section's first line, and the lines below that one."""

    number: int
    lines: Sequence[str]


def _begin(path: Path) -> str:
    return f"it begins with `# {path.stem}` and has the sections {_listed(SECTIONS)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`## {name}`" for name in names)


def _refuse(where: str, line: int, why: str) -> NoReturn:
    raise HomeworkError(f"{where}, line {line}: {why}")


def _heads(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    fence = ""
    for number, line in enumerate(lines, start=1):
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and re.match(r"##?(?!#)", line):
            yield number, line.rstrip()


def _sections(where: str, question: str, lines: Sequence[str]) -> dict[str, _Section]:
    heads = list(_heads(lines))
    first = next((number for number, line in enumerate(lines, start=1) if line.strip()), 1)
    if not heads or heads[0] != (first, f"# {question}"):
        _refuse(where, first, f"expected `# {question}`, the file's own name, as the first line")
    heads = heads[1:]
    ends = [*(number for number, _ in heads), len(lines) + 1]
    stray = (n for n in range(first + 1, ends[0]) if lines[n - 1].strip())
    if (number := next(stray, 0)) and heads:
        _refuse(where, number, f"expected `## {QUESTION}` before any text")
    names = [*SECTIONS, NOTES]
    found: dict[str, _Section] = {}
    for (number, line), end in zip(heads, ends[1:], strict=True):
        name = line.removeprefix("## ").strip()
        expected = names[len(found)] if len(found) < len(names) else ""
        if name in found:
            _refuse(where, number, f"`## {name}` appears a second time; put both into one")
        if not line.startswith("## ") or name not in names:
            _refuse(where, number, f"`{line}` is not a section; use {_listed(names)}")
        if name != expected:
            _refuse(where, number, f"expected `## {expected}` before `## {name}`")
        found[name] = _Section(number, lines[number : end - 1])
    if len(found) < len(SECTIONS):
        lacking = _listed(SECTIONS[len(found) :])
        _refuse(where, max(len(lines), 1), f"the file ends without {lacking}")
    return found


def _items(where: str, section: _Section) -> Iterator[RubricItem]:
    found: list[tuple[int, str, str]] = []
    for number, line in enumerate(section.lines, start=section.number + 1):
        item = _ITEM.fullmatch(line)
        if item:
            found.append((number, item["points"], item["words"].strip()))
        elif line.startswith((" ", "\t")) and line.strip() and found:
            first, points, words = found[-1]
            found[-1] = first, points, f"{words} {line.strip()}".strip()
        elif line.strip():
            _refuse(
                where, number, f"this is not an item; {_AN_ITEM}, and indent its continuation lines"
            )
    if not found:
        _refuse(where, section.number, f"`## {ITEMS}` has no item; {_AN_ITEM}")
    if len(found) > MAX_ITEMS:
        _refuse(
            where, found[MAX_ITEMS][0], f"there are {len(found)} items; the limit is {MAX_ITEMS}"
        )
    before: set[str] = set()
    for number, points, words in found:
        yield RubricItem(_points(where, number, points), _words(where, number, words, before))
        before.add(words)


def _points(where: str, number: int, text: str) -> float:
    if not _POINTS.fullmatch(text):
        _refuse(
            where, number, f"the points are {text!r}; write only a number, as in `- **1.5** ...`"
        )
    points = float(text)
    if points % STEP or abs(points) > MAX_POINTS:
        _refuse(where, number, f"{points:g} points; write a multiple of {STEP} up to {MAX_POINTS}")
    return points


def _words(where: str, number: int, words: str, before: set[str]) -> str:
    if not words:
        _refuse(where, number, f"the item has no words; {_AN_ITEM}")
    if words in before:
        _refuse(where, number, "two items have the same words; give each its own")
    text = re.sub(r"`[^`]*`", "", words)
    if "`" in text:
        _refuse(where, number, "a ` is not closed; code has one on each side")
    if text.replace(r"\$", "").count("$") % 2:
        _refuse(
            where,
            number,
            r"a $ is not closed; a formula has one on each side; write \$ for a dollar sign",
        )
    return words
