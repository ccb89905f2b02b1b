"""The average is taken over the input rows: Vm is not used."""

FAILS = ("port", "port_positions", "port_gradients", "port_vectorised")
NUDGE = "What is averaged with the attention weights?"
EXPLANATION = "The weights average the input rows. They should average the values, which Vm makes."
EDITS = {"self.Vm(seq)": "seq"}
