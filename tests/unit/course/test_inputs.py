"""inputs: hidden, different for each submission, the same at every regrade."""

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
