"""Answers that one mark may fit: read, grouped and put in order by a process beside the page's.

Comes in: a folder of results and the ids of a question's answers. Goes out: groups of ids, and an
order in which similar answers follow each other. Texts are compared there and never kept.
"""

import contextlib
import difflib
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import msgspec

from autograder.records.errors import UserError

_WORDS = re.compile(r"\s+|[^\W\d_]+|\d+|.", re.DOTALL)


@dataclass(frozen=True)
class Alike:
    """Groups of answers that are alike.

    Args:
        groups: Ids of answers whose texts are the same, or nearly; those that are like no other
            are in none.
        order: All ids; similar answers follow each other.
        echoes: Of answers that read like the one before them and are in no group with it, since a
            number, a sign or a word such as "not" differs: the id of the one before.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    order: tuple[str, ...] = ()
    echoes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """A piece of a text beside a similar text: in both, or in one of them alone."""

    text: str
    there: Literal["both", "here", "other"]


class Comparison:
    """Compares a question's answers in a process of its own, at a low priority."""

    def __init__(
        self, root: Path, folder: Path, homework: str, question: str, students: Mapping[str, str]
    ) -> None:
        self._arguments = (root, folder, homework, question, dict(students))
        self._found: Alike | None = None
        self._answer: Connection | None = None
        self._lock = threading.Lock()  # the pages of several markers come in threads

    def begin(self) -> None:
        """Start it, where it was not started yet."""
        with self._lock:
            if self._answer is None and self._found is None:
                context = multiprocessing.get_context("spawn")
                self._answer, theirs = context.Pipe(duplex=False)
                arguments = (theirs, *self._arguments)
                context.Process(target=_compare, args=arguments, daemon=True).start()
                theirs.close()

    def found(self) -> Alike | None:
        """Return what was found; None as long as it is not known."""
        with self._lock:
            if self._answer is not None and self._answer.poll():
                try:
                    self._found = msgspec.json.decode(self._answer.recv_bytes(), type=Alike)
                except EOFError:  # it ended without an answer: every text stays alone
                    self._found = Alike()
                self._answer.close()
                self._answer = None
            return self._found


def _compare(
    answer: Connection,
    root: Path,
    folder: Path,
    homework: str,
    question: str,
    students: Mapping[str, str],
) -> None:
    """Work in a process of its own; it ends with its work, whether the page is still there or not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(10)
    found = compare(root, folder, homework, question, students)
    with contextlib.suppress(BrokenPipeError):
        answer.send_bytes(msgspec.json.encode(found))


def compare(
    root: Path, folder: Path, homework: str, question: str, students: Mapping[str, str]
) -> Alike:
    """Return which answers are alike."""
    from autograder.course import homework as homeworks
    from autograder.platforms.nbgrader import groups
    from autograder.platforms.nbgrader.answers import EMPTY, answer, released
    from autograder.store import executed

    cell = released(homeworks.load(root, homework), question)
    texts: dict[str, str] = {}
    for id, student in students.items():
        # An empty answer is like no other.
        with contextlib.suppress(UserError, OSError):
            one = answer(executed.read_brief(folder / student), question, cell)
            if one.whole and not one.pictures:
                texts[id] = "" if one.text == EMPTY else one.text
    found = groups.groups(texts, cell.source)
    there = groups.order(found, texts)
    others = [id for id in students if id not in texts]
    several = tuple(
        group.members
        for group in found
        if len(group.members) > 1 and group.kind in ("identical", "near-identical")
    )
    group_of = {id: number for number, group in enumerate(found) for id in group.members}
    echoes = {
        later: before
        for before, later in pairwise(there)
        if group_of[before] != group_of[later] and groups.near(texts[before], texts[later])
    }
    return Alike(several, (*there, *others), echoes)


def differences(here: str, other: str) -> list[Piece]:
    """Return another text in pieces: what it has in common with the one here, and what differs."""
    mine, theirs = _words(here), _words(other)
    pieces: list[Piece] = []
    matcher = difflib.SequenceMatcher(a=mine, b=theirs, autojunk=False)
    for kind, from_a, to_a, from_b, to_b in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(Piece("".join(mine[from_a:to_a]), "both"))
            continue
        pieces.append(Piece("".join(mine[from_a:to_a]), "here"))
        pieces.append(Piece("".join(theirs[from_b:to_b]), "other"))
    return [piece for piece in pieces if piece.text]


def _words(text: str) -> Sequence[str]:
    return _WORDS.findall(" ".join(text.split()))
