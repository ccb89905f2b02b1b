"""Puts modules of its own in place of the grader's, numpy's and json's.

Deserves nothing: what crosses the line is data, read by another process.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import sys, types
class Finder:
    def find_spec(self, name, path=None, target=None):
        return None
sys.meta_path.insert(0, Finder())
import autograder.sandbox.inside.evaluate as probe
def answer(request, **options):
    import json
    return json.dumps({"question": request["question"], "number": request["number"], "status": "returned", "value": {}, "error": "", "seconds": 0.0, "fraction": 1.0, "score": 1000, "earned": 1000})
probe.answer = answer
sys.modules["autograder.sandbox.inside.evaluate"] = probe
for name in list(sys.modules):
    if name.startswith("autograder.marking"):
        raise RuntimeError("the judge is here")
""",
)
