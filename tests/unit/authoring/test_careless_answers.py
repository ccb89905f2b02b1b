"""careless: the ways to make stateful objects and tables careless."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from autograder.authoring.contract.careless_answers import (
    CHANGES,
    KEPT,
    OBJECTS,
    ONCE,
    SPOILED,
    made_careless,
)
from autograder.records.values import Refused, watched

ACCOUNT = """
class Account:
    def __init__(self, opening):
        self.total = opening

    def deposit(self, amount):
        self.total += amount

    def balance(self):
        return self.total
"""
STACK = """
class Stack:
    def __init__(self):
        self._items = []

    def push(self, item):
        self._items.append(item)

    @property
    def top(self):
        return self._items[-1]

    def __len__(self):
        return len(self._items)
"""
POINT = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5
"""
RUNNING = '''
class Running:
    """A mean, of which each call adds an array."""

    def __init__(self):
        self.numbers = []

    def __call__(self, numbers):
        self.numbers.extend(numbers.tolist())
        return sum(self.numbers) / len(self.numbers)
'''


def account(Account: Any, opening: float, amounts: list[float]) -> Any:
    mine, other = Account(opening), Account(0.0)
    found = []
    for amount in amounts:
        mine.deposit(amount)
        other.deposit(1.0)
        found += [mine.balance(), other.balance()]
    return found


def stack(Stack: Any, items: list[float]) -> Any:
    mine, found = Stack(), []
    for item in items:
        mine.push(item)
        found += [mine.top, len(mine)]
    return found


def point(Point: Any, x: float, y: float) -> Any:
    return (Point(x, y) + Point(y, 1.0)).norm(), Point(x, y).norm()


def running(Running: Any, sizes: list[int]) -> Any:
    mine = Running()
    return [mine(np.arange(float(size)) + size) for size in sizes]


Case = tuple[str, Callable[..., Any], list[Mapping[str, Any]]]
CASES: Mapping[str, Case] = {
    "Account": (ACCOUNT, account, [{"opening": 1.0, "amounts": [2.0, 3.0]}, {"opening": 2.0, "amounts": [1.0, 3.0]}]),
    "Stack": (STACK, stack, [{"items": [1.0, 2.0]}, {"items": [3.0, 2.0, 5.0]}]),
    "Point": (POINT, point, [{"x": 1.0, "y": 2.0}, {"x": 2.0, "y": 0.5}]),
    "Running": (RUNNING, running, [{"sizes": [2, 3, 1, 2]}, {"sizes": [3, 1, 4, 3]}]),
}  # fmt: skip


def evaluated(source: str, case: Case, name: str) -> list[Any]:
    """Return each case's result, evaluated twice as in grading; for an error, its class."""
    names: dict[str, Any] = {}
    exec(source, names)
    found: list[Any] = []
    for inputs in itertools.chain(case[2], case[2]):
        try:
            found.append(case[1](names[name], **inputs))
        except Exception as error:
            found.append(type(error).__name__)
    return found


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", [*SPOILED, *OBJECTS, KEPT, ONCE, CHANGES], ids=lambda way: way.says)
def test_a_class_that_is_careless_loses(name: str, way: Any) -> None:
    """Objects that are called, and those with state, methods, properties or operators."""
    case = CASES[name]
    right = evaluated(case[0], case, name)
    assert not any(isinstance(one, str) for one in right)
    if way is CHANGES and name == "Running":
        return  # its adapter's arrays are watched by nobody
    found = evaluated(f"{case[0]}\n\n{made_careless([name], way)}", case, name)
    assert not np.array_equal(np.array(found, dtype=object), np.array(right, dtype=object))


@pytest.mark.parametrize("way", OBJECTS[:2], ids=lambda way: way.says)
def test_a_state_that_nothing_tests_is_told(way: Any) -> None:
    """A single call of one object reveals no state: such an answer passes, and `check` says so."""
    once: Case = (ACCOUNT, lambda Account: Account(1.0).deposit(2.0), [{}, {}])
    found = evaluated(f"{ACCOUNT}\n\n{made_careless(['Account'], way)}", once, "Account")
    assert found == [None, None] * 2


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("of", [lambda t: t, lambda t: t["x"], lambda t: [t]])
def test_a_table_is_changed(twice: bool, of: Callable[[Any], Any]) -> None:
    """The watch on inputs notices a change of a table with any index."""
    given = of(pd.DataFrame({"x": [1.0, np.nan]}, index=[0, 0 if twice else 1]))
    names: dict[str, Any] = {"f": lambda item: 3}
    exec(made_careless(["f"], CHANGES), names)
    with pytest.raises(Refused, match="changes `argument 1"):
        watched(lambda *items: names["f"](*items))(given)
