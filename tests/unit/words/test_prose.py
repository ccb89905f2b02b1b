"""proselint, a public linter of prose, finds nothing that proselint.toml does not exempt."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from proselint import checks as every
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

from tests.helpers import ROOT
from tests.unit.words.shown import places, texts

EXEMPT = tomllib.loads(Path(__file__).with_name("proselint.toml").read_text(encoding="utf-8"))[
    "exempt"
]
CONFIG: Any = {"max_errors": 10**6, "checks": DEFAULT["checks"]}
PLACES = [place for place in places() if place.suffix != ".html"]
"""Files to check: all except the playground, which is mostly a script."""
CheckRegistry().register_many(vars(every)["__register__"])


def found(parts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield where a check complains, its name, what it found, and what it advises.

    All parts are read at once, which takes a fourth of the time. What goes over a line's end is
    left out: a heading may end as the text below it begins.
    """
    names, starts, whole = [], [], ""
    for where, text in parts:
        names.append(where)
        starts.append(len(whole))
        whole += re.sub(r"[ \t]+", " ", text).strip() + "\n\n"
    if not whole.strip():
        return
    for hit in LintFile("the place", whole).lint(CONFIG):
        first, last = (end - 1 for end in hit.check_result.span)
        said = whole[first:last]
        if "\n" not in said.strip():
            where = names[bisect_right(starts, first) - 1]
            yield where, hit.check_result.check_path, said, hit.check_result.message


def is_exempt(one: dict[str, str], where: str, check: str, said: str) -> bool:
    """Return whether an exemption is about what was found."""
    return bool(
        re.match(one["check"], check)
        and re.search(one.get("text", ""), said)
        and re.match(one.get("place", ""), where)
    )


@pytest.mark.parametrize("place", PLACES, ids=lambda path: str(path.relative_to(ROOT)))
def test_proselint_finds_nothing(place: Path) -> None:
    """In documents, notebooks, pages and messages; without a network."""
    complaints = [
        f"{where}: {said!r}: {advice} ({check})"
        for where, check, said, advice in found(texts(place))
        if not any(is_exempt(one, where, check, said) for one in EXEMPT)
    ]
    assert complaints == [], "\n".join(complaints)


def test_a_cliche_is_found_and_an_exemption_is_narrow() -> None:
    """A phrase that is exempt in one place is still reported everywhere else."""
    (hit,) = found([("a.md", "It is far."), ("b.md", "It was very large."), ("c.md", "Large.")])
    assert hit[:3] == ("b.md", "weasel_words.very", "very")
    assert not any(is_exempt(one, "README.md", *hit[1:3]) for one in EXEMPT)
    assert any(is_exempt(one, "release/hw1/hw1.ipynb", *hit[1:3]) for one in EXEMPT)
    assert all(one["reason"] for one in EXEMPT)
