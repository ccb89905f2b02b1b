"""inputs: hidden, different for each submission, the same at every regrade."""

from dataclasses import replace

from autograder.course import inputs
from autograder.model import Homework, SubmissionId

MINE, OTHER = (SubmissionId("a", "notebook", letter * 64) for letter in "ab")


def test_a_regrade_draws_the_same(toy: Homework) -> None:
    """The same submission, question and secret give the same inputs."""
    question = toy.question("count")
    first, again = (inputs.draw(question, submission=MINE, secret="s") for _ in range(2))
    assert inputs.digest(first) == inputs.digest(again)


def test_submission_question_and_secret_all_matter(toy: Homework) -> None:
    """Changing any of the three draws other inputs."""
    count, mean = toy.question("count"), toy.question("mean")
    digests = {
        inputs.digest(inputs.draw(count, submission=MINE, secret="s")),
        inputs.digest(inputs.draw(count, submission=OTHER, secret="s")),
        inputs.digest(inputs.draw(count, submission=MINE, secret="t")),
        inputs.digest(inputs.draw(mean, submission=MINE, secret="s")),
    }
    assert len(digests) == 4


def test_inputs_in_common_are_nobody_s_own(toy: Homework) -> None:
    """They depend on the question and the secret alone, and no submission's hash can give them."""
    question = toy.question("count")
    common = inputs.common(question, secret="s")
    assert common.digest == inputs.common(question, secret="s").digest
    assert common.digest != inputs.common(question, secret="t").digest
    assert common.digest != inputs.drawn(question, submission=MINE, secret="s").digest
    assert len(common.cases) == len(inputs.draw(question, submission=MINE, secret="s"))


def test_of_many_cases_some_are_in_common(toy: Homework) -> None:
    """So that a wrong answer costs little more than a right one."""
    many = replace(toy.question("count"), cases=lambda rng: [{"numbers": rng.normal(size=2)}] * 55)
    assert 10 <= len(inputs.common(many, secret="s").cases) <= inputs.MAX_COMMON
