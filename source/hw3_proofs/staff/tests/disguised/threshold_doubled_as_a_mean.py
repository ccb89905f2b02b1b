"""The regularisation of the second sensor is shared among both."""

MISTAKE = "threshold_doubled"
FAILS = ("purification_threshold",)


def purification_threshold():
    lost = 2 * (0.02**2 + 0.01**2)
    saved_per_lam = (2 - 1) / 2
    return lost / saved_per_lam
