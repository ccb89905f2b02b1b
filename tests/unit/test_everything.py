"""everything: a proof outlives better words, and no change of the code."""

from autograder.authoring.release import code_of

SOURCE = '''\
"""A module."""

LIMIT = 3
"""The most."""


def half(x):
    """Return half."""
    # because
    return x / 2, "half"
'''


def test_words_leave_a_proof_as_it_is() -> None:
    """Docstrings, comments and line breaks say nothing about a mark."""
    words = SOURCE.replace("A module", "Halves").replace("because", "since").replace("half.", "it.")
    assert words != SOURCE
    assert code_of(words) == code_of(SOURCE)


def test_a_change_of_code_ends_a_proof() -> None:
    """A number, a name and a message count."""
    for old, new in (("3", "4"), ("x / 2", "x / 3"), (', "half"', ', "HALF"')):
        assert code_of(SOURCE.replace(old, new)) != code_of(SOURCE)


def test_a_text_that_a_cell_prints_is_code() -> None:
    """Magics count, too."""
    assert code_of("x = 1\n'shown'") != code_of("x = 1\n'other'")
    assert code_of("%time x = 1") != code_of("%timeit x = 1")
