"""The released cell for each of a student's cells, whatever happened to ids and metadata."""

import ast
import functools
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from autograder.course.cells import defines, digest, parsed, read
from autograder.records.homework import Cell

SIMILAR = 0.6
"""The likeness from which two texts count as versions of each other."""
# Five words in a row, or four signs of a script without blanks between words. A match begins only
# at the start of a word: otherwise a word of 40,000 letters would take minutes.
_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{4}"
_SENTENCE = re.compile(rf"(?<![^\W\d_])(?:[^\W\d_]+[ ,;:-]+){{4}}[^\W\d_]+|{_UNSPACED}")
_CONTENT = re.compile(r"[^\s#*_>=|`~.:+-]")  # anything but Markdown's marks
_COMMENT = re.compile(r"#(.*[^\W\d_]{2}.*)")
_BINDS = re.compile(
    r"\b(?:def|class|as|import)\s+(\w[\w ,]*)|^[ \t]*(\w[\w, ]*)(?::[^=\n]+)?=(?!=)"
    r"|\bimport\s*\(([\w\s,]*)|(?:\[|setattr\(\w+, )[\"'](\w+)[\"']",
    re.MULTILINE,
)
FAMILIAR = 0.25
"""A notebook with less than this share of a release's text belongs to a different homework, or to
none.
"""
_SHOWS = re.compile(r"<img\b|\bImage\(|data:image/", re.IGNORECASE)
# Comparing texts takes time, which a hostile notebook could waste. So for each missing cell, only
# this many characters of this many cells are compared.
_COMPARED, _CANDIDATES = 10_000, 40


class Pair(NamedTuple):
    """A student's cell and the released cell it stands for; several may stand for the same."""

    cell: Cell
    released: Cell | None


def match(cells: Sequence[Cell], release: Sequence[Cell]) -> list[Pair]:
    """Pair each of the student's cells with the released cell it stands for, if any.

    The surest evidence counts first: the name of an answer that the cell defines; a text that the
    release has once; grade_id; id; code that the release has once; a piece of a provided cell.
    Then, between matched neighbours, a provided cell takes the text most like its own, and a
    written answer takes every free text.
    """
    found: dict[int, Cell] = {}
    by_text, by_code = _index(release, text), _index(release, code)
    rules: tuple[Callable[[Cell], list[Cell]], ...] = (
        lambda cell: _by_name(cell, release),
        lambda cell: _once(by_text.get(text(cell), [])),
        lambda cell: _by_grade_id(cell, release),
        lambda cell: [c for c in release if c.id == cell.id and _may_be(cell, c)],
        lambda cell: _once(by_code.get(code(cell), [])),
        lambda cell: [c for c in release if c.id not in whole and is_piece(cell, c)],
    )
    for rule in rules:
        whole = {cell.id for cell in found.values()}
        for number, cell in enumerate(cells):
            if number not in found and (candidates := rule(cell)):
                found[number] = candidates[0]
    _between(cells, release, found)
    return [Pair(cell, found.get(number)) for number, cell in enumerate(cells)]


def surely_there(cells: Sequence[Cell], release: Sequence[Cell]) -> list[Cell]:
    """Return the released cells that are certainly present, by a defined name, grade_id or text."""
    names = {name for cell in cells for name in defines(cell)}
    ids = {cell.grade_id for cell in cells if cell.grade_id}
    texts = {text(cell) for cell in cells}
    return [
        cell
        for cell in release
        if names & defines(cell) or cell.grade_id in ids or (text(cell) and text(cell) in texts)
    ]


def is_foreign(cells: Sequence[Cell], release: Sequence[Cell]) -> bool:
    """Return whether cells share next to nothing with a release's text, questions and checks.

    All homeworks share provided code, the rules on collaboration, and the placeholder line for
    answers.
    """
    asked = [cell for cell in release if cell.type != "code" or cell.role in ("check", "answer")]
    shared = [cell for cell in asked if cell.role == "written" and not has_words(cell)]
    there = surely_there(cells, asked)
    ids = {cell.grade_id for cell in cells}
    found = [cell for cell in there if cell not in shared or cell.grade_id in ids]
    return len(found) < FAMILIAR * len(asked)


def as_given(code: Sequence[str], release: Sequence[Cell]) -> bool:
    """Return whether code anywhere defines a release's answer in the required form."""
    wanted = {item for cell in release if is_answer(cell) for item in _signatures(cell.source)}
    return any(wanted & _signatures(source) for source in code)


def _signatures(source: str) -> frozenset[tuple[str, ...]]:
    return frozenset(
        (node.name,)
        if isinstance(node, ast.ClassDef)
        else (node.name, *(argument.arg for argument in node.args.args))
        for node in ast.walk(parsed(source) or ast.Module([], []))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def may_bind(code: Sequence[str]) -> frozenset[str]:
    """Return the names that code may bind: in a branch, a string, or a file that it writes."""
    parts = (part for source in code for found in _BINDS.findall(source) for part in found)
    return frozenset(name for part in parts for name in re.findall(r"\w+", part))


def _index(cells: Sequence[Cell], key: Callable[[Cell], str]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        if words := key(cell):
            found.setdefault(words, []).append(cell)
    return found


def _by_name(cell: Cell, release: Sequence[Cell]) -> list[Cell]:
    names = defines(cell)
    return [c for c in release if c.role == "answer" and names and defines(c) & names]


def _once(candidates: list[Cell]) -> list[Cell]:
    """Return a candidate if it is the only one; equal texts differ only by place."""
    return candidates if len(candidates) == 1 else []


def _by_grade_id(cell: Cell, release: Sequence[Cell]) -> list[Cell]:
    """Return the cells with the same grade_id, or with its form before tools extended it."""
    if not cell.grade_id:
        return []
    wanted = re.sub(r"[-_ ]copy\d*$", "", cell.grade_id.lower())
    known = [c for c in release if c.grade_id]
    same = [c for c in known if c.grade_id == cell.grade_id]
    return same or _once([c for c in known if str(c.grade_id).lower() == wanted])


def _may_be(cell: Cell, released: Cell) -> bool:
    """Return whether a cell with a released id may be that cell; names identify answers."""
    if is_answer(released):
        return not defines(cell)
    return cell.type == released.type or released.role == "written"


def is_piece(cell: Cell, released: Cell) -> bool:
    """Return whether a cell consists only of statements from a provided one."""
    if cell.type != "code" or released.type != "code" or is_answer(released):
        return False
    statements = _statements(cell.source)
    return bool(statements) and set(statements or ()) < set(_statements(released.source) or ())


def is_answer(released: Cell) -> bool:
    """Return whether a released cell is a place for code."""
    return released.type == "code" and released.role == "answer"


def by_hand(released: Cell) -> bool:
    """Return whether a released cell is a place for code that a person marks."""
    return released.type == "code" and released.role == "written"


def _between(cells: Sequence[Cell], release: Sequence[Cell], found: dict[int, Cell]) -> None:
    order = {cell.id: number for number, cell in enumerate(release)}
    for number, missing in enumerate(release):
        if is_answer(missing) or any(cell.id == missing.id for cell in found.values()):
            continue
        above = [i for i, cell in found.items() if order[cell.id] < number]
        nearest = max((order[found[i].id] for i in above), default=-1)
        start = max((i for i in above if order[found[i].id] == nearest), default=-1)
        below = [i for i, cell in found.items() if order[cell.id] > number and i > start]
        window = range(start + 1, min(below, default=len(cells)))
        free = [i for i in window if i not in found and cells[i].source.strip()][:_CANDIDATES]
        if missing.role == "written":
            for i in filter(lambda i: is_prose(cells[i]), free):
                found[i] = missing
        else:
            likeness = {i: _likeness(cells[i], missing) for i in free}
            best = max(likeness, key=lambda i: likeness[i], default=None)
            if best is not None and likeness[best] >= SIMILAR:
                found[best] = missing


def _likeness(cell: Cell, released: Cell) -> float:
    """Return the share of words that two cells have in common, in time linear in their length."""
    if cell.type != released.type:
        return 0.0
    ours, theirs = _words(cell.source), _words(released.source)
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


@functools.lru_cache(maxsize=1_000)
def _words(source: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", source[:_COMPARED]))


def is_stub(cell: Cell, answer: Cell) -> bool:
    """Return whether an answer cell is unchanged, apart from comments and docstrings."""
    return "NotImplementedError" in cell.source and _body(cell.source) == _body(answer.source)


def has_own_text(cell: Cell, released: Cell | None) -> bool:
    """Return whether a cell has text or a picture that the release does not have in this place."""
    if not is_prose(cell) or not (_CONTENT.search(cell.source) or cell.attachments):
        return False
    return released is None or is_own(cell, released)


def is_own(cell: Cell, released: Cell) -> bool:
    """Return whether a cell has text or a picture beyond the released one."""
    if text(cell) and text(cell) != text(released):
        return True
    return has_pictures(cell) or not cell.attachments.keys() <= released.attachments.keys()


def has_own_comment(cell: Cell, released: Cell) -> bool:
    """Return whether a code cell has a sentence in comments beyond the released ones."""
    if cell.type != "code":
        return False
    given = set(_COMMENT.findall(released.source))
    own = (comment for comment in _COMMENT.findall(cell.source) if comment not in given)
    return any(_SENTENCE.search(comment) for comment in own)


def has_own_sentence(cell: Cell, released: Cell) -> bool:
    """Return whether a text cell has a sentence or a picture beyond the released ones."""
    if cell.type == "code" or not has_own_text(cell, released):
        return False
    own = _words(text(cell)) - _words(text(released))
    said = own.total() >= 5 or re.search(_UNSPACED, " ".join(own))  # a typo is no answer
    return bool(said) or not cell.attachments.keys() <= released.attachments.keys()


def has_pictures(cell: Cell) -> bool:
    """Return whether a cell's submitted outputs contain a picture."""
    data = [output.get("data") for output in cell.outputs]
    return any(
        str(kind).startswith("image/")
        for kinds in data
        if isinstance(kinds, dict)
        for kind in kinds
    )


def may_answer(cell: Cell, *, near: bool) -> bool:
    """Return whether a cell that a student added may be a written answer.

    Near the answer's place, any text, comment or picture may be one. Elsewhere, headings and plots
    are assumed to belong to something else.
    """
    if cell.type == "code":
        if has_words(cell) or _SHOWS.search(cell.source):
            return True
        return near and (has_pictures(cell) or _COMMENT.search(cell.source) is not None)
    if cell.attachments or has_words(cell):
        return True
    lines = [line for line in cell.source.split("\n") if _CONTENT.search(line)]
    return any(near or not line.startswith("#") for line in lines)


def has_words(cell: Cell) -> bool:
    """Return whether a cell contains a sentence: as text, in a comment or in a string."""
    return bool(_SENTENCE.search(cell.source))


def is_prose(cell: Cell) -> bool:
    """Return whether a cell is text, or a code cell that contains prose."""
    if cell.type != "code":
        return True
    return not _statements(cell.source) and bool(_SENTENCE.search(cell.source))


def text(cell: Cell) -> str:
    """Return a cell's lines without parts that editors change."""
    return _lines(cell.source)


def code(cell: Cell) -> str:
    """Return a code cell's statements, so that comments and layout make no difference."""
    statements = _statements(cell.source) if cell.type == "code" else None
    return "\n".join(statements) if statements else text(cell)


@functools.lru_cache(maxsize=20_000)
def _lines(source: str) -> str:
    lines = (line.rstrip() for line in source.replace("\xa0", " ").splitlines())
    return "\n".join(line for line in lines if line)


@functools.lru_cache(maxsize=20_000)
def _statements(source: str) -> tuple[str, ...] | None:
    return read(textwrap.dedent(source)).statements


@functools.lru_cache(maxsize=20_000)
def _body(source: str) -> str | None:
    tree = parsed(textwrap.dedent(source))
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:]
    return digest(tree)
