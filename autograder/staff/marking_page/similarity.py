"""Answers that may share a mark, read, grouped and sorted by a process beside the page's.

Input: a folder of results and the ids of a question's answers. Output: groups of ids, and an order
in which similar answers follow each other. The process compares texts and never stores them.
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
from typing import Any, Literal

import msgspec

from autograder.records.errors import UserError

_WORDS = re.compile(r"\s+|[^\W\d_]+|\d+|.", re.DOTALL)


@dataclass(frozen=True)
class Alike:
    """Groups of similar answers.

    Args:
        groups: Ids of answers with equal or nearly equal texts; unique answers are in no group.
        order: All ids; similar answers follow each other.
        echoes: Answer -> the previous one, if both read alike but a number, a sign or a word such
            as "not" keeps them from sharing a group.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    order: tuple[str, ...] = ()
    echoes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """A piece of two similar texts: in both, or in only one."""

    text: str
    there: Literal["both", "here", "other"]


class Comparison:
    """A comparison of a question's answers, in a separate process at low priority."""

    def __init__(
        self, root: Path, folder: Path, homework: str, question: str, students: Mapping[str, str]
    ) -> None:
        self._arguments = root, folder, homework, question, students
        self._found: Alike | None = None
        self._answer: Connection | None = None
        self._lock = threading.Lock()  # several markers' requests come in threads

    def begin(self) -> None:
        """Start it, unless it has already started."""
        with self._lock:
            if self._answer is None and self._found is None:
                context = multiprocessing.get_context("spawn")
                self._answer, theirs = context.Pipe(duplex=False)
                arguments = (theirs, *self._arguments)
                context.Process(target=_compare, args=arguments, daemon=True).start()
                theirs.close()

    def found(self) -> Alike | None:
        """Return the result; None until it is known."""
        with self._lock:
            if self._answer is not None and self._answer.poll():
                try:
                    self._found = msgspec.json.decode(self._answer.recv_bytes(), type=Alike)
                except EOFError:  # it ended without a result, so every text stays alone
                    self._found = Alike()
                self._answer.close()
                self._answer = None
            return self._found


def _compare(answer: Connection, *arguments: Any) -> None:
    """Do the work in a separate process, which ends with it even if the page has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(10)
    found = compare(*arguments)
    with contextlib.suppress(BrokenPipeError):
        answer.send_bytes(msgspec.json.encode(found))


def compare(
    root: Path, folder: Path, homework: str, question: str, students: Mapping[str, str]
) -> Alike:
    """Return groups of similar answers, and an order for all of them."""
    from autograder.course import homework as homeworks
    from autograder.platforms.nbgrader import groups
    from autograder.platforms.nbgrader.answers import EMPTY, answer, released
    from autograder.store import executed

    cell = released(homeworks.load(root, homework), question)
    texts: dict[str, str] = {}
    for id, student in students.items():
        # An empty answer resembles no other.
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
    """Return two texts as one list of pieces, each in both texts or in only one."""
    mine, theirs = _words(here), _words(other)
    pieces: list[Piece] = []
    matcher = difflib.SequenceMatcher(a=mine, b=theirs, autojunk=False)
    for kind, from_a, to_a, from_b, to_b in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(Piece("".join(mine[from_a:to_a]), "both"))
        else:
            pieces.append(Piece("".join(mine[from_a:to_a]), "here"))
            pieces.append(Piece("".join(theirs[from_b:to_b]), "other"))
    return [piece for piece in pieces if piece.text]


def _words(text: str) -> Sequence[str]:
    return _WORDS.findall(" ".join(text.split()))
