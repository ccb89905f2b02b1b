"""An answer prepared for paper: its tree for pandoc's typst writer, its formulas and pictures.

The tree has our own code for formulas and pictures, which refers to them only by number: student
text is in it as text, which pandoc escapes.
"""

import base64
import contextlib
import io
import json
import re
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.staff.paper.markdown import NOTHING, SPACE, Tree, block_of_code, word
from autograder.staff.paper.sheet import Part

NO_FORMULA = "Note: formulas that could not be typeset are shown as their source."
_NO_PICTURE = (
    "Note: images that are no attachment of the cell, or no PNG, JPEG or GIF, are shown as their "
    "source."
)
_MAX_PIXELS, _MAX_SIDE, _MAX_PICTURES = 60_000_000, 1_600, 100
_MAX_WIDTH, _MAX_HEIGHT = 460, 400  # points on paper
_DEFINITION = re.compile(r"^[ >]*\[[^\[\]\n]+\]:\s*(\S+)[^\n]*$", re.MULTILINE)
# An invisible hyphen, and the characters that begin an item, a term or a heading.
_MARK = re.compile(r"(-\?|\A(?:[-+/]|=+|[0-9]+\.)\Z)")
_LINKED = ("http://", "https://", "mailto:")


def typst(text: str) -> dict[str, Any]:
    """Return an element with Typst code of ours, which pandoc writes unchanged."""
    return {"t": "RawInline", "c": ["typst", text]}


class Shown:
    """The formulas, pictures and verbatim parts that a sheet's code refers to by number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.formulas: list[dict[str, str]] = []
        self.pictures: list[dict[str, str]] = []
        self.verbatim: list[dict[str, str]] = []

    def formula(self, tex: str, source: str) -> str:
        """Store a formula, and return the code to put before it."""
        self.formulas.append({"tex": " ".join(tex.split()), "source": source})
        return f"#formula({len(self.formulas) - 1})["

    def part(self, part: Part) -> str:
        """Store a part unchanged, and return its code."""
        self.verbatim.append({"label": part.label, "text": _broken(part.text.expandtabs(4))})
        return f"#verbatim({len(self.verbatim) - 1})\n"

    def picture(self, data: str, description: str) -> str | None:
        """Redraw an image and return its code; None if it is not an image or exceeds the limit."""
        number = len(self.pictures)
        if number == _MAX_PICTURES:
            return None
        with contextlib.suppress(Exception):  # a mangled image may raise anything
            name = _draw(data, self._folder / f"picture-{number}")
            self.pictures.append({"file": name, "alt": description or "image without description"})
            return f"#picture({number})"
        return None


class Paper(Tree):
    """A part of an answer, for pandoc to write in the typesetter's language."""

    deepest = 45

    def __init__(self, part: Part, shown: Shown, *, as_tex: bool) -> None:
        super().__init__(part.text)
        self._part, self._shown, self._as_tex = part, shown, as_tex
        self._headings: list[int] = []  # the levels of the headings above the current place

    def blocks(self) -> list[Any]:
        """Return the blocks, including unused link definitions, which pandoc drops."""
        blocks = super().blocks()
        there = json.dumps(blocks, ensure_ascii=False)
        lines = [found[0] for found in _DEFINITION.finditer(self.text) if found[1] not in there]
        return [*blocks, block_of_code("\n".join(lines))] if lines else blocks

    def words(self, text: str) -> list[Any]:
        """Return text, with a backslash before marks that pandoc does not always escape."""
        parts = _MARK.split(_broken(text))
        return [typst(f"\\{one}") if n % 2 else word(one) for n, one in enumerate(parts)]

    def formula(self, number: int) -> list[Any]:
        """Return a formula with its TeX as its alternative text."""
        formula = self.formulas[number]
        if self._as_tex:
            self.notices[NO_FORMULA] = None
            return [self.code(formula.source)]
        begin = self._shown.formula(formula.tex, formula.source)
        return [typst(begin), *super().formula(number), typst("]")]

    def code_block(self, classes: Sequence[str], text: str) -> str:
        """Return a code block's text; names that no language has become its first lines."""
        odd = [name for name in classes if not re.fullmatch(r"[\w+#-]+", name)]
        return _broken("".join(f"```{name}\n" for name in odd) + text)

    def code(self, text: str) -> dict[str, Any]:
        """Return inline code."""
        return super().code(_broken(text))

    def heading(self, level: int, words: list[Any]) -> Any:
        """Return a heading below the question's; PDF/UA allows no empty ones or skipped levels."""
        if not words:
            return []
        self._headings = [*(one for one in self._headings if one < level), level]
        return {"t": "Header", "c": [len(self._headings) + 1, NOTHING, words]}

    def link(self, words: list[Any], address: str, title: str) -> list[Any]:
        """Return a link with its address, since paper has no links."""
        linked = words and address.startswith(_LINKED)
        link = [{"t": "Link", "c": [NOTHING, words, [address, ""]]}] if linked else words
        address = address.removeprefix("mailto:")
        said = _text(words) in (address, address.removeprefix("http://"))
        more = [text for text in ("" if said else address, title) if text]
        return [*link, *([SPACE, word("("), self.code(", ".join(more)), word(")")] if more else [])]

    def image(self, words: list[Any], address: str, title: str) -> list[Any]:
        """Return an attachment as a picture, or the source of anything else."""
        description = ", ".join(filter(None, (_text(words), title)))
        name = urllib.parse.unquote(address.removeprefix("attachment:"))
        data = self._part.attachments.get(name) if address.startswith("attachment:") else None
        drawn = data and self._shown.picture(data, description)
        if not drawn:
            self.notices[_NO_PICTURE] = None
            return [self.code(f"![{description}]({address})")]
        caption = [SPACE, word(f"(Image: {description})")] if description else []
        return [typst(drawn), *caption]


def _broken(text: str) -> str:
    return re.sub(r"(\S{36})(?=\S)", "\\1\u200b", text)


def _text(node: Any) -> str:
    match node:
        case str():
            return node.replace("\u200b", "")
        case list():
            return "".join(map(_text, node))
        case {"t": "Space" | "SoftBreak" | "LineBreak"}:
            return " "
        case {"t": "RawInline", "c": [_, code]}:
            return str(code)[1:] if code.startswith("\\") else ""
        case {"t": "Code" | "Math", "c": [_, content]} | {"c": [_, content, [_, _]]}:
            return _text(content)
        case {"c": content}:
            return _text(content)
    return ""


def _draw(data: str, path: Path) -> str:
    """Redraw an image in its browser size, if that fits on a page; return its name."""
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(base64.b64decode(data)), formats=["PNG", "JPEG", "GIF"]) as image:
        if image.width * image.height > _MAX_PIXELS:
            raise ValueError("too many pixels")
        photograph = image.format == "JPEG"
        upright = ImageOps.exif_transpose(image)
        pixels = upright.convert("RGB" if photograph else "RGBA")
    # As wide as in a browser, which has 96 pixels per inch.
    width = min(0.75 * pixels.width, _MAX_WIDTH, _MAX_HEIGHT * pixels.width / pixels.height)
    pixels.thumbnail((_MAX_SIDE, _MAX_SIDE))
    # Pixels and nothing else. A photograph would be many times larger as a PNG.
    new = Image.frombytes(pixels.mode, pixels.size, pixels.tobytes())
    path = path.with_suffix(".jpg" if photograph else ".png")
    dots = (72 * new.width / width,) * 2
    new.save(path, quality=85, dpi=dots) if photograph else new.save(
        path, compress_level=6, dpi=dots
    )
    return path.name
