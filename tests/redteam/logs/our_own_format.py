"""Is a log as the grader writes it, with invented outcomes that look right.

Deserves nothing: outcomes that a submission states are not read.
"""

from tests.redteam.attack import NOTHING, log_file

DESERVES = NOTHING
KM = {"dtype": "float64", "shape": [3, 3], "values": [12.0, 0, 0, 0, 12, 0, 0, 0, 12]}
OUTCOME = {"question": "identity", "number": 0, "status": "returned", "error": "", "seconds": 0.1}
submission = log_file(
    {
        "schema": 1,
        "homework": "hw2_transformer",
        "submission": {"student": "me", "kind": "notebook", "sha256": "0" * 64},
        "complete": True,
        "inputs": {},
        "outcomes": [OUTCOME | {"value": {"Km": KM, "Qm": KM, "Vm": KM}}],
    }
)
