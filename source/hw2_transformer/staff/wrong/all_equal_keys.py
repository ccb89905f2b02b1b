"""copy_first gives every position the same key, so that its attention is a plain average."""

FAILS = ("copy_first",)
NUDGE = "What could a query look for that only position 0 has?"
EXPLANATION = "All keys are equal, so every query attends equally to every token. The key must tell position 0 from the others."
EDITS = {"Km[3] = 20": "Km[3:] = 1", "Qm[3:] = 1": "Qm[3] = 1"}
