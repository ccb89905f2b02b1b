"""Leaks of what only a run gives: expected values, and messages of the grader."""

from pathlib import Path

import pytest

from autograder.authoring.contract import proof
from autograder.authoring.leaks.search import Secrets
from autograder.course import known_answers
from autograder.records.homework import Homework
from autograder.sandbox.supervisor import Sandbox
from tests.helpers import drawn
from tests.truth import leaks as seeded

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]


def test_every_seeded_leak_is_caught_with_expected_values(
    course: Path, hw2: Homework, sandbox: Sandbox
) -> None:
    """With the instructor's log, every kind is seeded, and all are caught."""
    log, _ = proof.run(known_answers.instructor(course, hw2), hw2, sandbox)
    rows = list(seeded.rows(course, hw2, [log], drawn(hw2, proof.SECRET)))
    assert [row for row in rows if not row.good] == []
    assert len(rows) == len(seeded.SEEDS) + 1


def test_messages_of_the_grader_are_no_leaks(course: Path, hw2: Homework, sandbox: Sandbox) -> None:
    """They give nothing away, although they may quote the student's own lines."""
    secrets = Secrets.of(course, hw2, hidden=drawn(hw2, proof.SECRET))
    for answer in known_answers.wrong(course, hw2)[:3]:
        _, grade = proof.run(answer.submission, hw2, sandbox)
        own = "\n".join(cell.source for cell in answer.submission.cells)
        for text in (
            answer.written.nudge,
            answer.written.explanation,
            *(mark.message for mark in grade.marks),
        ):
            assert secrets.leaks_in_text("message", text, feedback=True, own=own) == []
