"""The first d numbers of all directions are returned."""

FAILS = ("principal",)
NUDGE = "Is each of your columns one direction, with a number for each token?"
EXPLANATION = "This fits the first d columns of V^H. Its rows are the directions."
EDITS = {"logs, full_matrices=False).Vh[:d].T": "logs).Vh[:, :d]"}
