"""pdf: written answers on paper, from notebooks that nobody trusts."""

import base64
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image

from autograder.course import homework
from autograder.records.errors import UserError
from autograder.sandbox.run import RunEnded
from autograder.sandbox.supervisor import Sandbox
from autograder.staff.paper import pdf, typesetter
from autograder.staff.paper.sheet import PrintedSheet
from tests.helpers import ROOT, count

NAME = "hw2_transformer"
FIRST, SECOND = "compare_identity", "compare_copy_first"
Attachments = Mapping[str, Mapping[str, str]]


def notebook(
    folder: Path, first: str, second: str = "", *, attachments: Attachments | None = None
) -> Path:
    """Write a submission with these answers."""
    parsed = json.loads((ROOT / "release" / NAME / f"{NAME}.ipynb").read_text())
    for cell in parsed["cells"]:
        if cell["id"] == FIRST:
            cell |= {"source": first, "attachments": attachments or {}}
        elif cell["id"] == SECOND:
            cell["source"] = second
    path = folder / "s-001.ipynb"
    path.write_text(json.dumps(parsed))
    return path


def image(kind: str = "PNG", size: tuple[int, int] = (40, 30), colour: str = "teal") -> str:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


def plain(text: str) -> str:
    """Return text as it is compared: typeset letters as letters, no spaces and no line breaks."""
    text = re.sub(r"[\u200b\u00ad\ufffe\x02]", "", unicodedata.normalize("NFKC", text))
    return re.sub(r"\s", "", text)


def pages(data: bytes) -> list[str]:
    """Return the text of each page."""
    return [page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(data)]


@pytest.fixture(scope="module")
def typesetting() -> Iterator[Sandbox]:
    with pdf.typesetting(hidden=[ROOT / "course.toml"]) as typesetting:
        yield typesetting


Printer = Callable[..., bytes]


def in_the_sandbox(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that starts the sandbox, which takes seconds."""
    return pytest.mark.slow(pytest.mark.turns(5)(test))


@pytest.fixture
def printed(typesetting: Sandbox, hw2: Any, tmp_path: Path) -> Printer:
    """Print a submission with these answers."""

    def run(first: str, second: str = "", *, attachments: Attachments | None = None) -> bytes:
        path = notebook(tmp_path, first, second, attachments=attachments)
        return pdf.print_sheet(pdf.sheet(path, [hw2]), typesetting)

    return run


@in_the_sandbox
def test_each_question_has_its_page(printed: Printer) -> None:
    """The first page lists the questions; each heading gives id and points."""
    text = pages(printed("Both are alike.", "They differ."))
    assert len(text) == 3
    for word in ("Homework 2", "s-001", FIRST, SECOND, "Points", "Page"):
        assert word in text[0]
    assert f"{FIRST} (6 points)" in text[1]
    assert "Both are alike." in text[1]
    assert f"{SECOND} (6 points)" in text[2]
    assert "They differ." in text[2]


@in_the_sandbox
def test_a_long_answer_goes_on_in_the_appendix(printed: Printer) -> None:
    """The next question stays on its page; each part tells where the other is."""
    long = "\n\n".join(f"Sentence {n} of an answer that says a little more." * 3 for n in range(60))
    text = pages(printed(long, "Short."))
    assert "Continued on page 4" in text[1]
    assert "Short." in text[2]
    assert f"{FIRST}, continued from page 2" in text[3]
    assert "page 4" in text[0]
    whole = plain("".join(text))
    assert all(plain(f"Sentence {n} of") in whole for n in range(60))
    # The page is used: the cut is at a word, not at a paragraph or a page.
    assert len(text[1]) > 2_500


@in_the_sandbox
def test_the_template_has_the_same_pages(typesetting: Sandbox, hw2: Any) -> None:
    """Without a student's answers, the questions are where they always are."""
    text = pages(pdf.print_sheet(pdf.blank(hw2), typesetting))
    assert len(text) == 3
    assert FIRST in text[1]
    assert SECOND in text[2]


@in_the_sandbox
def test_the_same_answers_give_the_same_bytes(printed: Printer) -> None:
    """No date, no name of a folder and no order of a set gets into a PDF."""
    answer = "A $x^2$ and ![i](attachment:i.png) 中 <b>", "| a |\n|---|\n| 1 |"
    attachments = {"i.png": {"image/png": image()}}
    first, second = (printed(*answer, attachments=attachments) for _ in range(2))
    assert first == second
    assert b"CreationDate" not in first
    assert b"submission-" not in first


@in_the_sandbox
def test_markdown_is_typeset(printed: Printer) -> None:
    """Headings, lists, tables, code and links are on the page as such."""
    answer = (
        "# Alike\n\n- one\n  1. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```python\nx = 1  # $5\n```\n\nSee [numpy](https://numpy.org) and *this* **here**.\n\n"
        "> said\n\n- [x] done"
    )
    text = pages(printed(answer))[1]
    for shown in ("Alike", "one", "1. two", "x = 1 # $5", "numpy (https://numpy.org)", "this here"):
        assert plain(shown) in plain(text), shown
    for mark in ("# Alike", "**", "|", "```", "](", "Note"):
        assert mark not in text


@in_the_sandbox
def test_formulas_and_images_have_a_text(printed: Printer) -> None:
    """A formula's is its TeX, an image's its own, or that it has none."""
    answer = (
        r"$\frac{a}{b}$ and $$\sqrt{xyz}$$ and"
        + "\n\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}\n"
        "![a red dot](attachment:i.png)\n\n![](attachment:i.png)"
    )
    data = printed(answer, attachments={"i.png": {"image/png": image()}})
    for alternative in (rb"\\frac{a}{b}", rb"\\sqrt{xyz}", rb"\\begin{align}", b"a red dot"):
        assert alternative in data, alternative
    assert b"image without description" in data
    assert b"pdfuaid" in data
    text = "".join(pages(data))
    assert "frac" not in text
    assert "Image: a red dot" in text


@in_the_sandbox
def test_a_bad_formula_costs_itself_alone(printed: Printer) -> None:
    """What the typesetter does not know is shown as it was written, and the reader is told."""
    text = pages(printed(r"Before $\foo{x}$ between $\frac{a$ and $a_b_c$, **after** $\alpha$."))[1]
    for source in (r"$\foo{x}$", r"$\frac{a$", "after"):
        assert plain(source) in plain(text)
    assert "formulas that could not be typeset" in text
    assert "**" not in text


@in_the_sandbox
@pytest.mark.parametrize(
    "attack",
    [
        '#read("/etc/passwd")',
        r"\input{/etc/passwd}",
        r"$\input{/etc/passwd}$",
        r"$\text{#read(\"/etc/passwd\")}$",
        r"$\#read(\"/etc/passwd\")$",
        '$ #read("/etc/passwd") $',
        r"\begin{align} #sys.version \end{align}",
        "![book](/work/gradebook.db)",
        "![book](../../course.toml)",
        "![book](attachment:../../course.toml)",
        "![remote](https://example.com/a.png)",
        "![inline](data:image/png;base64,AAAA)",
        '<img src="/etc/passwd">',
        '<script src="https://example.com"></script>',
        '```{=typst}\n#read("/etc/passwd")\n```',
        '`#read("/etc/passwd")`{=typst}',
        '#import "@preview/cetz:0.3.0"',
        "#sys.inputs",
        '"]; #read("/etc/passwd") ["',
        '\\"#read("/etc/passwd")',
        "---\ntitle: x\ninclude-before: /etc/passwd\n---\nA",
        "{{#include /etc/passwd}} @[x](y) [@cite] ^[note]",
        "[x](javascript:alert%281%29)",
        '[x](<a"b>) $"$ $\\$ `"` $"#read("/etc/passwd")$',
    ],
)
def test_what_is_written_is_text(printed: Printer, attack: str) -> None:
    """Nothing is read, loaded or run: it is on the page, exactly or as a formula."""
    data = printed(f"Before.\n\n{attack}\n\nAfter.")
    text = "".join(pages(data))
    assert "root:" not in text
    assert "secret" not in text
    assert "0.15" not in text
    assert "After." in text
    assert b"/JavaScript" not in data
    assert b"/URI (javascript" not in data
    words = re.findall(r"[a-z]{4,}", re.sub(r"\\(begin|end){align}|\\text", "", attack))
    for word in words:
        assert word in plain(text), word


@in_the_sandbox
def test_images_are_drawn_anew(printed: Printer) -> None:
    """PNG, JPEG and GIF of the cell are shown; what is mangled or something else is its source."""
    kinds = {f"{kind}.x": {"image/png": image(kind)} for kind in ("PNG", "JPEG", "GIF", "BMP")}
    broken = {"broken": {"image/png": "AAAA"}, "odd": {"image/png": ["a", 1]}, "none": 3}
    answer = "\n\n".join(f"![{name}](attachment:{name})" for name in [*kinds, *broken, "gone"])
    data = printed(answer, attachments=kinds | broken)
    text = "".join(pages(data))
    for name in ("PNG.x", "JPEG.x", "GIF.x"):
        assert f"Image: {name}" in text
    for name in ("BMP.x", "broken", "odd", "none", "gone"):
        assert plain(f"![{name}](attachment:{name})") in plain(text)
    document = pypdfium2.PdfDocument(data)
    drawn = [item for page in document for item in page.get_objects() if item.type == 3]
    assert len(drawn) >= 3


@in_the_sandbox
def test_an_answer_that_ends_the_typesetter_is_its_source(
    typesetting: Sandbox, hw2: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other answers are typeset anyway."""
    path = notebook(tmp_path, "First *one*.", "Second *one*.")
    sheet = pdf.sheet(path, [hw2])
    real = pdf.typeset

    def fails(sheet: PrintedSheet, typesetting: Sandbox, as_source: list[str]) -> bytes:
        if FIRST in [a.question for a in sheet.answers] and FIRST not in as_source:
            raise RunEnded
        return real(sheet, typesetting, as_source)

    monkeypatch.setattr(pdf, "typeset", fails)
    text = pages(pdf.print_sheet(sheet, typesetting))
    assert "First *one*." in text[1]
    assert "shown as its source" in text[1]
    assert "Second one." in text[2]


@in_the_sandbox
def test_what_is_no_pdf_is_not_taken(
    typesetting: Sandbox, hw2: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that come out of the sandbox are looked at before they are written."""
    monkeypatch.setattr(pdf, "MAX_PDF", 100)
    with pytest.raises(UserError, match="cannot be printed"):
        pdf.print_sheet(pdf.blank(hw2), typesetting)


@in_the_sandbox
def test_every_layer_holds_for_the_typesetter(typesetting: Sandbox, sandbox: Sandbox) -> None:
    """It gives up what a submission's process gives up."""
    assert typesetting.layers == sandbox.layers


@in_the_sandbox
@pytest.mark.parametrize("depth", [11, 40, 3_000])
def test_bottomless_lists_are_typeset_or_shown(printed: Printer, depth: int) -> None:
    """What is too deep for a page is its own source."""
    text = pages(printed("> " * depth + "bottom", "ok"))
    assert "bottom" in plain("".join(text))
    assert "ok" in text[2]


@in_the_sandbox
def test_the_verb_writes_beside_the_notebook(tmp_path: Path, hw2: Any) -> None:
    """And a line names it; a PDF that is there is replaced, anything else is kept."""
    path = notebook(tmp_path, "An answer.", "Another.")
    for _ in range(2):
        done = autograder(path)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"wrote {path.with_suffix('.pdf')}\n"
    assert "An answer." in pages(path.with_suffix(".pdf").read_bytes())[1]
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    for arguments in (
        (path, "-o", other),
        (path, "-o", tmp_path),
        (path, "-o", tmp_path / "no" / "x.pdf"),
    ):
        done = autograder(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
    assert other.read_text() == "mine"


@in_the_sandbox
def test_a_folder_is_printed_one_by_one_or_together(tmp_path: Path) -> None:
    """Names on request, an index with pages, one line for what cannot be printed; the others go on."""
    course = tmp_path / "course"
    for part in ("source", "release"):
        shutil.copytree(ROOT / part / NAME, course / part / NAME)
    shutil.copy(ROOT / "course.toml", course)
    people = "id,name,email\ns-001,Ada Example,ada@example.org\ns-002,\u674e\u96f7,b@example.org\n"
    (course / "roster.csv").write_text(people)
    inbox = tmp_path / "in"
    for student, text in (("s-001", "An answer."), ("s-002", "Another one.")):
        (inbox / student).mkdir(parents=True)
        notebook(inbox / student, text)
    (inbox / "s-003").mkdir()
    (inbox / "s-003" / "x.ipynb").write_text("{")
    done = autograder(inbox, "--names", course=course)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "s-003" in done.stderr
    written = sorted(path.name for path in (tmp_path / "in-pdf").iterdir())
    assert written == ["s-001.pdf", "s-002.pdf"]
    first = pages((tmp_path / "in-pdf" / "s-001.pdf").read_bytes())
    assert all("s-001, Ada Example" in page for page in first)
    done = autograder(inbox, "--together", course=course)
    assert done.stdout == f"wrote {inbox.with_suffix('.pdf')}: 2 submissions\n"
    assert (tmp_path / "in.pdf").stat().st_mode & 0o77 == 0
    whole = (tmp_path / "in.pdf").read_bytes()
    index, *rest = pages(whole)
    found = dict(re.findall(r"(s-00\d)\s+(\d+)", index))
    assert found == {"s-001": "2", "s-002": str(2 + len(first))}
    assert "Another one." in rest[int(found["s-002"]) - 1]
    assert "Ada" not in "".join(rest)
    marks = pypdfium2.PdfDocument(whole).get_toc()
    assert [mark.get_title() for mark in marks] == ["s-001", "s-002"]
    done = autograder(inbox, "--together", "--names", course=course)
    assert done.stdout == f"wrote {inbox.with_suffix('.pdf')}: 2 submissions\n", done.stderr
    index, *_ = pages((tmp_path / "in.pdf").read_bytes())
    assert "s-001, Ada Example" in index
    assert "U+674E" in index  # no font has it: shown as its code point, as in an answer


def test_the_question_and_a_box_for_points_are_on_its_page(printed: Printer) -> None:
    """Whoever marks on paper has no notebook beside it."""
    page = pages(printed("An answer."))[1]
    assert re.search(r"compare_identity \(6 points\)\s*/\s*6", page)
    asked = page.index("Compare the matrices you designed")
    assert page.index("Question") < asked < page.index("Answer") < page.index("An answer.")


def test_what_gives_no_points_has_no_page() -> None:
    """Nobody marks questions for discussion."""
    hw3 = homework.load(ROOT, "hw3_proofs")
    unmarked = [
        replace(one, points=0.0) if one.id == "argue_scale" else one for one in hw3.questions
    ]
    blank = pdf.blank(replace(hw3, questions=tuple(unmarked)))
    shown = [answer.question for answer in blank.answers]
    assert shown == [
        "argue_purifier", "argue_argmax", "argue_denominator", "argue_linear", "argue_random",
    ]  # fmt: skip
    assert all(pdf.question_text(hw3, question) for question in shown)


def autograder(*arguments: object, course: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "autograder", "pdf", *map(str, arguments), "--course", str(course)],
        capture_output=True,
        text=True,
        check=False,
    )


@in_the_sandbox
@pytest.mark.parametrize("without", ["landlock", "namespaces"])
def test_one_layer_less_is_still_a_sandbox(hw2: Any, without: str) -> None:
    """Pandoc and the typesetter work without any single layer."""
    with Sandbox(without=[without], worker=typesetter.__name__) as sandbox:
        assert without in sandbox.missing
        assert len(pages(pdf.print_sheet(pdf.blank(hw2), sandbox))) == 3


# What is refused before anything starts.


def test_a_homework_without_written_questions_has_nothing_to_print(
    hw2: Any, tmp_path: Path
) -> None:
    """It is reported, for a notebook and for the template."""
    coded = replace(hw2, questions=tuple(q for q in hw2.questions if not q.by_hand))
    with pytest.raises(UserError, match="no written questions"):
        pdf.blank(coded)
    with pytest.raises(UserError, match="no written questions"):
        pdf.sheet(notebook(tmp_path, "x"), [coded])


def test_a_homework_can_be_named(hw2: Any, tmp_path: Path) -> None:
    """Then the notebook need not look like it."""
    path = tmp_path / "a name.ipynb"
    cells = [{"cell_type": "markdown", "source": "Mine"}]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4}))
    sheet = pdf.sheet(path, [hw2], recognised=True)
    assert [answer.question for answer in sheet.answers] == [FIRST, SECOND]
    assert sheet.student == "a_name"


def refusal(path: Path, *names: str) -> str:
    homeworks = [homework.load(ROOT, name) for name in names or (NAME,)]
    with pytest.raises(UserError) as refused:
        pdf.sheet(path, homeworks)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_bad_input_is_one_clear_line(tmp_path: Path) -> None:
    """This covers a missing file, a folder, no notebook, a different notebook, and a log."""
    assert "no such file" in refusal(tmp_path / "gone.ipynb")
    assert "no such file" in refusal(tmp_path)
    (tmp_path / "a.ipynb").write_text("{")
    assert "not a notebook" in refusal(tmp_path / "a.ipynb")
    other = {"cells": [{"cell_type": "markdown", "source": "Hello there"}], "nbformat": 4}
    (tmp_path / "b.ipynb").write_text(json.dumps(other))
    assert "no homework" in refusal(tmp_path / "b.ipynb")
    (tmp_path / "c.json").write_text("{}")
    assert refusal(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{folder}", "--blank"], "--blank needs a homework's name"),
        (["{folder}", "--names"], "--names needs a roster.csv"),
        (["{folder}", "--homework", "hw1_toy_attention"], "belong to hw2_transformer"),
    ],
)
def test_wrong_words_are_one_line(tmp_path: Path, hw2: Any, words: list[str], said: str) -> None:
    """Nothing is printed under the name of another homework."""
    for student in ("s-001", "s-002"):
        (tmp_path / "in" / student).mkdir(parents=True)
        notebook(tmp_path / "in" / student, "An answer.")
    done = autograder(*(word.format(folder=tmp_path / "in") for word in words), course=ROOT)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert said in done.stderr
    assert not (tmp_path / "in-pdf").exists()


def test_without_the_extra_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It tells what to install."""
    monkeypatch.setattr(typesetter, "missing", lambda: ("typst",))
    with pytest.raises(UserError, match=r"typst missing.*pip install"):
        pdf.typesetting()


@pytest.mark.parametrize(
    "code",
    [
        '#read("/etc/passwd")',
        '#read("../secret.txt")',
        '#read("/../secret.txt")',
        '#image("/../secret.txt", alt: "x")',
        '#import "../secret.txt": *',
        '#plugin("/etc/passwd")',
    ],
)
def test_the_typesetter_names_nothing_outside_its_folder(tmp_path: Path, code: str) -> None:
    """Even if its language were written by a student: the sandbox is not the only wall."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "inside").mkdir()
    inside = typesetter.Typesetter(tmp_path / "inside")
    with pytest.raises(RuntimeError, match=r"not found|outside|project root|escape"):
        inside.compile(f'#set document(title: "x")\n{code}', {})


def test_a_file_that_is_no_pdf_is_kept(tmp_path: Path) -> None:
    """So is a link, whatever it points at."""
    (tmp_path / "a.txt").write_text("mine")
    (tmp_path / "link.pdf").symlink_to(tmp_path / "b.pdf")
    for name in ("a.txt", "link.pdf", "."):
        with pytest.raises(UserError, match="-o"):
            pdf.write(tmp_path / name, b"%PDF")
    assert (tmp_path / "a.txt").read_text() == "mine"
    assert not (tmp_path / "b.pdf").exists()


# Thirty generated submissions.

SEED, SUBMISSIONS = 20_261_120, count(full=30, slice=10)


class Writer:
    """Writes answers out of everything that students write; each of its words is there once.

    Args:
        seed: Of one submission.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.words: list[str] = []
        self.attachments: dict[str, dict[str, str]] = {}
        kinds = (
            *(self.paragraphs, self.headings, self.deep_list, self.table, self.wide_table),
            *(self.long_table, self.code, self.long_line, self.formulas, self.bad_formulas),
            *(self.unicode, self.html, self.images, self.bad_images, self.quote, self.links),
            *(self.raw, self.odd),
        )
        self.kinds = kinds

    def word(self) -> str:
        letters = "".join(self.rng.choices("abcdeghkmnopqrstuvwxz", k=self.rng.randint(2, 9)))
        self.words.append(f"{letters}{len(self.words)}q")
        return self.words[-1]

    def some(self, most: int = 12) -> str:
        return " ".join(self.word() for _ in range(self.rng.randint(1, most)))

    def answer(self) -> str:
        size = self.rng.choice((0, 1, 3, 8, 20))
        return "\n\n".join(self.rng.choice(self.kinds)() for _ in range(size))

    def paragraphs(self) -> str:
        return "\n\n".join(self.some(120) for _ in range(self.rng.randint(1, 6)))

    def headings(self) -> str:
        return "\n\n".join(f"{'#' * self.rng.randint(1, 6)} {self.some()}" for _ in range(4))

    def deep_list(self) -> str:
        mark = self.rng.choice(("-", "1.", "* [ ]"))
        depth = self.rng.choice((3, 8, 30))
        return "\n".join(f"{'    ' * n}{mark[:2]} {self.some(20)}" for n in range(depth))

    def table(self, columns: int = 4, rows: int = 4, most: int = 6) -> str:
        lines = [["---"] * columns]
        lines += [[self.some(most) for _ in range(columns)] for _ in range(rows)]
        lines[0], lines[1] = lines[1], lines[0]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def wide_table(self) -> str:
        return self.table(columns=self.rng.choice((7, 14, 40)), most=self.rng.choice((1, 5)))

    def long_table(self) -> str:
        return self.table(columns=3, rows=90)

    def code(self) -> str:
        lines = [f"    {self.some(8)} = {'x' * self.rng.choice((3, 200))}" for _ in range(40)]
        return "\n".join(["```python", "def f():", *lines, "```"])

    def long_line(self) -> str:
        return "".join(self.word() for _ in range(self.rng.choice((30, 900))))

    def formulas(self) -> str:
        parts = (
            r"$\frac{\partial L}{\partial W_{ij}}$",
            r"$$\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$",
            "\\begin{align}\na &= b + c \\\\\n  &= d\n\\end{align}",
            r"$\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}$",
            r"$$" + " + ".join(f"x_{{{n}}}^2" for n in range(self.rng.choice((5, 30, 200)))) + "$$",
            r"$\mathbb{R}^{n \times d}, \; \forall \epsilon > 0, \; \hat{y} \approx \bar{y}$",
        )
        many = self.rng.choice((3, 200))
        return " ".join(f"{self.some(3)} {self.rng.choice(parts)}" for _ in range(many))

    def bad_formulas(self) -> str:
        bad = (
            r"$\foo{%s}$",
            r"$\frac{%s$",
            r"$$\begin{align} %s $$",
            r"$\left( \ce{%s}$",
            r"$%s {}}_^$",
        )
        return " ".join(f"{self.some(3)} {self.rng.choice(bad) % self.word()}" for _ in range(5))

    def unicode(self) -> str:
        texts = "中文字体 日本語 한국어|😀👩‍💻🇦🇹|שלום עולם|مرحبا بالعالم|e\u0301a\u0308\u0323o\u0327|नमस्ते|ไทย|\U0001d49c ∮ ⟨ψ|\x07\x1b[1m|‮reversed".split(
            "|"
        )
        return " ".join(f"{self.rng.choice(texts)} {self.word()}" for _ in range(12))

    def html(self) -> str:
        return f"<div>{self.word()}</div>\n\n<b onclick='x'>{self.word()}</b><br><!-- {self.word()} -->"

    def images(self) -> str:
        lines = []
        for _ in range(self.rng.randint(1, 4)):
            kind = self.rng.choice(("PNG", "JPEG", "GIF"))
            name = f"i{len(self.attachments)}.png"
            size = self.rng.choice(((30, 20), (640, 480), (3000, 200), (200, 3000)))
            self.attachments[name] = {"image/png": image(kind, size)}
            lines.append(f"{self.some(3)} ![{self.some(4)}](attachment:{name})")
        return "\n\n".join(lines)

    def bad_images(self) -> str:
        self.attachments |= {"cut.png": {"image/png": image()[:60]}, "no.png": {"image/png": "!"}}
        targets = (
            "attachment:gone.png",
            "attachment:cut.png",
            "attachment:no.png",
            "http://a.b/c.png",
        )
        return " ".join(f"![{self.word()}]({target})" for target in targets)

    def quote(self) -> str:
        return "\n".join(f"{'>' * self.rng.randint(1, 5)} {self.some(30)}\n" for _ in range(4))

    def links(self) -> str:
        return f"[{self.some(3)}](https://a.b/{self.word()}) <c@d.e> [{self.word()}](javascript:x)"

    def raw(self) -> str:
        return f'```{{=typst}}\n#read("{self.word()}")\n```\n\n`#sys.{self.word()}`{{=html}} #import "{self.word()}"'

    def odd(self) -> str:
        return f'"]#{{ {self.word()} \\" $5 and 6 {self.word()} \\$ `{self.word()}\n\n***\n\n[^1]: {self.word()}\n\n%%{self.word()} @{self.word()} ~~{self.word()}~~'


def in_order(text: list[str]) -> str:
    """Return the answers as they were written: without what each page repeats, each with its rest."""
    furniture = r"\As-001[^\n]*\n|Page \d+ of \d+|Continued on page \d+|.*, continued from page \d+"
    rest = [n for n, page in enumerate(text) if "continued from page 2" in page]
    second = [n for n, page in enumerate(text) if "continued from page 3" in page] or [len(text)]
    order = [
        *range(2),
        *(range(rest[0], second[0]) if rest else ()),
        2,
        *range(second[0], len(text)),
    ]
    return "".join(re.sub(furniture, "", text[n]) for n in order)


@in_the_sandbox
def test_nothing_is_lost_of_thirty_submissions(
    typesetting: Sandbox, hw2: Any, tmp_path: Path
) -> None:
    """Each question is on its page, and each word of each answer is somewhere on paper."""
    for number in range(SUBMISSIONS):
        writer = Writer(SEED + number)
        answers = writer.answer(), writer.answer()
        path = notebook(tmp_path, *answers, attachments=writer.attachments)
        # The second question has the first one's attachments: an image is its own cell's.
        result = pdf.print_sheet(pdf.sheet(path, [hw2]), typesetting)
        text = pages(result)
        assert f"{FIRST} (6 points)" in text[1], number
        assert f"{SECOND} (6 points)" in text[2], number
        whole = plain(in_order(text))
        lost = [word for word in writer.words if word not in whole]
        assert not lost, (number, lost[:5], len(lost), len(writer.words))
        assert b"pdfuaid" in result, number
        if folder := os.environ.get("KEEP_PDFS"):
            (Path(folder) / f"{number:02}.pdf").write_bytes(result)
