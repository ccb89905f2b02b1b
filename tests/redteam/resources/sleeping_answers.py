"""Sleeps or loops for ever in each answer of a design, ignoring signals.

Deserves the port: each question has a time of its own.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING | {"identity": 0, "copy_first": 0, "unique": 0}
hand_in = edited(
    right,
    last="""\
import signal, time
def forever():
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(0.1)
identity_weights = copy_first_weights = forever
def unique_weights():
    while True:
        pass
""",
)
