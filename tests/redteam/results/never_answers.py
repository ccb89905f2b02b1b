"""Keeps the channel open and says nothing more when it is asked.

Deserves nothing, and soon.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import sys, time
frame = sys._getframe()
while "_answer_question" not in frame.f_globals:
    frame = frame.f_back
worker = frame.f_globals
worker["_answer_question"] = lambda *args: time.sleep(3600)
""",
)
