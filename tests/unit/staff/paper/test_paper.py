"""paper: pandoc's tree of an answer, in which only our own code is code."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.staff.paper.markdown import NotRead
from autograder.staff.paper.paper import Paper, Shown
from autograder.staff.paper.sheet import Part
from tests.helpers import picture

OURS = re.compile(r"#formula\([0-9]+\)\[|\]|#picture\([0-9]+\)|\\(-\?|[-+/]|=+|[0-9]+\.)")
MARKS = (
    '# #read("/etc/passwd") #x " \' \\ ` `` ``` $ $$ @x <a> [ ] ( ) { } * ** _ ~~ - -? -- + = == / '
    "// /* */ ; | 1. > ![i](j) [x](y) `#x`{=typst} {=typst} {.a} ^[n] \\( &#35; word"
).split(" ")


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes with a type."""
    if isinstance(tree, list):
        for one in tree:
            yield from nodes(one)
    elif isinstance(tree, dict):
        yield tree
        yield from nodes(tree.get("c"))


def read(text: str, folder: Path = Path(), **attachments: str) -> tuple[list[Any], Paper, Shown]:
    shown = Shown(folder)
    paper = Paper(Part(text, attachments=attachments), shown, as_tex=False)
    return paper.blocks(), paper, shown


def only(tree: list[Any]) -> list[Any]:
    """Return the contents of the only paragraph."""
    (paragraph,) = tree
    content: list[Any] = paragraph["c"]
    return content


def test_the_only_code_is_ours() -> None:
    """Student text always comes out as text, with numbers for other elements."""
    rng = random.Random(51)
    seen = 0
    for _ in range(40):
        text = "".join(rng.choice(MARKS) + rng.choice(" \n") * rng.randint(0, 2) for _ in range(80))
        for node in nodes(read(text)[0]):
            assert node["t"] != "RawBlock"
            if node["t"] == "RawInline":
                kind, code = node["c"]
                assert kind == "typst"
                assert OURS.fullmatch(code), code
                seen += 1
    assert seen > 100


def test_no_level_of_heading_is_left_out() -> None:
    """Below the question's heading, each level is one deeper than its parent."""
    headings = read("\n\n".join("#" * level + " x" for level in (4, 2, 2, 3, 6, 1)) + "\n\n#")[0]
    assert [heading["c"][0] for heading in headings] == [2, 2, 2, 3, 4, 2]


@pytest.mark.parametrize(
    ("text", "leads", "said"),
    [
        ("[here](https://a.b)", True, "https://a.b"),
        ("[here](https://a.b 'why')", True, "https://a.b, why"),
        ("<https://a.b>", True, None),
        ("<c@a.b>", True, None),
        ("[here](javascript:x)", False, "javascript:x"),
        ("[here](#question-0)", False, "#question-0"),
        ("[](https://a.b)", False, "https://a.b"),
    ],
)
def test_links_show_their_address_and_only_some_lead_there(
    text: str, leads: bool, said: str | None
) -> None:
    """Nobody can click on paper; a script is text."""
    inside = list(nodes(only(read(text)[0])))
    assert any(node["t"] == "Link" for node in inside) == leads
    assert [node["c"][1] for node in inside if node["t"] == "Code"] == ([said] if said else [])


@pytest.mark.parametrize(
    "target", ["a b.png", "/picture-0.png", "attachment:c.png", "http://x/y.png"]
)
def test_images_come_from_attachments_alone(tmp_path: Path, target: str) -> None:
    """Paths and addresses appear as written, with a notice."""
    attachments = {"a b.png": picture()}
    tree, paper, shown = read(f"![*dot* `x`](<{target}>)", tmp_path, **attachments)
    assert [node["t"] for node in only(tree)] == ["Code"]
    assert only(tree)[0]["c"][1] == f"![dot x]({target})"
    assert (len(paper.notices), shown.pictures) == (1, [])
    tree, paper, shown = read("![dot](attachment:a%20b.png 'red')", tmp_path, **attachments)
    assert only(tree)[0]["c"] == ["typst", "#picture(0)"]
    assert "(Image: dot, red)" in json.dumps(tree)
    assert shown.pictures == [{"file": "picture-0.png", "alt": "dot, red"}]
    assert not paper.notices


def test_a_formula_is_a_number_and_its_tex() -> None:
    """Its text and source go into the typesetter's data."""
    tree, _, shown = read("$a_1$ and\n$$\nx\ny\n$$")
    code = [node["c"][1] for node in only(tree) if node["t"] == "RawInline"]
    assert code == ["#formula(0)[", "]", "#formula(1)[", "]"]
    assert [formula["tex"] for formula in shown.formulas] == ["a_1", "x y"]
    assert shown.formulas[1]["source"] == "$$\nx\ny\n$$"


def test_too_many_parts_in_parts_are_not_read() -> None:
    """Typst cannot nest so deeply."""
    assert read("> " * 11 + "bottom")[0]
    with pytest.raises(NotRead):
        read("> " * 40 + "bottom")
