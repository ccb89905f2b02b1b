"""breaks: a class's derivations are grouped by the line where they break."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from autograder.course import homework
from autograder.kit.derivation import Derivation
from autograder.records.facts import SubmissionId
from autograder.records.marks import Grade, Mark
from autograder.staff.class_page.derivation_breaks import Break, Derived, by_break, derived
from autograder.staff.class_page.people import Person
from autograder.store.log_summary import BriefLog
from tests.helpers import TOY


def lines(*values: float, last: float = 2.0) -> Mapping[str, np.ndarray]:
    named = {f"line {n}": np.array([value]) for n, value in enumerate(values, start=1)}
    return {**named, "lines": np.array(len(values)), "last": np.array([last])}


def test_derivations_by_the_line_at_which_they_break() -> None:
    """They use the check's own words, so that changes of these fail here."""
    check = Derivation(
        waypoints={},
        first=lambda: np.array([2.0]),
        result="mean",
        right_result=lambda: np.array([2.0]),
    )
    values = {
        "s1": lines(2, 2, 2),
        "s2": lines(2, 5, 5),
        "s3": lines(2, 7),
        "s4": lines(3),
        "s5": lines(2, 2, last=4),
        "s6": {**lines(2, 2), "line 2, trouble": "it gives no number"},
        **{f"t{n:02}": lines(*[2] * n, 9, 9) for n in (9, 10)},
    }
    said = {
        id: "1 of 2 waypoints are right. " + check.fault({}, value) for id, value in values.items()
    }
    assert by_break(said) == [
        Break("line 1", ("s4",)),
        Break("line 2", ("s2", "s3", "s6")),
        Break("line 10", ("t09",)),
        Break("line 11", ("t10",)),
        Break("the last line", ("s5",)),
    ]
    assert by_break({}) == []


def test_a_class_has_a_list_for_each_derivation() -> None:
    """It includes students who answered; other questions have none."""
    check = Derivation(
        waypoints={},
        first=lambda: np.array([2.0]),
        result="mean",
        right_result=lambda: np.array([2.0]),
    )
    toy = homework.load(TOY, "toy")
    count, mean, argue = toy.questions
    toy = replace(toy, questions=(count, replace(mean, check=check), argue))
    broken = check.fault({}, lines(2, 7))

    def person(student: str, said: str) -> Person:
        id = SubmissionId(student, "notebook", "0" * 64)
        grade = Grade(id, (Mark("count", 2.0, 2.0, broken), Mark("mean", 3.0, 1.0, said)))
        return Person(student, {"mean": 1.0}, grade, BriefLog("toy", id, complete=True))

    people = [person("a", broken), person("b", ""), person("c", broken), Person("d")]
    assert derived(people, toy) == [Derived("mean", (Break("line 2", ("a", "c")),), 1)]
    assert derived([], toy) == []
