"""Texts for people are plain English in the field's terms, without the patterns of words.toml."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.helpers import ROOT
from tests.unit.words.shown import places, texts

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))["word"]
PATTERNS = {re.compile(word["pattern"], re.MULTILINE): word for word in WORDS}


@pytest.mark.parametrize("place", [*places()], ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_for_people_have_no_listed_word(place: Path) -> None:
    """The message names what to write."""
    found = [
        f"{where}: ...{said[max(hit.start() - 60, 0) : hit.end() + 60]}...\n"
        f"    write: {word['instead']}"
        for where, said in texts(place)
        for pattern, word in PATTERNS.items()
        for hit in pattern.finditer(said)
    ]
    assert not found, "\n".join(found)


def test_each_pattern_finds_its_sentence_and_not_the_right_one() -> None:
    """No pattern may be useless."""
    for pattern, word in PATTERNS.items():
        assert pattern.search(word["finds"])
        assert not pattern.search(word["passes"])
