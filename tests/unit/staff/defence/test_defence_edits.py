"""Edits of one line each, shown in their final form."""

import ast
from itertools import islice

import numpy as np

from autograder.staff.defence.running.edits import edits

SOURCE = """\
def f(x, y):
    both = x @ y.T + x * y
    if len(both) > 1 and x.sum(axis=1)[0] > 0:
        both = both - 1
    return int(np.sum(both)) / 2"""


def said(source: str = SOURCE, most: int = 500) -> dict[str, str]:
    found = islice(edits(source, np.random.default_rng(0)), most)
    return {one.says: one.source for one in found}


def test_an_edit_is_shown_as_the_changed_line() -> None:
    """Nobody has to count names; only the code shows the original line."""
    found = said()
    for words in (
        "line 3: `if len(both) >= 1 and x.sum(axis=1)[0] > 0:`",
        "line 2: `both = x @ y + x * y`",
        "line 4: is left out",
        "line 5: `return int(np.sum(both)) * 2`",
        "line 3: `if len(both) > 1 and x.sum(axis=1)[-1] > 0:`",
        "line 2: `both = y @ y.T + x * y`",
    ):
        assert words in found, "\n".join(found)


def test_each_edit_is_of_one_line_and_another_program() -> None:
    """The function's head stays; no two edits have the same words or the same code."""
    found = said()
    assert len(found) > 30
    assert len(set(found.values())) == len(found)
    for words, source in found.items():
        pairs = zip(SOURCE.split("\n"), source.split("\n"), strict=True)
        different = [n for n, (one, other) in enumerate(pairs, start=1) if one != other]
        assert words.startswith(f"line {different[0]}: ")
        assert len(different) == 1
        ast.parse(source)


def test_what_shows_without_the_code_is_no_edit() -> None:
    """Examples are swapped sides of +, a missing return, and two signs."""
    lines = SOURCE.split("\n")
    for words, source in said().items():
        assert "line 5: is left out" not in words
        assert "--" not in source
        assert not any(f"`{line.strip()}`" in words for line in lines)
        assert "y * x" not in source


def test_the_same_generator_draws_the_same_edits() -> None:
    """A remade sheet needs this; a different generator draws others."""
    assert list(said(most=5)) == list(said(most=5))
    others = islice(edits(SOURCE, np.random.default_rng(1)), 5)
    assert [one.says for one in others] != list(said(most=5))


def test_what_may_matter_for_inputs_that_are_hardly_drawn_is_known() -> None:
    """This covers comparisons, bounds, and numbers near 0, as in a denominator."""
    found = {one.says: one.near_a_bound for one in edits(SOURCE, np.random.default_rng(0))}
    assert found["line 3: `if len(both) >= 1 and x.sum(axis=1)[0] > 0:`"]
    assert found["line 3: `if len(both) > 1 and x.sum(axis=1)[-1] > 0:`"]
    assert not found["line 5: `return int(np.sum(both)) * 2`"]
    assert not found["line 4: is left out"]
    for line in ("x / (x.sum() + 1e-09)", "max(x.sum(), 1) + 2", "x.clamp(min=2)", "x or 1"):
        of_line = list(edits(f"def f(x):\n    return {line}", np.random.default_rng(0)))
        assert of_line
        assert all(one.near_a_bound for one in of_line), line


def test_edits_of_what_is_called_come_first() -> None:
    """In a class, it is the method that runs."""
    source = "class A:\n\n    def __init__(self, n):\n        self.n = n + 1 - n * 2\n\n    def call(self, x):\n        return x * self.n"
    drawn = list(edits(source, np.random.default_rng(0), function="A.call"))
    lines = [one.line for one in drawn]
    assert set(lines) == {4, 7}
    assert lines == sorted(lines, reverse=True)
