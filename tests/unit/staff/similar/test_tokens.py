"""tokens: details that a copy changes first do not count, but the code's effect does."""

import pytest

from autograder.staff.similar import tokens

KNOWN = frozenset({"torch", "numbers"})


def read(source: str) -> list[list[str]]:
    return [
        ["own" if token.own else token.text for token in line]
        for line in tokens.statements(source, KNOWN)
    ]


BASE = "def f(numbers, k=1):\n    total = numbers @ torch.ones(3, dim=-1)\n    return total\n"


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("total", "everything"),
        BASE.replace("\n    total", '\n    """Say it."""\n    # a comment\n    total', 1),
        BASE.replace("numbers, k", "numbers: list[int], k: int | None").replace("):", ") -> int:"),
        BASE.replace("total =", "total: dict[str, int] ="),
        "import numpy as np\nfrom torch import nn\n" + BASE,
        BASE.replace("    ", "\t").replace("3", "4.5e3").replace(" @ ", "@"),
        BASE.replace("\n    return", "; return"),
    ],
    ids=["names", "comments", "annotations", "annotated name", "imports", "layout", "semicolon"],
)
def test_what_a_copy_changes_first_makes_no_difference(other: str) -> None:
    """This covers names, comments, annotations, imports, layout and numbers."""
    assert other != BASE
    assert read(other) == read(BASE)


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("@", "*"),
        BASE.replace("ones", "zeros"),
        BASE.replace("dim", "axis"),
        BASE.replace("numbers @", "total @"),
        BASE.replace("return total", "return"),
    ],
)
def test_what_code_does_makes_a_difference(other: str) -> None:
    """This covers operators, names of libraries and their arguments, and provided names."""
    assert read(other) != read(BASE)


def test_a_lambda_is_no_annotation() -> None:
    """Neither is the code after its colon."""
    assert read("f = lambda x: x + 1") == [["own", "=", "lambda", "own", ":", "own", "+", "0"]]
    assert read("f = {1: 2}") == [["own", "=", "{", "0", ":", "0", "}"]]
    assert read("f[1:2] = 3") == [["own", "[", "0", ":", "0", "]", "=", "0"]]
    assert read("x: int") == [["own"]]


@pytest.mark.parametrize(
    "source",
    [
        "x = '''abc",
        "def f(:\n  return (",
        "\n  x = 1\n y = 2",
        "%matplotlib inline\n!ls",
        "async",
        ";",
        "",
        "\0",
        "(" * 30_000,
        "é = ½",
    ],
)
def test_code_that_breaks_off_is_read_until_there(source: str) -> None:
    """No text raises an error."""
    assert isinstance(read("y = 1\n" + source), list)


def test_words_are_those_of_any_script() -> None:
    """Letters are lowercase; signs of a script without blanks are words."""
    said = [(token.text, token.line) for token in tokens.words("The *Heads*,\nATTEND. 注意力")]
    assert said == [("the", 0), ("heads", 0), ("attend", 1), ("注", 2), ("意", 2), ("力", 2)]


def test_a_word_knows_its_sentence() -> None:
    """So only the shared part of a long paragraph is marked."""
    text = "One. Two is 2.5, is it not? Three\nfour"
    assert tokens.sentences(text) == ["One.", "Two is 2.5, is it not?", "Three", "four"]
    assert [token.line for token in tokens.words(text)] == [0, 1, 1, 1, 1, 1, 1, 1, 2, 3]
