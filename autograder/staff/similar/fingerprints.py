"""Words -> fingerprints: a few numbers that reveal shared parts of texts.

Winnowing (Schleimer, Wilkerson, Aiken: Local Algorithms for Document Fingerprinting, SIGMOD 2003)
hashes all runs of k words and keeps the least hash of each window of w. So a shared run of w + k -
1 words is always found, wherever it is.
"""

import functools
import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from autograder.staff.similar import tokens
from autograder.staff.similar.tokens import Token

CODE_RUN, CODE_WINDOW = 12, 4
TEXT_RUN, TEXT_WINDOW = 5, 4
STATEMENT = 8
"""The least tokens that a single statement needs to count."""
DISTINCT = 5
"""The number of different tokens that a run of code needs: rows of numbers all look alike."""


class Fingerprint(NamedTuple):
    """The fingerprint of a place in a text.

    Args:
        key: Equal for equal words.
        first: Its first line, from 0; in prose, its first sentence.
        last: Its last line.

    """

    key: int
    first: int
    last: int


@functools.lru_cache(maxsize=50_000)
def of_code(
    source: str, known: frozenset[str] = frozenset(), *, every: bool = False
) -> tuple[Fingerprint, ...]:
    """Return the fingerprints of Python code.

    Runs of tokens find copies as a whole, and single statements find reordered copies. A statement
    with a string or a longer number has one more fingerprint, of its values too. `every` also
    returns the fingerprints that winnowing would drop.
    """
    found = list(tokens.statements(source, known))
    runs = list(_runs([token for line in found for token in line], CODE_RUN, "code"))
    single = [item for line in found for item in _whole(line)]
    return tuple((runs if every else winnowed(runs, CODE_WINDOW)) + single)


@functools.lru_cache(maxsize=50_000)
def of_text(text: str, *, every: bool = False) -> tuple[Fingerprint, ...]:
    """Return the fingerprints of prose; `every`: including those that winnowing would drop."""
    runs = list(_runs(tokens.words(text), TEXT_RUN, "text"))
    return tuple(runs if every else winnowed(runs, TEXT_WINDOW))


def of_outputs(digests: Sequence[str]) -> tuple[Fingerprint, ...]:
    """Return a fingerprint for each digest of a stored output."""
    return tuple(
        Fingerprint(_key("output", [digest]), line, line) for line, digest in enumerate(digests)
    )


def winnowed(items: Sequence[Fingerprint], window: int) -> list[Fingerprint]:
    """Return the fingerprint with the least key in each window; of equal ones the last."""
    kept: dict[int, Fingerprint] = {}
    for start in range(max(1, len(items) - window + 1)):
        inside = range(start, min(start + window, len(items)))
        if inside:
            place = min(inside, key=lambda number: (items[number].key, -number))
            kept[place] = items[place]
    return [kept[place] for place in sorted(kept)]


def _runs(found: Sequence[Token], size: int, kind: str) -> Iterator[Fingerprint]:
    for start in range(len(found) - size + 1):
        run = found[start : start + size]
        texts = _compared(run)
        if kind == "text" or len(set(texts)) >= DISTINCT:
            yield Fingerprint(_key(kind, texts), run[0].line, run[-1].line)


def _whole(statement: Sequence[Token]) -> Iterator[Fingerprint]:
    if len(statement) < STATEMENT:
        return
    texts = _compared(statement)
    first, last = statement[0].line, statement[-1].line
    if len(set(texts)) >= DISTINCT:
        yield Fingerprint(_key("statement", texts), first, last)
    values = [token.exact for token in statement if token.text in ("0", "''")]
    if any(len(value) > 1 for value in values):
        yield Fingerprint(_key("values", [*texts, *values]), first, last)


def _compared(run: Sequence[Token]) -> list[str]:
    """Return the text to compare: names that a student chose become numbers, by first use."""
    first: dict[str, str] = {}
    return [
        first.setdefault(token.text, f"\0{len(first)}") if token.own else token.text
        for token in run
    ]


def _key(kind: str, texts: Sequence[str]) -> int:
    whole = "\n".join((kind, *texts)).encode(errors="replace")
    return int.from_bytes(hashlib.blake2b(whole, digest_size=8).digest(), "big")
