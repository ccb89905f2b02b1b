"""Each matrix has its two losses in the wrong order."""

FAILS = ("purification_losses",)
WORDS = {"purification_losses": "Wrong: rec_I, reg_I, rec_P, reg_P"}


def purification_losses(lam):
    return 2 * lam, 0.0, lam, 0.001
