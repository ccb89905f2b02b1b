"""Known mistakes against diagnoses, and what is said of mistakes that are not in the bank."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from autograder.authoring import contract
from autograder.course import known_answers
from autograder.marking.diagnose import diagnose
from autograder.model import Grade, Homework
from autograder.sandbox.known_values import Bank, bank
from autograder.sandbox.supervisor import Sandbox
from tests.truth.table import Table

ENOUGH = 0.95
# What is said of a question that is lost with an earlier one; the mistake is named there.
_ELSEWHERE = re.compile("This counts only when|is not right either: begin there")


def confusion(course: Path, homework: Homework, sandbox: Sandbox, *, every: int = 1) -> Table:
    """Grade each mistake of the bank, as it stands there and in other words, and compare names."""
    table = Table(f"{homework.name}: known mistakes against diagnoses")
    counts, in_other_words = {"right": 0, "wrong": 0, "none": 0}, Counter[str]()
    disguised = list(_disguised(course, homework))
    themselves = [(answer.name, answer) for answer in known_answers.wrong(course, homework)]
    table.lines.append(f"{'mistake':<28} {'written as':<28} right wrong none")
    with bank(course, homework) as mistakes:
        for number, (name, answer) in enumerate([*themselves, *disguised]):
            if number % every:
                continue
            found = {"right": 0, "wrong": 0, "none": 0}
            for said in _diagnoses(answer, homework, sandbox, mistakes):
                found["none" if said is None else "right" if said == name else "wrong"] += 1
            style = "in the bank" if answer.name == name else answer.name
            row = " ".join(f"{found[kind]:>5}" for kind in found)
            table.lines.append(f"{name:<28} {style:<28} {row}")
            for kind in counts:
                counts[kind] += found[kind]
                in_other_words[kind] += found[kind] * (answer.name != name)
    table.tried = sum(counts.values())
    table.lines.append("in all: " + ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    table.lines.append("in all, and of those in other words:")
    for right, tried in (
        (counts["right"], table.tried),
        (in_other_words["right"], in_other_words.total()),
    ):
        table.lines.append(f"{right} of {tried} right")
        if right < ENOUGH * tried:
            table.short.append(f"only {right} of {tried} diagnoses are right")
    if counts["wrong"]:
        table.short.append(f"{counts['wrong']} diagnoses name another mistake")
    return table


def _diagnoses(
    answer: known_answers.KnownAnswer, homework: Homework, sandbox: Sandbox, mistakes: Bank
) -> Iterator[str | None]:
    """Yield what is said of each question that an answer loses for its own values."""
    asked = contract.touched(homework, answer)
    log, grade = contract.run(answer.hand_in, asked, sandbox)
    grade = diagnose(grade, asked, log, secret=contract.SECRET, bank=mistakes)
    named = any(mark.misconception for mark in grade.marks)
    for mark in grade.marks:
        elsewhere = named and _ELSEWHERE.search(mark.message)
        own = mark.question in answer.fails and not elsewhere
        if own or mark.misconception:
            yield mark.misconception.name if mark.misconception else None


def _kept(course: Path, homework: Homework, kind: str) -> list[Path]:
    return sorted((course / "source" / homework.name / "staff" / "tests" / kind).glob("*.py"))


def _disguised(course: Path, homework: Homework) -> Iterator[tuple[str, known_answers.KnownAnswer]]:
    for path in _kept(course, homework, "disguised"):
        answer = known_answers.read(course, homework, path, ("MISTAKE", "FAILS"))
        yield answer.constants["MISTAKE"], answer


def unlisted(course: Path, homework: Homework, sandbox: Sandbox, *, every: int = 1) -> Table:
    """Grade mistakes that no file of the bank holds: the words must help, and no name be wrong."""
    table = Table(f"{homework.name}: what is said of mistakes that are not in the bank")
    with bank(course, homework) as mistakes:
        for path in _kept(course, homework, "unlisted")[::every]:
            answer = known_answers.read(course, homework, path, ("WORDS", "FAILS"))
            asked = contract.touched(homework, answer)
            log, grade = contract.run(answer.hand_in, asked, sandbox)
            grade = diagnose(grade, asked, log, secret=contract.SECRET, bank=mistakes)
            lost = {m.question for m in grade.marks if m.verdict in ("failed", "partly")}
            if lost != answer.fails:
                table.short.append(f"{path.stem} loses {sorted(lost)}, not {sorted(answer.fails)}")
            for mark in grade.marks:
                if mark.misconception:
                    name = mark.misconception.name
                    table.short.append(f"{path.stem}, {mark.question}: taken for {name}")
            for question, words in answer.constants["WORDS"].items():
                table.tried += 1
                _look(table, path.stem, grade, question, words)
    return table


def _look(table: Table, name: str, grade: Grade, question: str, words: str) -> None:
    (mark,) = (m for m in grade.marks if m.question == question)
    table.lines.append(f"{name}, {question}: {' '.join(mark.message.split())}")
    if not re.search(words, mark.message):
        table.short.append(f"{name}, {question}: no word of /{words}/")
