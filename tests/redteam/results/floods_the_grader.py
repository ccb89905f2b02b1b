"""Sends megabytes of empty lists into the channel, so that reading them fills the grader's memory.

Deserves nothing, and soon: more is said than was asked.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import os, socket, stat
for descriptor in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            channel = socket.socket(fileno=os.dup(descriptor))
            channel.send(b'{"ready":true}\\n')
            for _ in range(12):
                channel.sendall(b'{"question":"port","value":[' + b"[]," * 4_000_000 + b"[]]}\\n")
    except OSError:
        pass
""",
)
