"""The second position answers, with or without a pad."""

FAILS = ("table_logits", "symmetric_control", "no_mask_control")
NUDGE = "At which position is the answer read, if there is a pad?"
EXPLANATION = "This fits logits that are read at the second token although there is a third position. The model that is trained with them is another one."
EDITS = {"mask=mask)[:, -1]": "mask=mask)[:, 1]"}
