"""The lines that explain, regrade and export print -> tables and lists for a job's page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_POINTS = r"-?[\d.]+"
_REGRADED = re.compile(rf"(.+?) (\S+): ({_POINTS}) -> ({_POINTS}): ?(.*)")
_AGAIN = re.compile(r"(.+?) (\S+): (run again) (.*)")
_EXPORTED = re.compile(rf"(.+?): (.*) -> ({_POINTS})")
_QUESTION = re.compile(rf"(\S+): ((?:not marked|{_POINTS}) of .*)")
_TEXT = " " * 6


@dataclass(frozen=True)
class Change:
    """A mark or a cell that changes; an export names no question."""

    student: str
    question: str
    before: str
    after: str
    why: str = ""


@dataclass
class Part:
    """A part of an explanation: a sentence, a list, and texts by their titles."""

    said: str
    items: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Explained:
    """One question of `explain`: its points and the parts below."""

    question: str
    points: str
    parts: list[Part] = field(default_factory=list)


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
    said: list[str] = []
    explained: list[Explained] = []
    lines = [line for line in output.split("\n") if not line.startswith("autograder: ")]
    notes = [line.removeprefix("note: ") for line in lines if line.startswith("note: ")]
    rest = [line for line in lines if not line.startswith("note: ")]
    if verb == "explain":
        rest = list(_explained(rest, explained))
    for line in filter(None, rest):
        if change := _changed(verb, line):
            changes.append(change)
        else:
            said.append(line.strip())
    return Printed(changes, explained, notes, said)


def _changed(verb: str, line: str) -> Change | None:
    if verb == "export":
        found = _EXPORTED.fullmatch(line)
        return Change(found[1], "", found[2].removeprefix("empty"), found[3]) if found else None
    if verb != "regrade":
        return None
    if found := _AGAIN.fullmatch(line):
        return Change(found[1], found[2], "", found[3], found[4].strip("()"))
    found = _REGRADED.fullmatch(line)
    return Change(*found.groups()) if found else None


def _explained(lines: Sequence[str], found: list[Explained]) -> Iterator[str]:
    """Add explanations to a list, by how far lines are indented; yield all other lines."""
    part = Part("")
    ours = False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        words = line.strip()
        if line[:1] != " ":
            question = _QUESTION.fullmatch(line)
            ours = bool(question)
            if question:
                part = Part("")
                found.append(Explained(question[1], question[2], [part]))
            else:
                yield line
        elif not ours:
            yield line
        elif line.startswith(_TEXT) and part.texts:
            title, text = part.texts[-1]
            part.texts[-1] = title, f"{text}\n{line[6:]}" if text else line[6:]
        elif line.startswith("    "):
            if after.startswith(_TEXT):
                part.texts.append((words.removesuffix(":"), ""))
            else:
                part.items.append(words)
        else:
            part = Part(words)
            found[-1].parts.append(part)
