"""Answers without end, and with lines of hundreds of megabytes.

Deserves nothing; what is sent is limited.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import sys
answering = vars(sys.modules["autograder.facts.answering"])
answering["_answer"]  # it is there

def flood(out, requests, *args, **options):
    out.write(b"x" * 200_000_000)
    while True:
        out.write(b'{"status": "returned"}\\n' * 1000)
        out.flush()
answering["_answer"] = flood
""",
)
