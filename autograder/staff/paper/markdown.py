"""Read text cells with pandoc as Jupyter does, and write them as HTML or for the typesetter.

The only module that uses pandoc, which reads student text only in the sandbox.
"""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from autograder.staff.paper import formulas

# CommonMark as in Jupyter, with formulas already removed. Tags become raw HTML, which is shown as
# text, and raw typst is not allowed.
_MARKDOWN = "commonmark-raw_html+pipe_tables+strikeout+task_lists+autolink_bare_uris"
_SECONDS, _MAX_OUTPUT = 10, 20_000_000
_SEPARATOR = "<!--between-two-answers-->"
NOTHING: list[Any] = ["", [], []]
"""The attributes of an element without any."""


class NotRead(Exception):
    """An error: pandoc could not read a text, or took too long."""


def pandoc(text: str, *arguments: str) -> str:
    """Return pandoc's output for a text; raise NotRead if that takes too much time or memory."""
    import pypandoc

    command = [pypandoc.get_pandoc_path(), "+RTS", "-M1g", "-RTS", "--sandbox", *arguments]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_SECONDS, check=True
        )
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        raise NotRead from error
    if len(done.stdout) > _MAX_OUTPUT:
        raise NotRead
    return done.stdout.decode("utf-8", "replace")


def write(blocks: Sequence[Any], *arguments: str) -> str:
    """Return blocks in one of pandoc's formats; raise NotRead if it cannot write them."""
    whole = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    return pandoc(json.dumps(whole), "-f", "json", "--wrap=preserve", *arguments)


class Tree:
    """A text as read by pandoc, with its formulas but without active parts.

    Tags become text, links their words and address, and headings bold lines.
    """

    deepest = 320
    """The deepest nesting of a text that is read: lists in lists take time."""

    def __init__(self, text: str) -> None:
        self.text, self.formulas = formulas.take_out(text)
        self.notices: dict[str, None] = {}

    def blocks(self) -> list[Any]:
        """Return the blocks; raise NotRead for anything that cannot be read."""
        try:
            read = json.loads(pandoc(self.text, "-f", _MARKDOWN, "-t", "json"))
            blocks: list[Any] = self.plain(read["blocks"])
        except (RecursionError, ValueError, IndexError) as error:
            raise NotRead from error
        return blocks

    def plain(self, node: Any, depth: int = 0) -> Any:
        """Return a part of pandoc's tree unchanged."""
        if depth > self.deepest:
            raise NotRead
        if isinstance(node, list):
            parts: list[Any] = []
            for one in node:
                made = self.plain(one, depth + 1)
                several = isinstance(one, dict) and isinstance(made, list)
                parts += made if several else [made]
            return parts
        if not isinstance(node, dict) or "t" not in node:
            return node
        content: Any = node.get("c")
        match node["t"]:
            case "Str":
                return [
                    part
                    for piece in formulas.pieces(content)
                    for part in (
                        self.words(piece) if isinstance(piece, str) else self.formula(piece)
                    )
                ]
            case "Code" | "RawInline" as kind:
                self._notice_html(kind)
                return self.code(self._restored(content[1]))
            case "CodeBlock" | "RawBlock" as kind:
                self._notice_html(kind)
                classes = content[0][1] if kind == "CodeBlock" else []
                text = self.code_block(classes, self._restored(content[1]))
                return block_of_code(text)
            case "Header":
                return self.heading(content[0], self.plain(content[2], depth + 1))
            case "Link" | "Image" as kind:
                words = self.plain(content[1], depth + 1)
                target = [self._restored(text) for text in content[2]]
                return (self.link if kind == "Link" else self.image)(words, *target)
        return {**node, "c": self.plain(content, depth + 1)} if "c" in node else node

    def _restored(self, text: str) -> str:
        return formulas.put_back(text, self.formulas)

    def _notice_html(self, kind: str) -> None:
        if kind.startswith("Raw"):
            self.notices["Note: HTML is shown as its source."] = None

    # Elements that each format writes in its own way

    def words(self, text: str) -> list[Any]:
        """Return text without formatting."""
        return [word(text)]

    def formula(self, number: int) -> list[Any]:
        """Return a formula for pandoc to write."""
        formula = self.formulas[number]
        kind = {"t": "DisplayMath" if formula.display else "InlineMath"}
        return [{"t": "Math", "c": [kind, formula.tex]}]

    def code_block(self, classes: Sequence[str], text: str) -> str:  # noqa: ARG002
        """Return the text of a block of code."""
        return text

    def code(self, text: str) -> dict[str, Any]:
        """Return inline code."""
        return {"t": "Code", "c": [NOTHING, text]}

    def heading(self, level: int, words: list[Any]) -> Any:  # noqa: ARG002
        """Return a heading."""
        return {"t": "Para", "c": [{"t": "Strong", "c": words}]}

    def link(self, words: list[Any], address: str, title: str) -> list[Any]:  # noqa: ARG002
        """Return a link."""
        return [*words, *([] if words == [word(address)] else [SPACE, self.code(address)])]

    def image(self, words: list[Any], address: str, title: str) -> list[Any]:
        """Return an image."""
        return self.link(words, address, title)


SPACE = {"t": "Space"}


def word(text: str) -> dict[str, Any]:
    """Return a word without formatting."""
    return {"t": "Str", "c": text}


def block_of_code(text: str) -> dict[str, Any]:
    """Return lines of code."""
    return {"t": "CodeBlock", "c": [NOTHING, text]}


def html(texts: Sequence[str]) -> list[str | None]:
    """Return each text as HTML with formulas in MathML; None for an unreadable or unwritable one.

    The code that shows it must sanitize it like any hostile HTML.
    """
    read: dict[int, list[Any]] = {}
    for number, text in enumerate(texts):
        try:
            read[number] = Tree(text).blocks()
        except NotRead:
            continue
    written = dict(zip(read, _html(list(read.values())), strict=True))
    return [written.get(number) for number in range(len(texts))]


def _html(trees: Sequence[list[Any]]) -> list[str | None]:
    """Return each tree as HTML; if one cannot be written, the others are still written."""
    if not trees:
        return []
    between = {"t": "RawBlock", "c": ["html", _SEPARATOR]}
    try:
        text = write(
            [block for tree in trees for block in (*tree, between)], "-t", "html", "--mathml"
        )
        parts: list[str | None] = list(text.split(_SEPARATOR)[:-1])
        if len(parts) == len(trees):
            return parts
    except (NotRead, RecursionError):
        pass
    half = len(trees) // 2
    return [None] if not half else [*_html(trees[:half]), *_html(trees[half:])]
