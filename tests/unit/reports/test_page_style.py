"""style: one place defines colours, readable on their backgrounds, light and dark."""

import re
from itertools import product
from pathlib import Path

import pytest

from autograder.reports import style
from tests.helpers import ROOT

PACKAGE = ROOT / "autograder"
TOKENS = PACKAGE / "reports" / "tokens.css"
STUDENTS_FIGURES = PACKAGE / "kit" / "notebook" / "style.py"
"""It goes into notebooks, which have none of our other files."""
GROUNDS = ("--page", "--card", "--soft")
LETTERS = ("--ink", "--quiet", "--link", "--good", "--part", "--bad", "--open")
PAIRS = [
    *product(LETTERS, GROUNDS),
    *product(("--ink", "--link"), ("--pale", "--good-pale", "--part-pale", "--bad-pale")),
    *((f"--{name}", f"--{name}-pale") for name in ("good", "part", "bad", "open")),
    ("--ink", "--open-pale"),
    ("--ink", "--heat"),
    ("--on-accent", "--accent"),
]
EDGES = [*product(("--border", "--focus", "--accent"), GROUNDS)]
COLOUR = re.compile(
    r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|luma|cmyk)\("
    r"|[:,(+]\s*(?:black|white|gr[ae]y|silver|red|green|blue|navy|teal|yellow|orange|purple|canvas"
    r"|canvastext)\b",
    re.IGNORECASE,
)


def sheets() -> list[Path]:
    """Return all files that define how something looks."""
    kinds = (".css", ".jinja", ".html", ".typ", ".svg")
    found = [path for path in PACKAGE.rglob("*") if path.suffix in kinds]
    return sorted([*found, ROOT / "docs" / "static" / "site.css"])


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as defined in WCAG 2.2."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", [0, 1])
def test_letters_and_edges_can_be_seen(scheme: int) -> None:
    """WCAG's AA requires 4.5 for letters, and 3 for edges of buttons."""
    colours = style.colours()
    low = [
        (front, ground, round(found, 2))
        for pairs, least in ((PAIRS, 4.5), (EDGES, 3.0))
        for front, ground in pairs
        if (found := contrast(colours[front][scheme], colours[ground][scheme])) < least
    ]
    assert low == []


def test_contrast_is_what_wcag_says() -> None:
    """Black on white is 21, and a middle grey 4.54."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.005)


def test_no_colour_is_written_elsewhere() -> None:
    """No template, style, paper sheet or picture has one, and neither does Python."""
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sheets()
        if path != TOKENS and "marking_page" not in path.parts  # until it has the tokens
        for match in COLOUR.finditer(path.read_text(encoding="utf-8"))
    }
    found |= {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in PACKAGE.rglob("*.py")
        if path != STUDENTS_FIGURES
        for match in re.finditer(r"#[0-9a-fA-F]{6}\b", path.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "text", ["color: #fff", "fill: #1a2B3c80", "x: rgb(0 0 0 / 5%)", "stroke: white", "luma(9)"]
)
def test_a_colour_is_found(text: str) -> None:
    """This holds for every notation."""
    assert COLOUR.search(text)


def test_every_token_that_is_used_is_there() -> None:
    """An undefined name would give no colour at all."""
    there = set(re.findall(r"^\s*(--[\w-]+):", TOKENS.read_text(), re.MULTILINE))
    for path in sheets():
        text = path.read_text(encoding="utf-8")
        own = set(re.findall(r"(--[\w-]+):", text))
        assert set(re.findall(r"var\((--[\w-]+)", text)) <= there | own, path


def test_paper_has_the_light_ones() -> None:
    """They are a dictionary for typst."""
    assert 'ink: rgb("#1b1e24")' in style.paper()
