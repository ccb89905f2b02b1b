"""A pair of one number twice is counted as mirrored."""

FAILS = ("mirror_share",)
NUDGE = "What is the mirror image of (a, a), and was it trained on?"
EXPLANATION = "This fits pairs (a, a) counted as if their mirror image were trained on. It is the test pair itself."
EDITS = {"(b, a) in known for": "(b, a) in known or a == b for"}
