"""Answers without end, and with lines of hundreds of megabytes.

Deserves nothing; what is sent is limited.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import gc
worker = next(d for d in gc.get_objects() if isinstance(d, dict) and "_answer_question" in d)

def flood(out, requests, *args, **options):
    out.write("x" * 200_000_000)
    while True:
        out.write('{"status": "returned"}\\n' * 1000)
        out.flush()
worker["_answer_cases"] = flood
""",
)
