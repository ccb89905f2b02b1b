"""The lines that explain, regrade and export print -> tables and lists for a job's page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_POINTS = r"-?[\d.]+"
_REGRADED = re.compile(rf"(.+?) (\S+): ({_POINTS}) -> ({_POINTS}): ?(.*)")
_AGAIN = re.compile(r"(.+?) (\S+): (run again) \((.*)\)")
_EXPORTED = re.compile(rf"(.+?): (.*) -> ({_POINTS})")
_QUESTION = re.compile(rf"(\S+): ((?:not marked|{_POINTS}) of .*)")


@dataclass(frozen=True)
class Change:
    """A mark or a cell that changes; an export names no question."""

    student: str
    question: str
    before: str
    after: str
    why: str = ""


@dataclass(frozen=True)
class Part:
    """A part of an explanation: a sentence, a list, and texts by their titles."""

    said: str
    items: Sequence[str]
    texts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Explained:
    """One question of `explain`: its points and the parts below."""

    question: str
    points: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Printed:
    """Everything that a verb printed, but for its complaints."""

    changes: Sequence[Change]
    explained: Sequence[Explained]
    notes: Sequence[str]
    said: Sequence[str]


def read(verb: str, output: str) -> Printed:
    """Return what a verb's output says; a line in no known form is a sentence."""
    changes: list[Change] = []
    explained: list[Explained] = []
    notes: list[str] = []
    said: list[str] = []
    for whole in _split(output, indent=0):
        line, _, below = whole.rstrip("\n").partition("\n")
        if line.startswith("note: "):
            notes.append(line.removeprefix("note: "))
        elif verb == "explain" and (found := _QUESTION.fullmatch(line)):
            parts = map(_part, _split(below, indent=2))
            explained.append(Explained(found[1], found[2], list(parts)))
        elif change := _changed(verb, line):
            changes.append(change)
        elif not line.startswith("autograder: "):
            said += filter(None, (line, *map(str.strip, below.split("\n"))))
    return Printed(changes, explained, notes, said)


def _changed(verb: str, line: str) -> Change | None:
    if verb == "export" and (found := _EXPORTED.fullmatch(line)):
        return Change(found[1], "", found[2].removeprefix("empty"), found[3])
    if verb == "regrade" and (found := _AGAIN.fullmatch(line)):
        return Change(found[1], found[2], "", found[3], found[4])
    if verb == "regrade" and (found := _REGRADED.fullmatch(line)):
        return Change(*found.groups())
    return None


def _split(text: str, *, indent: int) -> list[str]:
    """Return a text in pieces that begin at each line with exactly this indentation."""
    pieces = re.split(rf"^(?= {{{indent}}}\S)", text, flags=re.MULTILINE)
    return [piece.rstrip("\n") for piece in pieces if piece.strip()]


def _part(text: str) -> Part:
    said, _, below = ("", "", text) if text.startswith("    ") else text.partition("\n")
    pieces = [piece.partition("\n") for piece in _split(below, indent=4)]
    texts = [(title, re.sub("^ {6}", "", words, flags=re.M)) for title, _, words in pieces if words]
    items = [title.strip() for title, _, words in pieces if not words]
    return Part(said.strip(), items, [(one.strip().rstrip(":"), words) for one, words in texts])
