"""everything: a proof outlives better words, and no change of the code."""

from tests.everything import code

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
    assert code(words) == code(SOURCE)


def test_a_change_of_code_ends_a_proof() -> None:
    """A number, a name and a message count."""
    for old, new in (("3", "4"), ("x / 2", "x / 3"), (', "half"', ', "HALF"')):
        assert code(SOURCE.replace(old, new)) != code(SOURCE)
