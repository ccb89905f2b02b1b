"""Answers each question with the name, number and count of others.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import sys
questions = vars(sys.modules["autograder.sandbox.inside.question_forks"])
questions["_answer"]  # it is there
def shuffled(out, requests, *args, **options):
    import json
    for number in (-1, 0, 10**30, 0.5, True, None, "0", [0]):
        for question in ("unique", "", None, 5, ["port"], requests[0]["question"]):
            reply = {"question": question, "number": number, "status": "returned", "value": {"Km": 1}, "error": "", "seconds": 0.0}
            out.write((json.dumps(reply) + "\\n").encode())
    out.write(b"[]\\n{}\\nnull\\n")
    out.flush()
questions["_answer"] = shuffled
""",
)
