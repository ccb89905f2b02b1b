"""The typesetter inside the sandbox: the only module that uses typst.

It starts as `python -s -P -m autograder.staff.paper.typesetter` and serves like `worker.py`, once
per notebook:

    <- {"directory", "sheet", "as_source", limits ...};  "together" or "template" may replace "sheet"
    -> {"pdf": "<base64>"}
    <- {"directory", "texts": ["<Markdown>", ...], limits ...}
    -> {"pages": ["<HTML>" or null, ...]}       null: it cannot be read; show its source

pandoc and typst read student text, so they see only a fresh folder, and only the reply
shown above leaves the sandbox.
"""

import base64
import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import socket
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from autograder.reports import style
from autograder.sandbox.inside import layers, question_forks, worker
from autograder.staff.paper import markdown
from autograder.staff.paper.markdown import NotRead, word
from autograder.staff.paper.paper import NO_FORMULA, Paper, Shown, typst
from autograder.staff.paper.sheet import PrintedAnswer, PrintedSheet

NEEDED = ("typst", "pypandoc", "pypdf")
"""The packages of the extra `pdf`."""
_SHEET = style.paper() + files("autograder.staff.paper").joinpath("sheet.typ").read_text("utf-8")
# Joiners and direction marks need no glyph.
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")


def missing(*more: str) -> tuple[str, ...]:
    """Return the missing packages of the extra `pdf`: those for sheets, and `more`."""
    return tuple(name for name in (*NEEDED, *more) if importlib.util.find_spec(name) is None)


def main() -> None:
    """Serve inside the sandbox."""
    worker.serve(_warm_up, _serve)


def _warm_up() -> None:
    """Import all that sheets need; typesetting follows after the fork, which kills threads."""
    for name in ("PIL.Image", "pypdf", "typst"):
        with contextlib.suppress(ImportError):  # writing HTML needs none of them
            importlib.import_module(name)


def _serve(descriptor: int, confinement: layers.Confinement, warm: None) -> None:  # noqa: ARG001
    """Read one of our jobs, lock this process into the job's folder, and answer."""
    channel = socket.socket(fileno=descriptor)
    with worker.speaking_for_the_run(channel):
        job = json.loads(channel.makefile("r", encoding="utf-8").readline())
        layers.enter(
            confinement,
            Path(job["directory"]),
            memory_bytes=job["memory_bytes"],
            seconds=job["seconds"],
        )
        os.environ.update(dict.fromkeys(("HOME", "TMPDIR"), str(Path.cwd())))
        if "texts" in job:
            question_forks.send(channel, {"pages": markdown.html(job["texts"])})
        else:
            question_forks.send(channel, {"pdf": base64.b64encode(_pdf(job)).decode()})


def _pdf(job: Mapping[str, Any]) -> bytes:
    setter = Typesetter(Path.cwd())
    if "together" in job:
        sheets = [(who, base64.b64decode(one)) for who, one in job["together"]]
        return setter.together(job["title"], sheets)
    if "template" in job:
        return setter.compile(job["template"], job["data"])
    return setter.typeset(msgspec.convert(job["sheet"], PrintedSheet), as_source=job["as_source"])


def _written(whole: Any) -> bytes:
    file = io.BytesIO()
    whole.write(file)
    return file.getvalue()


def _in_order(pdf: bytes) -> bytes:
    """Return a sheet with text that does not fit on a question's page moved to the end."""
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(pdf))
    places = reader.named_destinations.items()
    first = [
        0,
        *sorted(
            reader.get_destination_page_number(place) or 0
            for name, place in places
            if name.startswith("question-")
        ),
    ]
    order = [*first, *(page for page in range(len(reader.pages)) if page not in first)]
    if order == sorted(order):
        return pdf
    whole = pypdf.PdfWriter(clone_from=reader)
    whole.pdf_header = reader.pdf_header
    kids: Any = whole.root_object["/Pages"].get_object()
    kids["/Kids"][:] = [kids["/Kids"][page] for page in order]
    return _written(whole)


@dataclass(frozen=True)
class _Ready:
    """An answer that has been read: notices for its reader, and its code."""

    answer: PrintedAnswer
    notices: tuple[str, ...]
    code: str


class Typesetter:
    """A typesetter confined to a folder: it cannot refer to anything outside."""

    def __init__(self, folder: Path) -> None:
        import typst

        self._compiler = typst.Compiler(root=str(folder), ignore_system_fonts=True)
        self._error = typst.TypstError
        self._folder = folder
        self._shown = Shown(folder)

    def typeset(self, whole: PrintedSheet, *, as_source: Collection[str] = ()) -> bytes:
        """Return a PDF."""
        ready = [self._read(one, "source" * (one.question in as_source)) for one in whole.answers]
        try:
            return self._pages(whole, ready)
        except self._error:
            return self._pages(whole, [self._sound(whole, item) for item in ready])

    def together(self, title: str, sheets: Sequence[tuple[str, bytes]]) -> bytes:
        """Return one PDF of many, with bookmarks, and with an index if it has a title."""
        import pypdf

        readers = [(who, pypdf.PdfReader(io.BytesIO(data))) for who, data in sheets]
        whole = pypdf.PdfWriter()
        before = 0
        while title:  # the index itself takes pages
            rows, page = [], before + 1
            for who, reader in readers:
                rows.append((who, page))
                page += len(reader.pages)
            data = {"title": title, "student": "", "questions": [], "rows": rows}
            index = pypdf.PdfReader(io.BytesIO(self.compile(f"{_SHEET}#index()\n", data)))
            if len(index.pages) == before:
                whole.append(index)
                break
            before = len(index.pages)
        for who, reader in readers:
            whole.append(reader, outline_item=who or None, import_outline=not who)
        return _written(whole)

    def compile(self, template: str, data: Mapping[str, Any]) -> bytes:
        """Return a PDF/UA-1; characters missing from all fonts appear as code points.

        The template reads data.json, where student text is only text.
        """
        absent = {c for c in template if not (c.isprintable() or c.isspace())} - _INVISIBLE
        while True:
            table = {ord(c): f"‹U+{ord(c):04X}›" for c in absent}
            text = json.dumps(_translated(data, table), ensure_ascii=False)
            (self._folder / "data.json").write_text(text, encoding="utf-8")
            try:
                pdf = self._compiler.compile(
                    input=template.translate(table).encode(), format="pdf", pdf_standards=["ua-1"]
                )
            except self._error as error:
                named = _named(error.diagnostic) - absent
                if not named:
                    raise
                absent |= named - _INVISIBLE or named
            else:
                assert isinstance(pdf, bytes)
                return pdf

    def _pages(self, whole: PrintedSheet, ready: Sequence[_Ready]) -> bytes:
        data = {
            "title": whole.title,
            "student": whole.student,
            "questions": [
                {
                    "id": one.answer.question,
                    "worth": one.answer.worth,
                    "most": one.answer.most,
                    "notices": one.notices,
                    "code": one.code,
                }
                for one in ready
            ],
            "formulas": self._shown.formulas,
            "pictures": self._shown.pictures,
            "verbatim": self._shown.verbatim,
        }
        answers = [f"#question({n})\n{one.code}" for n, one in enumerate(ready)]
        return _in_order(self.compile("\n".join([_SHEET, "#first-page()", *answers]), data))

    # The contents of an answer

    def _sound(self, whole: PrintedSheet, item: _Ready) -> _Ready:
        """Return an answer in a form that typesets: unchanged, with TeX as text, or as its source."""
        for way in ("TeX", "source"):
            try:
                self._pages(whole, [item])
                break
            except self._error:
                item = self._read(item.answer, way)
        return item

    def _read(self, answer: PrintedAnswer, way: str = "") -> _Ready:
        notices = dict.fromkeys(answer.notices)
        if way == "source":
            notices[_AS_SOURCE] = None
            return _Ready(answer, tuple(notices), "".join(map(self._shown.part, answer.parts)))
        blocks: list[Any] = []
        try:
            for part in answer.parts:
                if not part.markdown:
                    blocks.append({"t": "Para", "c": [typst(self._shown.part(part))]})
                    continue
                if part.label:
                    label = [typst("#label-line["), word(part.label), typst("]")]
                    blocks.append({"t": "Para", "c": label})
                paper = Paper(part, self._shown, as_tex=way == "TeX")
                blocks += paper.blocks()
                notices |= paper.notices
            code = markdown.write(blocks, "-t", "typst")
        except NotRead:
            return self._read(answer, "source")
        if re.search(r"#formula\(\d+\)\[\\", code):
            notices[NO_FORMULA] = None
        return _Ready(answer, tuple(notices), code)


_AS_SOURCE = "This could not be typeset, so it is shown as its source."


def _translated(node: Any, table: Mapping[int, str]) -> Any:
    if isinstance(node, str):
        return node.translate(table)
    if isinstance(node, Mapping):
        return {key: _translated(one, table) for key, one in node.items()}
    return [_translated(one, table) for one in node] if isinstance(node, list | tuple) else node


def _named(diagnostic: str) -> frozenset[str]:
    """Return the characters that a diagnostic reports as missing from all fonts."""
    said = "".join(re.findall(r'the text `"(.*?)"` could not be displayed', diagnostic))
    said = re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found[1], 16)), said)
    return frozenset(c for c in said if not " " <= c <= "~")


if __name__ == "__main__":
    main()
