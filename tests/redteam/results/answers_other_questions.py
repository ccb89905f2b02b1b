"""Answers each question with the name, number and count of others.

Deserves nothing.
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
def shuffled(out, requests, *args, **options):
    import json
    for number in (-1, 0, 10**30, 0.5, True, None, "0", [0]):
        for question in ("unique", "", None, 5, ["port"], requests[0]["question"]):
            reply = {"question": question, "number": number, "status": "returned", "value": {"Km": 1}, "error": "", "seconds": 0.0}
            out.write(json.dumps(reply) + "\\n")
    out.write("[]\\n{}\\nnull\\n")
    out.flush()
worker["_answer_cases"] = shuffled
""",
)
