"""Answers written to fool the questions on today's transformers earn nothing, and spoil nothing."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from autograder.authoring.contract.proof import earns
from autograder.course import homework, inputs, known_answers
from autograder.sandbox.mistake_bank import InstructorRun
from tests.helpers import ANYONE, ROOT, SECRET

pytestmark = [pytest.mark.slow, pytest.mark.turns(2)]

ATTACKS: Mapping[str, Mapping[str, Mapping[str, str]]] = tomllib.loads(
    Path(__file__).with_name("later_questions.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_answers_earn_nothing_and_right_ones_still_do(name: str) -> None:
    """Each is asked as a student's is; after all of them the instructor's answer is still right."""
    chosen = homework.load(ROOT, name)
    earned = []
    with InstructorRun(chosen, known_answers.instructor(ROOT, chosen)) as run:
        for title, attack in ATTACKS[name].items():
            question = chosen.question(attack["question"])
            cases = inputs.draw(question, submission=ANYONE, secret=SECRET)
            (hostile,) = run.outcomes(question, cases, [attack["define"]])
            if earns(question, cases, hostile):
                earned.append(title)
            (right,) = run.outcomes(question, cases)
            assert earns(question, cases, right), title
    assert not earned
