"""Prints lines of the protocol, results and logs to standard output, standard error and descriptor 1.

Deserves nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import json, os, sys
for question in ("port", "identity", "copy_first", "unique"):
    line = json.dumps({"question": question, "number": 0, "status": "returned", "value": {}, "error": "", "seconds": 0.0, "score": 1000})
    print(line)
    print(line, file=sys.stderr)
    print(line, file=sys.__stdout__)
    for descriptor in (0, 1, 2):
        try:
            os.write(descriptor, line.encode() + b"\\n")
        except OSError:
            pass
print(json.dumps({"ready": True}), json.dumps({"answered": "port"}))
""",
)
