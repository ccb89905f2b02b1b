"""Sleeps or loops for ever in each answer of a design, ignoring signals.

Deserves the port: each question has a time of its own.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
FOR_EVER = """\
import signal, time
def {name}_weights():
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_IGN)
    while True:
        {waits}
"""
submission = edited(
    right,
    answers={
        "identity_answer": FOR_EVER.format(name="identity", waits="time.sleep(0.1)"),
        "copy_first_answer": FOR_EVER.format(name="copy_first", waits="time.sleep(0.1)"),
        "unique_answer": FOR_EVER.format(name="unique", waits="pass"),
    },
)
