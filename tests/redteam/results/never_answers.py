"""Keeps the channel open and says nothing more when it is asked.

Deserves nothing, and soon.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import gc, time
worker = next(d for d in gc.get_objects() if isinstance(d, dict) and "_answer_question" in d)
worker["_answer_question"] = lambda *args: time.sleep(3600)
""",
)
