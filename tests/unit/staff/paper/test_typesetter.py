"""typesetter: student text appears on paper as written, and breaks nobody's page."""

import re
import unicodedata
from pathlib import Path

import pypdfium2
import pytest

from autograder.staff.paper import typesetter
from autograder.staff.paper.sheet import Part, PrintedAnswer, PrintedSheet


def pages(folder: Path, *texts: str) -> list[str]:
    """Return the text of each answer's page, without spaces."""
    answers = [
        PrintedAnswer(f"q{n}", "1 point", "1", (), (Part(text),)) for n, text in enumerate(texts)
    ]
    data = typesetter.Typesetter(folder).typeset(PrintedSheet("Title", "s-1", tuple(answers)))
    assert b"pdfuaid" in data
    return [
        re.sub(r"\s", "", unicodedata.normalize("NFKC", page.get_textpage().get_text_bounded()))
        for page in pypdfium2.PdfDocument(data)
    ][1:]


@pytest.mark.parametrize("begin", ["", "- ", "1. ", "> ", "# ", "| a |\n|---|\n| ", "**b** "])
def test_marks_of_the_typesetter_are_text(tmp_path: Path, begin: str) -> None:
    """Wherever they are, they become no list, term, comment, hyphen or code."""
    words = (
        r"\- x;\+ x;/ x;\= x;1\. x;/ x: y;// x;/\* x \*/;-- x;--- x;x -? y;~x;@x;#x;#let x = 1;"
        r"\<x\>;\$x;\$x\$;\`x;\{x\};#(x);'x';\"x\";=== x;x\\;...;\u{41};]x[;\*x\*;\_x\_;https:x"
    ).split(";")
    shown = pages(tmp_path, *(f"{begin}{word} end" for word in words))
    for word, page in zip(words, shown, strict=True):
        text = re.sub(r"\\(?=[^\w\s]|_)|\s", "", word)
        assert f"{text}end" in page, (word, page)
        assert "asitssource" not in page


def test_what_the_typesetter_does_not_know_costs_its_own_answer_alone(tmp_path: Path) -> None:
    """Some names exist only in pandoc: those formulas appear as TeX, and the rest is typeset."""
    first, second = pages(tmp_path, r"**a** $\llbracket x \rrbracket$", r"**b** $\frac{1}{2}$")
    assert r"a$\llbracketx\rrbracket$" in first
    assert "formulasthatcouldnotbetypeset" in first
    assert "frac" not in second
    assert "Note" not in second


def test_operators_of_sets_and_tensors_are_typeset(tmp_path: Path) -> None:
    """Typst has new names for some that pandoc writes."""
    (page,) = pages(tmp_path, r"$A \cap B \otimes C \odot D \times E \cdot F \ddot{x} \bigcap G$")
    for sign in "∩⊗⊙×⋅⋂":
        assert sign in page
    assert "Note" not in page


def test_what_does_not_fit_comes_after_the_last_question(tmp_path: Path) -> None:
    """It is in the order of the questions, under the final page numbers."""
    long = "\n\n".join(f"line{n}." for n in range(90))
    shown = pages(tmp_path, long, "short", long)
    assert [n for n, page in enumerate(shown) if "short" in page] == [1]
    for n, page in enumerate(shown):
        assert f"Page{n + 2}of{len(shown) + 1}" in page
    assert "Continuedonpage5" in shown[0]
    assert "Continued" not in shown[1]
    assert "q0,continuedfrompage2" in shown[3]
    assert "q2,continuedfrompage4" in shown[-1]
    assert "line89." in shown[-1]


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n" + "".join(f"| r{n}x | 2 |\n" for n in range(200)),
        "```\n" + "".join(f"r{n}x {'z' * 300}\n" for n in range(200)) + "```",
        "中" * 2_000 + "".join(f" r{n}x" for n in range(200)),
        "z" * 20_000 + "".join(f" r{n}x" for n in range(200)),
        "| a |\n|---|\n| " + "z" * 3_000 + "".join(f" r{n}x" for n in range(200)) + " |",
    ],
)
def test_nothing_of_what_is_long_is_lost(tmp_path: Path, text: str) -> None:
    """Tables continue on the next page, and unbreakable text is broken anywhere."""
    shown = pages(tmp_path, text, "second")
    assert "second" in shown[1]
    whole = re.sub("\u200b", "", "".join(shown))
    assert not [n for n in range(200) if f"r{n}x" not in whole]
    assert "asitssource" not in whole


def test_a_character_of_no_font_is_its_code_point(tmp_path: Path) -> None:
    """Nothing else is affected, even if the page's own formulas contain it."""
    names = "\u2a02 \u22d2 \u2039 \u4e2d \U0001f600 \u202e \x07 &#x6c49;"
    mine = f"{names} `\u6587 {names[:-9]}` $x \\text{{\u5b57}}$ ![\u56fe](y) \u2211 \u05d0 \ue000"
    (page,) = pages(tmp_path, f"{mine} end")
    for code in ("4E2D", "6587", "5B57", "56FE", "1F600", "202E", "0007", "6C49"):
        assert f"\u2039U+{code}\u203a" in page
    assert "\u2211" in page
    assert "U+E000" in page
    assert "bytheircodepoints" in page
    assert "end" in page
    assert "asitssource" not in page
