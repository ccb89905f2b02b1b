"""The toy course, on which most tests are built, is a sound one."""

import pytest

from autograder.authoring.contract import mutation, rules
from tests.helpers import TOY

pytestmark = pytest.mark.slow


def test_the_contract_holds_for_the_toy() -> None:
    """All of it: what a test finds there, it would find in a homework."""
    clauses = list(rules.clauses(TOY, "toy"))
    assert len(clauses) > 15
    assert [clause for clause in clauses if not clause.holds] == []


def test_no_mutant_of_the_toy_survives() -> None:
    """Its two checks see every small change."""
    assert [clause for clause in mutation.clauses(TOY, "toy") if not clause.holds] == []
