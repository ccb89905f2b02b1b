"""copy_first hands over the position together with the token."""

FAILS = ("copy_first",)
NUDGE = "Should the value of a token depend on its position?"
EXPLANATION = "Vm mixes the position into the value. The output should be the token alone."
EDITS = {"np.zeros((4, 3))": "np.eye(4, 3)"}
