"""inputs: hidden, different for each submission, the same at every regrade."""

from autograder.course import inputs
from autograder.model import Homework, Submission

MINE, OTHER = (Submission("a", "notebook", letter * 64) for letter in "ab")


def test_a_regrade_draws_the_same(hw2: Homework) -> None:
    """The same submission, question and secret give the same inputs."""
    question = hw2.question("port")
    first, again = (inputs.draw(question, submission=MINE, secret="s") for _ in range(2))
    assert inputs.digest(first) == inputs.digest(again)


def test_submission_question_and_secret_all_matter(hw2: Homework) -> None:
    """Changing any of the three draws other inputs."""
    port, positions = hw2.question("port"), hw2.question("port_positions")
    digests = {
        inputs.digest(inputs.draw(port, submission=MINE, secret="s")),
        inputs.digest(inputs.draw(port, submission=OTHER, secret="s")),
        inputs.digest(inputs.draw(port, submission=MINE, secret="t")),
        inputs.digest(inputs.draw(positions, submission=MINE, secret="s")),
    }
    assert len(digests) == 4
