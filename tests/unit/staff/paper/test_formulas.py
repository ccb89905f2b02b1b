"""formulas: found where Jupyter finds them, and restored unchanged."""

import random

import pytest

from autograder.staff.paper.formulas import pieces, put_back, take_out


def found(text: str) -> list[str]:
    return [formula.source for formula in take_out(text)[1]]


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("a $x$ b $$y$$ c", ["$x$", "$$y$$"]),
        ("$ x $ has spaces", ["$ x $"]),
        (
            "\\begin{align*}\na &= b \\\\\nc\n\\end{align*} end",
            ["\\begin{align*}\na &= b \\\\\nc\n\\end{align*}"],
        ),
        (r"\\(x\\) and \\[y\\]", [r"\\(x\\)", r"\\[y\\]"]),
        ("$a_1 | b_1$ | $c$", ["$a_1 | b_1$", "$c$"]),
        (r"$\text{if $x$}$", [r"$\text{if $x$}$"]),
        (r"$\frac{a$ and $b$", [r"$\frac{a$", "$b$"]),
        (r"costs \$5 and \$6", []),
        (r"$a \\$ b", [r"$a \\$"]),
        ("one $ only", []),
        ("$a\n\nb$", []),
        ("$$ $$", []),
        ("`$x$` and ``$y`$`` but $z$", ["$z$"]),
        ("```\n$x$\n```\n$y$", ["$y$"]),
        ("~~~python\n$x$\n~~~\n\n$y$", ["$y$"]),
        ("$$\n\\begin{align}\na\n\\end{align}\n$$", ["$$\n\\begin{align}\na\n\\end{align}\n$$"]),
    ],
)
def test_formulas_are_found_as_jupyter_does(text: str, sources: list[str]) -> None:
    """Dollars in code and single ones are dollars; braces balance; formulas have no blank lines."""
    assert found(text) == sources


def test_a_formula_knows_its_tex_and_its_place() -> None:
    """An environment is its own TeX; display formulas are recognised."""
    formulas = take_out("$ x $ $$y$$ \\begin{align}z\\end{align}")[1]
    assert [(f.tex, f.display) for f in formulas] == [
        ("x", False),
        ("y", True),
        ("\\begin{align}z\\end{align}", True),
    ]


def test_what_was_taken_out_can_be_put_back() -> None:
    """Whatever the text; a student's own placeholder is none."""
    rng = random.Random(1)
    parts = [
        "$",
        "$$",
        "{",
        "}",
        "\\begin{a}",
        "\\end{a}",
        "\n",
        "\n\n",
        "`",
        "```",
        "x",
        "\\",
        " ",
        "~~~",
    ]
    for _ in range(2_000):
        text = "".join(rng.choices(parts, k=rng.randint(0, 30)))
        rest, formulas = take_out(text)
        assert put_back(rest, formulas) == text
    assert take_out("\ue0005\ue001")[0] == "[U+E000]5[U+E001]"
    assert pieces("a\ue0000\ue001b") == ["a", 0, "b"]
