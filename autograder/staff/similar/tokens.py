"""Code and text -> the words to compare, without the details that a copy changes first."""

import builtins
import io
import keyword
import re
import tokenize
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

MAX_CHARACTERS = 20_000
"""The most tokens of a cell; no real answer is that long, and hostile text takes time."""
_KEPT = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"self"}
_LEFT_OUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
)
# Scripts without blanks between words: each sign is one.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_END = re.compile(r"\n|(?<=[.!?]) ")
_OPENS, _CLOSES = "([{", ")]}"


class Token(NamedTuple):
    """One word.

    Args:
        text: The text to compare; for a name that the student chose, that name.
        line: Its line, from 0; in prose, its sentence.
        own: Whether it is a name that the student chose, of which only the repetitions are compared.
        exact: The text as written.

    """

    text: str
    line: int
    own: bool
    exact: str


def statements(source: str, known: Collection[str] = ()) -> Iterator[tuple[Token, ...]]:
    """Yield the statements of Python code, each as its tokens.

    Comments, docstrings, imports, annotations and layout are left out; all numbers and all strings
    count as equal. Broken code is read up to the break.
    """
    line: list[tokenize.TokenInfo] = []
    for item in _read(source[:MAX_CHARACTERS]):
        if item.type == tokenize.NEWLINE or (item.string == ";" and item.type == tokenize.OP):
            yield from _statement(line, known)
            line = []
        elif item.type not in _LEFT_OUT:
            line.append(item)
    yield from _statement(line, known)


def sentences(text: str) -> list[str]:
    """Return the pieces of a text that are shown separately: lines, and their sentences."""
    return _END.split(text)


def words(text: str) -> tuple[Token, ...]:
    """Return the words of a text in small letters, with lookalike accents removed."""
    return tuple(
        Token(plain, number, False, plain)
        for number, line in enumerate(sentences(text[:MAX_CHARACTERS]))
        for plain in _WORD.findall(unicodedata.normalize("NFKC", line).casefold())
    )


def _read(source: str) -> Iterator[tokenize.TokenInfo]:
    lines = io.StringIO(source)
    try:
        yield from tokenize.generate_tokens(lines.readline)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def _statement(
    line: Sequence[tokenize.TokenInfo], known: Collection[str]
) -> Iterator[tuple[Token, ...]]:
    if all(item.type == tokenize.STRING for item in line):
        return
    if line[0].string in ("import", "from"):
        return
    defines = any(item.string in ("def", "class") for item in line[:2])
    line = [line[number] for number in _without_annotations(line)]
    depth, found = 0, []
    for number, item in enumerate(line):
        depth += (item.string in _OPENS) - (item.string in _CLOSES)
        before = [one.string for one in line[max(0, number - 2) : number]]
        behind = line[number + 1].string if number + 1 < len(line) else ""
        own = item.type == tokenize.NAME and item.string not in _KEPT and item.string not in known
        if before[-1:] == ["."]:
            own = own and before[0] == "self"
        elif depth and behind == "=" and not defines:
            own = False  # the name of an argument
        text = {tokenize.NUMBER: "0", tokenize.STRING: "''"}.get(item.type, item.string)
        found.append(Token(text, item.start[0] - 1, own, item.string))
    yield tuple(found)


def _without_annotations(line: Sequence[tokenize.TokenInfo]) -> Iterator[int]:
    """Yield the positions outside annotations of arguments, return values and names."""
    strings = [item.string for item in line]
    defines = "def" in strings[:2]
    named = line[0].type == tokenize.NAME and not keyword.iskeyword(strings[0])
    inside, depth = False, 0
    for place, string in enumerate(strings):
        depth += (string in _OPENS) - (string in _CLOSES)
        if defines:
            begins = (string, depth) in ((":", 1), ("->", 0))
            ends = (string, depth) in ((",", 1), ("=", 1), (")", 0), (":", 0))
        else:
            begins = named and (string, depth) == (":", 0) and "=" not in strings[:place]
            ends = (string, depth) == ("=", 0)
        inside = begins or (inside and not ends)
        if not inside:
            yield place
