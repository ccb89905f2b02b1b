"""Answers each question with the name, number and count of others.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
hand_in = edited(
    wrong,
    last="""\
import gc
worker = next(d for d in gc.get_objects() if isinstance(d, dict) and "_answer_question" in d)
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
