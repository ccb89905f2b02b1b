"""The formulas of a text cell, found as Jupyter finds them before reading the Markdown.

Jupyter takes formulas out first, so that `a_1 b_1` in a formula is not emphasis and `|` is not a
table's border. So do we: the remaining text has a placeholder for each.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Unicode's private-use characters, which no font has. If a text uses them, they appear as code
# points, so any that remain are placeholders.
OPEN, CLOSE = "\ue000", "\ue001"
_PLACEHOLDER = re.compile(f"{OPEN}([0-9]+){CLOSE}")
_FENCE = re.compile(
    r"^(?P<fence> {0,3}(?P<mark>```+|~~~+))[^\n]*\n(?:.*?\n)?? {0,3}(?P=mark)[`~]*[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_SPAN = re.compile(r"(?<![\\`])(`+)(?!`)[^\n]*?[^`\n]\1(?!`)")
_SPLIT = re.compile(
    # A double backslash is one token, so that its second backslash does not escape a dollar.
    r"\\\\[()\[\]]|\\\\|\\\$|\$\$?|\\(?:begin|end)\{[a-z]*\*?\}|[{}]|(?:\n[ \t]*)+",
    re.IGNORECASE,
)
_ENDS = {"$": "$", "$$": "$$", r"\\(": r"\\)", r"\\[": r"\\]"}

# Searching for a missing end takes time that hostile text could waste.
_TOKENS, _UNBALANCED = 5_000, 200


@dataclass(frozen=True)
class Formula:
    """A formula: its source, its TeX alone, and whether it has its own line."""

    source: str
    tex: str
    display: bool


def take_out(text: str) -> tuple[str, tuple[Formula, ...]]:
    """Return a text with placeholders for its formulas, and the formulas."""
    text = re.sub("\r\n?", "\n", text)
    text = re.sub(f"[{OPEN}{CLOSE}]", lambda found: f"[U+{ord(found[0]):04X}]", text)
    formulas: list[Formula] = []
    result, start = [], 0
    for first, last in _places(text):
        source = text[first:last]
        result += [text[start:first], f"{OPEN}{len(formulas)}{CLOSE}"]
        formulas.append(_formula(source))
        start = last
    return "".join([*result, text[start:]]), tuple(formulas)


def put_back(text: str, formulas: Sequence[Formula]) -> str:
    """Return a text with its formulas' sources, for places that show formulas as text."""
    return _PLACEHOLDER.sub(lambda found: formulas[int(found[1])].source, text)


def pieces(text: str) -> list[str | int]:
    """Split a text into strings and the numbers of the formulas between them."""
    parts = _PLACEHOLDER.split(text)
    return [int(part) if n % 2 else part for n, part in enumerate(parts) if n % 2 or part]


def _formula(source: str) -> Formula:
    if source.startswith("\\begin"):
        return Formula(source, source, display=True)
    mark = next(mark for mark in ("$$", "$", r"\\(", r"\\[") if source.startswith(mark))
    tex = source[len(mark) : -len(mark)].strip()
    return Formula(source, tex, display=mark in ("$$", r"\\["))


def _places(text: str) -> list[tuple[int, int]]:
    """Return the beginning and end of each formula, by Jupyter's own rules.

    A formula ends at the mark that matches its opening one, with balanced braces and no blank line
    inside. If its braces never balance, it ends at the first such mark.
    """
    code = _code(text)
    tokens = [found for found in _SPLIT.finditer(text) if not code(found.start())]
    places: list[tuple[int, int]] = []
    number = unbalanced = 0
    while number < len(tokens):
        token = tokens[number]
        number += 1
        if token[0] not in _ENDS and not token[0].startswith("\\begin"):
            continue
        end = _ENDS.get(token[0]) or token[0].replace("\\begin", "\\end")
        last, balanced = _last(tokens, number, end, patient=unbalanced < _UNBALANCED)
        unbalanced += not balanced
        if last is not None:
            first, final = token.start(), tokens[last].end()
            if text[first:final].strip("$ \n\\"):
                places.append((first, final))
            number = last + 1
    return places


def _last(
    tokens: Sequence[re.Match[str]], start: int, end: str, *, patient: bool
) -> tuple[int | None, bool]:
    """Return the number of the token that ends a formula, if any, and whether braces balance."""
    braces, unbalanced = 0, None
    for number in range(start, min(len(tokens), start + _TOKENS)):
        token = tokens[number][0]
        if token == end:
            if not braces:
                return number, True
            unbalanced = number if unbalanced is None else unbalanced
        elif token.count("\n") > 1:
            break
        elif token == "{":
            braces += 1
        elif token == "}" and braces:
            braces -= 1
        if not patient and (unbalanced is not None or number > start + _UNBALANCED):
            break
    return unbalanced, False


def _code(text: str) -> Callable[[int], bool]:
    """Return a function that tests whether a position is in code, where a dollar is just a dollar."""
    inside = bytearray(len(text) + 1)
    for pattern in (_FENCE, _SPAN):
        for found in pattern.finditer(text):
            if not inside[found.start()]:
                inside[found.start() : found.end()] = b"\1" * (found.end() - found.start())
    return lambda place: bool(inside[place])
