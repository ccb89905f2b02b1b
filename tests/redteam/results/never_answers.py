"""Keeps the channel open and says nothing more when it is asked.

Deserves nothing, and soon.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import sys, time
questions = vars(sys.modules["autograder.sandbox.inside.question_forks"])
questions["_Fork"].pass_on  # it is there
questions["_Fork"].pass_on = lambda *args: time.sleep(3600)
""",
)
