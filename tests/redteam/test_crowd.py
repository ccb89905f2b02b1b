"""What one submission does costs no other one anything, nor does a busy machine (slices)."""

import pytest

from tests.helpers import count
from tests.redteam import crowd
from tests.redteam.attack import attacks
from tests.turn import TURN

pytestmark = pytest.mark.slow


def test_the_nastiest_are_thirty_of_the_corpus() -> None:
    """Each is there once."""
    assert len(set(crowd.NASTIEST)) == 30
    assert set(crowd.NASTIEST) <= {one.name for one in attacks()}


@pytest.mark.turns(10, long=True)
def test_right_submissions_keep_everything_beside_the_nastiest() -> None:
    """In any order, two at a time (a share: one order of four attacks and three right ones)."""
    numbers = {"attacks": count(full=30, slice=4), "right": count(full=10, slice=3)}
    for lost in crowd.orders(count(full=20, slice=1), turn=TURN, **numbers):
        assert not lost


@pytest.mark.turns(4)
def test_a_busy_machine_changes_no_mark() -> None:
    """Four processes beside the grader use all the processors there are."""
    for lost in crowd.orders(1, attacks=0, right=count(full=10, slice=3), others=4):
        assert not lost
