"""What pandoc read of a text cell -> the typesetter's language. Pure: text in, text out.

Nothing a student wrote reaches that language but as a string literal. What can be alone
on a page (a word, a row, a line of code) is a leaf: leaves are numbered through an answer,
and a window of them can be written alone, so that an answer can go on in the appendix.
"""

import re
import sys
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from autograder.printing import formulas
from autograder.printing.formulas import Formula

ALL = (0, sys.maxsize)
"""The window that leaves nothing out."""
MAX_DEPTH = 12
MOST = 3_000
"""More leaves do not fit on a page."""
# A word or line that is longer is no word: it may be broken anywhere.
_LONG, _LONG_IN_TABLE, _LONG_CODE, _LONG_LINE = 36, 14, 60, 2_000
_BREAK = "\u200b"
_LINKED = ("http://", "https://", "mailto:")


@dataclass(frozen=True)
class Picture:
    """An image that was drawn anew: its file, and its size in pixels."""

    file: str
    width: int
    height: int


@dataclass(frozen=True)
class Passage:
    """One cell of an answer, ready to be written.

    Args:
        blocks: What pandoc read; of a cell that is shown as it is, one block of code.
        label: What to say above it, if anything.
        formulas: What its placeholders stand for.
        typeset: For each formula its code, None where it could not be typeset.
        pictures: Its attachments by name; what is no picture is not there.
    """

    blocks: Sequence[Any]
    label: str = ""
    formulas: tuple[Formula, ...] = ()
    typeset: tuple[str | None, ...] = ()
    pictures: Mapping[str, Picture] = field(default_factory=dict)


@dataclass(frozen=True)
class Markup:
    """An answer's code, how many leaves it has, and what could not be shown as it was meant."""

    code: str
    leaves: int
    warnings: tuple[str, ...]


def write(
    passages: Sequence[Passage],
    *,
    key: str = "",
    absent: frozenset[str] = frozenset(),
    window: tuple[int, int] = ALL,
) -> Markup:
    """Return the leaves of an answer that are in a window.

    Args:
        passages: The answer.
        key: Under which the places of its leaves are found, of so many as a page may have; of
            none without a key.
        absent: Characters that no font has.
        window: The first leaf, and the one behind the last.
    """
    writer = _Writer(key, absent, window)
    code = "".join([writer.passage(passage) for passage in passages])
    # Words that no mark parts are one text; a quote in a text has a backslash before it.
    code = re.sub(r'(?<!\\)" #"', " ", code)
    return Markup(code, writer.leaves, tuple(writer.warnings))


def string(text: str) -> str:
    """Return a string literal in one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[^ -~\w]", lambda c: f"\\u{{{ord(c[0]):x}}}", escaped) + '"'


def visible(text: str, absent: frozenset[str]) -> str:
    """Return text with the code points of the characters that no font has."""
    return "".join(f"[U+{ord(c):04X}]" if c in absent else c for c in text)


def words(text: str, absent: frozenset[str] = frozenset()) -> str:
    """Return the code of plain text; a character that no font has shows its code point."""
    parts: list[str] = []
    for piece in re.split(f"([{re.escape(''.join(sorted(absent)))}])", text) if absent else [text]:
        if piece in absent:
            parts.append(f'#absent("{ord(piece):04X}")')
        elif piece:
            parts.append(f"#{string(piece)}")
    return "".join(parts)


def _array(items: Iterable[str]) -> str:
    return "(" + "".join(f"{item}, " for item in items) + ")"


def _cells(cells: Iterable[str]) -> str:
    return _array(f"[{cell}]" for cell in cells)


class _Writer:
    """Walks over the blocks of one answer and counts its leaves."""

    def __init__(self, key: str, absent: frozenset[str], window: tuple[int, int]) -> None:
        self._key, self._absent = key, absent
        self._start, self._stop = window
        self._passage = Passage(())
        self._whole = 0  # inside of a leaf, nothing is one
        self._depth = self._inner = 0
        self._long = _LONG
        self._headings: list[int] = []  # the levels of those that the next one is below
        self.leaves = 0
        self.warnings: dict[str, None] = {}

    def passage(self, passage: Passage) -> str:
        self._passage = passage
        label = ""
        if passage.label:
            label = self._leaf(lambda: f"#label-line[{self._text(passage.label)}]") + "\n"
        return label + self._blocks(passage.blocks)

    def _leaf(self, code: Callable[[], str]) -> str:
        """Return one leaf, if it is in the window, and a mark behind it."""
        self._whole += 1
        written = code()
        self._whole -= 1
        if self._whole:
            return written
        number = self.leaves
        self.leaves += 1
        return f"{written}{self._mark(number)}" if self._start <= number < self._stop else ""

    def _mark(self, number: int) -> str:
        return f"#m({string(self._key)}, {number})" if self._key and number < MOST else ""

    def _in_window(self) -> bool:
        """Whether what follows the leaf before is in the window."""
        return bool(self._whole) or self._start < self.leaves <= self._stop

    def _warn(self, warning: str) -> None:
        self.warnings[warning] = None

    def _text(self, text: str) -> str:
        if not self._absent.isdisjoint(text):
            self._warn("characters that no font has here are shown by their code points, as U+4E2D")
        return words(text, self._absent)

    def _raw(self, text: str, *, long: int = 0) -> str:
        """Return a string literal of code, with places to break it where it has none."""
        if not self._absent.isdisjoint(text):
            self._warn("characters that no font has here are shown by their code points, as U+4E2D")
        shown = visible(text, self._absent)
        return string(re.sub(rf"(\S{{{long or self._long}}})(?=\S)", rf"\1{_BREAK}", shown))

    def _as_source(self, text: str) -> str:
        return f"#source({self._raw(text)})"

    # Blocks

    def _blocks(self, blocks: Sequence[Any]) -> str:
        self._depth += 1
        code = "".join([self._block(block) for block in blocks])
        self._depth -= 1
        return code

    def _block(self, block: Any) -> str:
        content = block.get("c")
        kind = block["t"]
        if self._depth > MAX_DEPTH and kind in ("BlockQuote", "BulletList", "OrderedList"):
            self._warn("lists and quotes deep in others are shown without their indentation")
            items = [content] if kind == "BlockQuote" else content
            parts = self._items(items[1] if kind == "OrderedList" else items)
            return "".join(f"#parbreak()\n{part}#parbreak()\n" for part in parts if part)
        match kind:
            case "Para":
                code = self._inlines(content)
                return f"{code}#parbreak()\n" if code else ""
            case "Plain":
                code = self._inlines(content)
                return f"{code}\n" if code else ""
            case "Header":
                return self._heading(*content)
            case "CodeBlock":
                # A language is not shown; what is no name of one was meant to do something.
                odd = [name for name in content[0][1] if not re.fullmatch(r"[\w+#-]+", name)]
                fence = "".join(f"```{name}\n" for name in odd)
                return self._code_block(self._restored(fence + content[1]))
            case "RawBlock":
                self._warn("HTML is shown as its source")
                return self._code_block(self._restored(content[1]))
            case "BlockQuote":
                code = self._blocks(content)
                return f"#quote(block: true)[{code}]\n" if code else ""
            case "BulletList":
                items = [f"[{item}]" if item else "" for item in self._items(content)]
                return self._list("list", items)
            case "OrderedList":
                (start, _, _), points = content
                numbers = enumerate(self._items(points), start=int(start))
                items = [f"enum.item({n})[{item}]" if item else "" for n, item in numbers]
                return self._list("enum", items)
            case "HorizontalRule":
                return self._leaf(lambda: "#rule") + "\n" * self._in_window()
            case "Table":
                return self._table(content)
            case "Div":
                return self._blocks(content[1])
            case "LineBlock":
                return self._inlines([i for line in content for i in (*line, {"t": "LineBreak"})])
        raise ValueError(block["t"])

    def _items(self, items: Sequence[Any]) -> Iterator[str]:
        return (self._blocks(item) for item in items)

    def _list(self, kind: str, items: Iterable[str]) -> str:
        there = [item for item in items if item]
        return f"#{kind}({', '.join(there)})\n" if there else ""

    def _heading(self, level: int, _: Any, inlines: Any) -> str:
        # A reader that jumps from heading to heading must not find a level left out.
        above = [other for other in self._headings if other < level]
        # The question's own heading is the first level.
        shown = len(above) + 2
        code = self._leaf(lambda: f"#heading(level: {shown})[{self._inlines(inlines)}]")
        self._headings = [*above, level] if code else self._headings
        return f"{code}\n" if code else ""

    def _code_block(self, text: str) -> str:
        lines = [
            line[at : at + _LONG_LINE]
            for line in text.rstrip("\n").expandtabs(4).split("\n")
            for at in range(0, len(line) or 1, _LONG_LINE)
        ]
        first = self.leaves
        if self._whole:
            return f"#source({self._raw(text)})"
        self.leaves += len(lines)
        here = lines[max(0, self._start - first) : max(0, self._stop - first)]
        if not here:
            return ""
        number = max(first, self._start)
        shown = self._raw("\n".join(here), long=_LONG_CODE)
        return f"#code-block({string(self._key)}, {number}, {shown})\n"

    def _table(self, content: Any) -> str:
        _, _, columns, (_, head), bodies, (_, foot) = content
        body = [row for _, _, above, rows in bodies for row in (*above, *rows)]
        sides = {"AlignLeft": "left", "AlignRight": "right", "AlignCenter": "center"}
        align = [sides.get(column[0]["t"], "auto") for column in columns]
        titles = [self._row(row) for row in head][:1]
        rows = []
        for row in (*body, *foot) or ([],):
            cells = self._row(row) if row else []
            number, self.leaves = self.leaves, self.leaves + 1
            if self._start <= number < self._stop:
                # Between cells, a mark has no place.
                rows.append([*cells[:-1], cells[-1] + self._mark(number)] if cells else [])
        if not rows:
            return ""
        return (
            f"#answer-table({_array(align)}, {_cells((titles or [[]])[0])}, "
            f"{_array(map(_cells, rows))})\n"
        )

    def _row(self, row: Any) -> list[str]:
        self._whole += 1
        self._long = _LONG_IN_TABLE
        cells = [self._blocks(cell[4]) for cell in row[1]]
        self._long = _LONG
        self._whole -= 1
        return cells

    # Inlines

    def _inlines(self, inlines: Sequence[Any]) -> str:
        self._inner += 1
        code = "".join([self._inline(inline) for inline in inlines])
        self._inner -= 1
        return code

    def _inline(self, inline: Any) -> str:
        content = inline.get("c")
        match inline["t"]:
            case "Str":
                return self._word(content)
            case "Space" | "SoftBreak":
                return " " if self._in_window() else ""
            case "LineBreak":
                return "#linebreak()" if self._in_window() else ""
            case (
                "Emph" | "Strong" | "Strikeout" | "Superscript" | "Subscript" | "Underline" as kind
            ):
                name = {"Strikeout": "strike", "Superscript": "super", "Subscript": "sub"}
                code = self._inlines(content)
                if not code or self._inner > MAX_DEPTH:
                    return code
                return f"#{name.get(kind, kind.lower())}[{code}]"
            case "Code":
                return self._leaf(lambda: f"#raw({self._raw(self._restored(content[1]))})")
            case "RawInline":
                self._warn("HTML is shown as its source")
                return self._leaf(lambda: self._as_source(self._restored(content[1])))
            case "Link":
                return self._link(content[1], *map(self._restored, content[2]))
            case "Image":
                return self._leaf(lambda: self._image(content))
            case "Span":
                return self._inlines(content[1])
            case "Quoted":
                return self._inlines(content[1])
        raise ValueError(inline["t"])

    def _word(self, text: str) -> str:
        code = []
        for piece in formulas.pieces(text):
            if isinstance(piece, int):
                code.append(self._leaf(partial(self._formula, piece)))
                continue
            parts = [piece[at : at + self._long] for at in range(0, len(piece), self._long)]
            for number, part in enumerate(parts):
                code.append(self._leaf(partial(self._text, part)))
                if number < len(parts) - 1 and self._in_window():
                    code.append(f"#{string(_BREAK)}")
        return "".join(code)

    def _restored(self, text: str) -> str:
        return formulas.put_back(text, self._passage.formulas)

    def _formula(self, number: int) -> str:
        code = self._passage.typeset[number]
        if code is not None:
            return code
        self._warn("formulas that could not be typeset are shown as their source")
        return self._as_source(self._passage.formulas[number].source)

    def _link(self, inlines: Any, target: str, title: str) -> str:
        code = self._inlines(inlines)
        address = target.removeprefix("mailto:")
        if code and target.startswith(_LINKED):
            code = f"#link({string(target)})[{code}]"
        # On paper, a link is its address.
        words = self._restored(_plain(inlines))
        unsaid = [text for text in (address, title) if text not in (words, f"http://{words}", "")]
        if not unsaid:
            return code
        return code + self._leaf(lambda: f" #address({self._raw(', '.join(unsaid))})")

    def _image(self, content: Any) -> str:
        _, inlines, (target, title) = content
        target = self._restored(target)
        description = ", ".join(filter(None, (self._restored(_plain(inlines)), title)))
        name = urllib.parse.unquote(target.removeprefix("attachment:"))
        picture = self._passage.pictures.get(name) if target.startswith("attachment:") else None
        if picture is None:
            self._warn(
                "images that are no attachment of the cell, or no PNG, JPEG or GIF, are shown as "
                "their source"
            )
            return self._as_source(f"![{description}]({target})")
        return (
            f"#picture({string('/' + picture.file)}, {picture.width}, {picture.height}, "
            f"{string(description)}, [{self._text(description)}])"
        )


def _plain(inlines: Sequence[Any]) -> str:
    """Return the text of inlines, without what they look like."""
    parts = []
    for inline in inlines:
        content = inline.get("c")
        match inline["t"]:
            case "Str":
                parts.append(content)
            case "Space" | "SoftBreak" | "LineBreak":
                parts.append(" ")
            case "Code" | "RawInline":
                parts.append(content[1])
            case "Link" | "Image" | "Span" | "Quoted":
                parts.append(_plain(content[1]))
            case _:
                parts.append(_plain(content))
    return "".join(parts)
