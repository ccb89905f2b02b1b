"""The softmax runs over the heads in place of the tokens."""

FAILS = ("xor_trained",)
NUDGE = "Over which axis do the weights of one head sum to one?"
EXPLANATION = "This fits a softmax over the heads. Each head has weights of its own, which sum to one over the tokens."
EDITS = {"keys, queries), dim=3)": "keys, queries), dim=2)"}
