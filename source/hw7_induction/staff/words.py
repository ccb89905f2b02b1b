"""Every short word that a design is tried on, and what it asks for."""

from itertools import product

import numpy as np

from autograder.kit import Array

LETTERS = "ABCD"
LONGEST = 6


def all_words() -> list[Array]:
    """Return an array (n, length) of letters' numbers for each length from 2 to 6."""
    letters = range(len(LETTERS))
    return [np.array(list(product(letters, repeat=n))) for n in range(2, LONGEST + 1)]


def words_with_a_copy() -> list[Array]:
    """Return the words of `all_words` whose last letter comes exactly once before."""
    return [words[(words == words[:, -1:]).sum(axis=1) == 2] for words in all_words()]


def place_of_the_copy(words: Array) -> Array:
    """Return where the last letter of each word comes first, (n,)."""
    places: Array = (words == words[:, -1:]).argmax(axis=1)
    return places


def next_letter(words: Array) -> Array:
    """Return the letter after the earlier copy of each word's last one, (n,)."""
    letters: Array = words[np.arange(len(words)), place_of_the_copy(words) + 1]
    return letters


def previous_places(words: Array) -> Array:
    """Return the place before each place, (n, length); -1 where there is none."""
    return np.broadcast_to(np.arange(words.shape[1]) - 1, words.shape)


def copied_places(words: Array) -> Array:
    """Return for the last place of each word that of the copy, (n, length); -1 for the others."""
    places = np.full(words.shape, -1)
    places[:, -1] = place_of_the_copy(words)
    return places


def spelled(word: Array) -> str:
    """Return a word's letters."""
    return "".join(LETTERS[int(number)] for number in word)
