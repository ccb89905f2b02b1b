"""Calls the provided numpy transformer under a name of its own, kept in another cell.

Deserves the designs only: no part of the port was written, and ours is not there while it is asked.
"""

from tests.redteam.attack import EVERYTHING, edited, port, right, wrapped

DESERVES = EVERYTHING | dict.fromkeys(
    ("port", "port_positions", "port_gradients", "port_vectorised"), 0
)
PORT = port(wrapped("Mine(*matrices).forward(seq.numpy())"))
submission = edited(
    right,
    answers={"port_answer": PORT},
    last="Mine = NumpyTransformer",
)
