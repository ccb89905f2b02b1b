"""Written answers -> groups that share one mark, and an order that keeps similar ones together.

Input: each answer's text by id. Output: every id in exactly one group. Texts are only compared,
never interpreted, so they can do no harm.
"""

import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from rapidfuzz.distance import Indel

from autograder.records.questions import Array

ALIKE = 0.9
"""The share that two answers in one group must have in common: one word in ten may differ.
"""
MAX_TOKENS = 2_000
"""The most tokens to compare; longer answers are grouped only with equal ones."""

Kind = Literal["empty", "unchanged", "identical", "near-identical", "alone"]

_FORMULA = re.compile(
    r"\$\$?([^$]+)\$\$?|\\{1,2}[(\[]((?:(?!\\[()\[\]]).)*)\\{1,2}[)\]]", re.DOTALL
)
# Sizes, spaces and braces around one token change a formula's look but not its meaning.
_LOOKS = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|quad|qquad)(?![a-zA-Z])|\\[,;:! ]|~"
)
_BRACED = re.compile(r"\{\s*(\\[a-zA-Z]+|[^\s{}\\])\s*\}")
_TEX = re.compile(r"\\[a-zA-Z]+|\d+(?:\.\d+)*|[^\s]")
_WORD = re.compile(
    r"\\[a-zA-Z]+|\d+(?:[.,]\d+)*(?:e[-+]?\d+)?%?|[^\W\d_]+(?:'[^\W\d_]+)?"
    r"|[^\s\w.,;:!?\"'“”„()*_`#~\[\]{}]"
)
_PICTURE = re.compile(r"!\[|<img|attachment:|data:image", re.IGNORECASE)
# Adding, removing or changing one of these, or a number, may reverse an answer's meaning.
_DECIDES = frozenset(
    "not no never none nothing neither nor cannot without only all always every any some both either "
    "more less larger smaller greater lower higher bigger fewer most least above below before after "
    "increases decreases grows falls rises increase decrease grow fall rise shrink shrinks same "
    "different equal unequal true false right wrong left first last second third row rows column "
    "columns".split()
)
_DIMENSIONS = 128
_BINS = 64


@dataclass(frozen=True)
class Group:
    """Answers that can be marked together.

    Args:
        kind: "identical" ones differ only in white space; "near-identical" ones in a word or two, but in no number, negation or relation; "alone" is an answer unlike all others.
        members: Ids, sorted.

    """

    kind: Kind
    members: tuple[str, ...]


def groups(answers: Mapping[str, str], blank: str) -> list[Group]:
    """Group written answers: empty, unchanged, identical, near-identical, and the others alone.

    An answer with a picture is alone, since pictures are not compared.

    Args:
        answers: Id -> the answer's Markdown.
        blank: The text that the release has in the answer's place.

    Returns:
        Each id in one group: empty and unchanged ones first, then larger groups before smaller
        ones. The same answers give the same groups, in any order.

    """
    same: dict[str, list[str]] = defaultdict(list)
    pictures: list[str] = []
    given = " ".join(blank.split())
    for id in sorted(answers):
        text = " ".join(answers[id].split())
        if _PICTURE.search(text):
            pictures.append(id)
        else:
            same[text].append(id)
    found = []
    if empty := same.pop("", []):
        found.append(Group("empty", tuple(empty)))
    if unchanged := same.pop(given, []):
        found.append(Group("unchanged", tuple(unchanged)))
    rest = [Group("alone", (id,)) for id in pictures]
    for texts in _near(same):
        members = tuple(sorted(id for text in texts for id in same[text]))
        kind: Kind = "near-identical" if len(texts) > 1 else "identical"
        rest.append(Group(kind if len(members) > 1 else "alone", members))
    return found + sorted(rest, key=lambda group: (-len(group.members), group.members))


def order(found: Sequence[Group], answers: Mapping[str, str]) -> list[str]:
    """Return all ids of `groups` in an order for marking: similar answers follow each other.

    The members of a group stay together. The largest group comes first, each next one is the most
    similar to the last, and empty or unchanged answers come at the end.
    """
    written = [group for group in found if group.kind not in ("empty", "unchanged")]
    written.sort(key=lambda group: (-len(group.members), group.members))
    vectors = _vectors([_tokens(answers[group.members[0]]) for group in written])
    result = [id for place in _chain(vectors) for id in written[place].members]
    others = [group for group in found if group.kind in ("empty", "unchanged")]
    return result + [id for group in others for id in group.members]


def near(one: str, other: str) -> bool:
    """Return whether two texts have nearly the same words, even if a number or a negation differs."""
    first, second = _tokens(one)[:MAX_TOKENS], _tokens(other)[:MAX_TOKENS]
    return Indel.normalized_similarity(first, second, score_cutoff=ALIKE) >= ALIKE


def _tokens(text: str) -> list[str]:
    """Return the words of a text and the tokens of its formulas, without their formatting."""
    found, start = [], 0
    for formula in _FORMULA.finditer(text):
        found += _words(text[start : formula.start()])
        tex = _LOOKS.sub(" ", formula[1] or formula[2] or "")
        found += [f"${token}" for token in _TEX.findall(_BRACED.sub(r" \1 ", tex))]
        start = formula.end()
    return found + _words(text[start:])


def _words(text: str) -> list[str]:
    words = _WORD.findall(text.replace("’", "'"))
    # A letter that is alone keeps its case: A and a mean different things.
    return [word if len(word) == 1 else word.casefold() for word in words]


def _decides(token: str) -> bool:
    """Return whether a token must be the same in all answers of a group.

    It is a formula's, a number, a sign, a letter, or a decisive word.
    """
    single = len(token) == 1 and token not in "aI"
    return single or token in _DECIDES or token[0] in "$\\" or token[0].isdigit() or "n't" in token


def _near(same: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield lists of texts; all texts in a list are near its first one.

    Being near any other member is not enough, or long chains would join different texts.
    """
    tokens = {text: _tokens(text) for text in same}
    codes = _codes(tokens.values())
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in same:
        words = tokens[text]
        if not words or len(words) > MAX_TOKENS:
            yield [text]
        else:
            alike[tuple(filter(_decides, words))].append(text)
    for texts in alike.values():
        coded = ["".join(codes[word] for word in tokens[text]) for text in texts]
        near = _neighbours(coded)
        people = [len(same[text]) for text in texts]
        around = [people[n] + sum(people[m] for m in near[n]) for n in range(len(texts))]
        waiting = set(range(len(texts)))
        # Lists grow around the answers that most people gave in similar words.
        for first in sorted(waiting, key=lambda n: (-around[n], texts[n])):
            if first in waiting:
                chosen = [first, *(n for n in near[first] if n in waiting)]
                waiting.difference_update(chosen)
                yield [texts[n] for n in chosen]


def _neighbours(coded: Sequence[str]) -> list[list[int]]:
    """Return the positions of each text's near neighbours; every character stands for a token."""
    lengths = np.array([len(code) for code in coded])
    counts = np.zeros((len(coded), _BINS), dtype=np.int16)
    for row, code in zip(counts, coded, strict=True):
        np.add.at(row, [ord(one) % _BINS for one in code], 1)
    near: list[list[int]] = [[] for _ in coded]
    for first, code in enumerate(coded):
        # A token that only one of two texts has is one editing step; this never overestimates.
        steps = np.abs(counts[first + 1 :] - counts[first]).sum(axis=1)
        few = steps <= (1 - ALIKE) * (lengths[first + 1 :] + lengths[first]) + 1e-6
        for other in (first + 1 + np.flatnonzero(few)).tolist():
            if Indel.normalized_similarity(code, coded[other], score_cutoff=ALIKE) >= ALIKE:
                near[first].append(other)
                near[other].append(first)
    return near


def _codes(texts: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return a character for each token; frequent tokens get the characters that compare fast."""
    counted = Counter(token for text in texts for token in text)
    ranked = sorted(counted, key=lambda token: (-counted[token], token))
    # No surrogates; beyond a million tokens, the rarest share a character.
    places = (min(n, 1_000_000) for n in range(len(ranked)))
    return {
        token: chr(n + 1 if n < 0xD000 else n + 0x3000)
        for token, n in zip(ranked, places, strict=True)
    }


def _vectors(texts: Sequence[Sequence[str]]) -> Array:
    """Return a row of length 1 for each text: its rarer words, hashed into a few dimensions."""
    seen = Counter(token for text in texts for token in set(text))
    rows = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for token, number in Counter(text[:MAX_TOKENS]).items():
            digest = zlib.crc32(token.encode("utf-8", "replace"))
            sign = 1.0 if digest & 1 else -1.0
            weight = math.log(1 + len(texts) / seen[token]) * math.sqrt(number)
            row[(digest >> 1) % _DIMENSIONS] += sign * weight
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def _chain(vectors: Array) -> Iterator[int]:
    """Yield the rows, each followed by the most similar row not yet used."""
    left = np.arange(len(vectors))
    place = 0
    while len(left):
        yield int(left[place])
        here = vectors[place].copy()
        # The last row fills the gap, so that all remaining rows are contiguous.
        vectors[place], left[place] = vectors[len(left) - 1], left[-1]
        left = left[:-1]
        if len(left):
            place = int(np.argmax(vectors[: len(left)] @ here))
