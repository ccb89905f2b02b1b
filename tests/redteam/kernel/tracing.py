"""Traces and profiles every call, and changes local values in frames of the grader.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import sys, threading
def trace(frame, event, argument):
    if frame.f_code.co_name in ("answer", "_plain", "encode_value"):
        for name in ("value", "array", "reply"):
            if name in frame.f_locals:
                frame.f_locals[name] = {"status": "returned"}
    return trace
sys.settrace(trace)
sys.setprofile(trace)
threading.settrace(trace)
""",
)
