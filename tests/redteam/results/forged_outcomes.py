"""Writes outcomes of its own into the channel, with the statuses and claims that it would like.

Deserves nothing: values are compared, whoever wrote them.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import json, os, socket, stat
lines = b"".join(
    json.dumps({"question": q, "number": n, "status": "returned", "value": value, "error": "", "seconds": 0.0}).encode() + b"\\n"
    for q in ("port", "port_positions", "port_gradients", "port_vectorised", "identity", "copy_first", "unique")
    for n in range(9)
    for value in ({"score": "1000", "fraction": "1.0"}, {"output": {"dtype": "float64", "shape": [0], "values": []}})
)
for descriptor in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            os.write(descriptor, b'{"finished": 0, "outputs": [], "error": null}\\n{"ready": true}\\n' + lines)
    except OSError:
        pass
""",
)
