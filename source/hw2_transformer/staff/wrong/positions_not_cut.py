"""The whole table of positions is used, however short the sequence is."""

FAILS = ("port_positions", "port_gradients")
RAISES = {"port_positions": "RuntimeError"}
NUDGE = "How many rows of the table does a sequence of length n need?"
EXPLANATION = (
    "The table of positions is not cut to the length of the sequence, so it fits one length only."
)
EDITS = {"self.pos.weight[: len(seq)]": "self.pos.weight"}
