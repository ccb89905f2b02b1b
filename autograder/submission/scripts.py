"""Find the cells of scripts that were made from notebooks, in linear time.

It knows jupytext's two formats, `jupyter nbconvert --to script`, Databricks, Colab, and the `# %%`
of many editors.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

MAX_SCRIPT = 2_000_000  # bytes: longer than any notebook's script
# `# %%time` is a magic, not a cell mark.
_MARK = re.compile(r"(?:# In ?\[[ \d]*\]:|# COMMAND -{5,}|# ?%{2,5}(?:[ \t][^\n]*)?)[ \t]*")
_TEXT_MARK = re.compile(r"# ?(?:%%|\+)(?:[^\n]*\[(?:markdown|md)\]| md\b)")
_RAW_MARK = re.compile(r'# ?(?:%%|\+)(?:[^\n]*(?:\[raw\]| active="")| raw\b)')
_GRADE_ID = re.compile(r'"grade_id": ?"([^"\\]{1,200})"')
# Lines that exports put above the first cell.
_HEADERS = re.compile(r"#!.*|# -\*- .*|# (?:coding: utf-8|Databricks notebook source)")
_DATABRICKS_TITLE = re.compile(r"^# DBTITLE .*\n?", re.MULTILINE)
_FRONT = re.compile(
    r"\A(?:#![^\n]*\n|# -\*-[^\n]*\n|\n)*# ---\n(?:#(?! ---)[^\n]*\n)*# ---(?:\n|\Z)"
)
_MAGIC = re.compile(r"^# ?(?=%{1,2}[a-zA-Z]|[!?][ ]?[a-zA-Z./~$])", re.MULTILINE)
_TOKENS = re.compile(r"\\.|\"\"\"|'''|[\"'#]")
# jupytext's light format marks cells that contain blank lines.
_LIGHT_START, _LIGHT_END = re.compile(r"# \+(?:[ \t].*)?"), re.compile(r"# -[ \t]*")


class ScriptCell(NamedTuple):
    """A cell of a script: its type, its source, and its grade_id if its mark has one."""

    kind: str
    source: str
    grade_id: str | None = None


def is_script(source: str) -> bool:
    """Return whether a text has cell marks, as in a notebook's export."""
    return any(True for _ in _places(source.split("\n")))


@functools.lru_cache(maxsize=20_000)
def marks(source: str) -> int:
    """Return how many cell marks a text has."""
    return sum(1 for _ in _places(source.split("\n")))


def cells(source: str) -> list[ScriptCell]:
    """Return the cells of a script with cell marks.

    Text cells are comments or one long string: percent cells marked as Markdown, cells with
    Databricks' magic, and paragraphs of comments that nbconvert puts after code.
    """
    lines = _FRONT.sub("", source).split("\n")
    starts = list(_places(lines))
    ends = [*starts[1:], len(lines)][: len(starts)]
    found = list(_paragraphs("\n".join(lines[: starts[0]] if starts else lines)))
    for start, end in zip(starts, ends, strict=True):
        mark, body = lines[start], "\n".join(lines[start + 1 : end])
        found += [_marked(mark, body)] if "%%" in mark else _paragraphs(body.strip("\n"))
    return [part for part in found if part.source.strip()]


def plain(source: str) -> list[ScriptCell]:
    """Return the likely cells of a script without marks: its paragraphs.

    The light format marks only cells with blank lines or metadata.
    """
    found: list[ScriptCell] = []
    mark, start, blank = "", 0, False
    lines = _FRONT.sub("", source).split("\n")
    for number, (line, quoted) in enumerate(zip(lines, in_strings(lines)[0], strict=True)):
        # A mark inside a paragraph is a line of a table or list.
        opens = (blank or number == start) and _LIGHT_START.fullmatch(line)
        marked = not quoted and (opens or (mark and _LIGHT_END.fullmatch(line)))
        apart = blank and not mark and line[:1] not in ("", " ", "\t", ")", "]", "}")
        if marked or (apart and not quoted):
            found.append(_paragraph(mark, "\n".join(lines[start:number])))
            start = number
        if marked:
            mark, start = line if opens else "", number + 1
        blank = not (quoted or line.strip())
    found.append(_paragraph(mark, "\n".join(lines[start:])))
    return [part for part in found if part.source.strip()]


def _paragraph(mark: str, body: str) -> ScriptCell:
    if mark or not _is_comment(body) or _MAGIC.search(body):
        return _marked(mark, body)
    kept = (line for line in body.split("\n") if not _HEADERS.fullmatch(line))
    return ScriptCell("markdown", _uncommented("\n".join(kept)))


def _marked(mark: str, body: str) -> ScriptCell:
    given = _GRADE_ID.search(mark)
    grade_id = given[1] if given else None
    body = body.strip("\n")
    if _TEXT_MARK.match(mark):
        return ScriptCell("markdown", text(body), grade_id)
    if _RAW_MARK.match(mark):
        return ScriptCell("raw", text(body), grade_id)
    return ScriptCell("code", _MAGIC.sub("", body), grade_id)


def _places(lines: list[str]) -> Iterator[int]:
    """Yield the line numbers of marks, except those in long strings.

    If a string never ends, no line counts as inside it.
    """
    inside, ends = in_strings(lines)
    for number, line in enumerate(lines):
        if line.startswith("#") and not (ends and inside[number]) and _MARK.fullmatch(line):
            yield number


def in_strings(lines: Sequence[str]) -> tuple[list[bool], bool]:
    """Return whether each line begins inside a multi-line string, and whether all strings end."""
    inside = []
    quotes = ""
    for line in lines:
        inside.append(bool(quotes))
        within = quotes
        for token in _TOKENS.finditer(line):
            mark = token[0]
            if within:
                if mark in (within, 3 * within):
                    within = ""
            elif mark == "#":
                break
            elif mark[0] in "\"'":
                within = mark
        quotes = within if len(within) == 3 else ""  # a string in single quotes ends with its line
    return inside, not quotes


def _paragraphs(body: str) -> Iterator[ScriptCell]:
    kept = (line for line in body.split("\n") if not _HEADERS.fullmatch(line.strip()))
    body = _DATABRICKS_TITLE.sub("", "\n".join(kept))
    magic = [line.removeprefix("# MAGIC").removeprefix(" ") for line in body.split("\n")]
    if body.lstrip().startswith("# MAGIC"):
        yield ScriptCell("code", "\n".join(magic).strip("\n"))  # %md makes it text, see `repair`
        return
    paragraphs = re.split(r"\n[ \t]*\n", body.strip("\n"))
    first = next((n for n, part in enumerate(paragraphs) if not _is_comment(part)), None)
    last = next(
        (n for n, part in reversed(list(enumerate(paragraphs))) if not _is_comment(part)), -1
    )
    start = len(paragraphs) if first is None else first
    for paragraph in paragraphs[:start]:
        yield ScriptCell("markdown", _uncommented(paragraph))
    if first is not None:
        yield ScriptCell("code", "\n\n".join(paragraphs[start : last + 1]))
        for paragraph in paragraphs[last + 1 :]:
            yield ScriptCell("markdown", _uncommented(paragraph))


def _is_comment(paragraph: str) -> bool:
    return all(line.startswith("#") for line in paragraph.split("\n") if line.strip())


def text(body: str) -> str:
    """Return the text of a text cell from its comments or its long string."""
    string = body.strip().removeprefix("r")
    for quotes in ('"""', "'''"):
        if len(string) >= 6 and string.startswith(quotes) and string.endswith(quotes):
            return string[3:-3].strip("\n")
    return _uncommented(body)


def _uncommented(comments: str) -> str:
    return "\n".join(re.sub(r"^# ?", "", line) for line in comments.split("\n")).strip("\n")
