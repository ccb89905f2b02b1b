"""The attention is right, but Vm gives another token back."""

FAILS = ("identity", "copy_first")
NUDGE = "Follow one token: what does it hand over when it is found?"
EXPLANATION = "The attention finds the right token, but Vm turns it into another one."
EDITS = {
    "Vm = np.eye(3)": "Vm = np.roll(np.eye(3), 1, axis=1)",
    "np.vstack([np.eye(3),": "np.vstack([np.roll(np.eye(3), 1, axis=1),",
}
