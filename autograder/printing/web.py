"""Written answers -> HTML with formulas in MathML, inside the sandbox; pandoc as for PDF.

It is served as `typesetter.py` is:

    <- {"directory", "texts": ["<Markdown>", ...], limits ...}
    -> {"pages": ["<HTML>" or null, ...]}       null: it cannot be read; show its source

Tags that a student wrote come out as text, links as their words and address, and headings as
strong lines. Whoever shows a page removes what else it should not have, as if it were hostile.
"""

import json
from collections.abc import Sequence
from typing import Any

from autograder.printing import formulas, typesetter
from autograder.printing.formulas import Formula
from autograder.sandbox.inside import layers, questions, worker

SEPARATOR = "<!--between-two-answers-->"
MAX_DEPTH = 40


def main() -> None:
    """Serve inside the sandbox."""
    worker.serve(lambda: None, _serve_texts)


def _serve_texts(descriptor: int, confinement: layers.Confinement, warm: None) -> None:  # noqa: ARG001
    with typesetter.begun(descriptor, confinement) as (channel, job):
        questions.send(channel, {"pages": pages(job["texts"])})


def pages(texts: Sequence[str]) -> list[str | None]:
    """Return each text as HTML; None for one that cannot be read or written."""
    read = [_blocks(text) for text in texts]
    good = [number for number, blocks in enumerate(read) if blocks is not None]
    written = dict(zip(good, _write([read[number] or [] for number in good]), strict=True))
    return [written.get(number) for number in range(len(texts))]


def _blocks(text: str) -> list[Any] | None:
    blocks = typesetter.tree(text)
    if blocks is None:
        return None
    found = formulas.take_out(text)[1]
    try:
        plain: list[Any] = _plain(blocks, found, 0)
    except (RecursionError, IndexError, _TooDeep):
        return None
    return plain


class _TooDeep(Exception):
    """Lists in lists in lists: a browser would be slow."""


def _plain(node: Any, found: Sequence[Formula], depth: int) -> Any:
    """Return a part of pandoc's tree with formulas in it, and without what does something."""
    if depth > 8 * MAX_DEPTH:
        raise _TooDeep
    if isinstance(node, list):
        parts: list[Any] = []
        for one in node:
            made = _plain(one, found, depth + 1)
            several = isinstance(one, dict) and isinstance(made, list)
            parts += made if several else [made]
        return parts
    if not isinstance(node, dict) or "t" not in node:
        return node
    content: Any = node.get("c")
    match node["t"]:
        case "Str":
            return [_piece(piece, found) for piece in formulas.pieces(content)]
        case "Code":
            return {"t": "Code", "c": [_NOTHING, formulas.put_back(content[1], found)]}
        case "RawInline":
            return {"t": "Code", "c": [_NOTHING, formulas.put_back(content[1], found)]}
        case "CodeBlock":
            return {"t": "CodeBlock", "c": [_NOTHING, formulas.put_back(content[1], found)]}
        case "RawBlock":
            return {"t": "CodeBlock", "c": [_NOTHING, formulas.put_back(content[1], found)]}
        case "Header":
            words = _plain(content[2], found, depth + 1)
            return {"t": "Para", "c": [{"t": "Strong", "c": words}]}
        case "Link" | "Image":
            words = _plain(content[1], found, depth + 1)
            address = formulas.put_back(content[2][0], found)
            shown = [{"t": "Space"}, {"t": "Code", "c": [_NOTHING, address]}]
            return [*words, *([] if words == [{"t": "Str", "c": address}] else shown)]
    return {**node, "c": _plain(content, found, depth + 1)} if "c" in node else node


_NOTHING: list[Any] = ["", [], []]


def _piece(piece: str | int, found: Sequence[Formula]) -> dict[str, Any]:
    if isinstance(piece, str):
        return {"t": "Str", "c": piece}
    formula = found[piece]
    kind = {"t": "DisplayMath" if formula.display else "InlineMath"}
    return {"t": "Math", "c": [kind, formula.tex]}


def _write(trees: Sequence[list[Any]]) -> list[str | None]:
    """Return each tree as HTML; where one is too much, the others are written."""
    if not trees:
        return []
    between = {"t": "RawBlock", "c": ["html", SEPARATOR]}
    blocks = [block for tree in trees for block in (*tree, between)]
    whole = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    try:
        text = typesetter.pandoc(
            json.dumps(whole), "-f", "json", "-t", "html", "--mathml", "--wrap=preserve"
        )
        parts: list[str | None] = list(text.split(SEPARATOR)[:-1])
        if len(parts) == len(trees):
            return parts
    except (typesetter.NotRead, ValueError, RecursionError):
        pass
    half = len(trees) // 2
    return [None] if not half else [*_write(trees[:half]), *_write(trees[half:])]


if __name__ == "__main__":
    main()
