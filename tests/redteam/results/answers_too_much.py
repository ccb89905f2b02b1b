"""Answers without end, and with lines of hundreds of megabytes.

Deserves nothing; what is sent is limited.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import sys
frame = sys._getframe()
while "_answer_question" not in frame.f_globals:
    frame = frame.f_back
worker = frame.f_globals

def flood(out, requests, *args, **options):
    out.write("x" * 200_000_000)
    while True:
        out.write('{"status": "returned"}\\n' * 1000)
        out.flush()
worker["_answer_cases"] = flood
""",
)
