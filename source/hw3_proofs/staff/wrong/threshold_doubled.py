"""The saved regularisation is taken to be half of lam."""

FAILS = ("purification_threshold",)
NUDGE = "By how much does the regularisation loss fall when the second sensor is dropped?"
EXPLANATION = "Your threshold is twice too large. Dropping the second sensor costs its squared norm and saves a whole lambda, not half of one."
EDITS = {"return 0.001": "return 0.002"}
