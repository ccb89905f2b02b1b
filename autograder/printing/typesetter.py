"""The typesetter, inside the sandbox: the only module that names pandoc and typst.

It is started as `python -s -P -m autograder.printing.typesetter` and serves as `worker.py`
does, once a notebook:

    <- {"directory", "sheet", "as_source", limits ...}, or "together", "joined" or "template" in its place
    -> {"pdf": "<base64>", "why_not_ua": ""}

Both programs read what students wrote, so they see nothing but a fresh folder, and of
what they print only this line goes out.
"""

import base64
import contextlib
import functools
import importlib.util
import io
import json
import os
import re
import socket
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from autograder.printing import formulas, markup, sheet
from autograder.printing.formulas import Formula
from autograder.printing.markup import Passage, Picture
from autograder.printing.sheet import Part, PrintedAnswer, PrintedSheet, Ready
from autograder.sandbox.inside import layers, questions, worker

NEEDED = ("typst", "pypandoc", "pypdf")
"""What the extra `pdf` installs."""
# CommonMark as Jupyter reads it; formulas are taken out before. What would be raw HTML
# comes as such, and is shown as text.
_MARKDOWN = "commonmark-raw_html+pipe_tables+strikeout+task_lists+autolink_bare_uris"
_PANDOC_SECONDS, _MAX_TREE = 5, 20_000_000
_MAX_PIXELS, _MAX_SIDE, _MAX_PICTURES = 60_000_000, 1_600, 100
_DEFINITION = re.compile(r"^[ >]*\[[^\[\]\n]+\]:\s*(\S+)[^\n]*$", re.MULTILINE)
_ATTEMPTS = 8
_SEPARATOR = "//--{}--//"


def missing() -> tuple[str, ...]:
    """Return what of the extra `pdf` is not installed."""
    return tuple(name for name in NEEDED if importlib.util.find_spec(name) is None)


def main() -> None:
    """Serve inside the sandbox."""
    worker.serve(_warm_up, _serve_sheet)


def _warm_up() -> None:
    """Import what every sheet needs; nothing is typeset before the fork, which threads do not survive."""
    import PIL.Image
    import pypdf
    import typst

    del PIL, pypdf, typst


@contextlib.contextmanager
def begun(
    descriptor: int, confinement: layers.Confinement
) -> Iterator[tuple[socket.socket, dict[str, Any]]]:
    """Read a job of ours, and shut this process into the job's folder.

    Yields:
        Where the answer goes, and the job.
    """
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
        yield channel, job


def _serve_sheet(descriptor: int, confinement: layers.Confinement, warm: None) -> None:  # noqa: ARG001
    with begun(descriptor, confinement) as (channel, job):
        setter = Typesetter(Path.cwd())
        if "together" in job:
            sheets = [(who, base64.b64decode(one)) for who, one in job["together"]]
            pdf, why_not = setter.together(job["title"], sheets), ""
        elif "joined" in job:
            pdf, why_not = joined([base64.b64decode(one) for one in job["joined"]]), ""
        elif "template" in job:
            pdf, why_not = setter.filled(job["template"], job["data"])
        else:
            whole = msgspec.convert(job["sheet"], PrintedSheet)
            pdf, why_not = setter.typeset(whole, as_source=job["as_source"])
        questions.send(channel, {"pdf": base64.b64encode(pdf).decode(), "why_not_ua": why_not})


def joined(parts: Sequence[bytes]) -> bytes:
    """Return one PDF of several, one after another."""
    import pypdf

    whole = pypdf.PdfWriter()
    for part in parts:
        whole.append(io.BytesIO(part))
    return _written(whole)


def _written(whole: Any) -> bytes:
    file = io.BytesIO()
    whole.write(file)
    return file.getvalue()


class Typesetter:
    """Typesets one sheet in a folder of its own.

    Args:
        folder: Its root: nothing outside of it can be named.
    """

    def __init__(self, folder: Path) -> None:
        import typst

        self._folder = folder
        self._compiler = typst.Compiler(root=str(folder), ignore_system_fonts=True)
        self._query = typst.query
        self._error = typst.TypstError
        self._pictures = 0

    def typeset(self, whole: PrintedSheet, *, as_source: Collection[str] = ()) -> tuple[bytes, str]:
        """Return a PDF, and why it is no PDF/UA-1 if it is none.

        Args:
            whole: What to typeset.
            as_source: Questions whose answers are not to be typeset: it was tried.
        """
        absent = self._absent(whole)
        ready = [
            self._read(answer, whole, absent, as_source=answer.question in as_source)
            for answer in whole.answers
        ]
        try:
            code = self._cut(whole, ready, absent)
        except self._error:
            ready = [self._sound(item, whole, absent) for item in ready]
            code = self._cut(whole, ready, absent)
        try:
            return self.compile(code), ""
        except self._error as error:
            return self.compile(code, accessible=False), str(error.message)

    def filled(self, template: str, data: Any) -> tuple[bytes, str]:
        """Return a PDF of our own template, and why it is no PDF/UA-1 if it is none.

        Args:
            template: Typst, which reads data.json: what students wrote is only text there.
            data: What it shows.
        """
        (self._folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
        try:
            return self.compile(template), ""
        except self._error as error:
            return self.compile(template, accessible=False), str(error.message)

    def together(self, title: str, sheets: Sequence[tuple[str, bytes]]) -> bytes:
        """Return one PDF of many, with an index in front of them and bookmarks.

        Args:
            title: The homework's.
            sheets: The student, and the PDF.
        """
        import pypdf

        readers = [(who, pypdf.PdfReader(io.BytesIO(data))) for who, data in sheets]
        absent = self._absent(PrintedSheet(title, " ".join(who for who, _ in sheets), ()))
        before = 0
        while True:  # the index itself takes pages
            first, page = {}, before + 1
            for who, reader in readers:
                first[who] = page
                page += len(reader.pages)
            index = pypdf.PdfReader(io.BytesIO(self.compile(sheet.index(title, first, absent))))
            if len(index.pages) == before:
                break
            before = len(index.pages)
        whole = pypdf.PdfWriter()
        whole.append(index)
        for who, reader in readers:
            whole.append(reader, outline_item=who, import_outline=False)
        return _written(whole)

    def compile(self, code: str, *, accessible: bool = True) -> bytes:
        """Return a PDF, which is tagged; accessible: a PDF/UA-1 or an error."""
        pdf = self._compiler.compile(
            input=code.encode(), format="pdf", pdf_standards=["ua-1"] if accessible else []
        )
        assert isinstance(pdf, bytes)
        return pdf

    def _places(self, code: str) -> sheet.Places:
        root, source = self._folder, self._folder / "sheet.typ"
        source.write_text(code, encoding="utf-8")
        found = self._query(
            source, "<places>", field="value", one=True, root=root, ignore_system_fonts=True
        )
        return msgspec.json.decode(found, type=list[tuple[str, int, int]])

    def _cut(self, whole: PrintedSheet, ready: Sequence[Ready], absent: frozenset[str]) -> str:
        """Return the document in which each question stays on its page."""
        cuts = sheet.first_cuts(ready)
        for _ in range(_ATTEMPTS):
            code = sheet.document(whole, ready, absent=absent, cuts=cuts)
            before, cuts = cuts, sheet.cut(self._places(code), cuts)
            if cuts == before:
                return code
        cuts = dict.fromkeys(cuts, 0)  # a page that cannot be filled stays empty
        return sheet.document(whole, ready, absent=absent, cuts=cuts)

    def _sound(self, item: Ready, whole: PrintedSheet, absent: frozenset[str]) -> Ready:
        """Return an answer as it is where it can be typeset alone, else as its source."""
        try:
            code = markup.write(item.passages, absent=absent).code
            self.compile(sheet.wrap(code, whole), accessible=False)
        except self._error:
            return self._read(item.answer, whole, absent, as_source=True)
        return item

    def _absent(self, whole: PrintedSheet) -> frozenset[str]:
        """Return the characters that no font has: the typesetter names the lines they are in."""
        texts = [whole.title, whole.student]
        for answer in whole.answers:
            texts += [answer.question, *answer.notices]
            for part in answer.parts:
                # Markdown spells characters in other ways, too.
                texts += [part.label, part.text, json.dumps(tree(part.text), ensure_ascii=False)]
        used = sorted(c for c in set("".join(texts)) - set("\n\t\r") if not " " <= c <= "~")
        control = {c for c in used if not c.isprintable() and not c.isspace()}
        tried = [c for c in used if c not in control]
        before = sheet.wrap("", whole)
        lines = "\n".join(f"#{markup.string(c)} #parbreak()" for c in tried)
        absent = control - _INVISIBLE
        try:
            self.compile(f"{before}{lines}")
        except self._error as error:
            places = re.findall(r"^ +┌─ [^\n]*?:([0-9]+):[0-9]+$", error.diagnostic, re.MULTILINE)
            named = {int(line) - before.count("\n") - 1 for line in places}
            absent |= {c for number, c in enumerate(tried) if number in named}
        return frozenset(absent)

    # What is in an answer

    def _read(
        self, answer: PrintedAnswer, whole: PrintedSheet, absent: frozenset[str], *, as_source: bool
    ) -> Ready:
        passages, notices = [], list(answer.notices)
        for part in answer.parts:
            passage = None
            if part.markdown and not as_source:
                with contextlib.suppress(RecursionError, ValueError, NotRead):
                    passage = self._passage(part, whole, absent)
                    markup.write([passage])
            if passage is None:
                passage = Passage([{"t": "CodeBlock", "c": [["", [], []], part.text]}], part.label)
                if part.markdown:
                    notices.append("This could not be typeset, so it is shown as its source.")
            passages.append(passage)
        notices = list(dict.fromkeys(notices))
        return Ready(replace(answer, notices=tuple(notices)), tuple(passages))

    def _passage(self, part: Part, whole: PrintedSheet, absent: frozenset[str]) -> Passage:
        blocks = tree(part.text)
        if blocks is None:
            raise NotRead
        text, found = formulas.take_out(part.text)
        return Passage(
            [*blocks, *_unused(text, blocks)],
            part.label,
            found,
            self._typeset(found, whole, absent),
            self._draw(part.attachments),
        )

    def _typeset(
        self, found: Sequence[Formula], whole: PrintedSheet, absent: frozenset[str]
    ) -> tuple[str | None, ...]:
        """Return the code of each formula, None for one that cannot be typeset."""
        distinct = list(dict.fromkeys(found))
        converted = dict(zip(distinct, _convert(distinct), strict=True))
        sound: dict[Formula, str | None] = {}
        for formula, body in converted.items():
            sound[formula] = None
            if body is None or not absent.isdisjoint(formula.tex):
                continue
            name = "display" if formula.display else "formula"
            source = markup.string(formula.source)
            alternative = markup.string(" ".join(formula.tex.split()))
            code = f"#{name}({alternative}, {source}, {body})"
            with contextlib.suppress(self._error):
                self.compile(sheet.wrap(code, whole))
                sound[formula] = code
        return tuple(sound[formula] for formula in found)

    def _draw(self, attachments: Mapping[str, str]) -> dict[str, Picture]:
        """Draw images anew into the folder; what is none is left out."""
        drawn = {}
        for name, data in attachments.items():
            if self._pictures == _MAX_PICTURES:
                break
            with contextlib.suppress(Exception):  # a mangled image raises whatever it likes
                drawn[name] = _drawn(data, self._folder / f"picture-{self._pictures}")
                self._pictures += 1
        return drawn


# Joiners and directions have no glyph, and need none.
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")


def _unused(text: str, blocks: Sequence[Any]) -> list[Any]:
    """Return the definitions of links that no link uses, which a reader of Markdown drops."""
    shown = json.dumps(blocks, ensure_ascii=False)
    lines = [found[0] for found in _DEFINITION.finditer(text) if found[1] not in shown]
    return [{"t": "CodeBlock", "c": [["", [], []], "\n".join(lines)]}] if lines else []


class NotRead(Exception):
    """Pandoc did not read a text, or took too long."""


@functools.cache
def tree(text: str) -> list[Any] | None:
    """Return the blocks of a text, its formulas taken out; None for one that cannot be read."""
    with contextlib.suppress(NotRead, RecursionError, ValueError):
        read = json.loads(pandoc(formulas.take_out(text)[0], "-f", _MARKDOWN, "-t", "json"))
        blocks: list[Any] = read["blocks"]
        json.dumps(blocks)  # what is nested too deep to be written cannot be walked either
        return blocks
    return None


def pandoc(text: str, *arguments: str) -> str:
    """Return what pandoc makes of a text; NotRead where that takes too long or too much."""
    import pypandoc

    command = [pypandoc.get_pandoc_path(), "+RTS", "-M1g", "-RTS", "--sandbox", *arguments]
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_PANDOC_SECONDS, check=True
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise NotRead from error
    if len(done.stdout) > _MAX_TREE:
        raise NotRead
    return done.stdout.decode("utf-8", "replace")


def _convert(found: Sequence[Formula]) -> list[str | None]:
    """Return TeX in the typesetter's language, None where pandoc does not know it."""
    if not found:
        return []
    blocks: list[dict[str, Any]] = []
    for number, formula in enumerate(found):
        kind = {"t": "DisplayMath" if formula.display else "InlineMath"}
        blocks.append({"t": "Para", "c": [{"t": "Math", "c": [kind, formula.tex]}]})
        blocks.append({"t": "RawBlock", "c": ["typst", _SEPARATOR.format(number)]})
    tree = {"pandoc-api-version": [1, 23, 1], "meta": {}, "blocks": blocks}
    try:
        rest, bodies = pandoc(json.dumps(tree), "-f", "json", "-t", "typst", "--wrap=preserve"), []
        for number in range(len(found)):
            body, rest = rest.split(f"\n{_SEPARATOR.format(number)}\n", 1)
            bodies.append(_body(body.strip()))
    except (NotRead, ValueError):
        # One of them is too much: look for it in halves.
        half = len(found) // 2
        return [None] if not half else _convert(found[:half]) + _convert(found[half:])
    return bodies


def _body(code: str) -> str | None:
    """Return a formula's code without a label; None where pandoc gave its source as text."""
    formula = re.fullmatch(r"(\$.*\$)(?:<[^<>\n]*>)?", code, re.DOTALL)
    return formula[1] if formula else None


def _drawn(data: str, path: Path) -> Picture:
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(base64.b64decode(data)), formats=["PNG", "JPEG", "GIF"]) as image:
        if image.width * image.height > _MAX_PIXELS:
            raise ValueError("too many pixels")
        photograph = image.format == "JPEG"
        upright = ImageOps.exif_transpose(image)
        pixels = upright.convert("RGB" if photograph else "RGBA")
    pixels.thumbnail((_MAX_SIDE, _MAX_SIDE))
    # Pixels and nothing else. A photograph would be many times as large as a PNG.
    new = Image.frombytes(pixels.mode, pixels.size, pixels.tobytes())
    path = path.with_suffix(".jpg" if photograph else ".png")
    new.save(path, quality=85) if photograph else new.save(path, compress_level=6)
    return Picture(path.name, *new.size)


if __name__ == "__main__":
    main()
