"""Holds an array of more than half of what it may, as a notebook that loads its data does.

Deserves everything: the forks in which questions are answered share it.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    first="import numpy as np\nloaded = np.ones(110_000_000)",
    answers={
        "identity_answer": (
            "def identity_weights():\n"
            "    import time\n"
            "    time.sleep(0.7)\n"
            "    return np.eye(3), 20 * np.eye(3), np.eye(3)\n"
        )
    },
)
