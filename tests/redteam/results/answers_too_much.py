"""Answers without end, and with lines of hundreds of megabytes.

Deserves nothing; what is sent is limited.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import sys
questions = vars(sys.modules["autograder.sandbox.inside.question_forks"])
questions["_answer"]  # it is there

def flood(out, requests, *args, **options):
    out.write(b"x" * 200_000_000)
    while True:
        out.write(b'{"status": "returned"}\\n' * 1000)
        out.flush()
questions["_answer"] = flood
""",
)
