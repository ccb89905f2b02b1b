"""Scripts that notebooks were turned into -> what their cells were."""

import re
from collections.abc import Iterator

# `jupyter nbconvert --to script`, Databricks, and the percent format of many editors.
_MARKERS = re.compile(r"^(?:# In ?\[[ \d]*\]:|# COMMAND -{5,}|# ?%%[^\n]*)[ \t]*$", re.MULTILINE)
_TEXT_MARK = re.compile(r"# ?%%(?:[^\n]*\[(?:markdown|md|raw)\]| (?:md|raw)\b)")
# What exports put above the first cell.
_HEADERS = re.compile(r"#!.*|# -\*- .*|# (?:coding: utf-8|Databricks notebook source)")
_DATABRICKS_TITLE = re.compile(r"^# DBTITLE .*\n?", re.MULTILINE)


def is_script(source: str) -> bool:
    """Whether a text has the marks between cells that a notebook's export has."""
    return _MARKERS.search(source) is not None


def marks(source: str) -> int:
    """Return how many marks between cells a text has."""
    return sum(1 for _ in _MARKERS.finditer(source))


def cells(source: str) -> list[tuple[str, str]]:
    """Return the type ("code" or "markdown") and the source of each cell of a script.

    Text is found in comments: those of a percent cell marked as Markdown, those with
    Databricks' magic, and the paragraphs of comments that nbconvert puts behind code.
    """
    starts = list(_MARKERS.finditer(source))
    ends = [mark.start() for mark in starts[1:]] + [len(source)]
    found = list(_paragraphs(source[: starts[0].start()] if starts else source))
    for mark, end in zip(starts, ends, strict=True):
        body = source[mark.end() : end].strip("\n")
        if _TEXT_MARK.match(mark.group()):
            found.append(("markdown", _uncommented(body)))
        elif "%%" in mark.group():
            found.append(("code", body))
        else:
            found += _paragraphs(body)
    return [(kind, text) for kind, text in found if text.strip()]


def _paragraphs(body: str) -> Iterator[tuple[str, str]]:
    """Yield a cell's code, and each paragraph of comments above or below it as text."""
    kept = (line for line in body.split("\n") if not _HEADERS.fullmatch(line.strip()))
    body = _DATABRICKS_TITLE.sub("", "\n".join(kept))
    magic = [line.removeprefix("# MAGIC").removeprefix(" ") for line in body.split("\n")]
    if body.lstrip().startswith("# MAGIC"):
        yield "code", "\n".join(magic).strip("\n")  # %md makes it text, see `mend`
        return
    paragraphs = re.split(r"\n[ \t]*\n", body.strip("\n"))
    first = next((n for n, part in enumerate(paragraphs) if not _is_comment(part)), None)
    last = next(
        (n for n, part in reversed(list(enumerate(paragraphs))) if not _is_comment(part)), -1
    )
    start = len(paragraphs) if first is None else first
    for paragraph in paragraphs[:start]:
        yield "markdown", _uncommented(paragraph)
    if first is not None:
        yield "code", "\n\n".join(paragraphs[start : last + 1])
        for paragraph in paragraphs[last + 1 :]:
            yield "markdown", _uncommented(paragraph)


def _is_comment(paragraph: str) -> bool:
    return all(line.startswith("#") for line in paragraph.split("\n") if line.strip())


def _uncommented(text: str) -> str:
    """Return the text in comments."""
    return "\n".join(re.sub(r"^# ?", "", line) for line in text.split("\n")).strip("\n")
