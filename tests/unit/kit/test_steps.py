"""Steps: the results of calls on an object, alone and alternating with a second object."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.kit import Inputs, Steps
from autograder.kit.notebook.steps import run_steps
from autograder.records import data
from autograder.records.questions import RESULT
from autograder.records.values import Refused


class Account:
    """The right class."""

    def __init__(self, owner: str, opening: float) -> None:
        self.owner, self.total = owner, opening
        self._log: list[float] = []

    def pay(self, amount: float) -> Any:
        if amount > self.total:
            raise ValueError("too much")
        self.total -= amount
        self._log.append(amount)

    @property
    def log(self) -> Any:
        return self._log

    def __len__(self) -> int:
        return len(self._log)


class Chained(Account):
    """A right class in a different form: methods return the object, and lists are arrays."""

    def pay(self, amount: float) -> Any:
        if amount > self.total:
            raise OverdrawnError
        super().pay(amount)
        return self

    @property
    def log(self) -> Any:
        return list(self._log)

    def __len__(self) -> int:
        return int(np.int64(len(self._log)))


class OverdrawnError(ValueError):
    """An own error, derived from the expected class."""


class OfTheClass(Account):
    """A wrong class: all objects share one total."""

    def __init__(self, owner: str, opening: float) -> None:
        super().__init__(owner, opening)
        OfTheClass.shared = opening

    shared = 0.0
    total = property(
        lambda self: type(self).shared, lambda self, new: setattr(type(self), "shared", new)
    )  # type: ignore[assignment]


class OneList(Account):
    """A wrong class: all objects share one list."""

    def __init__(self, owner: str, opening: float, log: Any = []) -> None:  # noqa: B006
        super().__init__(owner, opening)
        self._log = log


class Silent(Account):
    """A wrong class that does not raise."""

    def pay(self, amount: float) -> Any:
        self.total -= amount
        self._log.append(amount)


class Without(Account):
    """A wrong class without a log."""

    log = property(lambda self: self.ledger)


class Fee(Account):
    """A wrong class that takes more than requested."""

    def pay(self, amount: float) -> Any:
        super().pay(amount)
        self.total -= 0.5


class Odd(Account):
    """A wrong class that returns itself instead of a list."""

    log = property(lambda self: self)


class Unwritten(Account):
    """An unwritten class."""

    def pay(self, amount: float) -> Any:
        raise NotImplementedError


CALLS = ["total", ("pay", 2.0), "total", "log", ("pay", 100.0), ("pay", 1.0), "__len__", "log"]
CASES: list[Inputs] = [{"new": ["a", 10.0], "calls": CALLS}, {"new": ["b", 7.0], "calls": CALLS}]


def message(answer: Any, cases: list[Inputs] = CASES) -> str:
    check = Steps(Account)
    case = check.paired(cases)[0]
    arrived = data.decode_inputs(data.encode_inputs(case))
    value = data.read(run_steps(answer, **arrived))
    verdict = check(case, value)
    assert verdict.fraction == (0 if verdict.message != "Right in every case." else 1)
    assert check.likeness(case, value, value) == 1
    return verdict.message


@pytest.mark.parametrize("answer", [Account, Chained])
def test_right_classes(answer: Any) -> None:
    """Results count if the reference gives one, and errors count by class."""
    assert message(answer) == message(answer, CASES[:1]) == "Right in every case."


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Fee, "After `pay()`, `total` is not right."),
        (Silent, "After `pay()`, `pay()` should raise an error, and does not."),
        (
            Without,
            "After `pay()`, `log` raises AttributeError: 'Without' object has no attribute 'ledger'.",
        ),
        (Odd, "After `pay()`, `log` gives nothing that can be compared: it is or contains a Odd."),
        (
            OfTheClass,
            "Right for one object alone, and not for two that are used in turn: keep in `self` what each "
            "of them keeps, and make it in `__init__`; `total` is not right.",
        ),
        (OneList, "Right for one object alone, and not for two that are used in turn"),
        (type("Two", (Account,), {"log": property(lambda s: [*s._log, 1.0])}), "has 2 items"),
    ],
)
def test_wrong_classes(answer: Any, said: str) -> None:
    """The message names the first wrong call and those before it, without numbers."""
    assert said in message(answer)


def test_what_is_not_written_is_told_as_for_a_function() -> None:
    """It raises the error of an unwritten answer."""
    with pytest.raises(NotImplementedError):
        message(Unwritten)
    with pytest.raises(Refused, match="a sentence"):
        message(type("Refusing", (Account,), {"pay": _refuses}))


def _refuses(self: Any, amount: float) -> None:
    raise Refused("a sentence")


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"opening": 3}, "write a dict of new and calls"),
        ({"new": 3, "calls": []}, "new is a list"),
        ({"new": [3], "calls": ["a", 3]}, r"calls has 3; write a name"),
        ({"new": [3], "calls": [("a", 1), ()]}, r"calls has \(\)"),
    ],
)
def test_a_case_that_is_no_script(case: Inputs, said: str) -> None:
    """The author is told what a case looks like."""
    with pytest.raises(ValueError, match=said):
        Steps(Account).paired([case, case])


@pytest.mark.parametrize(
    "forged",
    [
        None,
        3,
        [],
        [[], [], []],
        [[{}], [{}], [3]],
        [[{"gave": 1}]] * 3,
        [[{"raised": 3}]] * 3,
        [[{"raised": [3]}]] * 3,
    ],
)
def test_a_forged_reply_earns_nothing(forged: Any) -> None:
    """A check never raises for any reply."""
    check = Steps(Account)
    case = check.paired(CASES)[0]
    assert check(case, {RESULT: forged}).fraction == 0
    assert check.likeness(case, {RESULT: forged}, {}) == 0


def test_arguments_are_each_call_s_own() -> None:
    """Objects that keep or change their arguments do not affect later calls."""

    class Kept:
        def __init__(self, numbers: Any) -> None:
            self.numbers = numbers

        def add(self, more: Any) -> None:
            self.numbers += more
            more[:] = 0

    calls = [("add", np.ones(2)), "numbers", ("add", np.ones(2)), "numbers"]
    case: Callable[..., Any] = lambda: {"new": [np.zeros(2)], "calls": calls}  # noqa: E731
    (alone, *_) = run_steps(Kept, **case())[RESULT]
    assert [one["gave"].tolist() for one in alone if one["of"] == "numbers"] == [[1, 1], [2, 2]]
