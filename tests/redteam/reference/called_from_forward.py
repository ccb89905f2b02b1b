"""Calls the provided numpy transformer from forward.

Deserves the designs only: no part of the port was written, and ours is not there while it is asked.
"""

from tests.redteam.attack import EVERYTHING, edited, port, right, wrapped

DESERVES = EVERYTHING | dict.fromkeys(
    ("port", "port_positions", "port_gradients", "port_vectorised"), 0
)
PORT = port(wrapped("NumpyTransformer(*matrices).forward(seq.numpy())"))
submission = edited(
    right,
    answers={"port_answer": PORT},
)
