"""Keeps the channel open and says nothing more when it is asked.

Deserves nothing, and soon.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import sys, time
answering = vars(sys.modules["autograder.facts.answering"])
answering["_answer_in_a_fork"]  # it is there
answering["_answer_in_a_fork"] = lambda *args: time.sleep(3600)
""",
)
