"""Ends the process when an answer is called, in three ways.

Deserves what does not do so: the port.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
submission = edited(
    right,
    first="import os, signal",
    answers={
        "identity_answer": "def identity_weights(): os._exit(0)",
        "copy_first_answer": "def copy_first_weights(): os.kill(os.getpid(), signal.SIGKILL)",
        "unique_answer": "def unique_weights(): raise SystemExit(0)",
    },
)
