"""Keys ask and queries answer: the matrix of scores is transposed."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "Which of its two indices does a row of the scores belong to?"
EXPLANATION = (
    "This fits scores K Q^T, the transpose of Q K^T: keys and queries have changed places."
)
EDITS = {"Q @ K.T": "K @ Q.T"}
