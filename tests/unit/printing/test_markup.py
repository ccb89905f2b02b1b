"""markup: what pandoc read becomes code in which the student's words are strings."""

from typing import Any

import pytest

from autograder.printing.formulas import Formula
from autograder.printing.markup import ALL, MOST, Passage, Picture, string, write

HOSTILE = '"] #read("/etc/passwd") \\ [$ $'


def text(*words: str) -> list[Any]:
    spaced: list[Any] = []
    for word in words:
        spaced += [{"t": "Space"}, {"t": "Str", "c": word}]
    return spaced[1:]


def paragraph(*words: str) -> dict[str, Any]:
    return {"t": "Para", "c": text(*words)}


def table(*rows: tuple[str, ...]) -> dict[str, Any]:
    nothing = ["", [], []]
    written = [
        [
            nothing,
            [[nothing, {"t": "AlignDefault"}, 1, 1, [{"t": "Plain", "c": text(c)}]] for c in row],
        ]
        for row in rows
    ]
    columns = [[{"t": "AlignRight"}, {"t": "ColWidthDefault"}] for _ in rows[0]]
    body = [[nothing, 0, [], written[1:]]]
    return {
        "t": "Table",
        "c": [nothing, [None, []], columns, [nothing, written[:1]], body, [nothing, []]],
    }


def code(*blocks: Any, window: tuple[int, int] = ALL, **passage: Any) -> str:
    return write([Passage(blocks, **passage)], window=window).code


def test_a_string_holds_whatever_it_is_given() -> None:
    """Nothing in it ends it, and it is one line of plain characters."""
    assert string('a"b\\c\nd\u2028') == '"a\\"b\\\\c\\u{a}d\\u{2028}"'


@pytest.mark.parametrize(
    "block",
    [
        paragraph(HOSTILE),
        {"t": "Header", "c": [1, ["", [], []], text(HOSTILE)]},
        {"t": "CodeBlock", "c": [["", [HOSTILE], []], HOSTILE]},
        {"t": "RawBlock", "c": ["typst", HOSTILE]},
        {"t": "Para", "c": [{"t": "RawInline", "c": ["typst", HOSTILE]}]},
        {"t": "Para", "c": [{"t": "Code", "c": [["", [], []], HOSTILE]}]},
        {"t": "Para", "c": [{"t": "Link", "c": [["", [], []], text(HOSTILE), [HOSTILE, HOSTILE]]}]},
        {
            "t": "Para",
            "c": [{"t": "Image", "c": [["", [], []], text(HOSTILE), [HOSTILE, HOSTILE]]}],
        },
        table((HOSTILE,), (HOSTILE,)),
    ],
)
def test_what_a_student_wrote_is_in_strings_alone(block: dict[str, Any]) -> None:
    """Without its string literals, the code has nothing of it."""
    rest, inside, escaped = "", False, False
    for character in code(block):
        if inside and not escaped and character == '"':
            inside = False
        elif not inside and character == '"':
            inside = True
        elif not inside:
            rest += character
        escaped = inside and character == "\\" and not escaped
    assert not inside
    assert "read" not in rest
    assert "passwd" not in rest


def test_a_window_and_its_rest_are_the_whole() -> None:
    """Each leaf is in one of the two, wherever an answer is cut."""
    blocks = [
        {"t": "Header", "c": [3, ["", [], []], text("h0")]},
        paragraph("p1", "p2", "p3"),
        {"t": "BulletList", "c": [[paragraph("l4"), {"t": "BlockQuote", "c": [paragraph("q5")]}]]},
        {
            "t": "OrderedList",
            "c": [[3, {"t": "Decimal"}, {"t": "Period"}], [[paragraph("o6")], [paragraph("o7")]]],
        },
        table(("t",), ("r8",), ("r9",)),
        {"t": "CodeBlock", "c": [["", [], []], "c10\nc11"]},
        {"t": "Para", "c": [{"t": "Emph", "c": text("e12", "e13")}]},
    ]
    names = "h0 p1 p2 p3 l4 q5 o6 o7 r8 r9 c10 c11 e12 e13".split()
    whole = write([Passage(blocks)])
    assert whole.leaves == len(names)
    for cut in range(len(names) + 1):
        here, rest = code(*blocks, window=(0, cut)), code(*blocks, window=(cut, 99))
        for number, name in enumerate(names):
            assert (name in here, name in rest) == (number < cut, number >= cut), (cut, name)
    assert "enum.item(4)" in code(*blocks, window=(7, 99))
    assert code(*blocks, window=(99, 100)).strip() == ""


def test_only_what_a_page_may_hold_is_marked() -> None:
    """Words without a mark between them are one text."""
    marked = write([Passage([paragraph(*["w"] * (MOST + 100))])], key="0").code
    assert marked.count("#m(") == MOST
    assert code(paragraph("a", '"', "b\\", "c")) == '#"a \\" b\\\\" #"c"#parbreak()\n'


def test_no_level_of_heading_is_left_out() -> None:
    """Below the question's own heading, each is one level deeper than the one it is below."""
    headings = [
        {"t": "Header", "c": [level, ["", [], []], text("x")]} for level in (4, 2, 2, 3, 6, 1)
    ]
    levels = [line[16] for line in code(*headings).splitlines()]
    assert levels == ["2", "2", "2", "3", "4", "2"]


def test_links_show_their_address_and_only_some_lead_there() -> None:
    """On paper nobody can click; a script is text."""

    def link(target: str, *words: str) -> str:
        return code(
            {"t": "Plain", "c": [{"t": "Link", "c": [["", [], []], text(*words), [target, ""]]}]}
        )

    assert link("https://a.b", "here") == '#link("https://a.b")[#"here"] #address("https://a.b")\n'
    assert link("https://a.b", "https://a.b") == '#link("https://a.b")[#"https://a.b"]\n'
    assert link("javascript:x", "here") == '#"here" #address("javascript:x")\n'


def test_images_come_from_attachments_alone() -> None:
    """A path and an address are shown as they were written, with a warning."""

    def image(target: str) -> tuple[str, tuple[str, ...]]:
        block = {
            "t": "Plain",
            "c": [{"t": "Image", "c": [["", [], []], text("dot"), [target, ""]]}],
        }
        pictures = {"a b.png": Picture("picture-0.png", 4, 3)}
        written = write([Passage([block], pictures=pictures)])
        return written.code, written.warnings

    assert image("attachment:a%20b.png") == (
        '#picture("/picture-0.png", 4, 3, "dot", [#"dot"])\n',
        (),
    )
    for target in ("a b.png", "/picture-0.png", "attachment:c.png", "http://x/a b.png"):
        shown, warnings = image(target)
        assert "picture(" not in shown
        assert len(warnings) == 1


def test_a_formula_that_cannot_be_typeset_is_its_source() -> None:
    """And the others are typeset."""
    formulas = (Formula("$a$", "a", False), Formula("$\\b$", "\\b", False))
    block = paragraph("\ue0000\ue001", "\ue0001\ue001")
    written = write([Passage([block], formulas=formulas, typeset=("#formula(A)", None))])
    assert written.code == '#formula(A) #source("$\\\\b$")#parbreak()\n'
    assert len(written.warnings) == 1


def test_a_character_that_no_font_has_shows_its_code_point() -> None:
    """In text and in code."""
    block = {"t": "Plain", "c": [*text("a中b"), {"t": "Code", "c": [["", [], []], "中"]}]}
    written = write([Passage([block])], absent=frozenset("中"))
    assert written.code == '#"a"#absent("4E2D")#"b"#raw("[U+4E2D]")\n'
    assert len(written.warnings) == 1
