"""A check that raises or takes too much costs only its own question, and staff are told."""

import resource
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from autograder.authoring.contract import proof
from autograder.course import inputs
from autograder.course.homework import HomeworkError
from autograder.marking import check_limits
from autograder.marking.check_limits import CheckFailed, call
from autograder.marking.diagnose import Given, diagnose
from autograder.marking.judge import NOT_MARKED, judge
from autograder.records import codec
from autograder.records.facts import SubmissionId, SubmissionLog
from autograder.records.homework import Homework
from autograder.records.marks import Grade, Mark, Misconception
from autograder.records.questions import Check, Heatmap, Inputs, Question, Value, Verdict
from autograder.sandbox.execute import Executed
from tests.helpers import SECRET, returned

ME = SubmissionId("someone", "notebook", "4" * 64)


@dataclass(frozen=True)
class Doing(Check):
    """A check that does something and earns nothing."""

    does: Callable[[], object]

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        return Verdict(0.0, f"It gave {self.does()}.")


def divide() -> float:
    return 1 / len(())


def spin() -> None:
    while True:
        pass


def hoard() -> int:
    return int(sum(array.sum() for array in [np.ones(20_000_000) for _ in range(8)]))


def test_what_a_check_raises_costs_its_own_question(toy: Homework) -> None:
    """Students read that staff know, staff see the place, and other marks are unaffected."""
    count, mean, _ = toy.questions
    needing, third = replace(mean, needs=("count",), if_right={}), replace(count, id="third")
    sound = replace(toy, questions=(count, needing, third))
    broken = replace(toy, questions=(replace(count, check=Doing(divide)), needing, third))
    log = SubmissionLog(
        toy.name,
        ME,
        inputs=inputs.digests(sound, submission=ME, secret=SECRET),
        outcomes=tuple(outcome for q in sound.questions for outcome in returned(sound, q.id, ME)),
    )
    right = judge(sound, log, secret=SECRET).marks
    assert [mark.earned for mark in right] == [2, 3, 2]
    first_mark, needing_mark, third_mark = judge(broken, log, secret=SECRET).marks
    assert (first_mark.earned, first_mark.message) == (0, NOT_MARKED)
    first, *others = first_mark.fault.splitlines()
    assert first.startswith("ZeroDivisionError: division by zero (test_check_limits.py, line ")
    assert "Traceback" in others[0]
    assert "`count` is right, and that could not be marked" in needing_mark.message
    assert third_mark == right[2]


def test_staff_are_told_where_a_likeness_raises(toy: Homework) -> None:
    """The mark stays, without a misconception."""

    class Unlike(Doing):
        def likeness(self, inputs: Inputs, value: Value, known: Value) -> float:
            raise ValueError("of no size")

    question = replace(toy.question("count"), check=Unlike(dict))
    alone = replace(toy, questions=(question,))
    outcomes = returned(toy, "count", ME)
    digests = inputs.digests(alone, submission=ME, secret=SECRET)
    log = SubmissionLog(toy.name, ME, inputs=digests, outcomes=outcomes)

    def bank(asked: Question, cases: Sequence[Inputs], /, *, among: object = None) -> Given:
        return [(Misconception("known", "n", "e"), outcomes[: len(cases)])]

    grade = judge(alone, log, secret=SECRET)
    (mark,) = diagnose(grade, alone, log, secret=SECRET, bank=bank).marks
    assert mark.fault.startswith("ValueError: of no size")
    assert replace(mark, fault="") == grade.marks[0]


def test_time_is_limited_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless check is stopped; the timer and its handler are restored."""
    monkeypatch.setattr(check_limits, "SECONDS", 0.1)
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(CheckFailed, match=r"more than 0.1 s of processor time"):
        call(Doing(spin), {}, {})
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels count no private memory")
def test_memory_is_limited_and_given_back() -> None:
    """A check that uses a gigabyte runs out of memory; afterwards memory is available."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(CheckFailed, match="more than 500 MB of memory"):
        call(Doing(hoard), {}, {})
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    assert hoard() == 160_000_000


def test_another_thread_judges_without_limits_of_its_own() -> None:
    """On a Dask worker, a signal would reach the wrong thread, so only sizes are bounded."""
    said: list[str] = []

    def judging() -> None:
        said.append(call(Doing(lambda: signal.getitimer(signal.ITIMER_PROF)), {}, {}).message)
        with pytest.raises(CheckFailed, match="ZeroDivisionError"):
            call(Doing(divide), {}, {})

    thread = threading.Thread(target=judging)
    thread.start()
    thread.join()
    assert said == ["It gave (0.0, 0.0)."]


def test_what_is_said_has_an_end() -> None:
    """A shape of 200,000 numbers does not fill a report."""
    assert len(call(Doing(lambda: "x" * 10**6), {}, {}).message) < 5000


def test_an_author_sees_what_a_check_raises(toy: Homework, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the contract it is an error with file and field, not a mark."""
    question = replace(toy.question("count"), check=Doing(divide))
    alone = replace(toy, questions=(question,))
    digests = inputs.digests(alone, submission=ME, secret=proof.SECRET)
    outcomes = returned(toy, "count", ME)
    log = SubmissionLog(toy.name, ME, inputs=digests, outcomes=outcomes)
    monkeypatch.setattr(proof, "execute", lambda *_, **__: [Executed(log, lambda: ())])
    said = r"source/toy/staff: the check of 'count' failed: ZeroDivisionError"
    with pytest.raises(HomeworkError, match=said):
        proof.run(None, alone, None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Saying(Check):
    """A check whose verdict contains numpy's types."""

    verdict: Verdict

    def __call__(self, inputs: Inputs, value: Value) -> Verdict:
        return self.verdict


def test_a_verdict_is_made_of_plain_numbers_and_text() -> None:
    """Values of numpy are written like other numbers; unpaired surrogates become marks."""
    picture = Heatmap("Weights", ("a",), ("b",), np.array([[0.5]]))  # type: ignore[arg-type]
    said = call(Saying(Verdict(np.float64(0.5), "odd \ud800", (picture,))), {}, {})
    grade = Grade(ME, (Mark("q", 2.0, 2 * said.fraction, said.message, pictures=said.pictures),))
    assert codec.decode_grade(codec.encode_grade(grade)) == grade
    assert said.message == "odd ?"


@pytest.mark.parametrize("fraction", [float("nan"), np.inf])
def test_a_verdict_that_is_no_number_costs_its_question(fraction: float) -> None:
    """It is reported as our own mistake."""
    with pytest.raises(CheckFailed, match="which is not a number"):
        call(Saying(Verdict(fraction, "?")), {}, {})
